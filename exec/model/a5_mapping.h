#ifndef EXEC_MODEL_A5_MAPPING_H_
#define EXEC_MODEL_A5_MAPPING_H_

// The IR's words in the machine's: memory spaces and tile layouts.

#include <optional>

#include "a5_model/soc/soc.h"
#include "ir/enums.h"
#include "ir/type.h"
#include "kernels/a5/tile.h"

namespace mxtile::exec {

// nullopt: the machine has no such memory (ScalarLocal).
std::optional<a5::MemorySpace> ToA5Space(ir::MemorySpace space);

// NZ, ZN, ZZ, NN or ND; nullopt for a combination that the machine has not.
std::optional<a5::TileLayout> ToA5Layout(const ir::TileView& view);

}  // namespace mxtile::exec

#endif  // EXEC_MODEL_A5_MAPPING_H_
