#include "tools/reduce/term_reductions.h"

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/rewriter.h"
#include "ir/type.h"

namespace mxtile {
namespace {

// ---- Expressions

const ir::Expr* ZeroOf(const ir::Type* type, ir::Context& context) {
  const auto* scalar = ir::DynCast<ir::ScalarType>(type);
  if (scalar == nullptr) return nullptr;
  if (scalar->dtype == ir::DataType::kBool) return context.Bool(false);
  if (ir::IsFloat(scalar->dtype)) return context.Float(0, scalar->dtype);
  return ir::IsInteger(scalar->dtype) ? context.Int(0, scalar->dtype) : nullptr;
}

bool IsOne(const ir::Expr* expr) {
  const ir::ConstInt* constant = ir::AsConstInt(expr);
  return constant != nullptr && constant->value == 1;
}

// Simpler ones of the same type.
std::vector<const ir::Expr*> SimplerThan(const ir::Expr* expr,
                                         ir::Context& context) {
  std::vector<const ir::Expr*> simpler;
  const auto add = [&](const ir::Expr* other) {
    if (other != nullptr && other != expr && other->type == expr->type) {
      simpler.push_back(other);
    }
  };
  switch (expr->kind) {
    case ir::ExprKind::kBinary:
      add(ZeroOf(expr->type, context));
      add(static_cast<const ir::Binary*>(expr)->lhs);
      add(static_cast<const ir::Binary*>(expr)->rhs);
      break;
    case ir::ExprKind::kUnary:
      add(ZeroOf(expr->type, context));
      add(static_cast<const ir::Unary*>(expr)->operand);
      break;
    case ir::ExprKind::kCast:
      add(ZeroOf(expr->type, context));
      add(static_cast<const ir::Cast*>(expr)->operand);
      break;
    case ir::ExprKind::kVar:
    case ir::ExprKind::kIterArg:
      add(ZeroOf(expr->type, context));
      break;
    case ir::ExprKind::kConstInt:
      // Steps and extents of 1 can't be 0.
      if (!IsOne(expr)) add(ZeroOf(expr->type, context));
      break;
    case ir::ExprKind::kCall:
      for (const ir::Expr* arg : static_cast<const ir::Call*>(expr)->args) {
        add(arg);
      }
      break;
    default:
      break;
  }
  return simpler;
}

class Simplifier : public ir::Rewriter {
 public:
  Simplifier(ir::Context* context, ItemRange items)
      : Rewriter(context), items_(items) {}

  int count() const { return next_; }

 protected:
  const ir::Type* RewriteType(const ir::Type* type) override { return type; }
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    const ir::Expr* result = node;
    for (const ir::Expr* simpler : SimplerThan(node, context())) {
      if (items_.Contains(next_++)) result = simpler;
    }
    return result;
  }

 private:
  ItemRange items_;
  int next_ = 0;
};

// ---- Sizes

// Gives integer constants other values, in types too.
class SizeChanger : public ir::Rewriter {
 public:
  using Change = std::function<int64_t(int64_t)>;
  SizeChanger(ir::Context* context, Change change)
      : Rewriter(context), change_(std::move(change)) {}

 protected:
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    return Changed(node);
  }
  const ir::Type* RewriteType(const ir::Type* type) override {
    type = Rewriter::RewriteType(type);
    if (const auto* tensor = ir::DynCast<ir::TensorType>(type)) {
      ir::TensorType copy = *tensor;
      copy.shape = Dims(copy.shape);
      ir::TensorView view;
      if (copy.view != nullptr) {
        view = *copy.view;
        view.stride = Dims(view.stride);
        view.valid_shape = Dims(view.valid_shape);
        copy.view = &view;
      }
      return context().GetTensorType(copy);
    }
    const auto* tile = ir::DynCast<ir::TileType>(type);
    if (tile == nullptr) return type;
    ir::TileType copy = *tile;
    copy.shape = Dims(copy.shape);
    ir::TileView view;
    if (copy.view != nullptr) {
      view = *copy.view;
      view.stride = Dims(view.stride);
      view.valid_shape = Dims(view.valid_shape);
      copy.view = &view;
    }
    return context().GetTileType(copy);
  }

 private:
  const ir::Expr* Changed(const ir::Expr* expr) {
    const ir::ConstInt* constant = ir::AsConstInt(expr);
    if (constant == nullptr) return expr;
    const int64_t value = change_(constant->value);
    return value == constant->value ? expr
                                    : context().Int(value, constant->dtype());
  }
  ir::Dims Dims(ir::Dims dims) {
    std::vector<const ir::Expr*> changed;
    for (const ir::Expr* dim : dims) changed.push_back(Changed(dim));
    return context().List(changed);
  }

  Change change_;
};

// From which value to which.
std::vector<std::pair<int64_t, int64_t>> SmallerSizes(
    const ir::Program* program, ir::Context* context) {
  std::set<int64_t> values;
  SizeChanger(context, [&values](int64_t value) {
    if (value > 1) values.insert(value);
    return value;
  }).RewriteProgram(program);
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (const int64_t value : values) {
    const std::set<int64_t, std::greater<int64_t>> smaller = {1, 2, 16, 32,
                                                              value / 2};
    for (const int64_t other : smaller) {
      if (other < value) sizes.emplace_back(value, other);
    }
  }
  return sizes;
}

}  // namespace

int CountSimplerExpressions(const ir::Program* program, ir::Context* context) {
  Simplifier counter(context, {0, 0});
  counter.RewriteProgram(program);
  return counter.count();
}

const ir::Program* SimplifyExpressions(const ir::Program* program,
                                       ItemRange items, ir::Context* context) {
  return Simplifier(context, items).RewriteProgram(program);
}

int CountSmallerSizes(const ir::Program* program, ir::Context* context) {
  return static_cast<int>(SmallerSizes(program, context).size());
}

const ir::Program* ShrinkSizes(const ir::Program* program, ItemRange items,
                               ir::Context* context) {
  const auto sizes = SmallerSizes(program, context);
  if (items.begin >= static_cast<int>(sizes.size())) return program;
  const std::pair<int64_t, int64_t> size = sizes[items.begin];
  return SizeChanger(context,
                     [size](int64_t value) {
                       return value == size.first ? size.second : value;
                     })
      .RewriteProgram(program);
}

}  // namespace mxtile
