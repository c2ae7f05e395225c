#include "ir/proto/node_kind.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace mxtile::ir {
namespace {

using N = v1::Node;

constexpr uint16_t kCallee = kFieldOp | kFieldFunction;
constexpr uint16_t kCallFields =
    kCallee | kFieldArgs | kFieldKwargs | kFieldAttrs;
// What all expressions, and all statements, may have.
constexpr uint16_t kOfExpr = kFieldType | kFieldSpan;
constexpr uint16_t kOfStmt = kFieldSpan | kFieldComments;

constexpr NodeKind kKinds[] = {
    {N::SCALAR_TYPE, kUseType, 0, 0, N::kTypeDef, 0},
    {N::TENSOR_TYPE, kUseType, 0, 0, N::kTypeDef, 0},
    {N::DISTRIBUTED_TENSOR_TYPE, kUseType, 0, 0, N::kTypeDef, 0},
    {N::TILE_TYPE, kUseType, 0, 0, N::kTypeDef, 0},
    {N::ARRAY_TYPE, kUseType, 0, 0, N::kTypeDef, 0},
    {N::TUPLE_TYPE, kUseType | kUseTuple, 0, 0, N::kTypeDef, 0},
    // What an operator that nobody knows gives may be a number.
    {N::UNKNOWN_TYPE, kUseType | kUseScalar | kUseInteger, 0, 0,
     N::DETAIL_NOT_SET, 0},
    {N::PTR_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::MEM_REF_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::WINDOW_BUFFER_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::COMM_CTX_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::PREFETCH_ASYNC_CONTEXT_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::ASYNC_EVENT_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},
    {N::ASYNC_SESSION_TYPE, kUseType, 0, 0, N::DETAIL_NOT_SET, 0},

    {N::VAR, kUseExpr | kUseVar, kFieldType | kFieldName, kOfExpr | kFieldName,
     N::DETAIL_NOT_SET, 0},
    {N::ITER_ARG, kUseExpr | kUseVar | kUseIterArg,
     kFieldType | kFieldName | kFieldValue, kOfExpr | kFieldName | kFieldValue,
     N::DETAIL_NOT_SET, 0},
    {N::CONST_INT, kUseExpr, kFieldType, kFieldType, N::kIntValue, 0},
    {N::CONST_FLOAT, kUseExpr, kFieldType, kFieldType, N::kFloatValue, 0},
    {N::CONST_BOOL, kUseExpr, kFieldType, kFieldType, N::kBoolValue, 0},
    {N::CALL, kUseExpr, kFieldType, kOfExpr | kCallFields, N::DETAIL_NOT_SET,
     -1},
    {N::SUBMIT, kUseExpr, kFieldType | kFieldFunction,
     kOfExpr | (kCallFields & ~kFieldOp), N::kSubmit, -1},
    {N::TUPLE, kUseExpr, kFieldType, kOfExpr | kFieldArgs, N::DETAIL_NOT_SET,
     -1},
    {N::TUPLE_ITEM, kUseExpr, kFieldType, kOfExpr | kFieldArgs, N::kIntValue,
     1},
    {N::BINARY, kUseExpr, kFieldType, kOfExpr | kFieldArgs, N::kBinaryOp, 2},
    {N::UNARY, kUseExpr, kFieldType, kOfExpr | kFieldArgs, N::kUnaryOp, 1},
    {N::CAST, kUseExpr, kFieldType, kOfExpr | kFieldArgs, N::DETAIL_NOT_SET, 1},

    {N::ATTR_INT, kUseAttrValue, 0, 0, N::kIntValue, 0},
    {N::ATTR_FLOAT, kUseAttrValue, 0, 0, N::kFloatValue, 0},
    {N::ATTR_BOOL, kUseAttrValue, 0, 0, N::kBoolValue, 0},
    {N::ATTR_STRING, kUseAttrValue, 0, kFieldName, N::DETAIL_NOT_SET, 0},
    {N::ATTR_ENUM, kUseAttrValue, 0, 0, N::kEnumerator, 0},
    {N::ATTR_DATA_TYPE, kUseAttrValue, 0, 0, N::kDtype, 0},
    {N::ATTR_EXPR, kUseAttrValue, kFieldValue, kFieldValue, N::DETAIL_NOT_SET,
     0},
    {N::ATTR_LIST, kUseAttrValue, 0, kFieldArgs, N::DETAIL_NOT_SET, -1},
    {N::ATTRS, kUseAttrs, 0, 0, N::kAttrList, 0},

    // Which of its uses an ASSIGN has, and which fields, depends on `var`.
    {N::ASSIGN, kUseStmt, 0,
     kOfStmt | kCallFields | kFieldType | kFieldName | kFieldVar | kFieldValue |
         kFieldValueType | kFieldVarSpan | kFieldValueSpan,
     N::DETAIL_NOT_SET, -1},
    {N::EVAL, kUseStmt, 0,
     kOfStmt | kCallFields | kFieldType | kFieldValue | kFieldValueSpan,
     N::DETAIL_NOT_SET, -1},
    {N::IF, kUseStmt, 0, kOfStmt, N::kIfStmt, 0},
    {N::FOR, kUseStmt, 0, kOfStmt, N::kForStmt, 0},
    {N::WHILE, kUseStmt, 0, kOfStmt, N::kWhileStmt, 0},
    {N::YIELD, kUseStmt, 0, kOfStmt | kFieldArgs, N::DETAIL_NOT_SET, -1},
    {N::RETURN, kUseStmt, 0, kOfStmt | kFieldArgs, N::DETAIL_NOT_SET, -1},
    {N::BREAK, kUseStmt, 0, kOfStmt, N::DETAIL_NOT_SET, 0},
    {N::CONTINUE, kUseStmt, 0, kOfStmt, N::DETAIL_NOT_SET, 0},
    {N::SCOPE, kUseStmt, 0, kOfStmt, N::kScope, 0},
};

// In the order of the bits.
constexpr absl::string_view kFieldNames[] = {
    "type",  "name",     "op",         "args",    "kwargs",
    "value", "var",      "function",   "attrs",   "value_type",
    "span",  "var_span", "value_span", "comments"};

struct Marker {
  N::Kind kind;
  TypeKind type;
};
constexpr Marker kMarkers[] = {
    {N::UNKNOWN_TYPE, TypeKind::kUnknown},
    {N::PTR_TYPE, TypeKind::kPtr},
    {N::MEM_REF_TYPE, TypeKind::kMemRefType},
    {N::WINDOW_BUFFER_TYPE, TypeKind::kWindowBuffer},
    {N::COMM_CTX_TYPE, TypeKind::kCommCtx},
    {N::PREFETCH_ASYNC_CONTEXT_TYPE, TypeKind::kPrefetchAsyncContext},
    {N::ASYNC_EVENT_TYPE, TypeKind::kAsyncEvent},
    {N::ASYNC_SESSION_TYPE, TypeKind::kAsyncSession},
};

using KindIndex = std::array<const NodeKind*, N::Kind_MAX + 1>;

KindIndex MakeIndex() {
  KindIndex index = {};
  for (const NodeKind& kind : kKinds) index[kind.kind] = &kind;
  return index;
}

}  // namespace

const NodeKind* FindNodeKind(v1::Node::Kind kind) {
  static const KindIndex index = MakeIndex();
  return kind >= 0 && kind <= N::Kind_MAX ? index[kind] : nullptr;
}

uint16_t PresentFields(const v1::Node& node) {
  return (node.type() != 0 ? kFieldType : 0) |
         (node.name() != 0 ? kFieldName : 0) | (node.op() != 0 ? kFieldOp : 0) |
         (node.args_size() != 0 ? kFieldArgs : 0) |
         (node.kwargs() != 0 ? kFieldKwargs : 0) |
         (node.value() != 0 ? kFieldValue : 0) |
         (node.var() != 0 ? kFieldVar : 0) |
         (node.function() != 0 ? kFieldFunction : 0) |
         (node.attrs() != 0 ? kFieldAttrs : 0) |
         (node.value_type() != 0 ? kFieldValueType : 0) |
         (node.span() != 0 ? kFieldSpan : 0) |
         (node.var_span() != 0 ? kFieldVarSpan : 0) |
         (node.value_span() != 0 ? kFieldValueSpan : 0) |
         (node.has_comments() ? kFieldComments : 0);
}

std::string FieldNames(uint16_t fields) {
  std::string names;
  for (int bit = 0; bit < 14; ++bit) {
    if ((fields >> bit & 1) == 0) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", kFieldNames[bit]);
  }
  return names;
}

TypeKind MarkerOfNodeKind(v1::Node::Kind kind) {
  for (const Marker& marker : kMarkers) {
    if (marker.kind == kind) return marker.type;
  }
  return TypeKind::kTuple;
}

v1::Node::Kind NodeKindOfMarker(TypeKind type) {
  for (const Marker& marker : kMarkers) {
    if (marker.type == type) return marker.kind;
  }
  return N::KIND_UNSPECIFIED;
}

}  // namespace mxtile::ir
