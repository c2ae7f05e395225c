#include "ir/text/printer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/expr_walk.h"
#include "ir/stmt_walk.h"
#include "ir/text/lexer.h"
#include "ir/text/names.h"
#include "ir/text/term_printer.h"

namespace mxtile::ir {
namespace {

bool IsOptimization(const Attr& arg) {
  return arg.name == "split" || arg.name == "slot_num";
}

class ProgramPrinter : public TermPrinter {
 public:
  using TermPrinter::TermPrinter;

  void PrintStmt(const Stmt* stmt);
  void PrintFunction(const Function& function);
  void set_indent(int indent) { indent_ = indent; }

 private:
  void PrintComments(absl::Span<const absl::string_view> comments);
  void PrintBlock(Block block, Vars yield_targets);
  void PrintYield(const Yield& yield, Vars targets);
  void PrintFor(const For& loop);
  void PrintRange(const For& loop);
  void PrintWhile(const While& loop);
  void PrintScope(const Scope& scope);
  void PrintScopeArgs(const Scope& scope);
  void PrintOptimizations(Attrs args);
  void PrintIterArgs(absl::Span<const IterArg* const> args);
  void PrintInitValues(absl::Span<const IterArg* const> args);
  void PrintDecorator(const Function& function);
  void PrintSignature(const Function& function);

  int indent_ = 0;
};

// ---- Statements

void ProgramPrinter::PrintComments(
    absl::Span<const absl::string_view> comments) {
  for (const absl::string_view comment : comments) {
    Indent(indent_);
    Put(comment.empty() ? "#" : "# ", comment, "\n");
  }
}

void ProgramPrinter::PrintYield(const Yield& yield, Vars targets) {
  if (targets.size() == 1) {
    Put(NameOf(targets[0]), ": ");
    PrintType(targets[0]->type);
    Put(" = ");
  } else if (!targets.empty()) {
    Join(targets, [this](const Var* var) { Put(NameOf(var)); });
    Put(" = ");
  }
  Put("pl.yield_(");
  PrintExprs(yield.values);
  Put(")");
}

void ProgramPrinter::PrintBlock(Block block, Vars yield_targets) {
  ++indent_;
  if (block.empty()) {
    Indent(indent_);
    Put("pass\n");
  }
  for (const Stmt* stmt : block) {
    const Yield* yield = DynCast<Yield>(stmt);
    if (yield != nullptr && stmt == block.back()) {
      PrintComments(stmt->comments);
      Indent(indent_);
      PrintYield(*yield, yield_targets);
      Put("\n");
    } else {
      PrintStmt(stmt);
    }
  }
  --indent_;
}

void ProgramPrinter::PrintIterArgs(absl::Span<const IterArg* const> args) {
  Put("(");
  Join(args, [this](const IterArg* arg) { Put(NameOf(arg)); });
  Put(args.size() == 1 ? ",)" : ")");
}

void ProgramPrinter::PrintInitValues(absl::Span<const IterArg* const> args) {
  std::vector<const Expr*> inits;
  for (const IterArg* arg : args) inits.push_back(arg->init);
  Put("init_values=");
  PrintPyTuple(inits);
}

void ProgramPrinter::PrintRange(const For& loop) {
  const auto is_index = [](const Expr* expr, int64_t value) {
    const ConstInt* c = AsConstInt(expr);
    return c != nullptr && c->dtype() == DataType::kIndex && c->value == value;
  };
  const bool omit_step = is_index(loop.step, 1);
  if (!omit_step || !is_index(loop.start, 0)) {
    PrintExpr(loop.start);
    Put(", ");
  }
  PrintExpr(loop.stop);
  if (!omit_step) {
    Put(", ");
    PrintExpr(loop.step);
  }
}

void ProgramPrinter::PrintFor(const For& loop) {
  Put("for ", NameOf(loop.loop_var));
  if (!loop.iter_args.empty()) {
    Put(", ");
    PrintIterArgs(loop.iter_args);
  }
  Put(" in pl.", EnumName(loop.loop_kind), "(");
  PrintRange(loop);
  std::vector<Attr> others;
  for (const Attr& attr : loop.attrs) {
    if (attr.name == "pipeline_stages") {
      Put(", stage=");
      PrintAttrValue(attr.value, '"');
    } else {
      others.push_back(attr);
    }
  }
  if (!loop.iter_args.empty()) {
    Put(", ");
    PrintInitValues(loop.iter_args);
  }
  if (!others.empty()) {
    Put(", attrs=");
    PrintAttrs(others);
  }
  Put("):\n");
  PrintBlock(loop.body, loop.return_vars);
}

void ProgramPrinter::PrintWhile(const While& loop) {
  if (loop.iter_args.empty()) {
    Put("while ");
    PrintExpr(loop.condition);
    Put(":\n");
    return PrintBlock(loop.body, loop.return_vars);
  }
  Put("for ");
  PrintIterArgs(loop.iter_args);
  Put(" in pl.while_(");
  PrintInitValues(loop.iter_args);
  Put("):\n");
  ++indent_;
  Indent(indent_);
  Put("pl.cond(");
  PrintExpr(loop.condition);
  Put(")\n");
  --indent_;
  PrintBlock(loop.body, loop.return_vars);
}

// `split` and `slot_num` stand in one list: optimizations=[pl.split(...)].
void ProgramPrinter::PrintOptimizations(Attrs args) {
  bool first = true;
  for (const Attr& arg : args) {
    if (!IsOptimization(arg)) continue;
    Put(first ? "optimizations=[" : ", ");
    first = false;
    Put(arg.name == "split" ? "pl.split(" : "pl.cross_core_slot(slot_num=");
    PrintAttrValue(arg.value, '"');
    Put(")");
  }
  if (!first) Put("]");
}

void ProgramPrinter::PrintScopeArgs(const Scope& scope) {
  const bool lists = scope.scope_kind != ScopeKind::kSplitAiv;
  bool first = true;
  bool optimised = false;
  for (const Attr& arg : scope.args) {
    const bool listed = lists && IsOptimization(arg);
    if (listed && optimised) continue;
    if (!first) Put(", ");
    first = false;
    if (listed) {
      PrintOptimizations(scope.args);
      optimised = true;
      continue;
    }
    // How many stands first, without its name.
    if (arg.name != "core_num" && arg.name != "count") Put(arg.name, "=");
    PrintAttrValue(arg.value, '"');
  }
}

void ProgramPrinter::PrintScope(const Scope& scope) {
  if (scope.index != nullptr) {
    Put("for ", NameOf(scope.index), " in ");
  } else {
    Put("with ");
  }
  Put("pl.", EnumName(scope.scope_kind), "(");
  PrintScopeArgs(scope);
  Put(")");
  if (scope.task_id != nullptr) Put(" as ", NameOf(scope.task_id));
  Put(":\n");
  PrintBlock(scope.body, {});
}

void ProgramPrinter::PrintStmt(const Stmt* stmt) {
  PrintComments(stmt->comments);
  Indent(indent_);
  switch (stmt->kind) {
    case StmtKind::kAssign: {
      const Assign* assign = CheckedCast<Assign>(stmt);
      Put(NameOf(assign->var), ": ");
      PrintType(assign->var->type);
      Put(" = ");
      PrintExpr(assign->value);
      return Put("\n");
    }
    case StmtKind::kEval:
      PrintExpr(CheckedCast<Eval>(stmt)->expr);
      return Put("\n");
    case StmtKind::kIf: {
      const If* branch = CheckedCast<If>(stmt);
      Put("if ");
      PrintExpr(branch->condition);
      Put(":\n");
      PrintBlock(branch->then_body, branch->return_vars);
      if (branch->else_body.empty()) return;
      Indent(indent_);
      Put("else:\n");
      return PrintBlock(branch->else_body, branch->return_vars);
    }
    case StmtKind::kFor:
      return PrintFor(*CheckedCast<For>(stmt));
    case StmtKind::kWhile:
      return PrintWhile(*CheckedCast<While>(stmt));
    case StmtKind::kYield:
      PrintYield(*CheckedCast<Yield>(stmt), {});
      return Put("\n");
    case StmtKind::kReturn: {
      const Return* ret = CheckedCast<Return>(stmt);
      Put(ret->values.empty() ? "return" : "return ");
      PrintExprs(ret->values);
      return Put("\n");
    }
    case StmtKind::kScope:
      return PrintScope(*CheckedCast<Scope>(stmt));
    case StmtKind::kBreak:
      return Put("break\n");
    case StmtKind::kContinue:
      return Put("continue\n");
  }
}

// ---- Functions

void ProgramPrinter::PrintDecorator(const Function& function) {
  std::vector<std::string> parts;
  if (function.function_type != FunctionType::kOpaque) {
    parts.push_back(absl::StrCat("type=pl.FunctionType.",
                                 EnumName(function.function_type)));
  }
  if (function.level.has_value()) {
    parts.push_back(absl::StrCat("level=pl.Level.", EnumName(*function.level)));
  }
  if (function.role.has_value()) {
    parts.push_back(absl::StrCat("role=pl.Role.", EnumName(*function.role)));
  }
  Indent(indent_);
  Put("@pl.function");
  bool first = true;
  for (const std::string& part : parts) {
    Put(first ? "(" : ", ", part);
    first = false;
  }
  for (const Attr& attr : function.attrs) {
    if (!StandsInDecorator(attr.name)) continue;
    Put(first ? "(" : ", ", attr.name, "=");
    PrintAttrValue(attr.value, '"');
    first = false;
  }
  Put(first ? "\n" : ")\n");
}

void ProgramPrinter::PrintSignature(const Function& function) {
  set_in_signature(true);
  Indent(indent_);
  Put("def ", function.name, "(");
  bool first = true;
  if (function.role != Role::kSubWorker) {
    Put("self");
    first = false;
  }
  for (size_t i = 0; i < function.params.size(); ++i) {
    Put(first ? "" : ", ", NameOf(function.params[i]), ": ");
    first = false;
    const ParamDirection direction = function.directions[i];
    if (direction != ParamDirection::kIn) {
      Put("pl.", EnumName(direction), "[");
    }
    PrintType(function.params[i]->type);
    if (direction != ParamDirection::kIn) Put("]");
  }
  Put(")");
  if (function.return_types.size() == 1) {
    Put(" -> ");
    PrintType(function.return_types[0]);
  } else if (!function.return_types.empty()) {
    Put(" -> tuple[");
    Join(function.return_types, [this](const Type* t) { PrintType(t); });
    Put("]");
  }
  Put(":\n");
  set_in_signature(false);
}

void ProgramPrinter::PrintFunction(const Function& function) {
  PrintComments(function.comments);
  PrintDecorator(function);
  PrintSignature(function);
  std::vector<Attr> attrs;
  for (const Attr& attr : function.attrs) {
    if (!StandsInDecorator(attr.name)) attrs.push_back(attr);
  }
  if (!attrs.empty()) {
    ++indent_;
    Indent(indent_);
    --indent_;
    Put("pl.func_attr(");
    PrintAttrs(attrs);
    Put(")\n");
    if (function.body.empty()) return;
  }
  PrintBlock(function.body, {});
}

// Callees before callers; where calls of each other form a cycle, all functions
// in the order of the program.
std::vector<const Function*> PrintOrder(const Program& program) {
  std::vector<const Function*> order;
  absl::flat_hash_set<const Function*> entered;
  absl::flat_hash_set<const Function*> placed;
  struct Frame {
    const Function* function;
    std::vector<const Function*> callees;
    size_t next = 0;
  };
  const auto callees_of = [&program](const Function* function) {
    std::vector<const Function*> callees;
    ForEachStmt(function->body, [&](const Stmt* stmt) {
      ForEachRootExpr(*stmt, [&](const Expr* root) {
        PostOrder(root, [&](const Expr* expr) {
          const Callee* callee = nullptr;
          if (const Call* call = DynCast<Call>(expr)) callee = call->callee;
          if (const Submit* s = DynCast<Submit>(expr)) callee = s->callee;
          if (callee == nullptr || !callee->is_function) return;
          const Function* target = program.Find(callee->name);
          if (target != nullptr && target != function) {
            callees.push_back(target);
          }
        });
      });
    });
    return callees;
  };
  for (const Function* root : program.functions) {
    std::vector<Frame> stack;
    const auto enter = [&](const Function* function) {
      if (entered.insert(function).second) {
        stack.push_back({function, callees_of(function)});
        return true;
      }
      return placed.contains(function);
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.callees.size()) {
        if (!enter(top.callees[top.next++])) {
          return {program.functions.begin(), program.functions.end()};
        }
      } else {
        order.push_back(top.function);
        placed.insert(top.function);
        stack.pop_back();
      }
    }
  }
  return order;
}

// A program's name may be any text; that of its class is a Python name.
std::string ClassName(absl::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (!absl::ascii_isalnum(c)) c = '_';
  }
  if (out.empty() || absl::ascii_isdigit(out[0])) out.insert(0, "_");
  if (text::IsReservedWord(out)) out += "_";
  return out;
}

}  // namespace

std::string PrintProgram(const Program& program) {
  std::string text;
  for (const Function* function : PrintOrder(program)) {
    const VarNames names(*function, program.dynamic_dims);
    ProgramPrinter printer(&names, std::move(text));
    printer.set_indent(1);
    printer.PrintFunction(*function);
    text = printer.Take();
  }
  std::string out;
  for (const absl::string_view comment : program.comments) {
    absl::StrAppend(&out, comment.empty() ? "#" : "# ", comment, "\n");
  }
  absl::StrAppend(&out, "# pypto.program: ", program.name,
                  "\nimport pypto.language as pl\n");
  if (absl::StrContains(text, "pld.")) {
    absl::StrAppend(&out, "import pypto.language.distributed as pld\n");
  }
  absl::StrAppend(&out, "\n");
  for (const Var* dim : program.dynamic_dims) {
    absl::StrAppend(&out, dim->name, " = pl.dynamic(\"", dim->name, "\")\n");
  }
  if (!program.dynamic_dims.empty()) absl::StrAppend(&out, "\n");
  absl::StrAppend(&out, "@pl.program\nclass ", ClassName(program.name), ":\n");
  // What the functions need decides what stands in front of them.
  text.insert(0, out);
  return text;
}

std::string PrintFunction(const Function& function) {
  const VarNames names(function, {});
  ProgramPrinter printer(&names);
  printer.PrintFunction(function);
  return printer.Take();
}

std::string PrintExpr(const Expr* expr) {
  const VarNames names;
  ProgramPrinter printer(&names);
  printer.PrintExpr(expr);
  return printer.Take();
}

std::string PrintType(const Type* type) {
  const VarNames names;
  ProgramPrinter printer(&names);
  printer.PrintType(type);
  return printer.Take();
}

std::string PrintAttrValue(const AttrValue& value) {
  const VarNames names;
  ProgramPrinter printer(&names);
  printer.PrintAttrValue(value, '"');
  return printer.Take();
}

std::string PrintStmt(const Stmt* stmt) {
  const VarNames names;
  ProgramPrinter printer(&names);
  printer.PrintStmt(stmt);
  return printer.Take();
}

}  // namespace mxtile::ir
