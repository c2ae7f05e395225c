#ifndef IR_PROTO_NODE_CHECKER_H_
#define IR_PROTO_NODE_CHECKER_H_

// Checks the rows of a file, in order, before anything is built from them.
//
//   NodeChecker checker(source, options, &report);
//   MX_RETURN_IF_ERROR(source.ForEachNode(
//       [&](uint32_t number, const v1::Node& node) {
//         return checker.CheckNode(number, node);
//       }));
//   MX_RETURN_IF_ERROR(checker.CheckRest());
//
// After that every number, enumerator and count that ir/proto/node_builder.h
// looks at is good. The rules: ir/proto/proto_rules.h.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"
#include "ir/proto/ir.pb.h"
#include "ir/proto/node_kind.h"
#include "ir/proto/program_source.h"
#include "ir/proto/proto_report.h"

namespace mxtile::ir {

class NodeChecker {
 public:
  NodeChecker(const ProgramSource& source, ProtoReport* report);

  // Of strings, version and spans; before all nodes.
  absl::Status CheckTables();
  // In order, from 0 on.
  absl::Status CheckNode(uint32_t number, const v1::Node& node);
  // Of functions and all that refers to nodes; after them.
  absl::Status CheckRest();

 private:
  using Numbers = google::protobuf::RepeatedField<uint32_t>;

  // What is known about a node.
  struct Facts {
    uint16_t uses = 0;   // NodeUse, and bits of the checker's own.
    uint8_t height = 0;  // Steps of nesting below it.
    uint8_t depth = 0;   // Types and initial values on a way through it.
    // Nodes, when shared ones are counted each time.
    uint32_t size = 1;
    // Of a scalar type: its v1::DataType. Of a tuple type, and an expression of
    // one: its elements. Of a YIELD: its values.
    uint32_t aux = 0;
    // Of a BINARY: operators with the same number bind alike, and stand to the
    // right of each other without brackets. 0: none does.
    uint8_t chain = 0;
  };

  // The checks of one node; each returns OK or what it has reported.
  absl::Status CheckEmpty(const v1::Node& node);
  absl::Status CheckFields(const NodeKind& kind, const v1::Node& node);
  absl::Status CheckFlatReferences(const v1::Node& node);
  absl::Status CheckDetail(const v1::Node& node);
  absl::Status CheckTypeDef(const v1::Node& node);
  absl::Status CheckTypeFields(const v1::Node& node);
  absl::Status CheckMemRef(const v1::MemRef& memref);
  absl::Status CheckTensorView(const v1::TensorView& view, int rank);
  absl::Status CheckTileView(const v1::TileView& view, int rank);
  absl::Status CheckDims(const Numbers& dims, absl::string_view field);
  absl::Status CheckRank(const Numbers& list, int rank,
                         absl::string_view field);
  absl::Status CheckConstant(const v1::Node& node);
  absl::Status CheckTerm(const v1::Node& node);
  absl::Status CheckSubmit(const v1::Submit& submit);
  absl::Status CheckAttrList(const v1::AttrList& list);
  absl::Status CheckAssign(const v1::Node& node);
  absl::Status CheckEval(const v1::Node& node);
  absl::Status CheckCallee(const v1::Node& node);
  absl::Status CheckIf(const v1::If& branch);
  absl::Status CheckFor(const v1::For& loop);
  absl::Status CheckStages(const v1::For& loop);
  absl::Status CheckWhile(const v1::While& loop);
  absl::Status CheckScope(const v1::Scope& scope);
  absl::Status CheckIterArgs(const Numbers& iter_args, int results);
  absl::Status CheckPlainVars(const Numbers& vars, absl::string_view field);
  absl::Status CheckPlainVar(uint32_t var, absl::string_view field);
  absl::Status CheckBlock(const Numbers& block, absl::string_view field,
                          int results);
  absl::Status CheckFunction(const v1::Function& function);
  absl::Status CheckFunctionKind(const v1::Function& function);
  absl::Status CheckComments(const v1::Comments& comments);
  bool StaysInteger(const v1::Node& node) const;
  absl::Status Conclude(const NodeKind& kind, const v1::Node& node);

  // Whether the number is that of an earlier node with all these uses. Counts
  // its size, height and depth into those of the node at hand.
  bool Take(uint32_t ref, uint16_t uses);
  absl::Status Refer(uint32_t ref, uint16_t uses, absl::string_view field);
  absl::Status ReferAll(const Numbers& refs, uint16_t uses,
                        absl::string_view field);
  absl::Status BadReference(uint32_t ref, uint16_t uses, std::string field);
  absl::Status CheckString(uint32_t number, absl::string_view field);
  // A name of letters, digits and "_"; with `dotted`, several with dots.
  absl::Status CheckName(uint32_t number, absl::string_view field, bool dotted);
  absl::Status CheckSpan(uint32_t number, absl::string_view field);
  template <typename E>
  absl::Status CheckEnum(E value, absl::string_view field);
  absl::Status Refuse(absl::string_view rule, absl::string_view message);

  const ProgramSource& source_;
  ProtoReport& report_;
  const google::protobuf::Reflection& node_reflection_;
  std::vector<Facts> facts_;
  // Of each string, whether it is a name.
  std::vector<uint8_t> string_kinds_;
  absl::flat_hash_set<absl::string_view> function_names_;
  uint64_t span_count_ = 0;
  uint64_t total_size_ = 0;

  // The node at hand, or a function.
  std::string where_;
  v1::Node::Kind kind_ = v1::Node::KIND_UNSPECIFIED;
  uint32_t number_ = 0;
  uint64_t size_ = 0;
  int height_ = 0;
  int depth_ = 0;
  int block_height_ = 0;
  Facts now_;
};

}  // namespace mxtile::ir

#endif  // IR_PROTO_NODE_CHECKER_H_
