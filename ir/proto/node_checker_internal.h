#ifndef IR_PROTO_NODE_CHECKER_INTERNAL_H_
#define IR_PROTO_NODE_CHECKER_INTERNAL_H_

// What the parts of the node checker share. Part of ir/proto/node_checker.h,
// not for other uses.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/proto/ir.pb.h"
#include "ir/proto/node_checker.h"
#include "ir/proto/node_kind.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {

// Bits of Facts::uses beside NodeUse.
inline constexpr uint16_t kPlaced = 1 << 10;    // Stands in a block or loop.
inline constexpr uint16_t kNegative = 1 << 11;  // A CONST_INT below 0.
inline constexpr uint16_t kYields = 1 << 12;    // A YIELD.
inline constexpr uint16_t kKeywords =
    1 << 13;  // ATTRS whose names are identifiers.
inline constexpr uint16_t kStages = 1 << 14;  // ATTRS with pipeline_stages > 0.
inline constexpr uint16_t kPositive = 1 << 15;  // An ATTR_INT above 0.

inline constexpr uint16_t kDim = kUseExpr | kUseScalar | kUseInteger;
inline constexpr uint16_t kScalarExpr = kUseExpr | kUseScalar;

// Bits of string_kinds_.
enum StringKind : uint8_t { kPlainName = 1, kDottedName = 2, kOneLine = 4 };

// The StringKind bits that hold of the text.
uint8_t KindOfString(absl::string_view text);

template <typename E>
absl::Status NodeChecker::CheckEnum(E value, absl::string_view field) {
  if (EnumFromProto(value).has_value()) return absl::OkStatus();
  return Refuse(kProtoEnumRule,
                value == E(0)
                    ? absl::StrCat(field, " is missing")
                    : absl::StrCat(field, " is ", static_cast<int>(value),
                                   ", which this version does not know"));
}

}  // namespace mxtile::ir

#endif  // IR_PROTO_NODE_CHECKER_INTERNAL_H_
