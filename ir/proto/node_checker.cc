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
#include "google/protobuf/unknown_field_set.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {
namespace {

using N = v1::Node;

// Bits of Facts::uses beside NodeUse.
constexpr uint16_t kPlaced = 1 << 10;    // Stands in a block or loop.
constexpr uint16_t kNegative = 1 << 11;  // A CONST_INT below 0.
constexpr uint16_t kYields = 1 << 12;    // A YIELD.
constexpr uint16_t kKeywords = 1 << 13;  // ATTRS whose names are identifiers.
constexpr uint16_t kStages = 1 << 14;    // ATTRS with pipeline_stages > 0.
constexpr uint16_t kPositive = 1 << 15;  // An ATTR_INT above 0.

constexpr uint16_t kDim = kUseExpr | kUseScalar | kUseInteger;
constexpr uint16_t kScalarExpr = kUseExpr | kUseScalar;
constexpr absl::string_view kStagesName = "pipeline_stages";

// Bits of string_kinds_.
enum StringKind : uint8_t { kPlainName = 1, kDottedName = 2, kOneLine = 4 };

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

// Operators with the same number print without brackets in a chain to the left
// (ir/text/term_printer.h).
uint8_t ChainOf(v1::BinaryOp op) {
  switch (op) {
    case v1::ADD:
    case v1::SUB:
      return 1;
    case v1::MUL:
    case v1::FLOOR_DIV:
    case v1::FLOOR_MOD:
    case v1::FLOAT_DIV:
      return 2;
    case v1::SHIFT_L:
    case v1::SHIFT_R:
      return 3;
    case v1::AND:
      return 4;
    case v1::OR:
      return 5;
    case v1::BIT_AND:
      return 6;
    case v1::BIT_OR:
      return 7;
    case v1::BIT_XOR:
      return 8;
    default:
      return 0;
  }
}

bool FitsInt64(uint64_t value) {
  return value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

}  // namespace

// ---- Reports

absl::Status ProtoReport::Refuse(absl::string_view rule,
                                 absl::string_view message) {
  sink_.Error(rule, span_, message);
  return sink_.ToStatus();
}

absl::Status ProtoReport::CheckKnown(const google::protobuf::Message& message,
                                     absl::string_view where) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const std::string text =
        absl::StrCat(where, ": unknown field ", unknown.field(i).number(),
                     " of ", message.GetDescriptor()->name());
    if (!drop_unknown_fields_) {
      return Refuse(kProtoUnknownFieldRule,
                    absl::StrCat(text,
                                 "; a newer mxtile wrote it, or the file is "
                                 "damaged"));
    }
    if (++dropped_ <= kMaxWarnings) {
      sink_.Warning(kProtoUnknownFieldRule, span_,
                    absl::StrCat(text, " is dropped"));
    }
  }
  return absl::OkStatus();
}

void ProtoReport::Close() {
  if (dropped_ <= kMaxWarnings) return;
  sink_.Warning(kProtoUnknownFieldRule, span_,
                absl::StrCat(dropped_ - kMaxWarnings,
                             " more unknown fields are dropped"));
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

template <typename E>
absl::Status NodeChecker::CheckEnum(E value, absl::string_view field) {
  if (EnumFromProto(value).has_value()) return absl::OkStatus();
  return Refuse(kProtoEnumRule,
                value == E(0)
                    ? absl::StrCat(field, " is missing")
                    : absl::StrCat(field, " is ", static_cast<int>(value),
                                   ", which this version does not know"));
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

// ---- Types

absl::Status NodeChecker::CheckDims(const Numbers& dims,
                                    absl::string_view field) {
  return ReferAll(dims, kDim, field);
}

absl::Status NodeChecker::CheckRank(const Numbers& list, int rank,
                                    absl::string_view field) {
  if (list.empty() || list.size() == rank) return absl::OkStatus();
  return Refuse(kProtoCountRule, absl::StrCat(field, " has ", list.size(),
                                              " dims, shape has ", rank));
}

// The fields of a TypeDef that kinds of types have: as bits.
absl::Status NodeChecker::CheckTypeFields(const v1::Node& node) {
  const v1::TypeDef& def = node.type_def();
  enum { kDtype = 1, kShape = 2, kSpace = 4, kMemRef = 8 };
  enum { kTensor = 16, kTile = 32, kExtent = 64, kElements = 128 };
  constexpr absl::string_view kNames[] = {
      "dtype",       "shape",     "memory_space", "memref",
      "tensor_view", "tile_view", "extent",       "elements"};
  const int present =
      (def.dtype() != 0 ? kDtype : 0) | (def.shape_size() != 0 ? kShape : 0) |
      (def.memory_space() != 0 ? kSpace : 0) |
      (def.has_memref() ? kMemRef : 0) | (def.has_tensor_view() ? kTensor : 0) |
      (def.has_tile_view() ? kTile : 0) | (def.extent() != 0 ? kExtent : 0) |
      (def.elements_size() != 0 ? kElements : 0);
  int allowed = kDtype;
  switch (kind_) {
    case N::TENSOR_TYPE:
    case N::DISTRIBUTED_TENSOR_TYPE:
      allowed |= kShape | kMemRef | kTensor;
      break;
    case N::TILE_TYPE:
      allowed |= kShape | kSpace | kMemRef | kTile;
      break;
    case N::ARRAY_TYPE:
      allowed |= kExtent;
      break;
    case N::TUPLE_TYPE:
      allowed = kElements;
      break;
    default:
      break;
  }
  for (int bit = 0; bit < 8; ++bit) {
    if (((present & ~allowed) >> bit & 1) == 0) continue;
    return Refuse(kProtoFieldsRule,
                  absl::StrCat("type_def.", kNames[bit],
                               " does not belong to such a type"));
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckTypeDef(const v1::Node& node) {
  const v1::TypeDef& def = node.type_def();
  MX_RETURN_IF_ERROR(report_.CheckKnown(def, "type_def"));
  MX_RETURN_IF_ERROR(CheckTypeFields(node));
  if (kind_ == N::TUPLE_TYPE) {
    now_.aux = def.elements_size();
    return ReferAll(def.elements(), kUseType, "type_def.elements");
  }
  MX_RETURN_IF_ERROR(CheckEnum(def.dtype(), "type_def.dtype"));
  if (kind_ == N::SCALAR_TYPE) {
    now_.uses |= kUseScalar;
    if (IsInteger(*EnumFromProto(def.dtype()))) now_.uses |= kUseInteger;
    now_.aux = def.dtype();
    return absl::OkStatus();
  }
  if (def.extent() < 0) {
    return Refuse(kProtoValueRule,
                  absl::StrCat("type_def.extent is ", def.extent()));
  }
  MX_RETURN_IF_ERROR(CheckDims(def.shape(), "type_def.shape"));
  for (const uint32_t dim : def.shape()) {
    if ((facts_[dim].uses & kNegative) == 0) continue;
    return Refuse(kProtoValueRule, absl::StrCat("type_def.shape has the dim ",
                                                dim, ", which is negative"));
  }
  if (def.memory_space() != 0) {
    MX_RETURN_IF_ERROR(CheckEnum(def.memory_space(), "type_def.memory_space"));
  }
  if (def.has_memref()) MX_RETURN_IF_ERROR(CheckMemRef(def.memref()));
  if (def.has_tensor_view()) {
    return CheckTensorView(def.tensor_view(), def.shape_size());
  }
  if (def.has_tile_view()) {
    return CheckTileView(def.tile_view(), def.shape_size());
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckMemRef(const v1::MemRef& memref) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(memref, "memref"));
  MX_RETURN_IF_ERROR(Refer(memref.base(), kUseVar, "memref.base"));
  if (memref.byte_offset() != 0) {
    MX_RETURN_IF_ERROR(Refer(memref.byte_offset(), kDim, "memref.byte_offset"));
  }
  if (memref.slot_index() != 0) {
    MX_RETURN_IF_ERROR(Refer(memref.slot_index(), kDim, "memref.slot_index"));
  }
  for (const uint64_t size : {memref.size_bytes(), memref.slot_count()}) {
    if (FitsInt64(size)) continue;
    return Refuse(kProtoValueRule,
                  absl::StrCat("memref has the size or count ", size));
  }
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckTensorView(const v1::TensorView& view,
                                          int rank) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(view, "tensor_view"));
  MX_RETURN_IF_ERROR(CheckDims(view.stride(), "tensor_view.stride"));
  MX_RETURN_IF_ERROR(CheckDims(view.valid_shape(), "tensor_view.valid_shape"));
  MX_RETURN_IF_ERROR(CheckRank(view.stride(), rank, "tensor_view.stride"));
  MX_RETURN_IF_ERROR(
      CheckRank(view.valid_shape(), rank, "tensor_view.valid_shape"));
  MX_RETURN_IF_ERROR(CheckEnum(view.layout(), "tensor_view.layout"));
  return CheckEnum(view.pad(), "tensor_view.pad");
}

absl::Status NodeChecker::CheckTileView(const v1::TileView& view, int rank) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(view, "tile_view"));
  MX_RETURN_IF_ERROR(CheckDims(view.valid_shape(), "tile_view.valid_shape"));
  MX_RETURN_IF_ERROR(CheckDims(view.stride(), "tile_view.stride"));
  MX_RETURN_IF_ERROR(
      CheckRank(view.valid_shape(), rank, "tile_view.valid_shape"));
  MX_RETURN_IF_ERROR(CheckRank(view.stride(), rank, "tile_view.stride"));
  if (view.start_offset() != 0) {
    MX_RETURN_IF_ERROR(
        Refer(view.start_offset(), kDim, "tile_view.start_offset"));
  }
  MX_RETURN_IF_ERROR(CheckEnum(view.blayout(), "tile_view.blayout"));
  MX_RETURN_IF_ERROR(CheckEnum(view.slayout(), "tile_view.slayout"));
  if (!FitsInt64(view.fractal())) {
    return Refuse(kProtoValueRule,
                  absl::StrCat("tile_view.fractal is ", view.fractal()));
  }
  MX_RETURN_IF_ERROR(CheckEnum(view.pad(), "tile_view.pad"));
  return CheckEnum(view.compact(), "tile_view.compact");
}

// ---- Expressions

absl::Status NodeChecker::CheckConstant(const v1::Node& node) {
  const uint32_t type = node.type();
  if (type >= facts_.size() || (facts_[type].uses & kUseType) == 0) {
    return BadReference(type, kUseType, "type");
  }
  const auto dtype = (facts_[type].uses & kUseScalar) != 0
                         ? EnumFromProto(v1::DataType(facts_[type].aux))
                         : std::nullopt;
  const bool is_float = dtype.has_value() && IsFloat(*dtype);
  const bool fits = dtype.has_value() &&
                    (kind_ == N::CONST_INT     ? !is_float
                     : kind_ == N::CONST_FLOAT ? is_float
                                               : dtype == DataType::kBool);
  if (!fits) {
    return Refuse(
        kProtoValueRule,
        absl::StrCat("type is ", type,
                     kind_ == N::CONST_INT ? ", which is not an integer scalar"
                     : kind_ == N::CONST_FLOAT
                         ? ", which is not a floating-point scalar"
                         : ", which is not a BOOL scalar"));
  }
  if (kind_ == N::CONST_INT && node.int_value() < 0) now_.uses |= kNegative;
  return absl::OkStatus();
}

absl::Status NodeChecker::CheckTerm(const v1::Node& node) {
  const uint32_t type = node.type();
  if (type >= facts_.size() || (facts_[type].uses & kUseType) == 0) {
    return BadReference(type, kUseType, "type");
  }
  if (kind_ == N::TUPLE) {
    const bool is_tuple = (facts_[type].uses & kUseTuple) != 0;
    if (!is_tuple) return BadReference(type, kUseType | kUseTuple, "type");
    if (facts_[type].aux == node.args_size()) return absl::OkStatus();
    return Refuse(kProtoCountRule,
                  absl::StrCat(node.args_size(), " args for a tuple type of ",
                               facts_[type].aux));
  }
  const Facts& first = facts_[node.args(0)];
  if (kind_ == N::TUPLE_ITEM) {
    const bool is_tuple = (first.uses & kUseTuple) != 0;
    if (node.int_value() >= 0 && (!is_tuple || node.int_value() < first.aux)) {
      return absl::OkStatus();
    }
    return Refuse(kProtoValueRule,
                  is_tuple
                      ? absl::StrCat("int_value is ", node.int_value(),
                                     "; the tuple has ", first.aux, " elements")
                      : absl::StrCat("int_value is ", node.int_value()));
  }
  const bool is_scalar = (facts_[type].uses & kUseScalar) != 0;
  // Nothing is cast to the unknown type.
  if (!is_scalar || (kind_ == N::CAST && facts_[type].aux == 0)) {
    return BadReference(type, kUseType | kUseScalar, "type");
  }
  for (int i = 0; i < node.args_size(); ++i) {
    if ((facts_[node.args(i)].uses & kUseScalar) != 0) continue;
    return BadReference(node.args(i), kScalarExpr,
                        absl::StrCat("args[", i, "]"));
  }
  if (kind_ == N::BINARY) {
    now_.chain = ChainOf(node.binary_op());
    return CheckEnum(node.binary_op(), "binary_op");
  }
  return kind_ == N::UNARY ? CheckEnum(node.unary_op(), "unary_op")
                           : absl::OkStatus();
}

absl::Status NodeChecker::CheckCallee(const v1::Node& node) {
  if ((node.op() != 0) == (node.function() != 0)) {
    return Refuse(kProtoFieldsRule, "a call has either op or function");
  }
  if (node.op() != 0) return CheckName(node.op(), "op", /*dotted=*/true);
  MX_RETURN_IF_ERROR(CheckString(node.function(), "function"));
  const absl::string_view name = source_.strings()[node.function()];
  if (function_names_.contains(name)) return absl::OkStatus();
  return Refuse(kProtoFunctionRule,
                absl::StrCat("function is strings[", node.function(),
                             "]; the program has no function of that name"));
}

absl::Status NodeChecker::CheckSubmit(const v1::Submit& submit) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(submit, "submit"));
  MX_RETURN_IF_ERROR(ReferAll(submit.deps(), kUseExpr, "submit.deps"));
  if (submit.core_num() != 0) {
    MX_RETURN_IF_ERROR(Refer(submit.core_num(), kUseExpr, "submit.core_num"));
  }
  if (submit.predicate() == 0) return absl::OkStatus();
  return Refer(submit.predicate(), kUseExpr, "submit.predicate");
}

absl::Status NodeChecker::CheckAttrList(const v1::AttrList& list) {
  MX_RETURN_IF_ERROR(report_.CheckKnown(list, "attr_list"));
  if (list.names_size() != list.values_size()) {
    return Refuse(kProtoCountRule,
                  absl::StrCat("attr_list has ", list.names_size(),
                               " names and ", list.values_size(), " values"));
  }
  MX_RETURN_IF_ERROR(
      ReferAll(list.values(), kUseAttrValue, "attr_list.values"));
  absl::flat_hash_set<absl::string_view> seen;
  now_.uses |= kKeywords;
  for (int i = 0; i < list.names_size(); ++i) {
    const uint32_t number = list.names(i);
    MX_RETURN_IF_ERROR(
        CheckString(number, absl::StrCat("attr_list.names[", i, "]")));
    const absl::string_view name = source_.strings()[number];
    if (!seen.insert(name).second) {
      return Refuse(kProtoFunctionRule,
                    absl::StrCat("attr_list.names[", i, "] is strings[", number,
                                 "], a name that stands there already"));
    }
    if ((string_kinds_[number] & kPlainName) == 0) now_.uses &= ~kKeywords;
    if (name != kStagesName) continue;
    if ((facts_[list.values(i)].uses & kPositive) == 0) {
      return Refuse(kProtoValueRule,
                    "pipeline_stages is not a positive ATTR_INT");
    }
    now_.uses |= kStages;
  }
  return absl::OkStatus();
}

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
