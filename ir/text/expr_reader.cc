#include "ir/text/expr_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/rewriter.h"
#include "ir/rule_error.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

ir::BinaryOp ToIr(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return ir::BinaryOp::kOr;
    case BinaryOp::kXor:
      return ir::BinaryOp::kXor;
    case BinaryOp::kAnd:
      return ir::BinaryOp::kAnd;
    case BinaryOp::kEqual:
      return ir::BinaryOp::kEq;
    case BinaryOp::kNotEqual:
      return ir::BinaryOp::kNe;
    case BinaryOp::kLess:
      return ir::BinaryOp::kLt;
    case BinaryOp::kLessEqual:
      return ir::BinaryOp::kLe;
    case BinaryOp::kGreater:
      return ir::BinaryOp::kGt;
    case BinaryOp::kGreaterEqual:
      return ir::BinaryOp::kGe;
    case BinaryOp::kBitOr:
      return ir::BinaryOp::kBitOr;
    case BinaryOp::kBitXor:
      return ir::BinaryOp::kBitXor;
    case BinaryOp::kBitAnd:
      return ir::BinaryOp::kBitAnd;
    case BinaryOp::kShiftLeft:
      return ir::BinaryOp::kShiftL;
    case BinaryOp::kShiftRight:
      return ir::BinaryOp::kShiftR;
    case BinaryOp::kAdd:
      return ir::BinaryOp::kAdd;
    case BinaryOp::kSubtract:
      return ir::BinaryOp::kSub;
    case BinaryOp::kMultiply:
      return ir::BinaryOp::kMul;
    case BinaryOp::kDivide:
      return ir::BinaryOp::kFloatDiv;
    case BinaryOp::kFloorDivide:
      return ir::BinaryOp::kFloorDiv;
    case BinaryOp::kModulo:
      return ir::BinaryOp::kFloorMod;
    case BinaryOp::kPower:
      return ir::BinaryOp::kPow;
  }
  return ir::BinaryOp::kAdd;
}

// What an operator that we do not know gives may be one.
bool IsScalar(const ir::Expr* expr) {
  return expr->type != nullptr && (expr->type->kind == TypeKind::kScalar ||
                                   expr->type->kind == TypeKind::kUnknown);
}

bool IsTaskId(const Type* type) {
  const ScalarType* scalar = DynCast<ScalarType>(type);
  const ArrayType* array = DynCast<ArrayType>(type);
  return (scalar != nullptr && scalar->dtype == DataType::kTaskId) ||
         (array != nullptr && array->dtype == DataType::kTaskId);
}

// A callee's result types in terms of a call's arguments: dims that name scalar
// parameters name what is passed for them.
class ResultTypes : public Rewriter {
 public:
  ResultTypes(Context* context, const Signature& callee)
      : Rewriter(context), callee_(callee) {}

  void Pass(size_t param, const ir::Expr* arg) {
    const Var* var = callee_.params[param];
    const ScalarType* type = DynCast<ScalarType>(arg->type);
    const bool may_be_dim = var->type->kind == TypeKind::kScalar &&
                            type != nullptr && IsInteger(type->dtype);
    if (may_be_dim) Substitute(var, arg);
  }
  std::vector<const Type*> Types() {
    std::vector<const Type*> types;
    for (const Type* type : callee_.return_types) {
      types.push_back(RewriteType(type));
    }
    return types;
  }

 private:
  const Signature& callee_;
};

// pl.AUTO: the compiler chooses. A number in PyPTO.
constexpr int64_t kAuto = -1;

constexpr std::pair<absl::string_view, double> kOddFloats[] = {
    {"inf", std::numeric_limits<double>::infinity()},
    {"-inf", -std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

}  // namespace

bool MayBeInteger(const Type& type) {
  const ScalarType* scalar = DynCast<ScalarType>(&type);
  return scalar != nullptr ? IsInteger(scalar->dtype)
                           : type.kind == TypeKind::kUnknown;
}

ExprReader::ExprReader(absl::string_view file, Context* context,
                       DiagnosticSink* sink)
    : context_(context),
      sink_(sink),
      scope_(context),
      file_(context->Intern(file)) {}

void ExprReader::AddModule(absl::string_view module, absl::string_view alias) {
  const bool is_distributed = module == "pypto.language.distributed";
  if (!is_distributed && module != "pypto.language") return;
  modules_.push_back({alias, is_distributed});
}

// ---- Errors

SourceSpan ExprReader::At(const TextRange& range) { return {range, file_}; }

absl::Status ExprReader::Error(absl::string_view rule, TextRange span,
                               absl::string_view message) {
  sink_->Error(rule, At(span), message);
  return sink_->ToStatus();
}

absl::Status ExprReader::Error(TextRange span, const absl::Status& status) {
  return Error(RuleOf(status), span, status.message());
}

// ---- Paths and literals

Path ExprReader::PlPath(const Expr* expr) const {
  Path path;
  while (const Attribute* attribute = expr->As<Attribute>()) {
    path.push_back(attribute->name);
    expr = attribute->value;
  }
  const Name* root = expr->As<Name>();
  if (root == nullptr || path.empty()) return {};
  const auto module =
      std::find_if(modules_.begin(), modules_.end(),
                   [root](const Module& m) { return m.alias == root->name; });
  if (module == modules_.end()) return {};
  if (module->is_distributed) path.push_back("pld");
  std::reverse(path.begin(), path.end());
  return path;
}

absl::string_view ExprReader::SelfName(const Expr* expr) {
  const Attribute* attribute = expr->As<Attribute>();
  if (attribute == nullptr) return {};
  const Name* root = attribute->value->As<Name>();
  return root != nullptr && root->name == "self" ? attribute->name
                                                 : absl::string_view();
}

absl::StatusOr<DataType> ExprReader::ReadDataType(const Expr* expr) {
  const Path path = PlPath(expr);
  if (path.size() != 1) {
    return Error(kEnumRule, expr->span, "expected an element type, pl.FP32");
  }
  const std::optional<DataType> type = DataTypeFromName(path[0]);
  if (!type.has_value()) {
    return Error(kEnumRule, expr->span,
                 absl::StrCat("pl.", path[0], " is no element type"));
  }
  return *type;
}

template <typename E>
absl::StatusOr<E> ExprReader::ReadEnum(const Expr* expr) {
  const Path path = PlPath(expr);
  const absl::string_view wanted = kEnumClass<E>;
  // pl.MemorySpace is the long name of pl.Mem.
  const bool same_class =
      path.size() == 2 &&
      (path[0] == wanted || (wanted == "Mem" && path[0] == "MemorySpace"));
  if (!same_class) {
    return Error(kEnumRule, expr->span,
                 absl::StrCat("expected pl.", wanted, ".NAME"));
  }
  const std::optional<E> value = EnumFromName<E>(path[1]);
  if (!value.has_value()) {
    return Error(kEnumRule, expr->span,
                 absl::StrCat("pl.", wanted, " has no '", path[1], "'"));
  }
  return *value;
}

template absl::StatusOr<MemorySpace> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<TensorLayout> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<TileLayout> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<PadValue> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<CompactMode> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<FunctionType> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<Level> ExprReader::ReadEnum(const Expr*);
template absl::StatusOr<Role> ExprReader::ReadEnum(const Expr*);

absl::StatusOr<int64_t> ExprReader::ReadInt(const Expr* expr,
                                            absl::string_view what,
                                            absl::string_view rule) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(expr));
  const ConstInt* constant = AsConstInt(value);
  if (constant == nullptr) {
    return Error(rule, expr->span,
                 absl::StrCat(what, " must be an integer constant"));
  }
  return constant->value;
}

// ---- Attributes

absl::StatusOr<AttrValue> ExprReader::ReadAttrValue(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kString:
      return AttrValue::String(context_->Intern(expr->As<String>()->value));
    case ExprKind::kBool:
      return AttrValue::Bool(expr->As<Bool>()->value);
    case ExprKind::kAttribute: {
      const Path path = PlPath(expr);
      if (path.size() == 1 && path[0] == "AUTO") return AttrValue::Int(kAuto);
      if (path.size() == 1) {
        MX_ASSIGN_OR_RETURN(const DataType type, ReadDataType(expr));
        return AttrValue::Of(type);
      }
      if (path.size() == 2) {
        return AttrValue::Enum(
            context_->Intern(path[0] == "MemorySpace" ? "Mem" : path[0]),
            context_->Intern(path[1]));
      }
      // pld.CLASS.NAME, pl.tile.CLASS.NAME
      if (path.size() == 3) {
        const std::string enum_class =
            path[0] == "pld" ? std::string(path[1])
                             : absl::StrCat(path[0], ".", path[1]);
        return AttrValue::Enum(context_->Intern(enum_class),
                               context_->Intern(path[2]));
      }
      return Error(kEnumRule, expr->span, "expected pl.CLASS.NAME");
    }
    case ExprKind::kList:
    case ExprKind::kTuple: {
      const List* syntax = expr->As<List>();
      std::vector<AttrValue> values;
      for (const Expr* element :
           syntax != nullptr ? syntax->elements : expr->As<Tuple>()->elements) {
        MX_ASSIGN_OR_RETURN(const AttrValue value, ReadAttrValue(element));
        values.push_back(value);
      }
      AttrValue list;
      list.kind = AttrValue::Kind::kList;
      list.list = context_->List(values);
      return list;
    }
    default:
      break;
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(expr));
  return AttrValue::Of(value);
}

absl::StatusOr<Attrs> ExprReader::ReadAttrs(const Expr* expr) {
  const Dict* dict = expr->As<Dict>();
  if (dict == nullptr) {
    return Error(kFormRule, expr->span, "expected {\"name\": value, ...}");
  }
  std::vector<Attr> attrs;
  for (const DictEntry& entry : dict->entries) {
    const String* name = entry.key->As<String>();
    if (name == nullptr) {
      return Error(kFormRule, entry.key->span,
                   "an attribute's name must be a string");
    }
    if (FindAttr(attrs, name->value) != nullptr) {
      return Error(kFormRule, entry.key->span,
                   absl::StrCat("a second attribute '", name->value, "'"));
    }
    MX_ASSIGN_OR_RETURN(const AttrValue value, ReadAttrValue(entry.value));
    attrs.push_back({context_->Intern(name->value), value});
  }
  return context_->List(attrs);
}

// ---- Expressions

absl::StatusOr<const ir::Expr*> ExprReader::Read(const Expr* expr,
                                                 const Type* annotation) {
  switch (expr->kind) {
    case ExprKind::kName:
      return ReadName(*expr->As<Name>());
    case ExprKind::kInt:
      return context_->Index(expr->As<Int>()->value);
    case ExprKind::kFloat:
      return context_->Float(expr->As<Float>()->value);
    case ExprKind::kBool:
      return context_->Bool(expr->As<Bool>()->value);
    case ExprKind::kAttribute:
      return ReadAttribute(expr);
    case ExprKind::kSubscript:
      return ReadSubscript(*expr->As<Subscript>());
    case ExprKind::kCall:
      return ReadCall(*expr->As<Call>(), annotation);
    case ExprKind::kUnary:
      return ReadUnary(*expr->As<Unary>());
    case ExprKind::kBinary:
      return ReadBinaryChain(*expr->As<Binary>());
    case ExprKind::kList:
    case ExprKind::kTuple: {
      const List* list = expr->As<List>();
      MX_ASSIGN_OR_RETURN(
          const Exprs elements,
          ReadList(list != nullptr ? list->elements
                                   : expr->As<Tuple>()->elements));
      return context_->NewTuple(elements, At(expr->span));
    }
    case ExprKind::kNone:
      // Where a task is asked for: there is none.
      return MakeOpCall("system.task_invalid", {}, expr->span);
    case ExprKind::kString:
    case ExprKind::kEllipsis:
    case ExprKind::kDict:
    case ExprKind::kSlice:
      break;
  }
  return Error(kFormRule, expr->span, "this is no value of a program");
}

absl::StatusOr<Exprs> ExprReader::ReadList(
    absl::Span<const Expr* const> exprs) {
  std::vector<const ir::Expr*> values;
  values.reserve(exprs.size());
  for (const Expr* expr : exprs) {
    MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(expr));
    values.push_back(value);
  }
  return context_->List(values);
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadName(const Name& name) {
  const Var* var = scope_.Find(name.name);
  if (var != nullptr) return var;
  const auto constant = constants_.find(name.name);
  if (constant != constants_.end()) return constant->second;
  return Error(kNameRule, name.span,
               absl::StrCat("'", name.name, "' is not defined"));
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadAttribute(const Expr* expr) {
  // As an argument (tile.alloc), a memory space is its number.
  const Path path = PlPath(expr);
  if (path.size() == 1 && path[0] == "AUTO") return context_->Index(kAuto);
  if (path.size() == 2 && (path[0] == "Mem" || path[0] == "MemorySpace")) {
    MX_ASSIGN_OR_RETURN(const MemorySpace space, ReadEnum<MemorySpace>(expr));
    return context_->Index(static_cast<int64_t>(space));
  }
  return Error(kFormRule, expr->span, "this is no value of a program");
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadUnary(const Unary& unary) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* operand, Read(unary.operand));
  if (!IsScalar(operand)) {
    return Error(kFormRule, unary.span,
                 absl::StrCat("the operand of '", UnaryOpText(unary.op),
                              "' is no scalar"));
  }
  const SourceSpan span = At(unary.span);
  switch (unary.op) {
    case UnaryOp::kPlus:
      return operand;
    case UnaryOp::kNegate:
      return context_->NewUnary(ir::UnaryOp::kNeg, operand, span);
    case UnaryOp::kInvert:
      return context_->NewUnary(ir::UnaryOp::kBitNot, operand, span);
    case UnaryOp::kNot:
      return context_->NewUnary(ir::UnaryOp::kNot, operand, span);
  }
  return Error(kFormRule, unary.span, "this operator is unknown");
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadBinaryChain(
    const Binary& binary) {
  std::vector<const Binary*> chain;
  const Expr* left = &binary;
  while (const Binary* node = left->As<Binary>()) {
    chain.push_back(node);
    left = node->left;
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(left));
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const Binary& node = **it;
    MX_ASSIGN_OR_RETURN(const ir::Expr* right, Read(node.right));
    if (!IsScalar(value) || !IsScalar(right)) {
      return Error(kFormRule, node.op_span(),
                   absl::StrCat("an operand of '", BinaryOpText(node.op),
                                "' is no scalar"));
    }
    value = context_->NewBinary(ToIr(node.op), value, right, At(node.span));
  }
  return value;
}

// ---- Calls

absl::StatusOr<const ir::Expr*> ExprReader::ReadCall(const Call& call,
                                                     const Type* annotation) {
  const absl::string_view function = SelfName(call.callee);
  if (!function.empty()) return ReadFunctionCall(function, call);
  if (const Name* builtin = call.callee->As<Name>()) {
    return ReadScalarCall(builtin->name, call);
  }
  const Path path = PlPath(call.callee);
  const std::optional<DataType> dtype =
      path.size() == 2 && path[1] == "get_byte" ? DataTypeFromName(path[0])
                                                : std::nullopt;
  if (dtype.has_value()) return context_->Index(SizeInBytes(*dtype, 1));
  if (path.empty()) {
    return Error(kCallRule, call.callee_span(),
                 "a call names self.FUNCTION or pl.OPERATOR");
  }
  if (path.size() == 1) {
    if (path[0] == "const") return ReadConst(call);
    if (path[0] == "submit") return ReadSubmit(call, /*spmd=*/false);
    if (path[0] == "spmd_submit") return ReadSubmit(call, /*spmd=*/true);
    if (path[0] == "min" || path[0] == "max") {
      return ReadScalarCall(path[0], call);
    }
    if (path[0] == "yield_") {
      return Error(kYieldRule, call.span,
                   "a yield is a statement of its own, at the end of a body");
    }
  }
  return ReadOpCall(path, call, annotation);
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadConst(const Call& call) {
  if (call.arguments.size() != 2 || !call.keywords.empty()) {
    return Error(kCallRule, call.span, "expected pl.const(VALUE, pl.DTYPE)");
  }
  MX_ASSIGN_OR_RETURN(const DataType dtype, ReadDataType(call.arguments[1]));
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(call.arguments[0]));
  if (const ConstInt* integer = AsConstInt(value)) {
    if (IsFloat(dtype)) return context_->Float(integer->value, dtype);
    return context_->Int(integer->value, dtype);
  }
  const ConstFloat* number = DynCast<ConstFloat>(value);
  if (number != nullptr && IsFloat(dtype)) {
    return context_->Float(number->value, dtype);
  }
  return Error(
      kCallRule, call.arguments[0]->span,
      absl::StrCat("this is no constant of type ", DataTypeName(dtype)));
}

// float('inf'): what no literal can say.
absl::StatusOr<const ir::Expr*> ExprReader::ReadFloat(const Call& call) {
  const String* text = call.arguments.size() == 1 && call.keywords.empty()
                           ? call.arguments[0]->As<String>()
                           : nullptr;
  for (const auto& [name, value] : kOddFloats) {
    if (text != nullptr && text->value == name) return context_->Float(value);
  }
  return Error(kCallRule, call.span,
               "expected float('inf'), float('-inf') or float('nan')");
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadScalarCall(
    absl::string_view name, const Call& call) {
  if (name == "float") return ReadFloat(call);
  const SourceSpan span = At(call.span);
  const size_t count = name == "abs" ? 1 : 2;
  const bool known =
      name == "abs" || name == "min" || name == "max" || name == "cast";
  if (!known) {
    return Error(kCallRule, call.callee_span(),
                 absl::StrCat("'", name, "' is no function of programs"));
  }
  if (call.arguments.size() != count || !call.keywords.empty()) {
    return Error(kCallRule, call.span,
                 absl::StrCat(name, " takes ", count, " argument",
                              count == 1 ? "" : "s"));
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* first, Read(call.arguments[0]));
  if (!IsScalar(first)) {
    return Error(kCallRule, call.arguments[0]->span,
                 absl::StrCat("the argument of ", name, " is no scalar"));
  }
  if (name == "abs") return context_->NewUnary(ir::UnaryOp::kAbs, first, span);
  if (name == "cast") {
    MX_ASSIGN_OR_RETURN(const DataType dtype, ReadDataType(call.arguments[1]));
    return context_->NewCast(first, dtype, span);
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* second, Read(call.arguments[1]));
  if (!IsScalar(second)) {
    return Error(kCallRule, call.arguments[1]->span,
                 absl::StrCat("the argument of ", name, " is no scalar"));
  }
  return context_->NewBinary(
      name == "min" ? ir::BinaryOp::kMin : ir::BinaryOp::kMax, first, second,
      span);
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadFunctionCall(
    absl::string_view name, const Call& call) {
  const auto signature = signatures_.find(name);
  if (signature == signatures_.end()) {
    return Error(kCallRule, call.callee_span(),
                 absl::StrCat("the program has no function '", name, "'"));
  }
  const size_t params = signature->second.params.size();
  if (call.arguments.size() != params) {
    return Error(
        kCallRule, call.span,
        absl::StrCat("'", name, "' has ", params, " parameters, the call has ",
                     call.arguments.size(), " arguments"));
  }
  ir::Call node;
  node.kind = ir::ExprKind::kCall;
  node.callee = context_->GetFunction(name);
  node.span = At(call.span);
  std::vector<Attr> kwargs;
  for (const KeywordArgument& keyword : call.keywords) {
    if (keyword.name == "attrs") {
      MX_ASSIGN_OR_RETURN(node.attrs, ReadAttrs(keyword.value));
      continue;
    }
    MX_ASSIGN_OR_RETURN(const AttrValue value, ReadAttrValue(keyword.value));
    kwargs.push_back({context_->Intern(keyword.name), value});
  }
  node.kwargs = context_->List(kwargs);
  MX_ASSIGN_OR_RETURN(node.args, ReadMarked(call.arguments, &node.attrs));
  ResultTypes results(context_, signature->second);
  for (size_t i = 0; i < params; ++i) results.Pass(i, node.args[i]);
  const std::vector<const Type*> types = results.Types();
  node.type = types.size() == 1 ? types[0] : context_->GetTupleType(types);
  return context_->New(node);
}

// pl.no_dep(x) is x; the attribute lists which arguments were marked so.
absl::StatusOr<Exprs> ExprReader::ReadMarked(
    absl::Span<const Expr* const> arguments, Attrs* attrs) {
  std::vector<const Expr*> plain;
  std::vector<AttrValue> marked;
  for (const Expr* argument : arguments) {
    const Call* marker = argument->As<Call>();
    const bool is_marked = marker != nullptr && marker->arguments.size() == 1 &&
                           marker->keywords.empty() &&
                           PlPath(marker->callee) == Path{"no_dep"};
    if (is_marked) marked.push_back(AttrValue::Int(plain.size()));
    plain.push_back(is_marked ? marker->arguments[0] : argument);
  }
  if (!marked.empty()) {
    AttrValue list;
    list.kind = AttrValue::Kind::kList;
    list.list = context_->List(marked);
    std::vector<Attr> with(attrs->begin(), attrs->end());
    with.push_back({"arg_direction_overrides", list});
    *attrs = context_->List(with);
  }
  return ReadList(plain);
}

absl::Status ExprReader::ReadSubmitKeyword(const KeywordArgument& keyword,
                                           Submit* submit,
                                           std::vector<Attr>* kwargs) {
  const auto flag = [&](bool* out) -> absl::Status {
    const Bool* value = keyword.value->As<Bool>();
    if (value == nullptr) {
      return Error(kCallRule, keyword.value->span,
                   absl::StrCat(keyword.name, " is True or False"));
    }
    *out = value->value;
    return absl::OkStatus();
  };
  if (keyword.name == "deps") return ReadDeps(keyword.value, submit);
  if (keyword.name == "core_num") {
    MX_ASSIGN_OR_RETURN(submit->core_num, Read(keyword.value));
    return absl::OkStatus();
  }
  if (keyword.name == "predicate") {
    MX_ASSIGN_OR_RETURN(submit->predicate, Read(keyword.value));
    return absl::OkStatus();
  }
  if (keyword.name == "sync_start") return flag(&submit->sync_start);
  if (keyword.name == "allow_early_resolve") {
    return flag(&submit->allow_early_resolve);
  }
  if (keyword.name == "attrs") {
    MX_ASSIGN_OR_RETURN(submit->attrs, ReadAttrs(keyword.value));
    return absl::OkStatus();
  }
  MX_ASSIGN_OR_RETURN(const AttrValue value, ReadAttrValue(keyword.value));
  kwargs->push_back({context_->Intern(keyword.name), value});
  return absl::OkStatus();
}

// None stands for no task.
absl::Status ExprReader::ReadDeps(const Expr* expr, Submit* submit) {
  const List* list = expr->As<List>();
  if (list == nullptr) {
    return Error(kCallRule, expr->span, "deps is a list");
  }
  std::vector<const ir::Expr*> deps;
  for (const Expr* element : list->elements) {
    if (element->As<None>() != nullptr) continue;
    MX_ASSIGN_OR_RETURN(const ir::Expr* dep, Read(element));
    if (!IsTaskId(dep->type) && dep->type->kind != TypeKind::kUnknown) {
      return Error(kCallRule, element->span,
                   "deps are task ids, the last item of a submit's result");
    }
    deps.push_back(dep);
  }
  submit->deps = context_->List(deps);
  return absl::OkStatus();
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadSubmit(const Call& call,
                                                       bool spmd) {
  const absl::string_view name =
      call.arguments.empty() ? "" : SelfName(call.arguments[0]);
  const auto signature = signatures_.find(name);
  if (signature == signatures_.end()) {
    return Error(kCallRule, call.span,
                 "a submit names a function of the program first, "
                 "self.FUNCTION");
  }
  Submit submit;
  submit.kind = ir::ExprKind::kSubmit;
  submit.callee = context_->GetFunction(name);
  submit.span = At(call.span);
  std::vector<Attr> kwargs;
  for (const KeywordArgument& keyword : call.keywords) {
    MX_RETURN_IF_ERROR(ReadSubmitKeyword(keyword, &submit, &kwargs));
  }
  submit.kwargs = context_->List(kwargs);
  MX_ASSIGN_OR_RETURN(submit.args,
                      ReadMarked(call.arguments.subspan(1), &submit.attrs));
  if (spmd != (submit.core_num != nullptr)) {
    return Error(kCallRule, call.span,
                 spmd ? "pl.spmd_submit needs core_num"
                      : "core_num belongs to pl.spmd_submit");
  }
  if (submit.sync_start && !spmd) {
    return Error(kCallRule, call.span, "sync_start needs core_num");
  }
  const Vars params = signature->second.params;
  const size_t args = submit.args.size();
  if (args > params.size()) {
    return Error(
        kCallRule, call.span,
        absl::StrCat("'", name, "' has ", params.size(),
                     " parameters, the submit has ", args, " arguments"));
  }
  // What is left out are outputs; the arguments behind them are contexts, which
  // no dim names.
  ResultTypes results(context_, signature->second);
  for (size_t i = 0; i < args; ++i) results.Pass(i, submit.args[i]);
  std::vector<const Type*> items = results.Types();
  items.push_back(context_->GetScalarType(DataType::kTaskId));
  submit.type = context_->GetTupleType(items);
  return context_->New(submit);
}

}  // namespace mxtile::ir::text
