// The checks of types and expressions.

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/data_type.h"
#include "ir/proto/node_checker.h"
#include "ir/proto/node_checker_internal.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {
namespace {

using N = v1::Node;

constexpr absl::string_view kStagesName = "pipeline_stages";

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

}  // namespace mxtile::ir
