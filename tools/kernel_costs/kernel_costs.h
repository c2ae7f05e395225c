#ifndef TOOLS_KERNEL_COSTS_KERNEL_COSTS_H_
#define TOOLS_KERNEL_COSTS_KERNEL_COSTS_H_

// What the vector kernels would cost on the device, from the one table of
// constants (a5_model/soc): instructions and cycles of each stage, and what
// bounds it.
//
//   std::cout << CostsText(QuantCosts({GroupAxis::kAxis1, ...}, 64, 256));
//
// Cycles are modelled, from fits and guesses that the table marks; a stage is
// taken as one unrolled loop whose busiest resource decides (vector_stage.h).

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/vector/vector_stage.h"
#include "absl/status/statusor.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"

namespace mxtile {

// Runs a kernel on the model with zeros in it and returns its stages.
//
// TQUANT of a dense [rows, cols] tile: flat tiles of groups or 2-D ones. Errors
// as a5::TQuant.
absl::StatusOr<std::vector<a5::VectorStage>> QuantStages(
    const TQuantOptions& options, ElementFormat source, GroupForm form,
    int64_t rows, int64_t cols);

// The moves of a quantised [rows, cols] tile and its [rows, cols/32] exponents
// (axis 1) or [rows/32, cols] (axis 0).
absl::StatusOr<std::vector<a5::VectorStage>> MoveStages(GroupAxis axis,
                                                        int64_t rows,
                                                        int64_t cols);

// A line a stage:
//   stage     instructions  cycles  bound by  of them  loads stores alu convert
std::string CostsText(const std::vector<a5::VectorStage>& stages,
                      int64_t elements);

}  // namespace mxtile

#endif  // TOOLS_KERNEL_COSTS_KERNEL_COSTS_H_
