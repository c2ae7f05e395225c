#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_MATMUL_LOWERING_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_MATMUL_LOWERING_H_

// Batch matmuls as one matmul a page.
//
//   BatchMatmulLowering lower(context, sink, operands, emit, rewrite);
//   const Var* tile = lower.Matmul(call, "y");

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/source_span.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/batch_operands.h"
#include "passes/statement_emitter.h"

namespace mxtile {

class BatchMatmulLowering {
 public:
  // `rewrite` gives the expression in terms of the flat program. `place`: of
  // the batch matmul.
  BatchMatmulLowering(ir::Context& context, ir::DiagnosticSink& sink,
                      const BatchOperands& operands, StatementEmitter& emit,
                      std::function<const ir::Expr*(const ir::Expr*)> rewrite,
                      ir::SourceSpan place)
      : context_(context),
        sink_(sink),
        operands_(operands),
        emit_(emit),
        rewrite_(std::move(rewrite)),
        place_(place) {}

  // The variable of the flat result, [pages * M, N]. Null after an error, which
  // is reported.
  const ir::Var* Matmul(const ir::Call& call, absl::string_view name);
  // The same with the result stored: `store` is the store of it. The variable
  // of the last store's result.
  const ir::Var* MatmulAndStore(const ir::Call& call, const ir::Call& store,
                                absl::string_view name);
  // The variable of the new accumulator.
  const ir::Var* Accumulate(const ir::Call& call);

 private:
  struct Side {
    BatchOperand operand;
    std::string name;            // "lhs" or "rhs"
    std::vector<int64_t> batch;  // Its batch dims.
    int64_t rows = 0;
    int64_t columns = 0;
  };

  bool Prepare(const ir::Call& call);
  bool PrepareSide(const BatchOperand& operand, Side* side);
  void Error(absl::string_view message) {
    sink_.Error("MX-FLAT2D-10", place_, message);
  }
  // The batch indices of a page of the result.
  std::vector<int64_t> IndicesOf(int64_t page) const;
  // The batch indices of the operand's page, and its number.
  std::vector<int64_t> IndicesIn(const Side& side, int64_t page) const;
  const ir::Var* Page(const Side& side, int64_t page);
  const ir::Var* LoadedPage(const Side& side, std::vector<int64_t> indices,
                            const std::string& suffix);
  const ir::Var* PageProduct(int64_t page);
  // The page's product in Vec, in the element type of the result.
  const ir::Expr* InVec(const ir::Var* product, const ir::TileType& result,
                        bool move, int64_t page);
  ir::Exprs Shifted(ir::Exprs offsets, const std::vector<int64_t>& indices);

  ir::Context& context_;
  ir::DiagnosticSink& sink_;
  const BatchOperands& operands_;
  StatementEmitter& emit_;
  std::function<const ir::Expr*(const ir::Expr*)> rewrite_;
  ir::SourceSpan place_;

  Side lhs_;
  Side rhs_;
  std::vector<int64_t> batch_;  // Of the result.
  int64_t pages_ = 1;
};

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_MATMUL_LOWERING_H_
