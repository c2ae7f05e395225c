// Prints what TQUANT and TMOV would cost on the device, stage by stage:
//
//   bazel run -c opt //tools/kernel_costs:kernel_costs_main -- 64 256

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "a5_model/vector/vector_stage.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "tools/kernel_costs/kernel_costs.h"

namespace mxtile {
namespace {

int Print(const std::string& name,
          const absl::StatusOr<std::vector<a5::VectorStage>>& stages,
          int64_t elements) {
  if (!stages.ok()) {
    std::cerr << "kernel_costs: " << name << ": " << stages.status().message()
              << "\n";
    return 1;
  }
  std::cout << name << "\n" << CostsText(*stages, elements) << "\n";
  return 0;
}

int Run(int64_t rows, int64_t cols) {
  std::cout << "modelled from the constants of a5_model/soc: fits to public "
               "simulators and guesses, none measured on a device\n\n";
  int exit_code = 0;
  for (const ElementFormat source :
       {ElementFormat::kF32, ElementFormat::kBF16, ElementFormat::kF16}) {
    for (const MxQuantAlg alg : kMxQuantAlgs) {
      for (const GroupAxis axis : {GroupAxis::kAxis1, GroupAxis::kAxis0}) {
        const bool nd = axis == GroupAxis::kAxis1;
        exit_code |= Print(
            absl::StrCat("TQUANT ", nd ? "ND, flat" : "DN", ", ", Name(source),
                         " to ", Name(FormatOf(alg)),
                         RuleOf(alg) == ScaleRule::kOcp ? ", OCP" : ", NV",
                         ", [", rows, ", ", cols, "]"),
            QuantStages({axis, RuleOf(alg), FormatOf(alg), /*extensions=*/true},
                        source, nd ? GroupForm::kFlat : GroupForm::k2d, rows,
                        cols),
            rows * cols);
      }
    }
  }
  for (const GroupAxis axis : {GroupAxis::kAxis1, GroupAxis::kAxis0}) {
    exit_code |= Print(absl::StrCat("TMOV of data and of ",
                                    axis == GroupAxis::kAxis1 ? "ND" : "DN",
                                    " exponents, [", rows, ", ", cols, "]"),
                       MoveStages(axis, rows, cols), rows * cols);
  }
  return exit_code;
}

}  // namespace
}  // namespace mxtile

int main(int argc, char** argv) {
  int64_t rows = 64;
  int64_t cols = 256;
  if (argc != 1 && (argc != 3 || !absl::SimpleAtoi(argv[1], &rows) ||
                    !absl::SimpleAtoi(argv[2], &cols))) {
    std::cerr << "usage: " << argv[0] << " [ROWS COLS]\n";
    return 2;
  }
  return mxtile::Run(rows, cols);
}
