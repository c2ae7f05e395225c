#ifndef PASSES_NORMALIZE_STMT_STRUCTURE_NORMALIZE_STMT_STRUCTURE_H_
#define PASSES_NORMALIZE_STMT_STRUCTURE_NORMALIZE_STMT_STRUCTURE_H_

// Leaves every program as it is: here a body is a list of statements, and none
// of them is a sequence (ir/stmt.h), so the normal form of statements, no
// sequence inside a sequence and none of one statement, holds by construction.
//
// The pass exists so that a list of passes written for PyPTO runs.
//
// Requires: nothing. Produces: normalized_stmt_structure, no_redundant_blocks.
// Cost: none. Rules: none.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class NormalizeStmtStructure : public Pass {
 public:
  absl::string_view name() const override { return "normalize_stmt_structure"; }
  absl::string_view pypto_name() const override {
    return "NormalizeStmtStructure";
  }
  PropertySet produced() const override {
    return {Property::kNormalizedStmtStructure, Property::kNoRedundantBlocks};
  }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override {
    return program;
  }
};

}  // namespace mxtile

#endif  // PASSES_NORMALIZE_STMT_STRUCTURE_NORMALIZE_STMT_STRUCTURE_H_
