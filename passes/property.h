#ifndef PASSES_PROPERTY_H_
#define PASSES_PROPERTY_H_

// Properties of programs that passes require and produce, each with a check.
//
//   DiagnosticSink sink;
//   VerifyProperty(Property::kTileMemoryInferred, *program, &sink);
//
// | property             | holds when                                       |
// |----------------------|--------------------------------------------------|
// | ssa_form             | ir/verifier.h                                    |
// | use_after_def        | ir/verifier.h                                    |
// | call_types           | ir/verifier.h                                    |
// | incore_tile_ops      | no tensor-level operator but tensor.view in an   |
// |                      | in-core function (MX-PROP-1)                     |
// | tile_ops_2d          | tiles of in-core functions have rank 1 or 2      |
// |                      | (MX-PROP-2)                                      |
// | mx_views_blocked     | every MX tensor is in its rank-5 form and every  |
// |                      | function says so (MX-PROP-3)                     |
// | tile_memory_inferred | every tile that an assignment binds has a memory |
// |                      | space, every operand one that its operator       |
// |                      | accepts (MX-PROP-4)                              |
// | tensor_view_canonical| every tensor view has its strides (MX-PROP-5)    |
// | allocated_memory_addr| every tile in an in-core function has an address |
// |                      | (MX-PROP-6)                                      |
//
// PyPTO's NormalizedStmtStructure and SplitIncoreOrch hold for every program
// that this IR can express, so they are not listed.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile {

enum class Property {
  kSsaForm,
  kUseAfterDef,
  kCallTypes,
  kIncoreTileOps,
  kTileOps2D,
  kMxViewsBlocked,
  kTileMemoryInferred,
  kTensorViewCanonical,
  kAllocatedMemoryAddr,
};
inline constexpr int kNumProperties = 9;

// "ssa_form", ...
absl::string_view PropertyName(Property property);
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
