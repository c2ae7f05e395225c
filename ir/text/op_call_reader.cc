// Calls of operators: which operator a name of the front end stands for, and
// which of its arguments each operand is.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/op_registry.h"
#include "ir/text/expr_reader.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

// An operand as it stands in the call.
struct Operand {
  absl::string_view keyword;  // Empty: by position.
  const Expr* syntax = nullptr;
  const ir::Expr* value = nullptr;  // Null: what only a kwarg can be.

  bool is_none() const { return syntax->kind == ExprKind::kNone; }
};

constexpr std::pair<absl::string_view, ir::BinaryOp> kScalarOps[] = {
    {"add", ir::BinaryOp::kAdd},
    {"sub", ir::BinaryOp::kSub},
    {"mul", ir::BinaryOp::kMul},
    {"div", ir::BinaryOp::kFloatDiv},
};

// pl.tile.MaskPattern.P0101, by their numbers in the IR.
constexpr absl::string_view kMaskPatterns[] = {
    "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"};

std::optional<int64_t> MaskPatternOf(const Path& path) {
  if (path.size() != 3 || path[0] != "tile" || path[1] != "MaskPattern") {
    return std::nullopt;
  }
  const auto it =
      std::find(std::begin(kMaskPatterns), std::end(kMaskPatterns), path[2]);
  if (it == std::end(kMaskPatterns)) return std::nullopt;
  return it - std::begin(kMaskPatterns) + 1;
}

bool IsScalar(const Operand& operand) {
  return operand.value != nullptr && Isa<ScalarType>(operand.value->type);
}

std::string KindText(const Operand& operand) {
  if (operand.value == nullptr) return "no value";
  switch (operand.value->type->kind) {
    case TypeKind::kScalar:
      return "a scalar";
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor:
      return "a tensor";
    case TypeKind::kTile:
      return "a tile";
    case TypeKind::kTuple:
      return "a list";
    default:
      return "another value";
  }
}

// A list is kept as one, so that it prints as one.
AttrValue ToAttrValue(const ir::Expr* expr, Context& context) {
  const auto* tuple = DynCast<ir::Tuple>(expr);
  if (tuple == nullptr) return AttrValue::Of(expr);
  std::vector<AttrValue> values;
  for (const ir::Expr* element : tuple->elements) {
    values.push_back(ToAttrValue(element, context));
  }
  AttrValue list;
  list.kind = AttrValue::Kind::kList;
  list.list = context.List(values);
  return list;
}

std::string NameOf(const Path& path) {
  std::string name = absl::StrJoin(path, ".");
  for (const absl::string_view keyword : {"and_", "or_", "not_"}) {
    if (path.back() == keyword) name.pop_back();
  }
  return name;
}

int IndexOf(const std::vector<std::string>& names, absl::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

bool Contains(const std::vector<int>& indices, size_t index) {
  return std::count(indices.begin(), indices.end(), static_cast<int>(index)) >
         0;
}

class OpCallReader {
 public:
  OpCallReader(ExprReader& reader, const Call& call)
      : reader_(reader), context_(reader.context()), call_(call) {}

  absl::StatusOr<const ir::Expr*> Read(const Path& path,
                                       const Type* annotation) {
    MX_RETURN_IF_ERROR(ReadOperands());
    node_.kind = ir::ExprKind::kCall;
    node_.span = reader_.At(call_.span);
    const ExprReader::OpName name =
        reader_.FindOpName(PathText(call_.callee), path);
    if (path.size() == 1) {
      MX_ASSIGN_OR_RETURN(const ir::Expr* scalar,
                          ReadOnScalars(name.exact->name));
      if (scalar != nullptr) return scalar;
    }
    MX_ASSIGN_OR_RETURN(const OpDef* short_form, Resolve(name));
    node_.callee = short_form == nullptr || short_form == name.exact->def
                       ? name.exact
                       : context_.GetOp(short_form->name);
    const OpDef* def = node_.callee->def;
    MX_RETURN_IF_ERROR(def != nullptr ? Bind(*def) : BindOpen());
    if (short_form != nullptr && short_form->fill_defaults) {
      short_form->fill_defaults(args_, kwargs_, context_);
    }
    return Finish(annotation);
  }

 private:
  // ---- Operands

  absl::Status ReadOperands() {
    operands_.reserve(call_.arguments.size() + call_.keywords.size());
    args_.reserve(call_.arguments.size());
    for (const Expr* argument : call_.arguments) {
      MX_RETURN_IF_ERROR(ReadOperand("", argument));
    }
    for (const KeywordArgument& keyword : call_.keywords) {
      if (keyword.name == "attrs") {
        MX_ASSIGN_OR_RETURN(node_.attrs, reader_.ReadAttrs(keyword.value));
        continue;
      }
      MX_RETURN_IF_ERROR(ReadOperand(keyword.name, keyword.value));
    }
    return absl::OkStatus();
  }

  absl::Status ReadOperand(absl::string_view keyword, const Expr* syntax) {
    Operand operand = {keyword, syntax};
    const bool is_enumerator_by_name =
        !keyword.empty() && syntax->kind == ExprKind::kAttribute;
    if (!is_enumerator_by_name && !IsOnlyForKwargs(syntax)) {
      MX_ASSIGN_OR_RETURN(operand.value, reader_.Read(syntax));
    }
    operands_.push_back(operand);
    return absl::OkStatus();
  }

  // Element types, enumerators, strings, None.
  bool IsOnlyForKwargs(const Expr* syntax) const {
    switch (syntax->kind) {
      case ExprKind::kString:
      case ExprKind::kNone:
        return true;
      case ExprKind::kAttribute:
        return !reader_.PlPath(syntax).empty();
      case ExprKind::kList:
        return AnyOnlyForKwargs(syntax->As<List>()->elements);
      case ExprKind::kTuple:
        return AnyOnlyForKwargs(syntax->As<Tuple>()->elements);
      default:
        return false;
    }
  }

  bool AnyOnlyForKwargs(absl::Span<const Expr* const> elements) const {
    return std::any_of(
        elements.begin(), elements.end(),
        [this](const Expr* element) { return IsOnlyForKwargs(element); });
  }

  absl::StatusOr<AttrValue> KwargValue(const Operand& operand) {
    if (operand.value != nullptr) return ToAttrValue(operand.value, context_);
    const Path path = reader_.PlPath(operand.syntax);
    // pl.AUTO: the compiler chooses the address.
    if (path.size() == 1 && path[0] == "AUTO") return AttrValue::Int(-1);
    if (const std::optional<int64_t> pattern = MaskPatternOf(path)) {
      return AttrValue::Int(*pattern);
    }
    if (path.size() == 3 && path[0] == "pld") {
      return AttrValue::Enum(
          path[1] == "AtomicType"
              ? path[1]
              : context_.Intern(absl::StrCat("pld.", path[1])),
          context_.Intern(path[2]));
    }
    return reader_.ReadAttrValue(operand.syntax);
  }

  absl::StatusOr<const ir::Expr*> ArgValue(const Operand& operand) {
    if (operand.value != nullptr) return operand.value;
    return reader_.Read(operand.syntax);
  }

  // ---- Which operator

  // pl.add of scalars is arithmetic, pl.cast of a scalar a conversion. Null:
  // neither.
  absl::StatusOr<const ir::Expr*> ReadOnScalars(absl::string_view name) {
    if (operands_.empty() || !IsScalar(operands_[0])) return nullptr;
    const SourceSpan span = reader_.At(call_.span);
    if (name == "cast" && operands_.size() >= 2) {
      MX_ASSIGN_OR_RETURN(const DataType dtype,
                          reader_.ReadDataType(operands_[1].syntax));
      return context_.NewCast(operands_[0].value, dtype, span);
    }
    if (operands_.size() != 2 || !IsScalar(operands_[1])) return nullptr;
    for (const auto& [op_name, op] : kScalarOps) {
      if (name != op_name) continue;
      return context_.NewBinary(op, operands_[0].value, operands_[1].value,
                                span);
    }
    return nullptr;
  }

  // The operator that the name is a short form of; null when it is the
  // operator's own.
  absl::StatusOr<const OpDef*> Resolve(const ExprReader::OpName& name) {
    const OpDef* exact = name.exact->def;
    if (name.short_forms.empty()) {
      if (exact == nullptr) {
        MX_RETURN_IF_ERROR(CheckIsNoCompilersOp(name.exact->name));
      }
      return nullptr;
    }
    absl::InlinedVector<GivenOperand, 8> given;
    bool is_all_known = true;
    for (const Operand& operand : operands_) {
      const Type* type =
          operand.value == nullptr ? nullptr : operand.value->type;
      is_all_known = is_all_known &&
                     !(type != nullptr && type->kind == TypeKind::kUnknown);
      given.push_back({operand.keyword, type});
    }
    const OpDef* op = OpRegistry::ChooseShort(name.short_forms, given);
    if (op != nullptr || exact != nullptr) return op;
    // Whose signature says what is wrong.
    if (name.short_forms.size() == 1) return name.short_forms[0].op;
    if (!is_all_known) return nullptr;
    return NoForm(name);
  }

  absl::Status CheckIsNoCompilersOp(absl::string_view name) {
    const OpDef* op = context_.registry().Find(absl::StrCat("tile.", name));
    if (op == nullptr || !op->compiler_only) return absl::OkStatus();
    return reader_.Error(kCallRule, call_.callee_span(),
                         absl::StrCat("pl.", name,
                                      " is not part of the language; "
                                      "compilers write pl.",
                                      op->name));
  }

  absl::Status NoForm(const ExprReader::OpName& name) {
    const auto operand_text = [](std::string* out, const Operand& operand) {
      absl::StrAppend(out, KindText(operand));
    };
    const auto op_text = [](std::string* out,
                            const OpRegistry::Candidate& candidate) {
      absl::StrAppend(out, "pl.", candidate.op->name);
    };
    return reader_.Error(
        kCallRule, call_.span,
        absl::StrCat("pl.", name.exact->name, " is one of ",
                     absl::StrJoin(name.short_forms, ", ", op_text),
                     "; none of them takes (",
                     absl::StrJoin(operands_, ", ", operand_text), ")"));
  }

  // ---- Which argument

  // Of an operator that we do not know.
  absl::Status BindOpen() {
    for (const Operand& operand : operands_) {
      if (operand.keyword.empty()) {
        MX_ASSIGN_OR_RETURN(const ir::Expr* value, ArgValue(operand));
        args_.push_back(value);
      } else {
        MX_RETURN_IF_ERROR(AddKwarg(operand.keyword, operand));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Bind(const OpDef& def) {
    if (IsAsPrinted(def)) {
      for (const Operand& operand : operands_) args_.push_back(operand.value);
      return absl::OkStatus();
    }
    slots_.assign(def.arg_names.size(), nullptr);
    const bool front_order = IsInFrontOrder(def);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Operand& operand = operands_[i];
      if (operand.is_none()) continue;
      if (operand.keyword.empty()) {
        MX_RETURN_IF_ERROR(BindPositional(def, i, operand, front_order));
      } else if (const int arg = IndexOf(def.arg_names, operand.keyword);
                 arg >= 0) {
        MX_RETURN_IF_ERROR(BindArg(arg, operand));
      } else {
        MX_RETURN_IF_ERROR(AddKwarg(operand.keyword, operand));
      }
    }
    return FillSlots(def);
  }

  // Whether the call has all its arguments in their places and nothing else.
  bool IsAsPrinted(const OpDef& def) const {
    if (operands_.size() != def.arg_names.size() || !def.front_order.empty() ||
        !def.list_args.empty()) {
      return false;
    }
    return std::all_of(
        operands_.begin(), operands_.end(), [](const Operand& operand) {
          return operand.keyword.empty() && operand.value != nullptr;
        });
  }

  // Whether operands stand in the order of people, in which kwargs may stand
  // between arguments, and not in that of printed calls, which have all
  // arguments first.
  bool IsInFrontOrder(const OpDef& def) const {
    const size_t num_positional =
        std::count_if(operands_.begin(), operands_.end(),
                      [](const Operand& o) { return o.keyword.empty(); });
    for (size_t i = 0; i < std::min(num_positional, def.front_order.size());
         ++i) {
      if (IndexOf(def.arg_names, def.front_order[i]) >= 0) continue;
      // Where an argument is given by its name its place is that of the kwarg:
      // pl.gather(x, -1, index=i).
      const bool argument_is_elsewhere =
          i < def.arg_names.size() &&
          std::any_of(
              operands_.begin(), operands_.end(),
              [&](const Operand& o) { return o.keyword == def.arg_names[i]; });
      return operands_[i].value == nullptr || argument_is_elsewhere ||
             num_positional > def.arg_names.size();
    }
    return !def.front_order.empty();
  }

  absl::Status BindPositional(const OpDef& def, size_t position,
                              const Operand& operand, bool front_order) {
    const size_t num_args = def.arg_names.size();
    std::string name;
    if (front_order) {
      if (position < def.front_order.size()) name = def.front_order[position];
    } else if (position < num_args) {
      name = def.arg_names[position];
    } else if (position - num_args < def.kwarg_names.size() &&
               position >= static_cast<size_t>(def.max_args)) {
      name = def.kwarg_names[position - num_args];
    }
    const int arg = IndexOf(def.arg_names, name);
    if (arg >= 0) return BindArg(arg, operand);
    if (!name.empty()) return AddKwarg(name, operand);
    return BindArg(static_cast<int>(std::max(position, slots_.size())),
                   operand);
  }

  absl::Status BindArg(int arg, const Operand& operand) {
    if (slots_.size() <= static_cast<size_t>(arg)) slots_.resize(arg + 1);
    if (slots_[arg] != nullptr) {
      return reader_.Error(
          kCallRule, operand.syntax->span,
          absl::StrCat("the argument ", node_.callee->def->arg_names[arg],
                       " is given twice"));
    }
    MX_ASSIGN_OR_RETURN(slots_[arg], ArgValue(operand));
    return absl::OkStatus();
  }

  absl::Status AddKwarg(absl::string_view name, const Operand& operand) {
    if (operand.is_none()) return absl::OkStatus();
    MX_ASSIGN_OR_RETURN(const AttrValue value, KwargValue(operand));
    kwargs_.push_back({context_.Intern(name), value});
    return absl::OkStatus();
  }

  absl::Status FillSlots(const OpDef& def) {
    while (!slots_.empty() && slots_.back() == nullptr) slots_.pop_back();
    for (size_t i = 0; i < slots_.size(); ++i) {
      const bool is_list =
          std::count(def.list_args.begin(), def.list_args.end(), i) > 0;
      if (slots_[i] == nullptr) {
        if (i < static_cast<size_t>(def.min_args)) {
          return reader_.Error(
              kCallRule, call_.span,
              absl::StrCat("the argument ", def.arg_names[i], " is missing"));
        }
        if (is_list) args_.push_back(context_.NewTuple({}));
        if (Contains(def.zero_args, i)) {
          args_.push_back(context_.Int(0, DataType::kInt32));
        }
        continue;
      }
      const bool is_bare = is_list && Isa<ScalarType>(slots_[i]->type);
      args_.push_back(is_bare
                          ? context_.NewTuple(context_.ExprList({slots_[i]}),
                                              slots_[i]->span)
                          : slots_[i]);
    }
    return absl::OkStatus();
  }

  // ---- The call

  absl::StatusOr<const ir::Expr*> Finish(const Type* annotation) {
    node_.args = context_.List(args_);
    node_.kwargs = context_.List(kwargs_);
    return reader_.FinishOpCall(node_, annotation);
  }

  ExprReader& reader_;
  Context& context_;
  const Call& call_;
  absl::InlinedVector<Operand, 6> operands_;
  std::vector<const ir::Expr*> slots_;  // By argument; null: not given.
  std::vector<const ir::Expr*> args_;
  std::vector<Attr> kwargs_;
  ir::Call node_;
};

}  // namespace

// A call whose operands are tensors and tiles in variables has the type that
// another such call has. MX products compare the operands themselves.
bool ExprReader::MakeDeducedKey(const ir::Call& call, const Type* annotation,
                                DeducedKey* key) {
  const OpDef* def = call.callee->def;
  if (!call.kwargs.empty() || !def->mx_pairs.empty()) return false;
  key->push_back(def);
  key->push_back(annotation);
  for (const ir::Expr* arg : call.args) {
    const bool is_value = Isa<Var>(arg) && (Isa<TensorType>(arg->type) ||
                                            Isa<TileType>(arg->type));
    if (!is_value) return false;
    key->push_back(arg->type);
  }
  return true;
}

absl::StatusOr<const ir::Expr*> ExprReader::FinishOpCall(
    ir::Call call, const Type* annotation) {
  const OpDef* def = call.callee->def;
  call.type = annotation;
  if (def != nullptr && def->deduce) {
    DeducedKey key;
    const bool depends_on_types_only = MakeDeducedKey(call, annotation, &key);
    if (depends_on_types_only) {
      const auto known = deduced_.find(key);
      if (known != deduced_.end()) {
        call.type = known->second;
        return context_->New(call);
      }
    }
    absl::StatusOr<const Type*> deduced =
        def->deduce({def, call.args, call.kwargs, annotation}, *context_);
    if (!deduced.ok()) return Error(call.span, deduced.status());
    call.type = *deduced;
    if (depends_on_types_only) deduced_.emplace(key, *deduced);
  }
  if (call.type == nullptr) {
    call.type = context_->GetMarkerType(TypeKind::kUnknown);
  }
  return context_->New(call);
}

ExprReader::OpName ExprReader::FindOpName(absl::string_view spelling,
                                          const Path& path) {
  const auto known = op_names_.find(spelling);
  if (known != op_names_.end()) return known->second;
  const std::string name = NameOf(path);
  const OpName found = {context_->GetOp(name),
                        context_->registry().ShortCandidates(name)};
  if (!spelling.empty()) op_names_.emplace(spelling, found);
  return found;
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadOpCall(const Path& path,
                                                       const Call& call,
                                                       const Type* annotation) {
  return OpCallReader(*this, call).Read(path, annotation);
}

}  // namespace mxtile::ir::text
