#ifndef IR_OPS_MATMUL_RULES_H_
#define IR_OPS_MATMUL_RULES_H_

// What the matrix products of the cube have in common: operands by role, the
// shape of the product, and the rules of accumulators and biases.
//
//   const Product product = ProductOf(lhs, rhs);   // [M, K] x [K, N]
//   MX_RETURN_IF_ERROR(CheckSameK(call, product));
//   return ProductType(product, DataType::kFP32, context);
//
// The rules are listed in ir/ops/matmul_mx_ops.h.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/op_signature.h"
#include "ir/type.h"

namespace mxtile::ir {

enum class MatmulRole { kAcc, kLhs, kLhsScale, kRhs, kRhsScale, kBias };

// The argument that plays the role, or -1.
int IndexOf(const std::vector<MatmulRole>& roles, MatmulRole role);

// Name, short name, operand spaces and Acc as the space of the result; with an
// acc, the result is its buffer. One kMatrix argument a role.
OpDef MatmulDef(absl::string_view short_name,
                const std::vector<MatmulRole>& roles);
std::vector<ArgSpec> MatmulArgs(const std::vector<MatmulRole>& roles);

// The extents of a matrix along one of its axes.
struct Axis {
  const Expr* physical;
  const Expr* valid;
};
Axis AxisOf(const TileType& matrix, int axis);

struct Product {
  Axis m;
  Axis lhs_k;
  Axis rhs_k;
  Axis n;
};
Product ProductOf(const TileType& lhs, const TileType& rhs);

// The result that a product starts: [M, N] in Acc, of Acc's layout, compact
// where the valid rows are not known to be all rows.
const Type* ProductType(const Product& product, DataType dtype,
                        Context& context);
// The result that an accumulation goes on with: the acc itself, in Acc and of
// its layout. Acc and result are one buffer, so compact comes from the acc.
const Type* AccumulatedType(const TileType& acc, Context& context);

// An extent of an operand and why it is needed, for the message.
struct ExtentRule {
  absl::string_view rule;
  std::string what;  // "acc valid rows"
  std::string why;   // "the product is [M, N]"
};
absl::Status CheckExtent(const OpCall& call, const ExtentRule& rule,
                         const Expr* needed, const Expr* actual);
// The actual extent may be larger.
absl::Status CheckExtentCovers(const OpCall& call, const ExtentRule& rule,
                               const Expr* needed, const Expr* actual);

// MX-MATMUL-4.
absl::Status CheckSameK(const OpCall& call, const Product& product);
// Type and physical shape of MX-MATMUL-9 and -10.
absl::Status CheckAcc(const OpCall& call, int index, const Product& product,
                      DataType dtype);
absl::Status CheckBias(const OpCall& call, int index, const Product& product,
                       DataType dtype, Context& context);

}  // namespace mxtile::ir

#endif  // IR_OPS_MATMUL_RULES_H_
