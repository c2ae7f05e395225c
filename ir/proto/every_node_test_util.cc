#include "ir/proto/every_node_test_util.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"

namespace mxtile::ir {
namespace {

constexpr DataType kDataTypes[] = {
    DataType::kBool,      DataType::kInt4,      DataType::kInt8,
    DataType::kInt16,     DataType::kInt32,     DataType::kInt64,
    DataType::kIndex,     DataType::kUInt4,     DataType::kUInt8,
    DataType::kUInt16,    DataType::kUInt32,    DataType::kUInt64,
    DataType::kFP4,       DataType::kFP8E4M3FN, DataType::kFP8E5M2,
    DataType::kFP16,      DataType::kFP32,      DataType::kFP8E8M0,
    DataType::kBF16,      DataType::kHF4,       DataType::kHF8,
    DataType::kFP4E2M1X2, DataType::kTaskId};

// Collects the statements of a body, each with a place of its own.
class Body {
 public:
  explicit Body(Context* context) : context_(*context) {}

  SourceSpan Span() {
    ++line_;
    return {{line_, 5, line_ + line_ % 2, 30 + line_ % 7}, "every.py"};
  }
  absl::Span<const absl::string_view> Comments() {
    return context_.List(std::vector<absl::string_view>{
        context_.Intern("what this is"), context_.Intern("")});
  }

  template <typename T>
  T Start(StmtKind kind) {
    T stmt;
    stmt.kind = kind;
    stmt.span = Span();
    return stmt;
  }
  template <typename T>
  void Add(T stmt) {
    stmts_.push_back(context_.New(stmt));
  }
  const Var* Let(absl::string_view name, const Expr* value) {
    auto assign = Start<Assign>(StmtKind::kAssign);
    assign.var = context_.NewVar(name, value->type, Span());
    assign.value = value;
    Add(assign);
    return assign.var;
  }
  void Yield(std::vector<const Expr*> values) {
    auto yield = Start<struct Yield>(StmtKind::kYield);
    yield.values = context_.List(values);
    Add(yield);
  }
  // The statements so far, for a block; what follows is another.
  Block Take() {
    const Block block = context_.List(stmts_);
    stmts_.clear();
    return block;
  }

 private:
  Context& context_;
  int line_ = 0;
  std::vector<const Stmt*> stmts_;
};

// Every type, as elements of tuples.
class EveryType {
 public:
  EveryType(Context* context, const Var* base, const Var* dim)
      : context_(*context), base_(base), dim_(dim) {}

  const Type* All() {
    std::vector<const Type*> types;
    for (const DataType dtype : kDataTypes) {
      types.push_back(context_.GetScalarType(dtype));
    }
    for (const TypeKind kind :
         {TypeKind::kUnknown, TypeKind::kPtr, TypeKind::kMemRefType,
          TypeKind::kWindowBuffer, TypeKind::kCommCtx,
          TypeKind::kPrefetchAsyncContext, TypeKind::kAsyncEvent,
          TypeKind::kAsyncSession}) {
      types.push_back(context_.GetMarkerType(kind));
    }
    types.push_back(context_.GetArrayType(7, DataType::kInt32));
    types.push_back(context_.GetTupleType({}));
    for (int i = 0; i < 5; ++i) types.push_back(Tensor(i));
    for (int i = 0; i <= 10; ++i) types.push_back(Tile(i));
    return context_.GetTupleType(types);
  }

 private:
  const Type* Tensor(int i) {
    const std::vector<const Expr*> stride = {context_.Index(64), dim_};
    TensorView view;
    view.layout = static_cast<TensorLayout>(i);
    view.pad = static_cast<PadValue>(i % 4);
    if (i % 2 == 1) view.stride = stride;
    if (i % 2 == 0) view.valid_shape = stride;
    MemRef memref;
    memref.base = base_;
    memref.byte_offset = context_.Index(128);
    memref.size_bytes = 4096;
    TensorType type;
    type.kind = i % 2 == 0 ? TypeKind::kTensor : TypeKind::kDistributedTensor;
    const std::vector<const Expr*> shape = {dim_, context_.Index(32)};
    type.shape = shape;
    type.view = &view;
    if (i > 1) type.memref = &memref;
    return context_.GetTensorType(type);
  }

  const Type* Tile(int i) {
    const std::vector<const Expr*> dims = {dim_, context_.Index(i + 1)};
    TileView view;
    view.blayout = static_cast<TileLayout>(i % 3);
    view.slayout = static_cast<TileLayout>((i + 1) % 3);
    view.fractal = 64 * i;
    view.pad = static_cast<PadValue>(i % 4);
    view.compact = static_cast<CompactMode>(i % 2);
    if (i == 3) view.valid_shape = dims;
    if (i == 4) view.stride = dims;
    if (i == 5) view.start_offset = dim_;
    MemRef memref;  // As an author names it, with slots.
    memref.base = base_;
    memref.slot_count = 2;
    memref.slot_index =
        context_.NewBinary(BinaryOp::kFloorMod, dim_, context_.Index(2));
    TileType type;
    const std::vector<const Expr*> shape = {context_.Index(16),
                                            context_.Index(64)};
    type.shape = shape;
    if (i < 10) type.space = static_cast<MemorySpace>(i);
    type.view = &view;
    if (i == 2) type.memref = &memref;
    return context_.GetTileType(type);
  }

  Context& context_;
  const Var* base_;
  const Var* dim_;
};

// The body of the first function, a part for each kind of node.
class EveryNode {
 public:
  EveryNode(Context* context, const Var* dim)
      : context_(*context), body_(context), dim_(dim) {
    n_ = context_.NewVar("n", context_.IndexType(), body_.Span());
    b_ = context_.NewVar("b", context_.GetScalarType(DataType::kBool));
    f_ = context_.NewVar("f", context_.GetScalarType(DataType::kFP16));
  }

  std::vector<const Var*> params() const { return {n_, b_, f_}; }

  Block Build() {
    Types();
    Terms();
    Calls();
    Submits();
    Branches();
    Loops();
    Scopes();
    Assignments();
    auto stmt = body_.Start<Return>(StmtKind::kReturn);
    stmt.values = context_.ExprList({n_, f_});
    body_.Add(stmt);
    return body_.Take();
  }

 private:
  Call CallOf(absl::string_view op, const Type* type) {
    Call call;
    call.kind = ExprKind::kCall;
    call.type = type;
    call.span = body_.Span();
    call.callee = context_.GetOp(op);
    call.args = context_.ExprList({n_, f_});
    return call;
  }

  void Types() {
    const Var* base = body_.Let(
        "base", context_.New(CallOf("some.alloc",
                                    context_.GetMarkerType(TypeKind::kPtr))));
    body_.Let("types",
              context_.New(CallOf("some.types",
                                  EveryType(&context_, base, dim_).All())));
  }

  void Terms() {
    for (int i = 0; i <= static_cast<int>(BinaryOp::kShiftR); ++i) {
      body_.Let("t", context_.NewBinary(static_cast<BinaryOp>(i), n_,
                                        context_.Index(i), body_.Span()));
    }
    for (int i = 0; i <= static_cast<int>(UnaryOp::kBitNot); ++i) {
      body_.Let("t", context_.NewUnary(static_cast<UnaryOp>(i), n_));
    }
    body_.Let("t", context_.NewCast(n_, DataType::kFP32, body_.Span()));
    const Tuple* tuple = context_.NewTuple(
        {n_, context_.Int(-5, DataType::kInt32), context_.Bool(true),
         context_.Bool(false), context_.Float(-0.0),
         context_.Float(1.5, DataType::kBF16)},
        body_.Span());
    body_.Let("t", context_.NewTupleItem(tuple, 5, body_.Span()));
    body_.Let("t", context_.NewTupleItem(tuple, 0));
  }

  Attrs EveryAttr() {
    const std::vector<AttrValue> inner = {AttrValue::Int(-3),
                                          AttrValue::Of(n_)};
    AttrValue list;
    list.kind = AttrValue::Kind::kList;
    list.list = context_.List(inner);
    AttrValue nested = list;
    nested.list = context_.List(std::vector<AttrValue>{list, list});
    const std::vector<AttrValue> values = {
        AttrValue::Int(0),
        AttrValue::Int(3),
        AttrValue::Float(2.5),
        AttrValue::Bool(true),
        AttrValue::Bool(false),
        AttrValue::String(context_.Intern("any text\n\xc3\xa9")),
        AttrValue::String(""),
        AttrValue::Of(MemorySpace::kMat),
        AttrValue::Of(DataType::kFP8E4M3FN),
        AttrValue::Of(context_.NewBinary(BinaryOp::kAdd, n_, n_)),
        nested};
    std::vector<Attr> attrs;
    for (size_t i = 0; i < values.size(); ++i) {
      attrs.push_back({context_.Intern(absl::StrCat("k", i)), values[i]});
    }
    return context_.List(attrs);
  }

  void Calls() {
    Call call = CallOf("some.op", context_.GetScalarType(DataType::kFP16));
    call.kwargs = EveryAttr();
    call.attrs = context_.List(
        std::vector<Attr>{{context_.Intern("any name"), AttrValue::Int(1)}});
    body_.Let("c", context_.New(call));
    // A call as an operand, and one at two places.
    const Call* shared = context_.New(CallOf("some.op", context_.IndexType()));
    body_.Let("c", context_.NewBinary(BinaryOp::kAdd, shared, n_));
    body_.Let("c", shared);
    auto eval = body_.Start<Eval>(StmtKind::kEval);
    eval.comments = body_.Comments();
    eval.expr = context_.New(
        CallOf("some.effect", context_.GetMarkerType(TypeKind::kUnknown)));
    body_.Add(eval);
    eval = body_.Start<Eval>(StmtKind::kEval);
    eval.expr = shared;
    body_.Add(eval);
    call = CallOf("", context_.IndexType());
    call.callee = context_.GetFunction("zz_last");
    call.args = {};
    body_.Let("c", context_.New(call));
  }

  void Submits() {
    Submit submit;
    submit.kind = ExprKind::kSubmit;
    submit.type =
        context_.GetTupleType({context_.GetScalarType(DataType::kTaskId)});
    submit.callee = context_.GetFunction("zz_last");
    body_.Let("s", context_.New(submit));
    submit.span = body_.Span();
    submit.args = context_.ExprList({n_});
    submit.deps = context_.ExprList({n_, b_});
    submit.core_num = n_;
    submit.sync_start = true;
    submit.allow_early_resolve = true;
    submit.predicate = b_;
    submit.kwargs = EveryAttr();
    submit.attrs = EveryAttr();
    body_.Let("s", context_.New(submit));
  }

  void Branches() {
    const Block before = body_.Take();
    auto branch = body_.Start<If>(StmtKind::kIf);
    branch.comments = body_.Comments();
    branch.condition = b_;
    body_.Let("x", n_);
    body_.Yield({n_});
    branch.then_body = body_.Take();
    body_.Yield({context_.Index(0)});
    branch.else_body = body_.Take();
    branch.return_vars = context_.List(std::vector<const Var*>{
        context_.NewVar("r", context_.IndexType(), body_.Span())});
    Resume(before);
    body_.Add(branch);
  }

  // Statements that come before what is open now.
  void Resume(Block before) {
    for (const Stmt* stmt : before) AddAgain(stmt);
  }
  void AddAgain(const Stmt* stmt) {
    switch (stmt->kind) {
      case StmtKind::kAssign:
        return body_.Add(static_cast<const Assign&>(*stmt));
      case StmtKind::kEval:
        return body_.Add(static_cast<const Eval&>(*stmt));
      case StmtKind::kIf:
        return body_.Add(static_cast<const If&>(*stmt));
      case StmtKind::kFor:
        return body_.Add(static_cast<const For&>(*stmt));
      case StmtKind::kWhile:
        return body_.Add(static_cast<const While&>(*stmt));
      default:
        return body_.Add(static_cast<const Scope&>(*stmt));
    }
  }

  void Loops() {
    const Block before = body_.Take();
    std::vector<For> loops;
    const IterArg* outer = nullptr;
    for (int i = 0; i < 4; ++i) {
      auto loop = body_.Start<For>(StmtKind::kFor);
      loop.loop_kind = static_cast<LoopKind>(i);
      loop.loop_var = context_.NewVar("i", context_.IndexType(), body_.Span());
      loop.start = context_.Index(0);
      loop.stop = n_;
      loop.step = context_.Index(2);
      if (loop.loop_kind == LoopKind::kPipeline) {
        loop.attrs = context_.List(std::vector<Attr>{
            {context_.Intern("pipeline_stages"), AttrValue::Int(2)}});
      }
      if (loop.loop_kind != LoopKind::kUnroll) {
        outer = context_.NewIterArg(
            "carried", context_.IndexType(),
            outer == nullptr ? static_cast<const Expr*>(n_) : outer,
            body_.Span());
        loop.iter_args = context_.List(std::vector<const IterArg*>{outer});
        loop.return_vars = context_.List(std::vector<const Var*>{
            context_.NewVar("r", context_.IndexType())});
        body_.Yield({context_.NewBinary(BinaryOp::kAdd, outer, loop.loop_var)});
      } else {
        body_.Add(body_.Start<Stmt>(StmtKind::kBreak));
        body_.Add(body_.Start<Stmt>(StmtKind::kContinue));
      }
      loop.body = body_.Take();
      loops.push_back(loop);
    }
    auto loop = body_.Start<While>(StmtKind::kWhile);
    const IterArg* arg =
        context_.NewIterArg("w", context_.IndexType(), context_.Index(9));
    loop.condition = context_.NewBinary(BinaryOp::kGt, arg, context_.Index(0));
    loop.iter_args = context_.List(std::vector<const IterArg*>{arg});
    loop.return_vars = context_.List(
        std::vector<const Var*>{context_.NewVar("r", context_.IndexType())});
    body_.Yield({context_.NewBinary(BinaryOp::kSub, arg, context_.Index(1))});
    loop.body = body_.Take();
    Resume(before);
    for (const For& one : loops) body_.Add(one);
    body_.Add(loop);
  }

  void Scopes() {
    const Block before = body_.Take();
    std::vector<Scope> scopes;
    for (int i = 0; i < 5; ++i) {
      auto scope = body_.Start<Scope>(StmtKind::kScope);
      scope.scope_kind = static_cast<ScopeKind>(i);
      if (i == 0) {
        scope.args = context_.List(std::vector<Attr>{
            {context_.Intern("level"),
             AttrValue::Enum(context_.Intern("Level"),
                             context_.Intern("CORE_GROUP"))}});
        scope.task_id = context_.NewVar(
            "tid", context_.GetScalarType(DataType::kTaskId), body_.Span());
      }
      if (i == 2) {
        scope.index = context_.NewVar("block", context_.IndexType());
      }
      body_.Let("in_scope", n_);
      scope.body = body_.Take();
      scopes.push_back(scope);
    }
    Resume(before);
    for (const Scope& scope : scopes) body_.Add(scope);
  }

  // Programs before SSA form assign again, also from what they assign to, and a
  // variable may be used before.
  void Assignments() {
    const Var* x = body_.Let("x", n_);
    auto assign = body_.Start<Assign>(StmtKind::kAssign);
    assign.comments = body_.Comments();
    assign.var = x;
    Call call = CallOf("some.op", context_.GetScalarType(DataType::kInt64));
    call.args = context_.ExprList({x});
    assign.value = context_.New(call);
    body_.Add(assign);
    assign.comments = {};
    assign.var = context_.NewVar("late", context_.IndexType(), body_.Span());
    assign.value =
        context_.NewBinary(BinaryOp::kAdd, assign.var, context_.Index(1));
    body_.Add(assign);
    // A variable of another type than its value.
    assign.var = context_.NewVar("wide", context_.IndexType());
    assign.value = context_.New(
        CallOf("some.op", context_.GetMarkerType(TypeKind::kUnknown)));
    body_.Add(assign);
  }

  Context& context_;
  Body body_;
  const Var* dim_;
  const Var* n_;
  const Var* b_;
  const Var* f_;
};

Function NewFunction(Context* context, absl::string_view name,
                     FunctionType type) {
  Function function;
  function.name = context->Intern(name);
  function.function_type = type;
  function.level = DerivedLevel(type);
  function.role = DerivedRole(type);
  return function;
}

}  // namespace

const Program* EveryNodeProgram(Context* context) {
  const Var* dim =
      context->NewVar("M", context->IndexType(), {{1, 1, 1, 2}, "every.py"});
  std::vector<const Function*> functions;
  Function function = NewFunction(context, "body", FunctionType::kOpaque);
  EveryNode nodes(context, dim);
  function.body = nodes.Build();
  function.params = context->List(nodes.params());
  function.directions = context->List(std::vector<ParamDirection>{
      ParamDirection::kIn, ParamDirection::kOut, ParamDirection::kIn});
  function.return_types = context->List(std::vector<const Type*>{
      context->IndexType(), context->GetScalarType(DataType::kFP16)});
  function.attrs = context->List(
      std::vector<Attr>{{context->Intern("auto_scope"), AttrValue::Bool(false)},
                        {context->Intern("mark"), AttrValue::Int(1)}});
  function.span = {{2, 1, 3, 9}, "every.py"};
  function.comments = context->List(
      std::vector<absl::string_view>{context->Intern("of a function")});
  functions.push_back(context->New(function));

  for (int i = 1; i <= static_cast<int>(FunctionType::kGraph); ++i) {
    function = NewFunction(context, absl::StrCat("kind", i),
                           static_cast<FunctionType>(i));
    TensorType type;
    type.kind = TypeKind::kTensor;
    const std::vector<const Expr*> shape = {dim};
    type.shape = shape;
    function.params = context->List(std::vector<const Var*>{
        context->NewVar("x", context->GetTensorType(type))});
    function.directions =
        context->List(std::vector<ParamDirection>{ParamDirection::kInOut});
    functions.push_back(context->New(function));
  }
  for (int i = 0; i <= static_cast<int>(Level::kGlobal); ++i) {
    function =
        NewFunction(context, absl::StrCat("level", i), FunctionType::kOpaque);
    function.level = static_cast<Level>(i);
    function.role = static_cast<Role>(i % 2);
    functions.push_back(context->New(function));
  }
  functions.push_back(
      context->New(NewFunction(context, "zz_last", FunctionType::kOpaque)));

  Program program = *MakeProgram(context, "every node of \"it\"", functions);
  program.dynamic_dims = context->List(std::vector<const Var*>{dim});
  program.comments = context->List(
      std::vector<absl::string_view>{context->Intern("of the program")});
  return context->New(program);
}

ProtoOutcome ReadAndWrite(const v1::ProgramProto& proto) {
  Context context(&StandardOps());
  DiagnosticSink sink;
  const absl::StatusOr<const Program*> program =
      FromProto(proto, &context, &sink);
  EXPECT_EQ(program.status(), sink.ToStatus());
  ProtoOutcome outcome;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    absl::StrAppend(&outcome.errors, diagnostic.rule_id, ": ",
                    diagnostic.message, "\n");
  }
  if (program.ok()) outcome.again = ToProto(**program);
  return outcome;
}

}  // namespace mxtile::ir
