#ifndef IR_TEXT_TYPE_READER_H_
#define IR_TEXT_TYPE_READER_H_

// From the syntax of annotations to types (pypto_ir sections 10 and 11), and
// what an annotation says about a value whose type is known.

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/text/expr_reader.h"
#include "ir/text/syntax.h"
#include "ir/type.h"

namespace mxtile::ir::text {

class TypeReader {
 public:
  explicit TypeReader(ExprReader* exprs) : exprs_(*exprs) {}

  absl::StatusOr<const Type*> Read(const Expr* annotation);

  // The type of a variable that is annotated and assigned a value of type
  // `deduced`: what the annotation states wins, the rest is deduced. MX-TEXT-5
  // where the two contradict in kind, dtype, rank or a constant dim.
  absl::StatusOr<const Type*> Merge(const Type* deduced, const Type* annotated,
                                    TextRange span);

  // What two types of one value contradict each other in.
  struct Contradiction {
    std::string lhs;  // "FP32", "rank 2", "64 for dimension 0"
    std::string rhs;
  };
  static std::optional<Contradiction> FindContradiction(const Type* lhs,
                                                        const Type* rhs);

 private:
  absl::StatusOr<const Type*> ReadSubscript(const Subscript& subscript);
  absl::StatusOr<const Type*> ReadScalar(absl::Span<const Expr* const> slots,
                                         TextRange span);
  absl::StatusOr<const Type*> ReadTensor(absl::Span<const Expr* const> slots,
                                         TextRange span, bool distributed);
  absl::StatusOr<const Type*> ReadTile(absl::Span<const Expr* const> slots,
                                       TextRange span);
  absl::StatusOr<const Type*> ReadArray(absl::Span<const Expr* const> slots,
                                        TextRange span);
  absl::StatusOr<const Type*> ReadTuple(absl::Span<const Expr* const> slots);
  absl::StatusOr<const ir::Expr*> ReadDim(const Expr* expr,
                                          absl::string_view what);
  absl::StatusOr<Dims> ReadDims(const Expr* list);
  // The dims of a tensor or tile of these elements.
  absl::StatusOr<Dims> ReadShape(const Expr* list, DataType dtype);
  // Lists of a view have one entry a dim.
  absl::Status CheckViewRank(Dims list, Dims shape, TextRange span);
  absl::StatusOr<TensorView> ReadTensorView(const Expr* slot);
  absl::Status ReadTensorViewField(const KeywordArgument& field,
                                   TensorView* view);
  absl::StatusOr<TileView> ReadTileView(const Call& call, const TileType& tile);
  absl::Status ReadTileViewField(const KeywordArgument& field, TileView* view);
  const Call* AsMemRef(const Expr* slot);
  absl::StatusOr<MemRef> ReadMemRef(const Expr* slot);
  // The call `pl.NAME(...)` when the slot is one.
  const Call* AsPlCall(const Expr* slot, absl::string_view name);
  // Of types that do not contradict each other.
  const Type* Merged(const Type* deduced, const Type* annotated);
  const Type* MergedTensor(const TensorType& deduced,
                           const TensorType& annotated);
  const Type* MergedTile(const TileType& deduced, const TileType& annotated);

  ExprReader& exprs_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_TYPE_READER_H_
