#include "tools/kernel_costs/kernel_costs.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_stage.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "kernels/a5/tmov_vector.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

constexpr ElementFormat kScale = ElementFormat::kF8E8M0FNU;

// A machine whose UB is full of zeros, and tiles one after the other in it.
class Bench {
 public:
  Bench() : unit_(machine_) {
    a5::Memory& ub = machine_.memory(a5::MemorySpace::kVec);
    ub.Poke(0, std::vector<uint8_t>(ub.size()));
  }

  absl::StatusOr<a5::UbTile> Place(const TileType& type) {
    MX_ASSIGN_OR_RETURN(const int64_t bytes, TileBytes(type));
    const a5::UbTile tile = {type, next_};
    // What a load reads beyond a tile is then no part of its neighbour.
    unit_.DeclareBuffer(absl::StrCat("tile ", ++tiles_), next_, bytes);
    next_ += (bytes + 31) / 32 * 32;
    return tile;
  }

  a5::VectorUnit& unit() { return unit_; }

  absl::StatusOr<std::vector<a5::VectorStage>> Stages() {
    MX_RETURN_IF_ERROR(unit_.Finish());
    return unit_.stages();
  }

 private:
  a5::Machine machine_;
  a5::VectorUnit unit_;
  uint64_t next_ = 0;
  int tiles_ = 0;
};

TileType GroupType(ElementFormat format, GroupForm form,
                   const GroupShape& groups) {
  if (form == GroupForm::kFlat) {
    return FullTile(format, 1, groups.rows * groups.cols);
  }
  TileType type = FullTile(format, groups.rows, groups.cols);
  type.pitch = (groups.cols + 31) / 32 * 32;
  return type;
}

}  // namespace

absl::StatusOr<std::vector<a5::VectorStage>> QuantStages(
    const TQuantOptions& options, ElementFormat source, GroupForm form,
    int64_t rows, int64_t cols) {
  Bench bench;
  const TileType type = FullTile(source, rows, cols);
  const GroupShape groups = form == GroupForm::kFlat
                                ? ShapeOfFlatGroups(type)
                                : ShapeOfGroups(options.axis, type);
  MX_ASSIGN_OR_RETURN(const a5::UbTile src, bench.Place(type));
  MX_ASSIGN_OR_RETURN(const a5::UbTile dst,
                      bench.Place(FullTile(options.format, rows, cols)));
  MX_ASSIGN_OR_RETURN(const a5::UbTile exp,
                      bench.Place(GroupType(kScale, form, groups)));
  MX_ASSIGN_OR_RETURN(const a5::UbTile max,
                      bench.Place(GroupType(source, form, groups)));
  MX_ASSIGN_OR_RETURN(const a5::UbTile scaling,
                      bench.Place(GroupType(source, form, groups)));
  MX_RETURN_IF_ERROR(
      a5::TQuant(bench.unit(), options,
                 {dst, src, {exp, form}, {max, form}, {scaling, form}}));
  return bench.Stages();
}

absl::StatusOr<std::vector<a5::VectorStage>> MoveStages(GroupAxis axis,
                                                        int64_t rows,
                                                        int64_t cols) {
  Bench bench;
  const TileType data = FullTile(ElementFormat::kF8E4M3FN, rows, cols);
  const GroupShape groups = ShapeOfGroups(axis, data);
  const bool nd = axis == GroupAxis::kAxis1;
  MX_ASSIGN_OR_RETURN(const a5::UbTile src, bench.Place(data));
  TileType nz_type = data;
  nz_type.layout = TileLayout::kNz;
  MX_ASSIGN_OR_RETURN(const a5::UbTile nz, bench.Place(nz_type));
  MX_ASSIGN_OR_RETURN(const a5::UbTile exp,
                      bench.Place(GroupType(kScale, GroupForm::k2d, groups)));
  MX_ASSIGN_OR_RETURN(
      const a5::UbTile zz,
      bench.Place(FullTile(kScale, nd ? groups.rows : groups.cols,
                           nd ? groups.cols : groups.rows, TileLayout::kZz)));
  MX_RETURN_IF_ERROR(a5::TMovNdToNz(bench.unit(), nz, src));
  if (!nd) {
    MX_RETURN_IF_ERROR(a5::TMovDnToZz(bench.unit(), zz, exp));
    return bench.Stages();
  }
  MX_ASSIGN_OR_RETURN(
      const a5::UbTile tmp,
      bench.Place(FullTile(ElementFormat::kF8E4M3FN, 1,
                           a5::TmpBytesForZz(zz.type, exp.type))));
  MX_RETURN_IF_ERROR(a5::TMovNdToZz(bench.unit(), zz, exp, tmp));
  return bench.Stages();
}

std::string CostsText(const std::vector<a5::VectorStage>& stages,
                      int64_t elements) {
  std::string text = absl::StrFormat(
      "  %-10s %12s %8s  %-8s %6s %6s %6s %8s\n", "stage", "instructions",
      "cycles", "bound by", "loads", "stores", "alu", "convert");
  int64_t cycles = 0;
  for (const a5::VectorStage& stage : stages) {
    if (stage.total() == 0) continue;
    const a5::VectorStageCycles cost =
        a5::CyclesOf(a5::Ascend950().cost.vector, stage);
    cycles += cost.cycles;
    absl::StrAppendFormat(&text, "  %-10s %12d %8d  %-8s %6d %6d %6d %8d\n",
                          stage.name.empty() ? "-" : stage.name, stage.total(),
                          cost.cycles, cost.bound_by,
                          stage.Count(a5::VectorOpClass::kLoad),
                          stage.Count(a5::VectorOpClass::kStore),
                          stage.Count(a5::VectorOpClass::kAlu),
                          stage.Count(a5::VectorOpClass::kConvert));
  }
  absl::StrAppendFormat(&text, "  all stages %20d, %.1f elements a cycle\n",
                        cycles,
                        static_cast<double>(elements) /
                            static_cast<double>(std::max<int64_t>(cycles, 1)));
  return text;
}

}  // namespace mxtile
