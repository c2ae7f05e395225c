// The checks of statements, functions and the program.

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/proto/node_checker.h"
#include "ir/proto/node_checker_internal.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {

// ---- Statements

absl::Status NodeChecker::CheckAssign(const v1::Node& node) {
  const uint16_t fields = PresentFields(node);
  const bool calls = (fields & (kFieldOp | kFieldFunction)) != 0;
  uint16_t wrong = 0;
  if (calls) {
    MX_RETURN_IF_ERROR(CheckCallee(node));
    wrong = fields & kFieldValue;
  } else {
    if (node.value() == 0) return Refuse(kProtoFieldsRule, "value is missing");
    wrong = fields & (kFieldArgs | kFieldKwargs | kFieldAttrs |
                      kFieldValueType | kFieldValueSpan);
  }
  if (node.var() != 0) {
    wrong |= fields & (kFieldType | kFieldName | kFieldVarSpan);
    if (!Take(node.var(), kUseVar)) {
      return BadReference(node.var(), kUseVar, "var");
    }
    if (calls && node.value_type() == 0) {
      return Refuse(kProtoFieldsRule, "value_type is missing");
    }
  } else {
    if (node.type() == 0) {
      return Refuse(kProtoFieldsRule, "type or var is missing");
    }
    MX_RETURN_IF_ERROR(CheckName(node.name(), "name", /*dotted=*/false));
    now_.uses |= kUseExpr | kUseVar;
  }
  if (wrong != 0) {
    return Refuse(kProtoFieldsRule, absl::StrCat("such an assignment has no ",
                                                 FieldNames(wrong)));
  }
  if (node.value_type() != 0) {
    MX_RETURN_IF_ERROR(Refer(node.value_type(), kUseType, "value_type"));
  }
  MX_RETURN_IF_ERROR(CheckSpan(node.var_span(), "var_span"));
  return CheckSpan(node.value_span(), "value_span");
}

absl::Status NodeChecker::CheckEval(const v1::Node& node) {
  const uint16_t fields = PresentFields(node);
  uint16_t wrong = 0;
  if ((fields & (kFieldOp | kFieldFunction)) != 0) {
    MX_RETURN_IF_ERROR(CheckCallee(node));
    wrong = fields & kFieldValue;
    if (node.type() == 0) return Refuse(kProtoFieldsRule, "type is missing");
  } else {
    if (node.value() == 0) return Refuse(kProtoFieldsRule, "value is missing");
    wrong = fields & (kFieldArgs | kFieldKwargs | kFieldAttrs | kFieldType |
                      kFieldValueSpan);
  }
  if (wrong != 0) {
    return Refuse(kProtoFieldsRule, absl::StrCat("such an evaluation has no ",
                                                 FieldNames(wrong)));
  }
  return CheckSpan(node.value_span(), "value_span");
}

absl::Status NodeChecker::CheckPlainVar(uint32_t var, absl::string_view field) {
  MX_RETURN_IF_ERROR(Refer(var, kUseVar, field));
  if ((facts_[var].uses & kUseIterArg) == 0) return absl::OkStatus();
  return Refuse(kProtoKindRule,
                absl::StrCat(field, " is ", var, ", which is an ITER_ARG"));
}

absl::Status NodeChecker::CheckPlainVars(const Numbers& vars,
                                         absl::string_view field) {
  for (int i = 0; i < vars.size(); ++i) {
    MX_RETURN_IF_ERROR(
        CheckPlainVar(vars[i], absl::StrCat(field, "[", i, "]")));
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckIterArgs(const Numbers& iter_args, int results) {
  // Before SSA form a loop may carry values and have no results.
  if (iter_args.size() != results && results != 0) {
    return Refuse(kProtoCountRule,
                  absl::StrCat(iter_args.size(), " iter_args, ", results,
                               " return_vars"));
  }
  MX_RETURN_IF_ERROR(ReferAll(iter_args, kUseIterArg, "iter_args"));
  for (const uint32_t arg : iter_args) {
    if ((facts_[arg].uses & kPlaced) != 0) {
      return Refuse(kProtoOnceRule, absl::StrCat("the ITER_ARG ", arg,
                                                 " belongs to a loop already"));
    }
    facts_[arg].uses |= kPlaced;
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckBlock(const Numbers& block,
                                     absl::string_view field, int results) {
  int height = 0;
  for (int i = 0; i < block.size(); ++i) {
    const uint32_t ref = block[i];
    if (ref >= facts_.size() || (facts_[ref].uses & kUseStmt) == 0) {
      return BadReference(ref, kUseStmt, absl::StrCat(field, "[", i, "]"));
    }
    Facts& stmt = facts_[ref];
    if ((stmt.uses & kPlaced) != 0) {
      return Refuse(kProtoOnceRule,
                    absl::StrCat(field, "[", i, "] is the statement ", ref,
                                 ", which stands in a block already"));
    }
    stmt.uses |= kPlaced;
    if ((stmt.uses & kUseVar) == 0) {
      height = std::max<int>(height, stmt.height);
    }
  }
  block_height_ = std::max(block_height_, height + 1);
  if (results == 0) return absl::OkStatus();
  const Facts* last =
      block.empty() ? nullptr : &facts_[block[block.size() - 1]];
  if (last != nullptr && (last->uses & kYields) != 0 && last->aux == results) {
    return absl::OkStatus();
  }
  return Refuse(kProtoCountRule,
                absl::StrCat(field, " does not end in a YIELD of ", results,
                             " values, as return_vars has"));
}

absl::Status NodeChecker::CheckIf(const v1::If& branch) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(branch, "if_stmt"));
  MX_RETURN_IF_ERROR(
      Refer(branch.condition(), kScalarExpr, "if_stmt.condition"));
  MX_RETURN_IF_ERROR(
      CheckPlainVars(branch.return_vars(), "if_stmt.return_vars"));
  const int results = branch.return_vars_size();
  MX_RETURN_IF_ERROR(
      CheckBlock(branch.then_body(), "if_stmt.then_body", results));
  return CheckBlock(branch.else_body(), "if_stmt.else_body", results);
}

absl::Status NodeChecker::CheckFor(const v1::For& loop) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(loop, "for_stmt"));
  MX_RETURN_IF_ERROR(CheckEnum(loop.kind(), "for_stmt.kind"));
  MX_RETURN_IF_ERROR(CheckPlainVar(loop.loop_var(), "for_stmt.loop_var"));
  MX_RETURN_IF_ERROR(Refer(loop.start(), kDim, "for_stmt.start"));
  MX_RETURN_IF_ERROR(Refer(loop.stop(), kDim, "for_stmt.stop"));
  MX_RETURN_IF_ERROR(Refer(loop.step(), kDim, "for_stmt.step"));
  MX_RETURN_IF_ERROR(CheckStages(loop));
  const int results = loop.return_vars_size();
  MX_RETURN_IF_ERROR(CheckIterArgs(loop.iter_args(), results));
  MX_RETURN_IF_ERROR(
      CheckPlainVars(loop.return_vars(), "for_stmt.return_vars"));
  if (loop.kind() == v1::UNROLL && results != 0) {
    return Refuse(kProtoValueRule, "an UNROLL carries no values");
  }
  return CheckBlock(loop.body(), "for_stmt.body", results);
}

absl::Status NodeChecker::CheckStages(const v1::For& loop) {
  bool has_stages = false;
  if (loop.attrs() != 0) {
    MX_RETURN_IF_ERROR(Refer(loop.attrs(), kUseAttrs, "for_stmt.attrs"));
    has_stages = (facts_[loop.attrs()].uses & kStages) != 0;
  }
  if (has_stages == (loop.kind() == v1::PIPELINE)) return absl::OkStatus();
  return Refuse(kProtoValueRule,
                has_stages ? "pipeline_stages belongs to a PIPELINE"
                           : "a PIPELINE needs the attribute pipeline_stages");
}

absl::Status NodeChecker::CheckWhile(const v1::While& loop) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(loop, "while_stmt"));
  const int results = loop.return_vars_size();
  MX_RETURN_IF_ERROR(CheckIterArgs(loop.iter_args(), results));
  MX_RETURN_IF_ERROR(
      Refer(loop.condition(), kScalarExpr, "while_stmt.condition"));
  MX_RETURN_IF_ERROR(
      CheckPlainVars(loop.return_vars(), "while_stmt.return_vars"));
  return CheckBlock(loop.body(), "while_stmt.body", results);
}

absl::Status NodeChecker::CheckScope(const v1::Scope& scope) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(scope, "scope"));
  MX_RETURN_IF_ERROR(CheckEnum(scope.kind(), "scope.kind"));
  if (scope.args() != 0) {
    MX_RETURN_IF_ERROR(
        Refer(scope.args(), kUseAttrs | kKeywords, "scope.args"));
  }
  if (scope.index() != 0) {
    MX_RETURN_IF_ERROR(CheckPlainVar(scope.index(), "scope.index"));
  }
  if (scope.task_id() != 0) {
    MX_RETURN_IF_ERROR(CheckPlainVar(scope.task_id(), "scope.task_id"));
  }
  return CheckBlock(scope.body(), "scope.body", 0);
}

// ---- Functions and the program

absl::Status NodeChecker::CheckFunctionKind(const v1::Function& function) {
  MX_RETURN_IF_ERROR(CheckEnum(function.type(), "type"));
  const FunctionType type = *EnumFromProto(function.type());
  if (function.level() != 0) {
    MX_RETURN_IF_ERROR(CheckEnum(function.level(), "level"));
    const auto implied = DerivedLevel(type);
    if (implied.has_value() && implied != EnumFromProto(function.level())) {
      return Refuse(kProtoValueRule, "level contradicts the type");
    }
  }
  if (function.role() != 0) {
    MX_RETURN_IF_ERROR(CheckEnum(function.role(), "role"));
    const auto implied = DerivedRole(type);
    if (implied.has_value() && implied != EnumFromProto(function.role())) {
      return Refuse(kProtoValueRule, "role contradicts the type");
    }
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckFunction(const v1::Function& function) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(function, where_));
  if ((KindOfString(function.name()) & kPlainName) == 0) {
    return Refuse(kProtoNameRule,
                  "name is not a name of letters, digits and _");
  }
  MX_RETURN_IF_ERROR(CheckFunctionKind(function));
  if (function.params_size() != function.directions_size()) {
    return Refuse(kProtoCountRule,
                  absl::StrCat(function.params_size(), " params, ",
                               function.directions_size(), " directions"));
  }
  MX_RETURN_IF_ERROR(CheckPlainVars(function.params(), "params"));
  for (int i = 0; i < function.directions_size(); ++i) {
    MX_RETURN_IF_ERROR(
        CheckEnum(function.directions(i), absl::StrCat("directions[", i, "]")));
    const bool scalar = (facts_[function.params(i)].uses & kUseScalar) != 0;
    if (scalar && function.directions(i) == v1::IN_OUT) {
      return Refuse(
          kProtoValueRule,
          absl::StrCat("directions[", i, "] is IN_OUT, of a scalar parameter"));
    }
  }
  MX_RETURN_IF_ERROR(
      ReferAll(function.return_types(), kUseType, "return_types"));
  if (function.attrs() != 0) {
    MX_RETURN_IF_ERROR(Refer(function.attrs(), kUseAttrs, "attrs"));
  }
  MX_RETURN_IF_ERROR(CheckSpan(function.span(), "span"));
  if (function.has_comments()) {
    MX_RETURN_IF_ERROR(CheckComments(function.comments()));
  }
  MX_RETURN_IF_ERROR(CheckBlock(function.body(), "body", 0));
  if (block_height_ - 1 > kProtoMaxBlockNesting) {
    return Refuse(kProtoLimitRule,
                  absl::StrCat("more than ", kProtoMaxBlockNesting,
                               " blocks stand inside each other"));
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckRest() {
  const v1::ProgramProto& rest = source_.rest();
  where_ = "name";
  if ((KindOfString(rest.name()) & kOneLine) == 0) {
    return Refuse(kProtoNameRule, "it has line breaks");
  }
  where_ = "dynamic_dims";
  for (int i = 0; i < rest.dynamic_dims_size(); ++i) {
    const uint32_t dim = rest.dynamic_dims(i);
    MX_RETURN_IF_ERROR(CheckPlainVar(dim, absl::StrCat("[", i, "]")));
    if ((facts_[dim].uses & kUseInteger) != 0) continue;
    return BadReference(dim, kDim, absl::StrCat("[", i, "]"));
  }
  where_ = "the program";
  if (rest.has_comments()) MX_RETURN_IF_ERROR(CheckComments(rest.comments()));
  for (int i = 0; i < rest.functions_size(); ++i) {
    where_ = absl::StrCat("functions[", i, "]");
    size_ = 0;
    block_height_ = 0;
    MX_RETURN_IF_ERROR(CheckFunction(rest.functions(i)));
    total_size_ += size_;
    if (i == 0 || rest.functions(i - 1).name() < rest.functions(i).name()) {
      continue;
    }
    return Refuse(kProtoFunctionRule,
                  "name must come behind that of the function before it");
  }
  where_ = "nodes";
  const uint64_t limit =
      kProtoMaxFreeSize + kProtoMaxSharing * source_.node_count();
  if (total_size_ > limit) {
    return Refuse(
        kProtoLimitRule,
        absl::StrCat("with its shared nodes written out the program "
                     "has ",
                     total_size_, " nodes; ", limit, " are allowed for ",
                     source_.node_count(), " rows"));
  }
  return absl::OkStatus();
}

}  // namespace mxtile::ir
