#include "proof/proof_test_util.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/refusal.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;

void RegisterNeverNegative(ir::OpRegistry& registry, absl::string_view name) {
  ir::OpDef def;
  def.name = std::string(name);
  def.result_never_negative = true;
  def.deduce = [](const ir::CallOperands&,
                  ir::Context& context) -> absl::StatusOr<const ir::Type*> {
    return context.IndexType();
  };
  registry.Register(std::move(def));
}

}  // namespace

TestIr::TestIr() : context_(&registry_) {
  RegisterNeverNegative(registry_, "tile.get_block_idx");
  RegisterNeverNegative(registry_, "tile.get_block_num");
}

const ir::Expr* TestIr::Add(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kAdd, a, b);
}
const ir::Expr* TestIr::Sub(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kSub, a, b);
}
const ir::Expr* TestIr::Mul(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kMul, a, b);
}
const ir::Expr* TestIr::Div(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kFloorDiv, a, b);
}
const ir::Expr* TestIr::Mod(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kFloorMod, a, b);
}
const ir::Expr* TestIr::Min(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kMin, a, b);
}
const ir::Expr* TestIr::Max(const ir::Expr* a, const ir::Expr* b) {
  return context_.NewBinary(BinaryOp::kMax, a, b);
}

const ir::Var* TestIr::Loop(ir::FunctionBuilder& f, const ir::Expr* start,
                            const ir::Expr* stop, const ir::Expr* step,
                            absl::string_view name) {
  f.BeginFor(name, start, stop, step);
  const ir::Var* var = f.loop_var();
  f.EndFor();
  return var;
}

void TestIr::Call(ir::FunctionBuilder& f, absl::string_view function,
                  std::vector<const ir::Expr*> args) {
  ir::Call call;
  call.kind = ir::ExprKind::kCall;
  call.type = context_.GetTupleType({});
  call.callee = context_.GetFunction(function);
  call.args = context_.List(args);
  f.Eval(context_.New(call));
}

void TestIr::Submit(ir::FunctionBuilder& f, absl::string_view function,
                    std::vector<const ir::Expr*> args) {
  ir::Submit submit;
  submit.kind = ir::ExprKind::kSubmit;
  const ir::Type* task_id = context_.GetScalarType(ir::DataType::kTaskId);
  submit.type = context_.GetTupleType({task_id});
  submit.callee = context_.GetFunction(function);
  submit.args = context_.List(args);
  f.Assign("task", context_.New(submit));
}

const ir::Function* TestIr::OnLines(const ir::Function* function,
                                    absl::string_view file, int first_line) {
  ir::Function copy = *function;
  copy.body = OnLines(function->body, context_.Intern(file), &first_line);
  return context_.New(copy);
}

ir::Block TestIr::OnLines(ir::Block block, absl::string_view file, int* line) {
  std::vector<const ir::Stmt*> stmts;
  for (const ir::Stmt* stmt : block) {
    ir::SourceSpan span;
    span.file = file;
    span.line = (*line)++;
    span.column = 1;
    if (const auto* assign = ir::DynCast<ir::Assign>(stmt)) {
      ir::Assign copy = *assign;
      copy.span = span;
      stmts.push_back(context_.New(copy));
    } else if (const auto* eval = ir::DynCast<ir::Eval>(stmt)) {
      ir::Eval copy = *eval;
      copy.span = span;
      stmts.push_back(context_.New(copy));
    } else if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
      ir::For copy = *loop;
      copy.span = span;
      copy.body = OnLines(loop->body, file, line);
      stmts.push_back(context_.New(copy));
    } else {
      MX_CHECK(false) << "statement kind not numbered yet";
    }
  }
  return context_.List(stmts);
}

std::string ToString(RefusalReason reason) {
  std::string name = "k";
  bool starts_word = true;
  for (const char c : RefusalReasonName(reason)) {
    if (c != '_') name += starts_word ? absl::ascii_toupper(c) : c;
    starts_word = c == '_';
  }
  return name;
}

std::string Verdict(const ProofResult& result) {
  return result.proven() ? "proven" : ToString(result.refusal().reason);
}

}  // namespace mxtile::proof
