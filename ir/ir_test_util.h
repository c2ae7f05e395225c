#ifndef IR_IR_TEST_UTIL_H_
#define IR_IR_TEST_UTIL_H_

// Short ways to read, print and compare programs in tests.
//
//   EXPECT_EQ(RoundTripBody("y = n + 1"), "y: pl.Scalar[pl.INDEX] = n + 1\n");
//   EXPECT_EQ(ErrorInBody("y = z"), "MX-TEXT-2 1:5-1:6 'z' is not defined");
//
// A "body" is the text of a function's body, not indented; InFunction puts it
// into a program, and places of errors count from the body's first character.

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/structural_equal.h"

namespace mxtile::ir {

// Parameters of most types, for InFunction.
inline constexpr absl::string_view kTestParams =
    "n: pl.Scalar[pl.INDEX], i32: pl.Scalar[pl.INT32], "
    "f: pl.Scalar[pl.FP32], b: pl.Scalar[pl.BOOL], "
    "x: pl.Tensor[[64, 64], pl.FP32], "
    "t: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]";

// A program P with one InCore function `f` of that body.
std::string InFunction(absl::string_view body,
                       absl::string_view params = kTestParams);

// A context and what was read into it.
class TestProgram {
 public:
  // Reads the text, as file "a.py"; has_value() tells whether it had no error.
  explicit TestProgram(absl::string_view text);

  bool has_value() const { return program_ != nullptr; }
  Context& context() { return *context_; }
  const Program& operator*() const { return *program_; }
  const Program* operator->() const { return program_; }
  // The function `f`, or the only one.
  const Function& function() const;
  // `RULE LINE:COLUMN-LINE:COLUMN message`, a line each; "" for none.
  std::string errors() const;
  const DiagnosticSink& sink() const { return sink_; }

 private:
  std::unique_ptr<Context> context_;
  DiagnosticSink sink_;
  const Program* program_ = nullptr;
};

// Prints what it reads, and fails the test unless the print reads back to the
// same program and prints the same again. The print, or the errors.
std::string RoundTrip(absl::string_view text);
// The function's body out of RoundTrip(InFunction(...)), not indented.
std::string RoundTripBody(absl::string_view body,
                          absl::string_view params = kTestParams);
// The same for a program that is there already.
std::string PrintAndReadBack(const Program& program);

// What reading reports, as TestProgram::errors without the last line break;
// "no error" when it succeeds.
std::string ErrorIn(absl::string_view text);
std::string ErrorInBody(absl::string_view body,
                        absl::string_view params = kTestParams);

// "equal", or `PATH: LHS | RHS`.
std::string DifferenceOf(const Program& lhs, const Program& rhs);

// `RULE LINE:COLUMN message` of each diagnostic, a line each, with its notes.
std::string Summary(const DiagnosticSink& sink);

// 0 + 1 + ... : a left spine of that many terms, the last one a variable.
const Expr* LongSum(Context* context, const Var* var, int terms);

}  // namespace mxtile::ir

#endif  // IR_IR_TEST_UTIL_H_
