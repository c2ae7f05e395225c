#ifndef IR_TEXT_TYPE_READER_H_
#define IR_TEXT_TYPE_READER_H_

// From the syntax of annotations to types (pypto_ir sections 10 and 11), and
// what an annotation says about a value whose type is known.

#include <optional>

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
                                    SourceSpan span);

 private:
  absl::StatusOr<const Type*> ReadSubscript(const Subscript& subscript);
  absl::StatusOr<const Type*> ReadScalar(absl::Span<const Expr* const> slots,
                                         SourceSpan span);
  absl::StatusOr<const Type*> ReadTensor(absl::Span<const Expr* const> slots,
                                         SourceSpan span, bool distributed);
  absl::StatusOr<const Type*> ReadTile(absl::Span<const Expr* const> slots,
                                       SourceSpan span);
  absl::StatusOr<const Type*> ReadArray(absl::Span<const Expr* const> slots,
                                        SourceSpan span);
  absl::StatusOr<const Type*> ReadTuple(absl::Span<const Expr* const> slots);
  absl::StatusOr<Dims> ReadDims(const Expr* list);
  absl::StatusOr<TensorView> ReadTensorView(const Expr* slot);
  absl::Status ReadTensorViewField(const KeywordArgument& field,
                                   TensorView* view);
  absl::StatusOr<TileView> ReadTileView(const Call& call, const TileType& tile);
  absl::Status ReadTileViewField(const KeywordArgument& field, TileView* view);
  absl::StatusOr<MemRef> ReadMemRef(const Call& call);
  // The call `pl.NAME(...)` when the slot is one.
  const Call* AsPlCall(const Expr* slot, absl::string_view name);
  absl::StatusOr<const Type*> MergeTensor(const TensorType& deduced,
                                          const TensorType& annotated,
                                          SourceSpan span);
  absl::StatusOr<const Type*> MergeTile(const TileType& deduced,
                                        const TileType& annotated,
                                        SourceSpan span);
  absl::Status CheckShapes(Dims deduced, DataType deduced_dtype, Dims annotated,
                           DataType annotated_dtype, SourceSpan span);

  ExprReader& exprs_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_TYPE_READER_H_
