#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_TEST_UTIL_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_TEST_UTIL_H_

// What the tests of this pass share: programs as text, before and after.
//
//   const TextProgram input(ProgramText({FunctionText(
//       "InCore", "cell", absl::StrCat("s: ", MxType("[64, 8]", "MX_A_ZZ")),
//       LoadText("s", "[16, 2]", "[16, 2]"))}));
//   ExpectProgram(RunBlockMx(input), ProgramText({FunctionText(
//       "InCore", "cell",
//       absl::StrCat("s: ", BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ")),
//       Stamped(LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]")))}));
//
// Tests are named by the numbered cases of pypto_passes, sections 5.6 and 5.7,
// in the version of seed 000.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {

// ---- Text

inline std::string MxType(absl::string_view dims, absl::string_view layout) {
  return absl::StrCat("pl.Tensor[", dims, ", pl.FP8E8M0, pl.", layout, "]");
}
// As it is printed.
inline std::string BlockedType(absl::string_view dims,
                               absl::string_view layout) {
  return absl::StrCat("pl.Tensor[", dims,
                      ", pl.FP8E8M0, pl.TensorView(stride=[], "
                      "layout=pl.TensorLayout.",
                      layout, ")]");
}
inline std::string ScaleA64x8() { return MxType("[64, 8]", "MX_A_ZZ"); }
inline std::string BlockedA64x8() {
  return BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ");
}
inline std::string ScaleB8x64() { return MxType("[8, 64]", "MX_B_NN"); }
inline std::string BlockedB8x64() {
  return BlockedType("[1, 4, 4, 16, 2]", "MX_B_NN");
}

// `t = ` a load of all of the window, with its type where deduction cannot know
// it.
inline std::string LoadText(absl::string_view tensor, absl::string_view offsets,
                            absl::string_view window,
                            absl::string_view type = "") {
  return absl::StrCat("t", type.empty() ? "" : ": ", type, " = pl.tile.load(",
                      tensor, ", ", offsets, ", ", window, ", ", window,
                      ", target_memory=pl.Mem.Mat)");
}

// The body of a function that the pass has rewritten.
inline std::string Stamped(absl::string_view body) {
  return absl::StrCat("pl.func_attr({\"mx_tensor_views_blocked\": True})\n",
                      body);
}

// ---- Running

inline PassOutcome RunBlockMx(const ir::TextProgram& input,
                              const BlockMxOptions& options = {},
                              const ir::Program* program = nullptr) {
  return RunOnText(BlockMxScaleTensorViews(options), input, {}, program);
}

inline BlockMxOptions CompleteBoxes() {
  BlockMxOptions options;
  options.store = BlockMxOptions::kCompleteBoxes;
  return options;
}

// ---- Looking

inline std::vector<const ir::Call*> CallsOf(const ir::Program& program,
                                            absl::string_view callee) {
  std::vector<const ir::Call*> calls;
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&](const ir::Expr* root) {
        ir::PostOrder(root, [&](const ir::Expr* expr) {
          const auto* call = ir::DynCast<ir::Call>(expr);
          if (call != nullptr && call->callee->name == callee) {
            calls.push_back(call);
          }
        });
      });
    });
  }
  return calls;
}

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_TEST_UTIL_H_
