#ifndef TOOLS_BENCH_IR_TEXT_H_
#define TOOLS_BENCH_IR_TEXT_H_

// What an audit needs to know of a module's text, without LLVM: which functions
// it defines, how long they are, whom they call, which parameters they use.
//
//   const IrText ir(text);
//   ir.Find("attention.team")->instructions

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace mxtile::bench {

struct IrFunction {
  std::string name;
  bool is_internal = false;
  std::vector<std::string> params;  // their names: "%0"
  std::vector<std::string> lines;   // between the braces
  int64_t instructions = 0;

  bool Calls(absl::string_view function) const;
  bool Uses(absl::string_view value) const;
};

class IrText {
 public:
  explicit IrText(absl::string_view text);

  const std::vector<IrFunction>& functions() const { return functions_; }
  // Null when the module does not define it.
  const IrFunction* Find(absl::string_view name) const;

 private:
  std::vector<IrFunction> functions_;
};

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_IR_TEXT_H_
