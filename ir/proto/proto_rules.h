#ifndef IR_PROTO_PROTO_RULES_H_
#define IR_PROTO_PROTO_RULES_H_

// The rules that a file in the protobuf form must follow, by the ids that
// diagnostics carry. A message names table and row: "nodes[17] (ASSIGN): ...".

#include "absl/strings/string_view.h"

namespace mxtile::ir {

// The file is a message mxtile.ir.v1.ProgramProto, in binary or in protobuf's
// text format, of less than 2 GiB; strings are UTF-8.
inline constexpr absl::string_view kProtoFormRule = "MX-PROTO-1";

// format_version is there and is one that this reader knows.
inline constexpr absl::string_view kProtoVersionRule = "MX-PROTO-2";

// Every field is known. A reader may be asked to drop unknown ones instead, and
// warns.
inline constexpr absl::string_view kProtoUnknownFieldRule = "MX-PROTO-3";

// A number refers to a row that exists; of a node, to one before it.
inline constexpr absl::string_view kProtoReferenceRule = "MX-PROTO-4";

// A number refers to a row of the kind that the field asks for: a type, an
// expression, a variable, a statement ...
inline constexpr absl::string_view kProtoKindRule = "MX-PROTO-5";

// An enumerator is known, and not 0 where one is needed.
inline constexpr absl::string_view kProtoEnumRule = "MX-PROTO-6";

// A row has the fields of its kind and no others.
inline constexpr absl::string_view kProtoFieldsRule = "MX-PROTO-7";

// Lists that belong together have the same length; an operator has as many
// operands as it takes.
inline constexpr absl::string_view kProtoCountRule = "MX-PROTO-8";

// Nesting, and the size of the program when shared nodes are written out, stay
// within the limits of ir/proto/program_reader.h.
inline constexpr absl::string_view kProtoLimitRule = "MX-PROTO-9";

// A statement stands in one block, an ITER_ARG belongs to one loop.
inline constexpr absl::string_view kProtoOnceRule = "MX-PROTO-10";

// Values are in range: sizes not negative, an index inside its tuple, types of
// constants, a pipeline with its number of stages and nothing else with one.
inline constexpr absl::string_view kProtoValueRule = "MX-PROTO-11";

// Names are identifiers, those of operators with dots; comments and names of
// files and programs are one line.
inline constexpr absl::string_view kProtoNameRule = "MX-PROTO-12";

// Functions are ordered by name, and calls name one of them; attributes of one
// list differ in name.
inline constexpr absl::string_view kProtoFunctionRule = "MX-PROTO-13";

// A call has a type of the kind and element type that its operator gives
// (ir/proto/operator_check.h).
inline constexpr absl::string_view kProtoOperatorRule = "MX-PROTO-14";

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROTO_RULES_H_
