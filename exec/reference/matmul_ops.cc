#include "exec/reference/matmul_ops.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/reference/reference_tile.h"
#include "ir/rule_error.h"

namespace mxtile::exec {
namespace {

constexpr int64_t kScaleGroup = 32;  // OCP MX: elements that share a scale.

absl::Status Undefined(absl::string_view op, absl::string_view operand,
                       int64_t row, int64_t col) {
  return ir::RuleError("MX-REF-1",
                       absl::StrCat(op, ": element [", row, ", ", col, "] of ",
                                    operand, " has no value"));
}

// The operands of one product; null: not there.
template <typename Number>
struct Operands {
  using Tile = ReferenceTile<Number>;
  const Tile* a = nullptr;
  const Tile* sa = nullptr;
  const Tile* b = nullptr;
  const Tile* sb = nullptr;
  const Tile* acc = nullptr;
  const Tile* bias = nullptr;
};

// The extents of a matmul's operands; dims known at run time only are compared
// here for the first time.
template <typename Number>
absl::Status CheckExtents(absl::string_view op, const Operands<Number>& in) {
  using Tile = ReferenceTile<Number>;
  const int64_t m = in.a->valid_rows;
  const int64_t k = in.a->valid_cols;
  const int64_t n = in.b->valid_cols;
  const int64_t groups = (k + kScaleGroup - 1) / kScaleGroup;
  const auto covers = [](const Tile* tile, int64_t rows, int64_t cols) {
    return tile == nullptr || (tile->rows >= rows && tile->cols >= cols);
  };
  // Without scales the cube reads the valid K of lhs on both sides.
  const bool same_k =
      in.sa != nullptr ? in.b->valid_rows == k : in.b->valid_rows >= k;
  if (same_k && covers(in.sa, m, groups) && covers(in.sb, groups, n) &&
      covers(in.acc, m, n) && covers(in.bias, 1, n)) {
    return absl::OkStatus();
  }
  const auto text = [](absl::string_view name, const Tile* tile) {
    return tile == nullptr ? std::string()
                           : absl::StrCat(name, " [", tile->valid_rows, ", ",
                                          tile->valid_cols, "]");
  };
  return ir::RuleError(
      "MX-REF-2",
      absl::StrCat(op, ":", text(" lhs", in.a), text(", lhs_scale", in.sa),
                   text(", rhs", in.b), text(", rhs_scale", in.sb),
                   text(", acc", in.acc), text(", bias", in.bias),
                   " do not fit"));
}

// sum + a * b
template <typename Number>
Number AddProduct(Number sum, Number a, Number b) {
  return sum + a * b;
}

// sum + a * sa * b * sb
template <typename Number>
Number AddScaledProduct(Number sum, Number a, Number sa, Number b, Number sb) {
  return sum + (a * sa) * (b * sb);
}
float AddScaledProduct(float sum, float a, float sa, float b, float sb) {
  const double product = double{a} * double{b} * (double{sa} * double{sb});
  const float result = static_cast<float>(double{sum} + product);
  return std::isnan(result) ? std::numeric_limits<float>::quiet_NaN() : result;
}

// Element (m, n) of the product.
template <typename Number>
absl::StatusOr<Number> Element(absl::string_view op, const Operands<Number>& in,
                               int64_t m, int64_t n) {
  const auto at = [](const ReferenceTile<Number>* tile, int64_t row,
                     int64_t col) { return row * tile->cols + col; };
  Number sum(0.0);
  if (in.acc != nullptr) {
    if (!in.acc->defined[at(in.acc, m, n)]) return Undefined(op, "acc", m, n);
    sum = in.acc->values[at(in.acc, m, n)];
  }
  if (in.bias != nullptr) {
    if (!in.bias->defined[n]) return Undefined(op, "bias", 0, n);
    sum = in.bias->values[n];
  }
  for (int64_t k = 0; k < in.a->valid_cols; ++k) {
    const int64_t ia = at(in.a, m, k);
    const int64_t ib = at(in.b, k, n);
    if (!in.a->defined[ia]) return Undefined(op, "lhs", m, k);
    if (!in.b->defined[ib]) return Undefined(op, "rhs", k, n);
    if (in.sa == nullptr) {
      sum = AddProduct(sum, in.a->values[ia], in.b->values[ib]);
      continue;
    }
    const int64_t g = k / kScaleGroup;
    const int64_t isa = at(in.sa, m, g);
    const int64_t isb = at(in.sb, g, n);
    if (!in.sa->defined[isa]) return Undefined(op, "lhs_scale", m, g);
    if (!in.sb->defined[isb]) return Undefined(op, "rhs_scale", g, n);
    sum = AddScaledProduct(sum, in.a->values[ia], in.sa->values[isa],
                           in.b->values[ib], in.sb->values[isb]);
  }
  return sum;
}

template <typename Number>
absl::StatusOr<Value> Multiply(absl::string_view op,
                               const Operands<Number>& in) {
  MX_RETURN_IF_ERROR(CheckExtents(op, in));
  auto c = NewReferenceTile<Number>(in.a->rows, in.b->cols);
  c->valid_rows = in.a->valid_rows;
  c->valid_cols = in.b->valid_cols;
  for (int64_t m = 0; m < c->valid_rows; ++m) {
    for (int64_t n = 0; n < c->valid_cols; ++n) {
      MX_ASSIGN_OR_RETURN(const Number element, Element(op, in, m, n));
      c->values[m * c->cols + n] = element;
      c->defined[m * c->cols + n] = 1;
    }
  }
  return Value(std::shared_ptr<Object>(std::move(c)));
}

}  // namespace

template <typename Number>
MatmulOps<Number>::MatmulOps(const ir::OpRegistry& registry) {
  const auto add = [&](absl::string_view name, Roles roles) {
    const ir::OpDef* def = registry.Find(absl::StrCat("tile.", name));
    if (def != nullptr) ops_.emplace(def, roles);
  };
  const auto add_family = [&](absl::string_view name, Roles product) {
    add(name, product);
    Roles with_bias = product;
    with_bias.bias = product.lhs_scale < 0 ? 2 : 4;
    add(absl::StrCat(name, "_bias"), with_bias);
    Roles with_acc = product;
    with_acc.acc = 0;
    for (int* role : {&with_acc.lhs, &with_acc.rhs}) ++*role;
    for (int* role : {&with_acc.lhs_scale, &with_acc.rhs_scale}) {
      if (*role >= 0) ++*role;
    }
    add(absl::StrCat(name, "_acc"), with_acc);
  };
  add_family("matmul", Roles());
  add_family("gemv", Roles());
  Roles scaled;
  scaled.lhs_scale = 1;
  scaled.rhs = 2;
  scaled.rhs_scale = 3;
  add_family("matmul_mx", scaled);
}

template <typename Number>
absl::StatusOr<Value> MatmulOps<Number>::Eval(
    const ir::Call& call, absl::Span<const Value> args) const {
  const Roles& roles = ops_.at(call.callee->def);
  const auto tile = [&](int role) {
    return role < 0 ? nullptr : &ReferenceTileOf<Number>(args[role]);
  };
  Operands<Number> in;
  in.a = tile(roles.lhs);
  in.sa = tile(roles.lhs_scale);
  in.b = tile(roles.rhs);
  in.sb = tile(roles.rhs_scale);
  in.acc = tile(roles.acc);
  in.bias = tile(roles.bias);
  // tile.matmul_acc: where init_cond holds, the product overwrites the acc.
  const size_t init_cond = roles.rhs + 1;
  if (roles.acc >= 0 && roles.rhs_scale < 0 && args.size() > init_cond &&
      args[init_cond].AsBool()) {
    in.acc = nullptr;
  }
  return Multiply(call.callee->name, in);
}

template class MatmulOps<double>;
template class MatmulOps<float>;
template class MatmulOps<Tracked>;

}  // namespace mxtile::exec
