#ifndef IR_OPS_OP_TEST_UTIL_H_
#define IR_OPS_OP_TEST_UTIL_H_

// Short ways to write operator calls and their types in tests.
//
//   OpTester t;
//   EXPECT_THAT(t.Deduce("tile.move", {t.Value(t.Tile({16, 64}, kFP16, kMat))},
//                        {{"target_memory", AttrValue::Of(kLeft)}}),
//               IsOkAndHolds(Eq(t.Tile({16, 64}, kFP16, kLeft))));
//   EXPECT_THAT(t.Deduce("tile.move", {}),
//               BreaksRule("MX-OP-1", "1 argument"));
//
// Types are uniqued, so equality of pointers is equality of whole types.

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::ir {

// Stands for the variable `n` in lists of dims.
inline constexpr int64_t kSymbolic = std::numeric_limits<int64_t>::min();

using Ints = std::vector<int64_t>;

class OpTester {
 public:
  Context& context() { return context_; }

  const Expr* Dim(int64_t value) {
    if (value != kSymbolic) return context_.Index(value);
    return symbol_;
  }
  Dims Shape(const Ints& values) {
    std::vector<const Expr*> dims;
    for (const int64_t value : values) dims.push_back(Dim(value));
    return context_.List(dims);
  }
  const Expr* List(const Ints& values) {
    return context_.NewTuple(Shape(values));
  }
  // A variable of that type.
  const Expr* Value(const Type* type) { return context_.NewVar("x", type); }

  const TileType* Tile(const Ints& shape, DataType dtype,
                       std::optional<MemorySpace> space = std::nullopt) {
    return MakeTile(shape, dtype, space, nullptr);
  }
  const TileType* Tile(const Ints& shape, DataType dtype,
                       std::optional<MemorySpace> space, const TileView& view) {
    return MakeTile(shape, dtype, space, &view);
  }
  // The implicit view with this valid shape.
  TileView ValidView(const Ints& shape, std::optional<MemorySpace> space,
                     const Ints& valid) {
    TileView view = ImplicitTileView(Shape(shape), space);
    view.valid_shape = Shape(valid);
    return view;
  }

  const TensorType* Tensor(const Ints& shape, DataType dtype,
                           TensorLayout layout = TensorLayout::kND) {
    TensorView view;
    view.layout = layout;
    return Tensor(shape, dtype, view);
  }
  const TensorType* Tensor(const Ints& shape, DataType dtype,
                           const TensorView& view) {
    TensorType type;
    type.kind = TypeKind::kTensor;
    type.shape = Shape(shape);
    type.dtype = dtype;
    type.view = &view;
    return context_.GetTensorType(type);
  }

  absl::StatusOr<const Type*> Deduce(absl::string_view op,
                                     const std::vector<const Expr*>& args,
                                     const std::vector<Attr>& kwargs = {}) {
    const OpDef* def = context_.registry().Find(op);
    return def->deduce({def, args, kwargs}, context_);
  }

 private:
  const TileType* MakeTile(const Ints& shape, DataType dtype,
                           std::optional<MemorySpace> space,
                           const TileView* view) {
    TileType type;
    type.shape = Shape(shape);
    type.dtype = dtype;
    type.space = space;
    type.view = view;
    return context_.GetTileType(type);
  }

  Context context_{&StandardOps()};
  const Var* symbol_ = context_.NewVar("n", context_.IndexType());
};

inline TileView LayoutView(TileLayout blayout, TileLayout slayout,
                           int64_t fractal) {
  TileView view;
  view.blayout = blayout;
  view.slayout = slayout;
  view.fractal = fractal;
  return view;
}

// Layouts of scale tiles in Mat.
inline TileView LeftScaleView() {
  return LayoutView(TileLayout::kRowMajor, TileLayout::kRowMajor, 32);
}
inline TileView RightScaleView() {
  return LayoutView(TileLayout::kColMajor, TileLayout::kColMajor, 32);
}

MATCHER_P2(BreaksRule, rule, fragment, "") {
  *result_listener << arg.status().ToString();
  return RuleOf(arg.status()) == rule &&
         std::string(arg.status().message()).find(fragment) !=
             std::string::npos;
}

}  // namespace mxtile::ir

#endif  // IR_OPS_OP_TEST_UTIL_H_
