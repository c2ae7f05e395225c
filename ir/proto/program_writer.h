#ifndef IR_PROTO_PROGRAM_WRITER_H_
#define IR_PROTO_PROGRAM_WRITER_H_

// Programs to their protobuf form (ir/proto/ir.proto);
// ir/proto/program_reader.h reads them back.
//
//   std::string bytes = SerializeProgram(*program);        // a .mxpb file
//   std::string text = PrintTextProto(*program);           // a .textproto file
//
// Programs that are equal, in names, spans and comments too, give the same
// bytes, and what was read from a file gives the file's bytes when mxtile wrote
// it. For that, types, constants, attributes and terms over scalars that say
// the same are one node, whether they were one object or not. Variables, calls
// and submits are one node an object. A statement that stands in two blocks is
// written twice.

#include <string>

#include "ir/program.h"
#include "ir/proto/ir.pb.h"

namespace mxtile::ir {

// What this version writes, and the newest that it reads.
inline constexpr int kProtoFormatVersion = 1;

v1::ProgramProto ToProto(const Program& program);

// The binary form.
std::string SerializeProgram(const Program& program);

// Protobuf's text format, a node a line with its number behind it.
std::string PrintTextProto(const Program& program);

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROGRAM_WRITER_H_
