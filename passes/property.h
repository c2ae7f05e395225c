#ifndef PASSES_PROPERTY_H_
#define PASSES_PROPERTY_H_

// Properties of programs that passes require and produce, each with a check.
//
//   DiagnosticSink sink;
//   VerifyProperty(Property::kTileMemoryInferred, *program, &sink);
//
// PyPTO's name, in CamelCase, is in the second column; some are ours alone.
// "In-core" are functions of type InCore, AIC and AIV.
//
// | property              | PyPTO               | holds when                  |
// |-----------------------|---------------------|-----------------------------|
// | ssa_form              | SSAForm             | ir/verifier.h, MX-SSA       |
// | type_checked          | TypeChecked         | ir/verifier.h, MX-TYPE      |
// | use_after_def         | UseAfterDef         | ir/verifier.h, MX-DEF       |
// | call_types            |                     | ir/verifier.h, MX-CALL      |
// | normalized_stmt_      | NormalizedStmt-     | always: a body is a list of |
// | structure             | Structure           | statements, and none of     |
// | no_redundant_blocks   | NoRedundantBlocks   | them is a sequence          |
// | no_nested_calls       | NoNestedCalls       | a call is what an assignment|
// |                       |                     | or an expression statement  |
// |                       |                     | consists of (MX-PROP-11)    |
// | split_incore_orch     | SplitIncoreOrch     | in-core scopes (pl.at at    |
// |                       |                     | CORE_GROUP) are in in-core  |
// |                       |                     | functions only (MX-PROP-10) |
// | incore_tile_ops       | IncoreTileOps       | no in-core function has a   |
// |                       |                     | tensor-level operator but   |
// |                       |                     | tensor.view, .read, .write  |
// |                       |                     | (MX-PROP-1)                 |
// | tile_ops_2d           | TileOps2D           | in-core tiles have rank 1 or|
// |                       |                     | 2 (MX-PROP-2), but what     |
// |                       |                     | tile.reshape and tile.rein- |
// |                       |                     | terpret_view make of them;  |
// |                       |                     | tile.assemble               |
// |                       |                     | has offsets [row, col]      |
// |                       |                     | (MX-PROP-7), tile.transpose |
// |                       |                     | its scratch tile (MX-PROP-8)|
// | mx_views_blocked      |                     | every MX tensor is in its   |
// |                       |                     | rank-5 form and every       |
// |                       |                     | function says so (MX-PROP-3)|
// | tile_memory_inferred  | TileMemoryInferred  | every tile that an          |
// |                       |                     | assignment binds has a      |
// |                       |                     | memory space, every operand |
// |                       |                     | one that its operator       |
// |                       |                     | accepts (MX-PROP-4)         |
// | tensor_view_canonical_| TensorViewCanonical,| the strides that a tensor   |
// | weak                  | weak                | view states are those of its|
// |                       |                     | layout (MX-PROP-9)          |
// | tensor_view_canonical | TensorViewCanonical,| ... and every view states   |
// |                       | strict              | them (MX-PROP-5)            |
// | allocated_memory_addr | AllocatedMemoryAddr | every in-core tile has an   |
// |                       |                     | address (MX-PROP-6)         |
//
// Strides of a layout: ND, MX and NZ: the last one is 1 and each other at least
// the next one times its extent; DN: likewise, with the last two axes swapped.
// Constants are compared.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile {

enum class Property {
  kSsaForm,
  kTypeChecked,
  kUseAfterDef,
  kCallTypes,
  kNormalizedStmtStructure,
  kNoRedundantBlocks,
  kNoNestedCalls,
  kSplitIncoreOrch,
  kIncoreTileOps,
  kTileOps2D,
  kMxViewsBlocked,
  kTileMemoryInferred,
  kTensorViewCanonicalWeak,
  kTensorViewCanonical,
  kAllocatedMemoryAddr,
};
inline constexpr int kNumProperties = 15;

// "ssa_form", ...
absl::string_view PropertyName(Property property);
// "ssa_form, type_checked, ...", for messages.
std::string PropertyNames();
std::optional<Property> PropertyFromName(absl::string_view name);

class PropertySet {
 public:
  PropertySet() = default;
  PropertySet(std::initializer_list<Property> properties) {
    for (const Property p : properties) Insert(p);
  }
  bool Contains(Property p) const { return (bits_ & Bit(p)) != 0; }
  void Insert(Property p) { bits_ |= Bit(p); }
  void Erase(Property p) { bits_ &= ~Bit(p); }
  // In the order of the enumeration.
  std::vector<Property> ToVector() const;

 private:
  static uint32_t Bit(Property p) { return uint32_t{1} << static_cast<int>(p); }
  uint32_t bits_ = 0;
};

// Reports what breaks the property.
void VerifyProperty(Property property, const ir::Program& program,
                    ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // PASSES_PROPERTY_H_
