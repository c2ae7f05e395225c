// Calls of operators: which operator a name of the front end stands for, and
// which of its arguments each operand is.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
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

std::optional<int64_t> MaskPatternOf(
    const std::vector<absl::string_view>& path) {
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

std::string NameOf(const std::vector<absl::string_view>& path) {
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

  absl::StatusOr<const ir::Expr*> Read(
      const std::vector<absl::string_view>& path, const Type* annotation) {
    std::string name = NameOf(path);
    MX_RETURN_IF_ERROR(ReadOperands());
    if (path.size() == 1) {
      MX_ASSIGN_OR_RETURN(const ir::Expr* scalar, ReadOnScalars(name));
      if (scalar != nullptr) return scalar;
    }
    const OpDef* short_form = nullptr;
    MX_RETURN_IF_ERROR(Resolve(&name, &short_form));
    node_.kind = ir::ExprKind::kCall;
    node_.callee = context_.GetOp(name);
    node_.span = reader_.At(call_.span);
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
    const std::vector<absl::string_view> path = reader_.PlPath(operand.syntax);
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

  // The full name of the operator behind a short form.
  absl::Status Resolve(std::string* name, const OpDef** short_form) {
    const OpRegistry& registry = context_.registry();
    const std::vector<const OpDef*> candidates =
        registry.ShortCandidates(*name);
    if (candidates.empty()) return CheckIsNoCompilersOp(*name);
    std::vector<GivenOperand> given;
    bool is_all_known = true;
    for (const Operand& operand : operands_) {
      const Type* type =
          operand.value == nullptr ? nullptr : operand.value->type;
      is_all_known = is_all_known &&
                     !(type != nullptr && type->kind == TypeKind::kUnknown);
      given.push_back({operand.keyword, type});
    }
    *short_form = registry.FindShort(*name, given);
    if (*short_form == nullptr && candidates.size() == 1 &&
        registry.Find(*name) == nullptr) {
      *short_form = candidates[0];  // Whose signature says what is wrong.
    }
    if (*short_form != nullptr) {
      *name = (*short_form)->name;
      return absl::OkStatus();
    }
    if (registry.Find(*name) != nullptr || !is_all_known) {
      return absl::OkStatus();
    }
    return NoForm(*name, candidates);
  }

  absl::Status CheckIsNoCompilersOp(absl::string_view name) {
    const OpDef* op = context_.registry().Find(absl::StrCat("tile.", name));
    if (op == nullptr || !op->compiler_only) return absl::OkStatus();
    return reader_.Error(kCallRule, call_.callee->span,
                         absl::StrCat("pl.", name,
                                      " is not part of the language; "
                                      "compilers write pl.",
                                      op->name));
  }

  absl::Status NoForm(absl::string_view name,
                      const std::vector<const OpDef*>& candidates) {
    const auto operand_text = [](std::string* out, const Operand& operand) {
      absl::StrAppend(out, KindText(operand));
    };
    const auto op_text = [](std::string* out, const OpDef* op) {
      absl::StrAppend(out, "pl.", op->name);
    };
    return reader_.Error(
        kCallRule, call_.span,
        absl::StrCat("pl.", name, " is one of ",
                     absl::StrJoin(candidates, ", ", op_text),
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
    slots_.assign(def.arg_names.size(), nullptr);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Operand& operand = operands_[i];
      if (operand.is_none()) continue;
      if (operand.keyword.empty()) {
        MX_RETURN_IF_ERROR(BindPositional(def, i, operand));
      } else if (const int arg = IndexOf(def.arg_names, operand.keyword);
                 arg >= 0) {
        MX_RETURN_IF_ERROR(BindArg(arg, operand));
      } else {
        MX_RETURN_IF_ERROR(AddKwarg(operand.keyword, operand));
      }
    }
    return FillSlots(def);
  }

  absl::Status BindPositional(const OpDef& def, size_t position,
                              const Operand& operand) {
    const size_t num_args = def.arg_names.size();
    std::string name;
    if (!def.front_order.empty()) {
      if (position < def.front_order.size()) name = def.front_order[position];
    } else if (position < num_args) {
      name = def.arg_names[position];
    } else if (position - num_args < def.kwarg_names.size() &&
               position >= static_cast<size_t>(def.max_args)) {
      name = def.kwarg_names[position - num_args];
    }
    const int arg = IndexOf(def.arg_names, name);
    // Printed calls have the arguments in their own order.
    const size_t num_positional =
        std::count_if(operands_.begin(), operands_.end(),
                      [](const Operand& o) { return o.keyword.empty(); });
    const bool is_printed_arg = arg < 0 && operand.value != nullptr &&
                                position < num_args &&
                                num_positional <= num_args;
    if (arg >= 0) return BindArg(arg, operand);
    if (is_printed_arg) return BindArg(static_cast<int>(position), operand);
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
  std::vector<Operand> operands_;
  std::vector<const ir::Expr*> slots_;  // By argument; null: not given.
  std::vector<const ir::Expr*> args_;
  std::vector<Attr> kwargs_;
  ir::Call node_;
};

}  // namespace

absl::StatusOr<const ir::Expr*> ExprReader::FinishOpCall(
    ir::Call call, const Type* annotation) {
  const OpDef* def = call.callee->def;
  call.type = annotation;
  if (def != nullptr && def->deduce) {
    absl::StatusOr<const Type*> deduced =
        def->deduce({def, call.args, call.kwargs, annotation}, *context_);
    if (!deduced.ok()) return Error(call.span, deduced.status());
    call.type = *deduced;
  }
  if (call.type == nullptr) {
    call.type = context_->GetMarkerType(TypeKind::kUnknown);
  }
  return context_->New(call);
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadOpCall(
    const std::vector<absl::string_view>& path, const Call& call,
    const Type* annotation) {
  return OpCallReader(*this, call).Read(path, annotation);
}

}  // namespace mxtile::ir::text
