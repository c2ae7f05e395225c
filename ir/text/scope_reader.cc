// Scopes: with pl.at(...), for i in pl.spmd(...).

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/text/body_reader.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

enum class ArgForm {
  kEnum,    // pl.Class.NAME, of the class in `enum_class`.
  kString,  //
  kFlag,    // True or False; False is the same as not given.
  kCount,   // A positive integer constant.
  kScalar,  // Any scalar expression.
  kList,    // A list of variables; empty is the same as not given.
};

struct ScopeArg {
  absl::string_view name;
  ArgForm form;
  absl::string_view enum_class = "";
  bool required = false;
};

constexpr ScopeArg kNameHint = {"name_hint", ArgForm::kString};
constexpr ScopeArg kSplit = {"split", ArgForm::kEnum, "SplitMode"};
constexpr ScopeArg kSlotNum = {"slot_num", ArgForm::kCount};
constexpr ScopeArg kDeps = {"deps", ArgForm::kList};
constexpr ScopeArg kEarly = {"allow_early_resolve", ArgForm::kFlag};

// What each kind of scope may say, in the order in which it prints; by position
// in this order too. `split` and `slot_num` stand in optimizations=[...].
constexpr ScopeArg kAtArgs[] = {
    {"level", ArgForm::kEnum, "Level", true},
    {"role", ArgForm::kEnum, "Role"},
    kNameHint,
    kSplit,
    kSlotNum,
    kDeps,
    {"no_dep_args", ArgForm::kList},
    {"dumps", ArgForm::kList},
    kEarly,
    {"windowize", ArgForm::kFlag},
};
constexpr ScopeArg kClusterArgs[] = {kNameHint};
constexpr ScopeArg kSpmdArgs[] = {
    {"core_num", ArgForm::kScalar, "", true},
    {"sync_start", ArgForm::kFlag},
    kNameHint,
    kSplit,
    kSlotNum,
    kDeps,
    kEarly,
    {"predicate", ArgForm::kScalar},
};
constexpr ScopeArg kSplitAivArgs[] = {
    {"count", ArgForm::kCount, "", true},
    {"mode", ArgForm::kEnum, "SplitMode", true},
};
constexpr ScopeArg kRuntimeArgs[] = {{"mode", ArgForm::kEnum, "ScopeMode"}};

absl::Span<const ScopeArg> ArgsOf(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::kAt:
      return kAtArgs;
    case ScopeKind::kCluster:
      return kClusterArgs;
    case ScopeKind::kSpmd:
      return kSpmdArgs;
    case ScopeKind::kSplitAiv:
      return kSplitAivArgs;
    case ScopeKind::kRuntime:
      return kRuntimeArgs;
  }
  return {};
}

// Members that a program may name. Level and Role are enumerations of the IR.
bool HasMember(absl::string_view enum_class, absl::string_view member) {
  if (enum_class == "Level") return EnumFromName<Level>(member).has_value();
  if (enum_class == "Role") return EnumFromName<Role>(member).has_value();
  if (enum_class == "ScopeMode") return member == "AUTO" || member == "MANUAL";
  return member == "NONE" || member == "UP_DOWN" || member == "LEFT_RIGHT";
}

// What an operator that we do not know gives may be one.
bool MayBeScalar(const ir::Expr* expr) {
  return expr->type->kind == TypeKind::kScalar ||
         expr->type->kind == TypeKind::kUnknown;
}

// Reads what stands in the brackets of a scope.
class ScopeArgsReader {
 public:
  ScopeArgsReader(ScopeKind kind, ExprReader* exprs)
      : exprs_(*exprs), kind_(kind), known_(ArgsOf(kind)) {}

  absl::StatusOr<Attrs> Read(const Call& call) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (i >= known_.size() || kind_ == ScopeKind::kRuntime) {
        return exprs_.Error(kScopeRule, call.arguments[i]->span,
                            absl::StrCat(Name(), " takes no such argument"));
      }
      MX_RETURN_IF_ERROR(ReadArg(known_[i], call.arguments[i]));
    }
    for (const KeywordArgument& keyword : call.keywords) {
      MX_RETURN_IF_ERROR(ReadKeyword(keyword));
    }
    return InOrder(call);
  }

 private:
  std::string Name() const { return absl::StrCat("pl.", EnumName(kind_)); }

  const ScopeArg* Find(absl::string_view name) const {
    for (const ScopeArg& arg : known_) {
      if (arg.name == name) return &arg;
    }
    return nullptr;
  }

  bool HasOptimizations() const {
    return kind_ == ScopeKind::kAt || kind_ == ScopeKind::kSpmd;
  }

  absl::Status ReadKeyword(const KeywordArgument& keyword) {
    if (keyword.name == "optimizations" && HasOptimizations()) {
      return ReadOptimizations(keyword.value);
    }
    const ScopeArg* arg = Find(keyword.name);
    const bool in_list = arg == nullptr || arg->name == kSplit.name ||
                         arg->name == kSlotNum.name;
    if (in_list) {
      std::vector<absl::string_view> names;
      for (const ScopeArg& known : known_) {
        if (known.name == kSlotNum.name) continue;
        names.push_back(known.name == kSplit.name ? "optimizations"
                                                  : known.name);
      }
      return exprs_.Error(
          kScopeRule, keyword.name_span,
          absl::StrCat(Name(), " has no '", keyword.name, "'; it has ",
                       absl::StrJoin(names, ", ")));
    }
    return ReadArg(*arg, keyword.value);
  }

  // [pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=8)]; the count
  // may also stand in the split.
  absl::Status ReadOptimizations(const Expr* expr) {
    const List* list = expr->As<List>();
    if (list == nullptr) {
      return exprs_.Error(kScopeRule, expr->span, "optimizations is a list");
    }
    for (const Expr* element : list->elements) {
      const Call* call = element->As<Call>();
      const Path path = call == nullptr ? Path() : exprs_.PlPath(call->callee);
      // pl.optimizations.split is the long name.
      const bool known =
          path.size() == 1 || (path.size() == 2 && path[0] == "optimizations");
      const bool split =
          known && path.back() == "split" && call->arguments.size() == 1;
      const bool slots =
          known && path.back() == "cross_core_slot" && call->arguments.empty();
      if (!split && !slots) {
        return exprs_.Error(kScopeRule, element->span,
                            "expected pl.split(pl.SplitMode.MODE) or "
                            "pl.cross_core_slot(slot_num=COUNT)");
      }
      if (split) MX_RETURN_IF_ERROR(ReadArg(kSplit, call->arguments[0]));
      for (const KeywordArgument& keyword : call->keywords) {
        if (keyword.name != kSlotNum.name) {
          return exprs_.Error(kScopeRule, keyword.name_span,
                              "the only keyword here is slot_num");
        }
        MX_RETURN_IF_ERROR(ReadArg(kSlotNum, keyword.value));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadArg(const ScopeArg& arg, const Expr* expr) {
    if (FindAttr(read_, arg.name) != nullptr || dropped_ == arg.name) {
      return exprs_.Error(kScopeRule, expr->span,
                          absl::StrCat(arg.name, " is given twice"));
    }
    AttrValue value;
    if (arg.form == ArgForm::kList) {
      MX_ASSIGN_OR_RETURN(value, ReadVars(expr));
    } else {
      MX_ASSIGN_OR_RETURN(value, exprs_.ReadAttrValue(expr));
    }
    MX_RETURN_IF_ERROR(CheckForm(arg, value, expr));
    // A level may have several names.
    if (arg.enum_class == "Level") {
      value.text = EnumName(*EnumFromName<Level>(value.text));
    }
    // What says nothing is not kept.
    const bool silent = (arg.form == ArgForm::kFlag && !value.bool_value) ||
                        (arg.form == ArgForm::kList && value.list.empty()) ||
                        (arg.enum_class == "ScopeMode" && value.text == "AUTO");
    if (silent) {
      dropped_ = arg.name;
    } else {
      read_.push_back({arg.name, value});
    }
    return absl::OkStatus();
  }

  // `deps=[a, b]`; None stands for no task, and a single one may stand without
  // brackets.
  absl::StatusOr<AttrValue> ReadVars(const Expr* expr) {
    const List* list = expr->As<List>();
    const absl::Span<const Expr* const> elements =
        list != nullptr ? list->elements : absl::MakeConstSpan(&expr, 1);
    std::vector<AttrValue> values;
    for (const Expr* element : elements) {
      if (element->As<None>() != nullptr) continue;
      MX_ASSIGN_OR_RETURN(const ir::Expr* value, exprs_.Read(element));
      values.push_back(AttrValue::Of(value));
    }
    AttrValue result;
    result.kind = AttrValue::Kind::kList;
    result.list = exprs_.context().List(values);
    return result;
  }

  absl::Status CheckForm(const ScopeArg& arg, const AttrValue& value,
                         const Expr* expr) {
    using Kind = AttrValue::Kind;
    switch (arg.form) {
      case ArgForm::kEnum:
        if (value.kind == Kind::kEnum && value.enum_class == arg.enum_class &&
            HasMember(arg.enum_class, value.text)) {
          return absl::OkStatus();
        }
        return Expected(arg, absl::StrCat("a pl.", arg.enum_class), expr);
      case ArgForm::kString:
        return value.kind == Kind::kString ? absl::OkStatus()
                                           : Expected(arg, "a string", expr);
      case ArgForm::kFlag:
        return value.kind == Kind::kBool ? absl::OkStatus()
                                         : Expected(arg, "True or False", expr);
      case ArgForm::kCount:
        return value.kind == Kind::kInt && value.int_value > 0
                   ? absl::OkStatus()
                   : Expected(arg, "a positive integer constant", expr);
      case ArgForm::kScalar:
        return value.kind == Kind::kInt ||
                       (value.kind == Kind::kExpr && MayBeScalar(value.expr))
                   ? absl::OkStatus()
                   : Expected(arg, "a scalar", expr);
      case ArgForm::kList:
        return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::Status Expected(const ScopeArg& arg, absl::string_view what,
                        const Expr* expr) {
    return exprs_.Error(kScopeRule, expr->span,
                        absl::StrCat(Name(), ": ", arg.name, " is ", what));
  }

  absl::StatusOr<Attrs> InOrder(const Call& call) {
    std::vector<Attr> ordered;
    for (const ScopeArg& arg : known_) {
      const AttrValue* value = FindAttr(read_, arg.name);
      if (value != nullptr) {
        ordered.push_back({arg.name, *value});
      } else if (arg.required) {
        return exprs_.Error(kScopeRule, call.span,
                            absl::StrCat(Name(), " needs ", arg.name));
      }
    }
    return exprs_.context().List(ordered);
  }

  ExprReader& exprs_;
  const ScopeKind kind_;
  const absl::Span<const ScopeArg> known_;
  std::vector<Attr> read_;
  absl::string_view dropped_;  // The last that says nothing.
};

}  // namespace

absl::Status BodyReader::ReadScopeHeader(const Call& call, ir::Scope* scope) {
  const Path path = exprs_.PlPath(call.callee);
  const bool named = path.size() == 1;
  if (named && path[0] == "manual_scope") {
    scope->scope_kind = ScopeKind::kRuntime;
    if (!call.arguments.empty() || !call.keywords.empty()) {
      return exprs_.Error(kScopeRule, call.span,
                          "pl.manual_scope takes no arguments");
    }
    scope->args = exprs_.context().List(
        std::vector<Attr>{{"mode", AttrValue::Enum("ScopeMode", "MANUAL")}});
    return absl::OkStatus();
  }
  const std::optional<ScopeKind> kind =
      named ? EnumFromName<ScopeKind>(path[0]) : std::nullopt;
  if (!kind.has_value()) {
    return exprs_.Error(kScopeRule, call.span,
                        "a scope is pl.at, pl.cluster, pl.scope, "
                        "pl.manual_scope, pl.spmd or pl.split_aiv");
  }
  scope->scope_kind = *kind;
  MX_ASSIGN_OR_RETURN(scope->args, ScopeArgsReader(*kind, &exprs_).Read(call));
  return absl::OkStatus();
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadWith(const With& stmt) {
  const WithItem& item = stmt.items[0];
  const Call* call = item.context->As<Call>();
  if (call == nullptr || stmt.items.size() != 1) {
    return exprs_.Error(kScopeRule, item.context->span,
                        "expected one scope: with pl.at(...):");
  }
  auto node = Start<ir::Scope>(ir::StmtKind::kScope, stmt,
                               HeaderSpan(stmt, item.context));
  MX_RETURN_IF_ERROR(ReadScopeHeader(*call, &node));
  const bool launches =
      node.scope_kind == ScopeKind::kAt || node.scope_kind == ScopeKind::kSpmd;
  if (item.target != nullptr && !launches) {
    return exprs_.Error(kScopeRule, item.target->span,
                        absl::StrCat("pl.", EnumName(node.scope_kind),
                                     " launches no task that could be named"));
  }
  if (node.scope_kind == ScopeKind::kSplitAiv) {
    return exprs_.Error(kScopeRule, call->span,
                        "pl.split_aiv is a loop: for i in pl.split_aiv(...)");
  }
  exprs_.scope().OpenBlock();
  MX_ASSIGN_OR_RETURN(const Body body, ReadBlock(stmt.body));
  exprs_.scope().CloseBlock();
  node.body = body.block;
  if (item.target != nullptr) {
    MX_ASSIGN_OR_RETURN(
        node.task_id, Define(item.target->name,
                             exprs_.context().GetScalarType(DataType::kTaskId),
                             item.target->span));
  }
  return exprs_.context().New(node);
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadScopeLoop(const For& stmt) {
  const text::Name* target = stmt.target->As<text::Name>();
  if (target == nullptr) {
    return exprs_.Error(kScopeRule, stmt.target->span,
                        "a scope that is a loop has one variable");
  }
  auto node = Start<ir::Scope>(ir::StmtKind::kScope, stmt,
                               HeaderSpan(stmt, stmt.iterator));
  MX_RETURN_IF_ERROR(ReadScopeHeader(*stmt.iterator->As<Call>(), &node));
  exprs_.scope().OpenBlock();
  node.index = exprs_.context().NewVar(
      target->name, exprs_.context().IndexType(), exprs_.At(target->span));
  exprs_.scope().Bind(node.index);
  MX_ASSIGN_OR_RETURN(const Body body, ReadBlock(stmt.body));
  exprs_.scope().CloseBlock();
  node.body = body.block;
  return exprs_.context().New(node);
}

}  // namespace mxtile::ir::text
