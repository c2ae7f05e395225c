#ifndef EXEC_SIMD_IMPORT_SCALARS_H_
#define EXEC_SIMD_IMPORT_SCALARS_H_

// Scalar expressions of the IR as indices and truth values of a tile program,
// with what is known about them. Equal operations of equal scalars are one
// value, so that extents can be compared by their ids.
//
//   Scalars scalars(&builder);
//   MX_ASSIGN_OR_RETURN(Scalar n, scalars.Binary(ir::BinaryOp::kMin,
//       scalars.Index(16), rest, ir::DataType::kIndex));
//   scalars.bounds().IsAtMost(n.linear, 16)
//
// Floats are constants or single conversions of indices. Errors (MX-SIMD-5):
// operations that a tile program does not have, and integers whose type might
// overflow: their arithmetic has 64 bits.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exec/simd/import/index_bounds.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

struct Scalar {
  ValueId id = kNoValue;  // kIndex, kBool or kF32; none of a float constant.
  ElementType type = ElementType::kIndex;
  Linear linear;  // Of an index.
  // Of a constant. Floats are double until they meet a tile, as in
  // exec/scalar.h.
  std::optional<exec::Value> constant;
};

class Scalars {
 public:
  explicit Scalars(TileProgramBuilder* builder) : b_(*builder), known_(1) {}

  IndexBounds& bounds() { return bounds_; }

  Scalar Index(int64_t value);
  Scalar Bool(bool value);
  Scalar Float(double value);
  // An index of the builder.
  Scalar Opaque(ValueId id, std::vector<Linear> lower,
                std::vector<Linear> upper);
  Scalar OpaqueBool(ValueId id);

  // `type`: that of the operands.
  absl::StatusOr<Scalar> Binary(ir::BinaryOp op, const Scalar& a,
                                const Scalar& b, ir::DataType type);
  absl::StatusOr<Scalar> Unary(ir::UnaryOp op, const Scalar& x,
                               ir::DataType type);
  absl::StatusOr<Scalar> Cast(const Scalar& x, ir::DataType from,
                              ir::DataType to);
  // What is known of an index that was made here; nothing of others.
  Linear LinearOf(ValueId index) const;
  // As an operand of an operation on floats.
  ValueId AsFloat(const Scalar& x);

  // Values of a block are known until its end.
  void OpenBlock() { known_.emplace_back(); }
  void CloseBlock() { known_.pop_back(); }

 private:
  absl::StatusOr<Scalar> Integers(ir::BinaryOp op, const Scalar& a,
                                  const Scalar& b);
  absl::StatusOr<Scalar> Quotient(ir::BinaryOp op, const Scalar& a,
                                  const Scalar& b);
  Scalar Product(const Scalar& a, const Scalar& b);
  absl::StatusOr<Scalar> Compare(ir::BinaryOp op, const Scalar& a,
                                 const Scalar& b);
  Scalar Remembered(Scalar scalar);
  absl::Status CheckFits(const Scalar& x, ir::DataType type) const;
  // The operation's value, made once.
  ValueId Once(BinaryKind kind, ValueId a, ValueId b);

  using Key = std::tuple<int, int64_t, int64_t>;
  template <typename Make>
  ValueId Once(const Key& key, const Make& make);

  TileProgramBuilder& b_;
  IndexBounds bounds_;
  std::vector<std::map<Key, ValueId>> known_;  // By open block.
  std::map<ValueId, Linear> linear_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_SCALARS_H_
