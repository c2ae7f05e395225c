#include "ir/text/printer.h"

#include <cstdint>
#include <string>
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

class ProgramPrinter : public TermPrinter {
 public:
  using TermPrinter::TermPrinter;

  std::string Take() { return std::move(out_); }

  void PrintTypeTo(const Type* type);
  void PrintExprTo(const Expr* expr, Precedence context = kLowest);
  void PrintStmtTo(const Stmt* stmt);
  void PrintAttrValue(const AttrValue& value, char quote);
  void PrintFunctionTo(const Function& function);
  void set_indent(int indent) { indent_ = indent; }

 private:
  void PrintComments(absl::Span<const absl::string_view> comments);

  void PrintDim(const Expr* dim);
  void PrintDims(Dims dims);
  void PrintTensorType(const TensorType& type);
  void PrintTensorView(const TensorView& view);
  void PrintTileType(const TileType& type);
  void PrintTileView(const TileType& type);
  void PrintMemRef(const MemRef& memref);

  void PrintExprs(Exprs exprs) {
    Join(exprs, [this](const Expr* e) { PrintExprTo(e); });
  }
  // "(a,)", "(a, b)"
  void PrintPyTuple(Exprs exprs);
  void PrintInfix(const Binary* binary);
  void PrintUnary(const Unary& unary);
  void PrintCall(const Call& call);
  void PrintSubmit(const Submit& submit);
  void PrintKwargs(Attrs kwargs, bool* first);
  void PrintAttrs(Attrs attrs);

  void PrintBlock(Block block, Vars yield_targets);
  void PrintYield(const Yield& yield, Vars targets);
  void PrintFor(const For& loop);
  void PrintRange(const For& loop);
  void PrintWhile(const While& loop);
  void PrintIterArgs(absl::Span<const IterArg* const> args);
  void PrintInitValues(absl::Span<const IterArg* const> args);
  void PrintDecorator(const Function& function);
  void PrintSignature(const Function& function);

  int indent_ = 0;
};

// ---- Types

void Printer::PrintDim(const Expr* dim) {
  // A constant dim is bare; inside a composite one it is typed, so that reading
  // it back does not fold it.
  in_dim_ = AsConstInt(dim) == nullptr;
  PrintExprTo(dim);
  in_dim_ = false;
}

void Printer::PrintDims(Dims dims) {
  Put("[");
  Join(dims, [this](const Expr* dim) { PrintDim(dim); });
  Put("]");
}

void Printer::PrintMemRef(const MemRef& memref) {
  const bool in_body = names_.DefinedInBody(memref.base);
  const std::string base =
      in_body ? names_.NameOf(memref.base) : std::string(memref.base->name);
  Put("pl.MemRef(", in_body && !in_signature_ ? base : Quoted(base, '"'), ", ");
  PrintDim(memref.byte_offset);
  Put(", ", memref.size_bytes, ")");
}

void Printer::PrintTensorView(const TensorView& view) {
  Put("pl.TensorView(");
  if (!view.valid_shape.empty()) {
    Put("valid_shape=");
    PrintDims(view.valid_shape);
    Put(", ");
  }
  Put("stride=");
  PrintDims(view.stride);
  Put(", layout=pl.TensorLayout.", EnumName(view.layout));
  if (view.pad != PadValue::kNull) {
    Put(", pad=pl.PadValue.", EnumName(view.pad));
  }
  Put(")");
}

void Printer::PrintTensorType(const TensorType& type) {
  Put(type.kind == TypeKind::kTensor ? "pl.Tensor" : "pld.DistributedTensor",
      "[");
  PrintDims(type.shape);
  Put(", pl.", DataTypeName(type.dtype));
  if (type.view != nullptr) {
    Put(", ");
    PrintTensorView(*type.view);
  }
  if (type.memref != nullptr) {
    Put(", ");
    PrintMemRef(*type.memref);
  }
  Put("]");
}

void Printer::PrintTileView(const TileType& type) {
  const TileView& view = *type.view;
  const TileView implicit = ImplicitTileView(type.shape, type.space);
  Put(", pl.TileView(");
  bool first = true;
  auto field = [this, &first](absl::string_view name) {
    Put(first ? "" : ", ", name, "=");
    first = false;
  };
  if (!view.valid_shape.empty()) {
    field("valid_shape");
    PrintDims(view.valid_shape);
  }
  if (!view.stride.empty()) {
    field("stride");
    PrintDims(view.stride);
  }
  if (view.start_offset != nullptr) {
    field("start_offset");
    PrintDim(view.start_offset);
  }
  if (view.blayout != implicit.blayout) {
    field("blayout");
    Put("pl.TileLayout.", EnumName(view.blayout));
  }
  if (view.slayout != implicit.slayout) {
    field("slayout");
    Put("pl.TileLayout.", EnumName(view.slayout));
  }
  if (view.fractal != implicit.fractal) {
    field("fractal");
    Put(view.fractal);
  }
  if (view.pad != implicit.pad) {
    field("pad");
    Put("pl.PadValue.", EnumName(view.pad));
  }
  if (view.compact != implicit.compact) {
    field("compact");
    Put("pl.CompactMode.", EnumName(view.compact));
  }
  Put(")");
}

void Printer::PrintTileType(const TileType& type) {
  Put("pl.Tile[");
  PrintDims(type.shape);
  Put(", pl.", DataTypeName(type.dtype));
  if (type.memref != nullptr) {
    Put(", ");
    PrintMemRef(*type.memref);
  }
  if (type.space.has_value()) Put(", pl.Mem.", EnumName(*type.space));
  if (type.view != nullptr) PrintTileView(type);
  Put("]");
}

void Printer::PrintTypeTo(const Type* type) {
  switch (type->kind) {
    case TypeKind::kScalar:
      return Put("pl.Scalar[pl.",
                 DataTypeName(CheckedCast<ScalarType>(type)->dtype), "]");
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor:
      return PrintTensorType(*CheckedCast<TensorType>(type));
    case TypeKind::kTile:
      return PrintTileType(*CheckedCast<TileType>(type));
    case TypeKind::kArray: {
      const ArrayType* array = CheckedCast<ArrayType>(type);
      return Put("pl.Array[", array->extent, ", pl.",
                 DataTypeName(array->dtype), "]");
    }
    case TypeKind::kTuple: {
      const TupleType* tuple = CheckedCast<TupleType>(type);
      Put("pl.Tuple[");
      if (tuple->elements.empty()) Put("()");
      Join(tuple->elements, [this](const Type* t) { PrintTypeTo(t); });
      return Put("]");
    }
    default:
      return Put(MarkerTypeName(type->kind));
  }
}

// ---- Expressions

void Printer::PrintExprTo(const Expr* expr, Precedence context) {
  if (PrecedenceOf(expr) < context) {
    Put("(");
    PrintExprTo(expr);
    return Put(")");
  }
  switch (expr->kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
      return Put(names_.NameOf(CheckedCast<Var>(expr)));
    case ExprKind::kConstInt: {
      const ConstInt* c = CheckedCast<ConstInt>(expr);
      if (c->dtype() == DataType::kIndex && !in_dim_) return Put(c->value);
      return Put("pl.const(", c->value, ", pl.", DataTypeName(c->dtype()), ")");
    }
    case ExprKind::kConstFloat: {
      const ConstFloat* c = CheckedCast<ConstFloat>(expr);
      if (c->dtype() == DataType::kFP32) return Put(Float(c->value));
      return Put("pl.const(", Float(c->value), ", pl.",
                 DataTypeName(c->dtype()), ")");
    }
    case ExprKind::kConstBool:
      return Put(CheckedCast<ConstBool>(expr)->value ? "True" : "False");
    case ExprKind::kCall:
      return PrintCall(*CheckedCast<Call>(expr));
    case ExprKind::kSubmit:
      return PrintSubmit(*CheckedCast<Submit>(expr));
    case ExprKind::kTuple:
      Put("[");
      PrintExprs(CheckedCast<Tuple>(expr)->elements);
      return Put("]");
    case ExprKind::kTupleItem: {
      const TupleItem* item = CheckedCast<TupleItem>(expr);
      PrintExprTo(item->tuple, kAtomPrecedence);
      return Put("[", item->index, "]");
    }
    case ExprKind::kBinary:
      return PrintInfix(CheckedCast<Binary>(expr));
    case ExprKind::kUnary:
      return PrintUnary(*CheckedCast<Unary>(expr));
    case ExprKind::kCast:
      Put("pl.cast(");
      PrintExprTo(CheckedCast<Cast>(expr)->operand);
      return Put(", pl.",
                 DataTypeName(CheckedCast<ScalarType>(expr->type)->dtype), ")");
  }
}

void Printer::PrintInfix(const Binary* binary) {
  if (AsInfix(binary) == nullptr) {
    Put(binary->op == BinaryOp::kMin ? "pl.min(" : "pl.max(");
    PrintExprTo(binary->lhs);
    Put(", ");
    PrintExprTo(binary->rhs);
    return Put(")");
  }
  // Left operands that need no parentheses are walked in a loop: a sum of many
  // terms is a chain of them.
  std::vector<const Binary*> chain;
  const Expr* left = binary;
  while (true) {
    const Binary* node = AsInfix(left);
    if (node == nullptr) break;
    if (!chain.empty()) {
      const Precedence outer = InfixOf(chain.back()->op).precedence;
      const Precedence inner = InfixOf(node->op).precedence;
      // Comparisons chain in Python, and ** groups to the right.
      const bool strict =
          outer == kComparePrecedence || outer == kPowPrecedence;
      if (strict ? inner <= outer : inner < outer) break;
    }
    chain.push_back(node);
    left = node->lhs;
  }
  const auto tighter = [](Precedence p) {
    return static_cast<Precedence>(p + 1);
  };
  const Precedence innermost = InfixOf(chain.back()->op).precedence;
  PrintExprTo(left,
              innermost == kComparePrecedence || innermost == kPowPrecedence
                  ? tighter(innermost)
                  : innermost);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const Infix infix = InfixOf((*it)->op);
    Put(" ", infix.token, " ");
    PrintExprTo((*it)->rhs, infix.precedence == kPowPrecedence
                                ? kPowPrecedence
                                : tighter(infix.precedence));
  }
}

void Printer::PrintUnary(const Unary& unary) {
  switch (unary.op) {
    case UnaryOp::kAbs:
      Put("abs(");
      PrintExprTo(unary.operand);
      return Put(")");
    case UnaryOp::kNeg:
      Put("-");
      return PrintExprTo(unary.operand, kUnaryPrecedence);
    case UnaryOp::kNot:
      Put("not ");
      return PrintExprTo(unary.operand, kNotPrecedence);
    case UnaryOp::kBitNot:
      Put("~");
      return PrintExprTo(unary.operand, kUnaryPrecedence);
  }
}

void Printer::PrintAttrValue(const AttrValue& value, char quote) {
  switch (value.kind) {
    case AttrValue::Kind::kInt:
      return Put(value.int_value);
    case AttrValue::Kind::kFloat:
      return Put(Float(value.float_value));
    case AttrValue::Kind::kBool:
      return Put(value.bool_value ? "True" : "False");
    case AttrValue::Kind::kString:
      return Put(Quoted(value.text, quote));
    case AttrValue::Kind::kEnum:
      return Put("pl.", value.enum_class, ".", value.text);
    case AttrValue::Kind::kDataType:
      return Put("pl.", DataTypeName(value.data_type));
    case AttrValue::Kind::kExpr:
      return PrintExprTo(value.expr);
    case AttrValue::Kind::kList:
      Put("[");
      Join(value.list,
           [this, quote](const AttrValue& v) { PrintAttrValue(v, quote); });
      return Put("]");
  }
}

void Printer::PrintKwargs(Attrs kwargs, bool* first) {
  for (const Attr& kwarg : kwargs) {
    Put(*first ? "" : ", ", kwarg.name, "=");
    *first = false;
    PrintAttrValue(kwarg.value, '\'');
  }
}

void Printer::PrintAttrs(Attrs attrs) {
  Put("{");
  Join(attrs, [this](const Attr& attr) {
    Put(Quoted(attr.name, '"'), ": ");
    PrintAttrValue(attr.value, '"');
  });
  Put("}");
}

void Printer::PrintCall(const Call& call) {
  Put(call.callee->is_function ? absl::StrCat("self.", call.callee->name)
                               : OpName(call.callee->name),
      "(");
  bool first = true;
  for (const Expr* arg : call.args) {
    if (!first) Put(", ");
    const ConstInt* space = AsConstInt(arg);
    if (first && call.callee->name == "tile.alloc" && space != nullptr &&
        space->value >= 0 && space->value <= 9) {
      Put("pl.Mem.", EnumName(static_cast<MemorySpace>(space->value)));
    } else {
      PrintExprTo(arg);
    }
    first = false;
  }
  PrintKwargs(call.kwargs, &first);
  if (!call.attrs.empty()) {
    Put(first ? "" : ", ", "attrs=");
    PrintAttrs(call.attrs);
  }
  Put(")");
}

void Printer::PrintSubmit(const Submit& submit) {
  Put(submit.core_num != nullptr ? "pl.spmd_submit" : "pl.submit", "(self.",
      submit.callee->name);
  for (const Expr* arg : submit.args) {
    Put(", ");
    PrintExprTo(arg);
  }
  if (!submit.deps.empty()) {
    Put(", deps=[");
    PrintExprs(submit.deps);
    Put("]");
  }
  bool first = false;
  PrintKwargs(submit.kwargs, &first);
  if (submit.core_num != nullptr) {
    Put(", core_num=");
    PrintExprTo(submit.core_num);
    if (submit.sync_start) Put(", sync_start=True");
  }
  if (submit.allow_early_resolve) Put(", allow_early_resolve=True");
  if (submit.predicate != nullptr) {
    Put(", predicate=(");
    PrintExprTo(submit.predicate);
    Put(")");
  }
  if (!submit.attrs.empty()) {
    Put(", attrs=");
    PrintAttrs(submit.attrs);
  }
  Put(")");
}

void Printer::PrintPyTuple(Exprs exprs) {
  Put("(");
  PrintExprs(exprs);
  Put(exprs.size() == 1 ? ",)" : ")");
}

// ---- Statements

void Printer::PrintComments(absl::Span<const absl::string_view> comments) {
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
  std::string body;
  for (const Function* function : PrintOrder(program)) {
    const VarNames names(*function, program.dynamic_dims);
    ProgramPrinter printer(&names);
    printer.set_indent(1);
    printer.PrintFunction(*function);
    absl::StrAppend(&body, printer.Take());
  }
  std::string out;
  for (const absl::string_view comment : program.comments) {
    absl::StrAppend(&out, comment.empty() ? "#" : "# ", comment, "\n");
  }
  absl::StrAppend(&out, "# pypto.program: ", program.name,
                  "\nimport pypto.language as pl\n");
  if (absl::StrContains(body, "pld.")) {
    absl::StrAppend(&out, "import pypto.language.distributed as pld\n");
  }
  absl::StrAppend(&out, "\n");
  for (const Var* dim : program.dynamic_dims) {
    absl::StrAppend(&out, dim->name, " = pl.dynamic(\"", dim->name, "\")\n");
  }
  if (!program.dynamic_dims.empty()) absl::StrAppend(&out, "\n");
  absl::StrAppend(&out, "@pl.program\nclass ", ClassName(program.name), ":\n",
                  body);
  return out;
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
  Printer printer(&names);
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
