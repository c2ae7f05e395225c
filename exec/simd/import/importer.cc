#include "exec/simd/import/importer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "exec/interpreter.h"
#include "exec/simd/import/carried_values.h"
#include "exec/simd/import/import_frame.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/instance_params.h"
#include "exec/simd/import/op_table.h"
#include "exec/simd/import/scalars.h"
#include "exec/simd/import/tile_axes.h"
#include "exec/simd/tile_program_builder.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::exec::simd {
namespace {

using Kind = Binding::Kind;

class Importer {
 public:
  Importer(const ir::Function& function, const ir::OpRegistry& registry,
           const ImportRequest& request, ir::DiagnosticSink* sink)
      : function_(function),
        request_(request),
        table_(registry),
        axes_(TileAxes::Of(function, table_)),
        b_(function.name, InstanceCount(request)),
        scalars_(&b_),
        params_(request, &b_, &scalars_),
        state_{b_, axes_, scalars_},
        frame_(&state_, table_, request, &params_, sink) {}

  absl::StatusOr<ImportedKernel> Run() {
    ImportedKernel kernel;
    for (size_t i = 0; i < function_.params.size(); ++i) {
      MX_RETURN_IF_ERROR(frame_.Report(BindParam(i, &kernel), function_.span));
    }
    MX_RETURN_IF_ERROR(RunBlock(function_.body, /*is_function=*/true).status());
    MX_ASSIGN_OR_RETURN(kernel.program, std::move(b_).Finish());
    kernel.tables = params_.TakeTables();
    return kernel;
  }

 private:
  // ---- parameters

  absl::Status BindParam(size_t index, ImportedKernel* kernel) {
    const ir::Var& param = *function_.params[index];
    const ImportedParam& given = request_.params[index];
    kernel->views.push_back(-1);
    if (const auto* tensor = ir::DynCast<ir::TensorType>(param.type)) {
      View view;
      view.name = std::string(param.name);
      view.buffer = given.buffer;
      MX_ASSIGN_OR_RETURN(view.type, ViewTypeOf(tensor->dtype));
      for (const ir::Expr* dim : tensor->shape) {
        const ir::ConstInt* extent = ir::AsConstInt(dim);
        const bool is_blocked =
            ir::IsMx(tensor->layout()) && tensor->shape.size() != 2;
        if (extent == nullptr || is_blocked) {
          return ir::RuleError(
              "MX-SIMD-3",
              absl::StrCat("'", param.name,
                           "' needs constant extents, MX "
                           "scales two of them, as before blocking"));
        }
        view.shape.push_back(extent->value);
      }
      kernel->views[index] = b_.AddView(std::move(view));
      return frame_.Define(param, Binding::Of(kernel->views[index]));
    }
    if (KindOf(*param.type) != Kind::kScalar)
      return frame_.Define(param, Binding());
    const ir::DataType dtype = DtypeOf(param.type);
    Scalar scalar = ir::IsFloat(dtype) ? scalars_.Float(given.real)
                                       : params_.Make(given.scalar, param.name);
    if (dtype == ir::DataType::kBool) {
      MX_ASSIGN_OR_RETURN(scalar,
                          scalars_.Cast(scalar, ir::DataType::kIndex, dtype));
    }
    return frame_.Define(param, Binding::Of(scalar));
  }

  // ---- statements

  bool IsCreate(const ir::Expr& expr) const {
    const auto* call = ir::DynCast<ir::Call>(&expr);
    const OpInfo* info =
        call == nullptr ? nullptr : table_.Find(call->callee->def);
    return info != nullptr && info->family == OpFamily::kCreate;
  }

  // The block's trailing yield, or null.
  absl::StatusOr<const ir::Yield*> RunBlock(ir::Block block, bool is_function) {
    for (const ir::Stmt* stmt : block) {
      if (stmt->kind == ir::StmtKind::kYield) {
        if (stmt == block.back()) return static_cast<const ir::Yield*>(stmt);
        return frame_.Report(NoStatement("a yield before the end"), stmt->span);
      }
      if (stmt->kind == ir::StmtKind::kReturn && is_function &&
          stmt == block.back()) {
        return nullptr;
      }
      MX_RETURN_IF_ERROR(frame_.Report(RunStmt(*stmt), stmt->span));
    }
    return nullptr;
  }

  absl::Status RunStmt(const ir::Stmt& stmt) {
    b_.SetPlace(PlaceText(stmt.span));
    switch (stmt.kind) {
      case ir::StmtKind::kAssign: {
        const auto& assign = static_cast<const ir::Assign&>(stmt);
        // A scratch tile, for operators that do not need one here.
        if (IsCreate(*assign.value) && axes_.IsScratch(assign.var)) {
          return frame_.Define(*assign.var, Binding::Of(Tile()));
        }
        MX_ASSIGN_OR_RETURN(Binding value,
                            frame_.Eval(assign.value, stmt.span));
        return frame_.Define(*assign.var, std::move(value));
      }
      case ir::StmtKind::kEval:
        return frame_.Eval(static_cast<const ir::Eval&>(stmt).expr, stmt.span)
            .status();
      case ir::StmtKind::kIf:
        return RunIf(static_cast<const ir::If&>(stmt));
      case ir::StmtKind::kFor:
        return RunFor(static_cast<const ir::For&>(stmt));
      case ir::StmtKind::kWhile:
        return NoStatement("a while loop");
      case ir::StmtKind::kReturn:
        return NoStatement("a return before the end");
      case ir::StmtKind::kScope:
        return NoStatement("a scope");
      case ir::StmtKind::kBreak:
        return NoStatement("break");
      case ir::StmtKind::kContinue:
        return NoStatement("continue");
      case ir::StmtKind::kYield:
        break;
    }
    return absl::OkStatus();
  }

  absl::Status RunFor(const ir::For& loop) {
    Scalar bounds[3];
    const ir::Expr* exprs[3] = {loop.start, loop.stop, loop.step};
    for (int i = 0; i < 3; ++i) {
      MX_ASSIGN_OR_RETURN(Binding bound, frame_.Eval(exprs[i], loop.span));
      bounds[i] = bound.scalar;
    }
    const auto& [start, stop, step] = bounds;
    if (!step.linear.AsConstant().has_value() ||
        *step.linear.AsConstant() == 0) {
      return NoStatement("a loop whose step is no constant other than 0");
    }
    std::vector<Binding> inits;
    std::vector<ValueId> carried;
    for (const ir::IterArg* arg : loop.iter_args) {
      MX_ASSIGN_OR_RETURN(const Binding init,
                          frame_.Eval(arg->init, loop.span));
      MX_ASSIGN_OR_RETURN(Binding given,
                          AsCarried(state_, *arg, init, axes_.Find(arg)));
      if (HasValue(given)) carried.push_back(ValueOf(given));
      inits.push_back(std::move(given));
    }
    absl::Status status;
    const std::vector<ValueId> results =
        b_.For(start.id, stop.id, scalars_.Index(*step.linear.AsConstant()).id,
               carried, [&](ValueId variable, std::vector<ValueId> params) {
                 frame_.OpenBlock();
                 absl::StatusOr<std::vector<ValueId>> next =
                     RunBody(loop, bounds, inits, variable, params);
                 frame_.CloseBlock();
                 if (next.ok()) return *std::move(next);
                 status = next.status();
                 return params;
               });
    MX_RETURN_IF_ERROR(status);
    size_t next = 0;
    for (size_t i = 0; i < loop.return_vars.size() && i < inits.size(); ++i) {
      Binding result = inits[i];
      if (HasValue(result)) result = WithValue(state_, result, results[next++]);
      MX_RETURN_IF_ERROR(
          frame_.Define(*loop.return_vars[i], std::move(result)));
    }
    return absl::OkStatus();
  }

  // The loop variable's bounds, as far as rounds are run at all.
  Scalar LoopVariable(const Scalar* bounds, ValueId id) {
    const auto& [start, stop, step_value] =
        std::tie(bounds[0], bounds[1], bounds[2]);
    const int64_t step = *step_value.linear.AsConstant();
    const auto first = start.linear.AsConstant();
    const auto end = stop.linear.AsConstant();
    Linear last = stop.linear - Linear(step > 0 ? 1 : -1);
    if (first.has_value() && end.has_value() && last.is_known()) {
      last = Linear(*first + (*last.AsConstant() - *first) / step * step);
    }
    return step > 0 ? scalars_.Opaque(id, {start.linear}, {last})
                    : scalars_.Opaque(id, {last}, {start.linear});
  }

  absl::StatusOr<std::vector<ValueId>> RunBody(
      const ir::For& loop, const Scalar* bounds,
      const std::vector<Binding>& inits, ValueId variable,
      const std::vector<ValueId>& params) {
    MX_RETURN_IF_ERROR(frame_.Define(
        *loop.loop_var, Binding::Of(LoopVariable(bounds, variable))));
    size_t param = 0;
    for (size_t i = 0; i < inits.size(); ++i) {
      Binding arg = inits[i];
      if (HasValue(arg)) arg = WithValue(state_, arg, params[param++]);
      MX_RETURN_IF_ERROR(frame_.Define(*loop.iter_args[i], std::move(arg)));
    }
    MX_ASSIGN_OR_RETURN(const ir::Yield* yield,
                        RunBlock(loop.body, /*is_function=*/false));
    if (yield == nullptr) return params;
    std::vector<ValueId> next;
    for (size_t i = 0; i < inits.size(); ++i) {
      const ir::IterArg& arg = *loop.iter_args[i];
      if (i >= yield->values.size()) {
        return frame_.Report(YieldError(arg.name, "is carried and not yielded"),
                             yield->span);
      }
      MX_ASSIGN_OR_RETURN(const Binding value,
                          frame_.Eval(yield->values[i], yield->span));
      absl::StatusOr<Binding> given =
          AsCarried(state_, arg, value, axes_.Find(&arg));
      MX_RETURN_IF_ERROR(frame_.Report(given.status(), yield->span));
      MX_RETURN_IF_ERROR(frame_.Report(
          CheckAlike(state_, arg, inits[i], *given), yield->span));
      if (HasValue(*given)) next.push_back(ValueOf(*given));
    }
    return next;
  }

  absl::Status RunIf(const ir::If& branch) {
    MX_ASSIGN_OR_RETURN(const Binding condition,
                        frame_.Eval(branch.condition, branch.span));
    MX_ASSIGN_OR_RETURN(
        const Scalar taken,
        scalars_.Cast(condition.scalar, DtypeOf(branch.condition->type),
                      ir::DataType::kBool));
    absl::Status status;
    std::vector<Binding> sides[2];
    const auto run = [&](int side) {
      return [&, side] {
        std::vector<ValueId> values;
        frame_.OpenBlock();
        const absl::Status run_status =
            RunSide(branch, side == 0 ? branch.then_body : branch.else_body,
                    &sides[side]);
        frame_.CloseBlock();
        b_.SetPlace(PlaceText(branch.span));
        if (status.ok()) status = run_status;
        for (const Binding& value : sides[side]) {
          if (HasValue(value)) values.push_back(ValueOf(value));
        }
        return values;
      };
    };
    const std::vector<ValueId> results = b_.If(taken.id, run(0), run(1));
    MX_RETURN_IF_ERROR(status);
    size_t next = 0;
    for (size_t i = 0; i < branch.return_vars.size(); ++i) {
      const ir::Var& var = *branch.return_vars[i];
      MX_RETURN_IF_ERROR(CheckAlike(state_, var, sides[0][i], sides[1][i]));
      Binding result = sides[0][i];
      if (HasValue(result)) {
        // Nothing without a value: what does not fit is the builder's error.
        if (next >= results.size()) break;
        result = WithValue(state_, result, results[next++]);
      }
      MX_RETURN_IF_ERROR(frame_.Define(var, std::move(result)));
    }
    return absl::OkStatus();
  }

  absl::Status RunSide(const ir::If& branch, ir::Block body,
                       std::vector<Binding>* values) {
    MX_ASSIGN_OR_RETURN(const ir::Yield* yield,
                        RunBlock(body, /*is_function=*/false));
    const size_t count = yield == nullptr ? 0 : yield->values.size();
    if (count != branch.return_vars.size()) {
      return ir::RuleError(
          "MX-SIMD-8",
          absl::StrCat("a branch yields ", count, " values, the if has ",
                       branch.return_vars.size()));
    }
    for (size_t i = 0; i < count; ++i) {
      const ir::Var& var = *branch.return_vars[i];
      MX_ASSIGN_OR_RETURN(const Binding value,
                          frame_.Eval(yield->values[i], yield->span));
      MX_ASSIGN_OR_RETURN(Binding given,
                          AsCarried(state_, var, value, axes_.Find(&var)));
      values->push_back(std::move(given));
    }
    return absl::OkStatus();
  }

  const ir::Function& function_;
  const ImportRequest& request_;
  const OpTable table_;
  TileAxes axes_;
  TileProgramBuilder b_;
  Scalars scalars_;
  InstanceParams params_;
  ImportState state_;
  ImportFrame frame_;
};

}  // namespace

absl::StatusOr<ImportedKernel> ImportInCore(const ir::Function& in_core,
                                            const ir::OpRegistry& registry,
                                            const ImportRequest& request,
                                            ir::DiagnosticSink* sink) {
  const absl::Status fits = CheckRequest(in_core, request);
  if (!fits.ok()) {
    sink->Error(ir::RuleOf(fits), in_core.span, fits.message());
    absl::Status reported = fits;
    reported.SetPayload(kReportedPayload, absl::Cord());
    return reported;
  }
  return Importer(in_core, registry, request, sink).Run();
}

}  // namespace mxtile::exec::simd
