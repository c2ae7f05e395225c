// Tables, references, and what all nodes have.

#include "ir/proto/node_checker.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/proto/node_checker_internal.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {
namespace {

using N = v1::Node;

std::string UseName(uint16_t uses) {
  if ((uses & kKeywords) != 0) return "an ATTRS whose names are identifiers";
  if ((uses & kUseInteger) != 0) return "an expression of an integer type";
  if ((uses & kUseScalar) != 0) {
    return (uses & kUseType) != 0 ? "a SCALAR_TYPE"
                                  : "an expression of a scalar type";
  }
  if ((uses & kUseTuple) != 0) {
    return (uses & kUseType) != 0 ? "a TUPLE_TYPE"
                                  : "an expression of a tuple type";
  }
  if ((uses & kUseIterArg) != 0) return "an ITER_ARG";
  if ((uses & kUseVar) != 0) return "a variable";
  if ((uses & kUseType) != 0) return "a type";
  if ((uses & kUseExpr) != 0) return "an expression";
  if ((uses & kUseAttrValue) != 0) return "a value of an attribute";
  if ((uses & kUseAttrs) != 0) return "an ATTRS";
  return "a statement";
}

}  // namespace

uint8_t KindOfString(absl::string_view text) {
  uint8_t kind = kPlainName | kDottedName | kOneLine;
  bool at_start = true;
  for (const char c : text) {
    if (c == '.' && !at_start) {
      kind &= ~kPlainName;
      at_start = true;
      continue;
    }
    const bool fits = absl::ascii_isalpha(c) || c == '_' ||
                      (!at_start && absl::ascii_isdigit(c));
    if (!fits) {
      kind &= kOneLine;
      if (c == '\n' || c == '\r') return 0;
    }
    at_start = false;
  }
  return at_start ? kind & kOneLine : kind;
}

absl::Status NodeChecker::Refuse(absl::string_view rule,
                                 absl::string_view message) {
  const std::string where =
      !where_.empty()
          ? where_
          : absl::StrCat("nodes[", number_, "] (",
                         N::Kind_IsValid(kind_) ? N::Kind_Name(kind_)
                                                : absl::StrCat("kind ", kind_),
                         ")");
  return report_.Refuse(rule, absl::StrCat(where, ": ", message));
}

NodeChecker::NodeChecker(const ProgramSource& source, ProtoReport* report)
    : source_(source),
      report_(*report),
      node_reflection_(*N::GetReflection()) {}

// ---- Tables

absl::Status NodeChecker::CheckTables() {
  const v1::ProgramProto& rest = source_.rest();
  where_ = "format_version";
  if (rest.format_version() == 0) {
    return Refuse(kProtoVersionRule,
                  "it is missing, so that this is no program of mxtile");
  }
  if (rest.format_version() > kProtoFormatVersion) {
    return Refuse(
        kProtoVersionRule,
        absl::StrCat("the file has version ", rest.format_version(),
                     ", this mxtile reads up to version ", kProtoFormatVersion,
                     "; use the mxtile that wrote it, or newer"));
  }
  MX_RETURN_IF_ERROR(report_.CheckKnown(rest, "the program"));
  const auto& strings = source_.strings();
  string_kinds_.reserve(strings.size());
  for (size_t i = 0; i < strings.size(); ++i) {
    if (ValidUtf8Prefix(strings[i]) != strings[i].size()) {
      where_ = absl::StrCat("strings[", i, "]");
      return Refuse(kProtoFormRule, "it is not UTF-8");
    }
    string_kinds_.push_back(KindOfString(strings[i]));
  }
  if (strings.empty() || !strings[0].empty()) {
    where_ = "strings[0]";
    return Refuse(kProtoFieldsRule, "it must be there and be empty");
  }
  if (source_.node_count() == 0) {
    where_ = "nodes[0]";
    return Refuse(kProtoFieldsRule, "it must be there and be empty");
  }
  const v1::SpanTable& spans = rest.spans();
  MX_RETURN_IF_ERROR(report_.CheckKnown(spans, "spans"));
  span_count_ = spans.file_size();
  where_ = "spans";
  for (const int size : {spans.line_size(), spans.column_size(),
                         spans.more_lines_size(), spans.end_column_size()}) {
    if (size == span_count_) continue;
    return Refuse(kProtoCountRule, absl::StrCat("columns of ", span_count_,
                                                " and ", size, " rows"));
  }
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (int i = 0; i < span_count_; ++i) {
    const uint32_t file = spans.file(i);
    const int64_t end_line = int64_t{spans.line(i)} + spans.more_lines(i);
    const bool in_range = spans.line(i) <= kMax && spans.column(i) <= kMax &&
                          spans.end_column(i) <= kMax && end_line >= 0 &&
                          end_line <= kMax;
    if (file < strings.size() && (string_kinds_[file] & kOneLine) != 0 &&
        in_range) {
      continue;
    }
    where_ = absl::StrCat("spans[", i, "]");
    if (file >= strings.size()) {
      return Refuse(kProtoReferenceRule,
                    absl::StrCat("file is ", file, "; there are ",
                                 strings.size(), " strings"));
    }
    return in_range ? Refuse(kProtoNameRule, "file has line breaks")
                    : Refuse(kProtoValueRule, "a number is out of range");
  }
  for (int i = 0; i < rest.functions_size(); ++i) {
    function_names_.insert(rest.functions(i).name());
  }
  facts_.reserve(source_.node_count());
  where_.clear();
  return absl::OkStatus();
}

// ---- References

bool NodeChecker::Take(uint32_t ref, uint16_t uses) {
  if (ref >= facts_.size()) return false;
  const Facts& facts = facts_[ref];
  if ((facts.uses & uses) != uses) return false;
  size_ += facts.size;
  height_ = std::max<int>(height_, facts.height);
  depth_ = std::max<int>(depth_, facts.depth);
  return true;
}

absl::Status NodeChecker::BadReference(uint32_t ref, uint16_t uses,
                                       std::string field) {
  if (ref == 0) {
    return Refuse(kProtoFieldsRule,
                  absl::StrCat(field, " is missing; it is ", UseName(uses)));
  }
  if (ref >= facts_.size()) {
    return Refuse(
        kProtoReferenceRule,
        absl::StrCat(field, " is ", ref,
                     ref < source_.node_count()
                         ? "; a node refers to nodes before it only"
                         : absl::StrCat("; there are ", source_.node_count(),
                                        " nodes")));
  }
  return Refuse(kProtoKindRule, absl::StrCat(field, " is ", ref,
                                             ", which is not ", UseName(uses)));
}

absl::Status NodeChecker::Refer(uint32_t ref, uint16_t uses,
                                absl::string_view field) {
  if (Take(ref, uses)) return absl::OkStatus();
  return BadReference(ref, uses, std::string(field));
}

absl::Status NodeChecker::ReferAll(const Numbers& refs, uint16_t uses,
                                   absl::string_view field) {
  for (int i = 0; i < refs.size(); ++i) {
    if (!Take(refs[i], uses)) {
      return BadReference(refs[i], uses, absl::StrCat(field, "[", i, "]"));
    }
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckString(uint32_t number,
                                      absl::string_view field) {
  if (number < string_kinds_.size()) return absl::OkStatus();
  return Refuse(kProtoReferenceRule,
                absl::StrCat(field, " is ", number, "; there are ",
                             string_kinds_.size(), " strings"));
}

absl::Status NodeChecker::CheckName(uint32_t number, absl::string_view field,
                                    bool dotted) {
  MX_RETURN_IF_ERROR(CheckString(number, field));
  if ((string_kinds_[number] & (dotted ? kDottedName : kPlainName)) != 0) {
    return absl::OkStatus();
  }
  return Refuse(kProtoNameRule,
                absl::StrCat(field, " is strings[", number,
                             "], which is not a name of letters, digits and _",
                             dotted ? " with dots" : ""));
}

absl::Status NodeChecker::CheckSpan(uint32_t number, absl::string_view field) {
  if (number == 0 || number < span_count_) return absl::OkStatus();
  return Refuse(kProtoReferenceRule,
                absl::StrCat(field, " is ", number, "; there are ", span_count_,
                             " spans"));
}

absl::Status NodeChecker::CheckComments(const v1::Comments& comments) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(comments, "comments"));
  for (int i = 0; i < comments.lines_size(); ++i) {
    if ((KindOfString(comments.lines(i)) & kOneLine) != 0) continue;
    return Refuse(kProtoNameRule,
                  absl::StrCat("comments.lines[", i, "] has line breaks"));
  }
  return absl::OkStatus();
}

// ---- Nodes

absl::Status NodeChecker::CheckNode(uint32_t number, const v1::Node& node) {
  number_ = number;
  kind_ = node.kind();
  if (!node_reflection_.GetUnknownFields(node).empty()) {
    MX_RETURN_IF_ERROR(
        report_.CheckKnown(node, absl::StrCat("nodes[", number, "]")));
  }
  if (number == 0) return CheckEmpty(node);
  const NodeKind* kind = FindNodeKind(node.kind());
  if (kind == nullptr) {
    return Refuse(kProtoEnumRule, node.kind() == 0
                                      ? "kind is missing"
                                      : "this version does not know the kind");
  }
  now_ = Facts();
  now_.uses = kind->uses;
  size_ = 1;
  height_ = 0;
  depth_ = 0;
  block_height_ = 0;
  MX_RETURN_IF_ERROR(CheckFields(*kind, node));
  MX_RETURN_IF_ERROR(CheckFlatReferences(node));
  MX_RETURN_IF_ERROR(CheckDetail(node));
  return Conclude(*kind, node);
}

absl::Status NodeChecker::CheckEmpty(const v1::Node& node) {
  facts_.push_back(Facts());
  if (node.kind() == 0 && PresentFields(node) == 0 &&
      node.detail_case() == N::DETAIL_NOT_SET) {
    return absl::OkStatus();
  }
  return Refuse(kProtoFieldsRule, "it stands for \"none\" and must be empty");
}

absl::Status NodeChecker::CheckFields(const NodeKind& kind,
                                      const v1::Node& node) {
  const uint16_t fields = PresentFields(node);
  if ((fields & ~kind.allowed) != 0) {
    return Refuse(kProtoFieldsRule,
                  absl::StrCat("such a node has no ",
                               FieldNames(fields & ~kind.allowed)));
  }
  if ((kind.required & ~fields) != 0) {
    return Refuse(
        kProtoFieldsRule,
        absl::StrCat(FieldNames(kind.required & ~fields), " is missing"));
  }
  if (node.detail_case() != kind.detail) {
    const auto name = [](int field) -> std::string {
      const auto* found = N::descriptor()->FindFieldByNumber(field);
      return found == nullptr ? "no detail" : found->name();
    };
    return Refuse(kProtoFieldsRule,
                  absl::StrCat("such a node has ", name(kind.detail),
                               ", this one has ", name(node.detail_case())));
  }
  if (kind.arg_count >= 0 && node.args_size() != kind.arg_count) {
    return Refuse(kProtoCountRule,
                  absl::StrCat("args has ", node.args_size(),
                               " numbers; such a node takes ", kind.arg_count));
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckFlatReferences(const v1::Node& node) {
  const Numbers& args = node.args();
  const uint16_t arg_uses = kind_ == N::ATTR_LIST ? kUseAttrValue : kUseExpr;
  for (int i = 0; i < args.size(); ++i) {
    if (!Take(args[i], arg_uses)) {
      return BadReference(args[i], arg_uses, absl::StrCat("args[", i, "]"));
    }
  }
  if (node.value() != 0) {
    MX_RETURN_IF_ERROR(Refer(node.value(), kUseExpr, "value"));
  }
  if (node.kwargs() != 0) {
    MX_RETURN_IF_ERROR(Refer(node.kwargs(), kUseAttrs | kKeywords, "kwargs"));
  }
  if (node.attrs() != 0) {
    MX_RETURN_IF_ERROR(Refer(node.attrs(), kUseAttrs, "attrs"));
  }
  if (node.name() >= string_kinds_.size()) {
    return CheckString(node.name(), "name");
  }
  if ((now_.uses & kUseVar) != 0) {
    MX_RETURN_IF_ERROR(CheckName(node.name(), "name", /*dotted=*/false));
  }
  if (node.span() >= span_count_) {
    MX_RETURN_IF_ERROR(CheckSpan(node.span(), "span"));
  }
  if (node.has_comments()) return CheckComments(node.comments());
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckDetail(const v1::Node& node) {
  switch (node.kind()) {
    case N::SCALAR_TYPE:
    case N::TENSOR_TYPE:
    case N::DISTRIBUTED_TENSOR_TYPE:
    case N::TILE_TYPE:
    case N::ARRAY_TYPE:
    case N::TUPLE_TYPE:
      return CheckTypeDef(node);
    case N::CONST_INT:
    case N::CONST_FLOAT:
    case N::CONST_BOOL:
      return CheckConstant(node);
    case N::SUBMIT:
      MX_RETURN_IF_ERROR(CheckCallee(node));
      return CheckSubmit(node.submit());
    case N::CALL:
      return CheckCallee(node);
    case N::TUPLE:
    case N::TUPLE_ITEM:
    case N::BINARY:
    case N::UNARY:
    case N::CAST:
      return CheckTerm(node);
    case N::ATTR_INT:
      if (node.int_value() > 0) now_.uses |= kPositive;
      return absl::OkStatus();
    case N::ATTR_ENUM: {
      const v1::Enumerator& e = node.enumerator();
      MX_RETURN_IF_ERROR(report_.CheckKnown(e, "enumerator"));
      MX_RETURN_IF_ERROR(
          CheckName(e.enum_class(), "enumerator.enum_class", true));
      return CheckName(e.member(), "enumerator.member", false);
    }
    case N::ATTR_DATA_TYPE:
      return CheckEnum(node.dtype(), "dtype");
    case N::ATTRS:
      return CheckAttrList(node.attr_list());
    case N::ASSIGN:
      return CheckAssign(node);
    case N::EVAL:
      return CheckEval(node);
    case N::IF:
      return CheckIf(node.if_stmt());
    case N::FOR:
      return CheckFor(node.for_stmt());
    case N::WHILE:
      return CheckWhile(node.while_stmt());
    case N::SCOPE:
      return CheckScope(node.scope());
    case N::YIELD:
      now_.uses |= kYields;
      now_.aux = node.args_size();
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

// Whether a term that states an integer type has one as a dim, too: there the
// context gives it the type that its operands make.
bool NodeChecker::StaysInteger(const v1::Node& node) const {
  if (kind_ == N::BINARY) {
    const BinaryOp op = *EnumFromProto(node.binary_op());
    if (IsComparison(op) || IsLogical(op)) return false;
  } else if (kind_ == N::UNARY) {
    if (node.unary_op() == v1::NOT) return false;
  } else {
    return true;
  }
  for (const uint32_t arg : node.args()) {
    if ((facts_[arg].uses & kUseInteger) == 0) return false;
  }
  return true;
}

// What the node is to those that refer to it, and the limits.
absl::Status NodeChecker::Conclude(const NodeKind& kind, const v1::Node& node) {
  const bool is_stmt = (kind.uses & kUseStmt) != 0;
  const bool is_var = (now_.uses & kUseVar) != 0;
  int height = height_ + 1;
  if (kind_ == N::BINARY && now_.chain != 0) {
    const Facts& left = facts_[node.args(0)];
    const int left_height = left.height + (left.chain == now_.chain ? 0 : 1);
    height = std::max(left_height, facts_[node.args(1)].height + 1);
  } else if (size_ == 1 || kind_ == N::ATTRS || kind_ == N::ATTR_EXPR ||
             (is_stmt && node.op() == 0 && node.function() == 0)) {
    height = height_;
  }
  int depth = is_stmt || is_var ? 0 : depth_;
  if (node.type() != 0) {
    if (!Take(node.type(), kUseType)) {
      return BadReference(node.type(), kUseType, "type");
    }
    const Facts& type = facts_[node.type()];
    depth = std::max<int>(depth, type.depth);
    if ((now_.uses & kUseExpr) != 0) {
      now_.uses |= type.uses & (kUseScalar | kUseInteger | kUseTuple);
      if ((type.uses & kUseTuple) != 0) now_.aux = type.aux;
      if (!StaysInteger(node)) now_.uses &= ~kUseInteger;
    }
    // Each definition of a variable shows its type.
    if (!is_stmt && !is_var) size_ -= type.size;
  }
  if (kind_ == N::ITER_ARG) depth = std::max(depth, depth_) + 1;
  if ((kind.uses & kUseType) != 0) depth = depth_ + 1;
  if (height > kProtoMaxNesting || depth > kProtoMaxNesting) {
    return Refuse(kProtoLimitRule,
                  absl::StrCat("more than ", kProtoMaxNesting,
                               " nodes stand inside each other"));
  }
  if (block_height_ > kProtoMaxBlockNesting) {
    return Refuse(kProtoLimitRule,
                  absl::StrCat("more than ", kProtoMaxBlockNesting,
                               " blocks stand inside each other"));
  }
  if (is_stmt || is_var || (kind.uses & kUseType) != 0) total_size_ += size_;
  constexpr uint64_t kMaxSize = std::numeric_limits<uint32_t>::max();
  now_.size = is_stmt || is_var ? 1 : std::min(size_, kMaxSize);
  now_.height = is_var ? 0 : is_stmt ? block_height_ : height;
  now_.depth = depth;
  facts_.push_back(now_);
  return absl::OkStatus();
}

}  // namespace mxtile::ir
