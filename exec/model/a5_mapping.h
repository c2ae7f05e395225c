#ifndef EXEC_MODEL_A5_MAPPING_H_
#define EXEC_MODEL_A5_MAPPING_H_

// The IR's words in the machine's: memory spaces, tile layouts and elements.

#include <optional>

#include "a5_model/soc/soc.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/type.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile::exec {

// nullopt: the machine has no such memory (ScalarLocal).
std::optional<a5::MemorySpace> ToA5Space(ir::MemorySpace space);

// NZ, ZN, ZZ, NN or ND; nullopt for a combination that the machine has not.
std::optional<a5::TileLayout> ToA5Layout(const ir::TileView& view);

// As FormatOf (exec/element_type.h), and the bytes that tile.tquant_mx_raw
// results in: INT8 are codes of f8E4M3FN, UINT8 exponents, f8E8M0FNU.
std::optional<ElementFormat> ToA5Format(ir::DataType type);

}  // namespace mxtile::exec

#endif  // EXEC_MODEL_A5_MAPPING_H_
