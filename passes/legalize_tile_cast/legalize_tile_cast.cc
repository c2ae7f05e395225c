#include "passes/legalize_tile_cast/legalize_tile_cast.h"

#include <optional>
#include <string>
#include <vector>

#include "a5_model/soc/cast_chain.h"
#include "a5_model/soc/native_casts.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DataType;
using ir::Expr;
using ir::Stmt;

constexpr absl::string_view kTargetType = "target_type";

// What the target casts, by the IR's types.
class CastTable {
 public:
  explicit CastTable(absl::string_view target)
      : casts_(a5::NativeCasts(target)) {}

  bool is_empty() const { return casts_.empty(); }

  // The types that `from` becomes one after the other; empty when there is no
  // way.
  std::vector<DataType> Chain(DataType from, DataType to) const {
    const auto source = a5::CastTypeFromName(ir::DataTypeName(from));
    const auto target = a5::CastTypeFromName(ir::DataTypeName(to));
    std::vector<DataType> chain;
    if (!source.has_value() || !target.has_value()) return chain;
    for (const a5::CastType type : a5::CastChain(casts_, *source, *target)) {
      chain.push_back(*ir::DataTypeFromName(a5::Name(type)));
    }
    return chain;
  }

  // The types that `from` can become.
  std::vector<absl::string_view> Reachable(DataType from) const {
    std::vector<absl::string_view> names;
    const auto source = a5::CastTypeFromName(ir::DataTypeName(from));
    for (int i = 0; source.has_value() && i < a5::kNumCastTypes; ++i) {
      const auto type = static_cast<a5::CastType>(i);
      if (!a5::CastChain(casts_, *source, type).empty()) {
        names.push_back(a5::Name(type));
      }
    }
    return names;
  }

 private:
  absl::Span<const a5::NativeCast> casts_;
};

class CastLegalizer : public ir::Rewriter {
 public:
  CastLegalizer(ir::Context* context, ir::DiagnosticSink* sink,
                const CastTable& table, absl::string_view target)
      : Rewriter(context),
        sink_(*sink),
        table_(table),
        target_(target),
        cast_(context->registry().Find("tile.cast")) {}

 protected:
  // A cast inside of an expression.
  const Expr* RewriteNode(const Expr* node) override {
    if (OpDefOf(node) != cast_ || cast_ == nullptr) return node;
    const Call& call = *ir::CheckedCast<Call>(node);
    const std::vector<DataType> chain = ChainOf(call);
    if (chain.empty()) Report(call);
    if (chain.size() < 2) return node;
    const Expr* operand = call.args[0];
    for (const DataType type : chain) operand = Step(call, operand, type);
    return operand;
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    if (assign == nullptr || cast_ == nullptr ||
        OpDefOf(assign->value) != cast_) {
      return Rewriter::RewriteStmt(stmt, out);
    }
    const Call& call = *ir::CheckedCast<Call>(assign->value);
    std::vector<DataType> chain = ChainOf(call);
    if (chain.size() < 2) return Rewriter::RewriteStmt(stmt, out);
    chain.pop_back();
    const Expr* operand = RewriteExpr(call.args[0]);
    for (const DataType type : chain) {
      ir::Assign step = *assign;
      step.value = Step(call, operand, type);
      step.var = context().NewVar(
          absl::StrCat(assign->var->name, "_", ir::DataTypeName(type)),
          step.value->type, assign->span);
      operand = step.var;
      out->push_back(context().New(step));
    }
    ir::Assign last = *assign;
    last.value = Step(call, operand, TargetOf(call));
    out->push_back(context().New(last));
  }

 private:
  static DataType SourceOf(const Call& call) {
    return ir::CheckedCast<ir::TileType>(call.args[0]->type)->dtype;
  }
  static DataType TargetOf(const Call& call) {
    return ir::CheckedCast<ir::TileType>(call.type)->dtype;
  }

  // One type for an instruction that there is, none when there is no way.
  std::vector<DataType> ChainOf(const Call& call) const {
    return table_.Chain(SourceOf(call), TargetOf(call));
  }

  void Report(const Call& call) {
    const absl::string_view source = ir::DataTypeName(SourceOf(call));
    const absl::string_view target = ir::DataTypeName(TargetOf(call));
    const std::vector<absl::string_view> others =
        table_.Reachable(SourceOf(call));
    sink_.Error(
        "MX-LEGALIZE-1", call.span,
        absl::StrCat("tile.cast from ", source, " to ", target, ": ", target_,
                     " has no instruction for it, and no chain of casts that "
                     "keeps what ",
                     target, " holds; ",
                     others.empty()
                         ? absl::StrCat("it casts no ", source)
                         : absl::StrCat(source, " can become ",
                                        absl::StrJoin(others, ", "))));
  }

  // The cast with another operand and another target. The last step is the
  // cast's own in all else.
  const Call* Step(const Call& cast, const Expr* operand, DataType to) {
    Call step = cast;
    step.args = context().ExprList({operand});
    if (to == TargetOf(cast)) return context().New(step);
    ir::TileType type = *ir::CheckedCast<ir::TileType>(cast.type);
    type.dtype = to;
    type.memref = nullptr;
    step.type = context().GetTileType(type);
    step.attrs = {};
    std::vector<ir::Attr> kwargs(cast.kwargs.begin(), cast.kwargs.end());
    for (ir::Attr& kwarg : kwargs) {
      if (kwarg.name == kTargetType) kwarg.value = ir::AttrValue::Of(to);
    }
    step.kwargs = context().List(kwargs);
    return context().New(step);
  }

  ir::DiagnosticSink& sink_;
  const CastTable& table_;
  const absl::string_view target_;
  const ir::OpDef* const cast_;
};

}  // namespace

absl::StatusOr<const ir::Program*> LegalizeTileCast::Run(
    const ir::Program* program, PassContext& context) const {
  const absl::string_view target = context.options.target;
  const CastTable table(target);
  if (table.is_empty()) return program;
  const ir::Program* legal =
      CastLegalizer(context.ir, context.sink, table, target)
          .RewriteProgram(program);
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return legal;
}

}  // namespace mxtile
