#include "exec/reference/elementwise_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/reference/cast_ops.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "numerics/exp.h"

namespace mxtile::exec {
namespace {

template <typename Number>
Number Add(Number a, Number b) {
  return a + b;
}
template <typename Number>
Number Subtract(Number a, Number b) {
  return a + Number(-1.0) * b;
}
template <typename Number>
Number Multiply(Number a, Number b) {
  return a * b;
}
template <typename Number>
Number Divide(Number a, Number b) {
  return a / b;
}
template <typename Number>
Number Maximum(Number a, Number b) {
  if (std::isnan(ValueOf(a))) return a;
  return ValueOf(a) >= ValueOf(b) ? a : b;
}
template <typename Number>
Number Minimum(Number a, Number b) {
  if (std::isnan(ValueOf(a))) return a;
  return ValueOf(a) <= ValueOf(b) ? a : b;
}
template <typename Number>
Number Second(Number, Number b) {
  return b;
}

// Functions of one element, in its own precision.
struct Absolute {
  template <typename Float>
  Float operator()(Float x) const {
    return std::fabs(x);
  }
};
struct Exponential {
  double operator()(double x) const { return std::exp(x); }
  float operator()(float x) const { return mxtile::Exp(x); }
};
struct Logarithm {
  template <typename Float>
  Float operator()(Float x) const {
    return std::log(x);
  }
};
struct Negation {
  template <typename Float>
  Float operator()(Float x) const {
    return -x;
  }
};
struct Reciprocal {
  template <typename Float>
  Float operator()(Float x) const {
    return Float{1} / x;
  }
};
struct Relu {
  template <typename Float>
  Float operator()(Float x) const {
    return x < 0 ? Float{0} : x;
  }
};
struct ReciprocalRoot {
  template <typename Float>
  Float operator()(Float x) const {
    return Float{1} / std::sqrt(x);
  }
};
struct Root {
  template <typename Float>
  Float operator()(Float x) const {
    return std::sqrt(x);
  }
};

template <typename Number, typename Function>
Number Apply(Number x) {
  if constexpr (std::is_same_v<Number, Tracked>) {
    return Number(Function()(ValueOf(x)));
  } else {
    return Function()(x);
  }
}

template <typename Number>
Number ExpOfDifference(Number a, Number b) {
  return Apply<Number, Exponential>(Subtract(a, b));
}

absl::Status Undefined(const ir::Call& call, int64_t row, int64_t col) {
  return ir::RuleError(
      "MX-REF-1", absl::StrCat(call.callee->name, ": element [", row, ", ", col,
                               "] of an operand has no value"));
}

template <typename Number>
Value Wrap(std::shared_ptr<ReferenceTile<Number>> tile) {
  return Value(std::shared_ptr<Object>(std::move(tile)));
}

// A tile of the same extents.
template <typename Number>
std::shared_ptr<ReferenceTile<Number>> Like(const ReferenceTile<Number>& tile) {
  auto result = NewReferenceTile<Number>(tile.rows, tile.cols);
  result->valid_rows = tile.valid_rows;
  result->valid_cols = tile.valid_cols;
  return result;
}

template <typename Number>
void Set(ReferenceTile<Number>& tile, int64_t row, int64_t col,
         const Number& number) {
  tile.values[row * tile.cols + col] = number;
  tile.defined[row * tile.cols + col] = 1;
}

std::string Extents(int64_t rows, int64_t cols) {
  return absl::StrCat("[", rows, ", ", cols, "]");
}

}  // namespace

template <typename Number>
ElementwiseOps<Number>::ElementwiseOps(const ir::OpRegistry& registry) {
  const auto add = [&](absl::string_view name, Op op) {
    const ir::OpDef* def = registry.Find(absl::StrCat("tile.", name));
    if (def != nullptr) ops_.emplace(def, op);
  };
  const std::pair<absl::string_view, Number (*)(Number)> unary[] = {
      {"abs", Apply<Number, Absolute>},
      {"exp", Apply<Number, Exponential>},
      {"log", Apply<Number, Logarithm>},
      {"neg", Apply<Number, Negation>},
      {"recip", Apply<Number, Reciprocal>},
      {"relu", Apply<Number, Relu>},
      {"rsqrt", Apply<Number, ReciprocalRoot>},
      {"sqrt", Apply<Number, Root>},
  };
  for (const auto& [name, function] : unary) {
    add(name, {Kind::kUnary, function, nullptr});
  }
  struct Named {
    absl::string_view name;
    absl::string_view expansion;  // row_expand_... and col_expand_...
    Number (*function)(Number, Number);
  };
  const Named binary[] = {
      {"add", "add", Add<Number>},         {"sub", "sub", Subtract<Number>},
      {"mul", "mul", Multiply<Number>},    {"div", "div", Divide<Number>},
      {"maximum", "max", Maximum<Number>}, {"minimum", "min", Minimum<Number>},
  };
  for (const Named& named : binary) {
    add(named.name, {Kind::kBinary, nullptr, named.function});
    add(absl::StrCat(named.name, "s"),
        {Kind::kScalar, nullptr, named.function});
    add(absl::StrCat("row_expand_", named.expansion),
        {Kind::kRowExpansion, nullptr, named.function});
    add(absl::StrCat("col_expand_", named.expansion),
        {Kind::kColExpansion, nullptr, named.function});
  }
  add("row_expand", {Kind::kRowExpansion, nullptr, Second<Number>});
  add("col_expand", {Kind::kColExpansion, nullptr, Second<Number>});
  add("row_expand_expdif",
      {Kind::kRowExpansion, nullptr, ExpOfDifference<Number>});
  add("col_expand_expdif",
      {Kind::kColExpansion, nullptr, ExpOfDifference<Number>});
  add("expands", {Kind::kScalar, nullptr, Second<Number>});
  const std::pair<absl::string_view, Number (*)(Number, Number)> folds[] = {
      {"max", Maximum<Number>}, {"min", Minimum<Number>}, {"sum", Add<Number>}};
  for (const auto& [name, function] : folds) {
    add(absl::StrCat("row_", name), {Kind::kRowReduction, nullptr, function});
    add(absl::StrCat("col_", name), {Kind::kColReduction, nullptr, function});
  }
  add("cast", {Kind::kCast, nullptr, nullptr});
}

template <typename Number>
absl::StatusOr<Value> ElementwiseOps<Number>::Eval(
    const ir::Call& call, absl::Span<const Value> args) const {
  const Op& op = ops_.at(call.callee->def);
  const Tile& first = ReferenceTileOf<Number>(args[0]);
  switch (op.kind) {
    case Kind::kUnary:
      return Map(call, op, first);
    case Kind::kRowReduction:
    case Kind::kColReduction:
      return Reduce(call, op, first);
    case Kind::kBinary:
    case Kind::kRowExpansion:
    case Kind::kColExpansion:
      return Combine(call, op, first, ReferenceTileOf<Number>(args[1]));
    case Kind::kScalar: {
      Tile scalar;
      scalar.rows = scalar.cols = scalar.valid_rows = scalar.valid_cols = 1;
      scalar.values = {Number(args[1].is_int()
                                  ? static_cast<double>(args[1].AsInt())
                                  : args[1].AsFloat())};
      scalar.defined = {1};
      return Combine(call, op, first, scalar);
    }
    case Kind::kCast:
      return CastTile(call, first);
  }
  return absl::InternalError("operator of unknown kind");
}

template <typename Number>
absl::StatusOr<Value> ElementwiseOps<Number>::Map(const ir::Call& call,
                                                  const Op& op,
                                                  const Tile& tile) {
  auto result = Like(tile);
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      if (!tile.defined[r * tile.cols + c]) return Undefined(call, r, c);
      Set(*result, r, c, op.unary(tile.values[r * tile.cols + c]));
    }
  }
  return Wrap(std::move(result));
}

template <typename Number>
absl::StatusOr<Value> ElementwiseOps<Number>::Reduce(const ir::Call& call,
                                                     const Op& op,
                                                     const Tile& tile) {
  const bool by_rows = op.kind == Kind::kRowReduction;
  auto result = NewReferenceTile<Number>(by_rows ? tile.rows : 1,
                                         by_rows ? 1 : tile.cols);
  if (by_rows) result->valid_rows = tile.valid_rows;
  if (!by_rows) result->valid_cols = tile.valid_cols;
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const int64_t from = r * tile.cols + c;
      if (!tile.defined[from]) return Undefined(call, r, c);
      const int64_t to_row = by_rows ? r : 0;
      const int64_t to_col = by_rows ? 0 : c;
      const int64_t to = to_row * result->cols + to_col;
      Set(*result, to_row, to_col,
          result->defined[to] ? op.binary(result->values[to], tile.values[from])
                              : tile.values[from]);
    }
  }
  return Wrap(std::move(result));
}

template <typename Number>
absl::StatusOr<Value> ElementwiseOps<Number>::Combine(const ir::Call& call,
                                                      const Op& op,
                                                      const Tile& lhs,
                                                      const Tile& rhs) {
  // An expansion has the extents of its first tile, whatever the vector's.
  const bool by_row = op.kind == Kind::kRowExpansion;
  const bool by_col = op.kind == Kind::kColExpansion;
  const auto extent = [](int64_t a, int64_t b) { return a == 1 ? b : a; };
  const bool expands = by_row || by_col;
  const int64_t rows =
      expands ? lhs.valid_rows : extent(lhs.valid_rows, rhs.valid_rows);
  const int64_t cols =
      expands ? lhs.valid_cols : extent(lhs.valid_cols, rhs.valid_cols);
  const auto fits = [](int64_t given, int64_t wanted) {
    return given == wanted || given == 1;
  };
  if (!fits(lhs.valid_rows, rows) || !fits(lhs.valid_cols, cols) ||
      (!by_row && !fits(rhs.valid_cols, cols)) ||
      (!by_col && !fits(rhs.valid_rows, rows))) {
    return ir::RuleError(
        "MX-REF-2",
        absl::StrCat(call.callee->name, ": valid regions ",
                     Extents(lhs.valid_rows, lhs.valid_cols), " and ",
                     Extents(rhs.valid_rows, rhs.valid_cols), " do not fit"));
  }
  auto result = NewReferenceTile<Number>(
      expands ? lhs.rows : std::max(lhs.rows, rhs.rows),
      expands ? lhs.cols : std::max(lhs.cols, rhs.cols));
  result->valid_rows = rows;
  result->valid_cols = cols;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      const int64_t a = (lhs.valid_rows == 1 ? 0 : r) * lhs.cols +
                        (lhs.valid_cols == 1 ? 0 : c);
      const int64_t b = (by_col || rhs.valid_rows == 1 ? 0 : r) * rhs.cols +
                        (by_row || rhs.valid_cols == 1 ? 0 : c);
      // What only says how far to expand needs no value.
      const bool needs_lhs =
          op.binary != static_cast<decltype(op.binary)>(Second<Number>);
      if ((needs_lhs && !lhs.defined[a]) || !rhs.defined[b]) {
        return Undefined(call, r, c);
      }
      Set(*result, r, c, op.binary(lhs.values[a], rhs.values[b]));
    }
  }
  return Wrap(std::move(result));
}

template class ElementwiseOps<double>;
template class ElementwiseOps<float>;
template class ElementwiseOps<Tracked>;

}  // namespace mxtile::exec
