#ifndef EXEC_SIMD_IMPORT_IMPORT_FRAME_H_
#define EXEC_SIMD_IMPORT_IMPORT_FRAME_H_

// The variables of a function that is imported, by open block, and what its
// expressions are.
//
//   ImportFrame frame(&state, table, request, &params, &sink);
//   MX_ASSIGN_OR_RETURN(Binding value, frame.Eval(assign.value, assign.span));
//   MX_RETURN_IF_ERROR(frame.Define(*assign.var, value));
//
// Errors are those of importer.h. What Eval returns is in the sink already.

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/importer.h"
#include "exec/simd/import/instance_params.h"
#include "exec/simd/import/op_table.h"
#include "exec/simd/import/tile_ops.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/source_span.h"
#include "ir/type.h"

namespace mxtile::exec::simd {

// Of a scalar; INDEX for others.
ir::DataType DtypeOf(const ir::Type* type);
// What a value of the type is.
Binding::Kind KindOf(const ir::Type& type);
// "gemm.py:12:5"; "" where it is not known.
std::string PlaceText(const ir::SourceSpan& span);
// MX-SIMD-4
absl::Status NoStatement(absl::string_view what);

class ImportFrame {
 public:
  // All must outlive the frame.
  ImportFrame(ImportState* state, const OpTable& table,
              const ImportRequest& request, InstanceParams* params,
              ir::DiagnosticSink* sink)
      : s_(*state),
        table_(table),
        request_(request),
        sink_(sink),
        ops_(state),
        // Of the outermost block, wherever it is asked for.
        block_index_(params->Make(request.block_index, "block index")) {
    blocks_.emplace_back();
  }

  // Also the scalars' block.
  void OpenBlock();
  void CloseBlock();

  // MX-SIMD-4 for a variable of a block outside, MX-SIMD-8 for a value of
  // another kind than the variable's.
  absl::Status Define(const ir::Var& var, Binding binding);

  // `place`: of the statement, for expressions without one.
  absl::StatusOr<Binding> Eval(const ir::Expr* root, ir::SourceSpan place);

  // Into the sink, unless it is there already.
  absl::Status Report(const absl::Status& status, ir::SourceSpan place);

 private:
  absl::StatusOr<Binding> EvalNode(const ir::Expr& expr,
                                   absl::Span<const Binding> operands);
  absl::StatusOr<Binding> EvalScalar(const ir::Expr& expr,
                                     absl::Span<const Binding> operands);
  absl::StatusOr<Binding> EvalCall(const ir::Call& call,
                                   absl::Span<const Binding> operands);

  ImportState& s_;
  const OpTable& table_;
  const ImportRequest& request_;
  ir::DiagnosticSink* sink_;
  TileOps ops_;
  absl::flat_hash_map<const ir::Var*, Binding> env_;
  std::vector<std::vector<const ir::Var*>> blocks_;  // Defined, by open block.
  Scalar block_index_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_IMPORT_FRAME_H_
