#ifndef IR_TEXT_TEXT_PROGRAM_TEST_UTIL_H_
#define IR_TEXT_TEXT_PROGRAM_TEST_UTIL_H_

// Programs for tests, written as text.
//
//   TextProgram program(ProgramText({
//       FunctionText("InCore", "cell", "s: pl.Tensor[[64, 4], pl.FP8E8M0]",
//                    "t = pl.load(s, [0, 0], [16, 2])"),
//   }));
//   program->Find("cell")
//
// Text that cannot be read fails the test and leaves a program without
// functions.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/source_file.h"

namespace mxtile::ir {

// A function of that type ("InCore"), as it stands in a class. `body` is not
// indented; an empty one is "pass". `returns`: a type, "" for none.
std::string FunctionText(absl::string_view type, absl::string_view name,
                         absl::string_view params, absl::string_view body,
                         absl::string_view returns = "");

// The program P of these functions. `head`: lines before the class.
std::string ProgramText(const std::vector<std::string>& functions,
                        absl::string_view head = "");

class TextProgram {
 public:
  explicit TextProgram(absl::string_view text,
                       const OpRegistry& ops = StandardOps());

  const Program& operator*() const { return *program_; }
  const Program* operator->() const { return program_; }
  const Program* get() const { return program_; }
  Context& context() const { return *context_; }
  // Must exist.
  const Function& function(absl::string_view name) const;
  // The text's line, from 1, in which `fragment` first stands.
  int LineOf(absl::string_view fragment) const;

 private:
  SourceFile file_;
  std::unique_ptr<Context> context_;
  const Program* program_;
};

}  // namespace mxtile::ir

#endif  // IR_TEXT_TEXT_PROGRAM_TEST_UTIL_H_
