#ifndef IR_PROTO_EVERY_NODE_TEST_UTIL_H_
#define IR_PROTO_EVERY_NODE_TEST_UTIL_H_

// A program for tests in which every kind of node, every field and every
// enumerator of ir/proto/ir.proto stands.
//
//   Context context(&StandardOps());
//   const Program* program = EveryNodeProgram(&context);

#include <string>

#include "ir/context.h"
#include "ir/program.h"
#include "ir/proto/ir.pb.h"

namespace mxtile::ir {

// Made by hand: some of it has no text form, and calls are of operators that
// nobody knows.
const Program* EveryNodeProgram(Context* context);

// What reading the message reports, "RULE: message" a line; with nothing to
// report, "" and the message that is written for the program that was read.
struct ProtoOutcome {
  std::string errors;
  v1::ProgramProto again;
};
ProtoOutcome ReadAndWrite(const v1::ProgramProto& proto);

}  // namespace mxtile::ir

#endif  // IR_PROTO_EVERY_NODE_TEST_UTIL_H_
