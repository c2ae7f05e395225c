#ifndef EXEC_ELEMENT_TYPE_H_
#define EXEC_ELEMENT_TYPE_H_

// The IR's element types as formats with values, and as .npy types.

#include <optional>
#include <string>
#include <vector>

#include "ir/data_type.h"
#include "numerics/element_format.h"

namespace mxtile::exec {

// nullopt: no floating-point format that we decode (integers, HF4, HF8 ...).
std::optional<ElementFormat> FormatOf(ir::DataType type);

// The .npy types whose elements can stand for codes of the type, the first
// being what we write; empty for types without files (4-bit ones).
std::vector<std::string> AcceptedDescrs(ir::DataType type);

}  // namespace mxtile::exec

#endif  // EXEC_ELEMENT_TYPE_H_
