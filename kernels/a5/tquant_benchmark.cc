// Speed of the model's TQUANT, in elements a second of the host, with all
// checks on. What the device would take is another matter: tools/kernel_costs.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kRows = 64;
constexpr int64_t kCols = 256;
constexpr ElementFormat kSources[] = {ElementFormat::kF32, ElementFormat::kBF16,
                                      ElementFormat::kF16};

struct Arguments {
  GroupAxis axis;
  bool flat;
  ElementFormat source;
  MxQuantAlg alg;
};

UbQuantTiles PlaceTiles(Machine& machine, const Arguments& arguments) {
  const TileType src = FullTile(arguments.source, kRows, kCols);
  const GroupShape groups = arguments.flat ? ShapeOfFlatGroups(src)
                                           : ShapeOfGroups(arguments.axis, src);
  const auto group_type = [&](ElementFormat format) {
    return arguments.flat ? FullTile(format, 1, groups.rows * groups.cols)
                          : FullTile(format, groups.rows, groups.cols);
  };
  const GroupForm form = arguments.flat ? GroupForm::kFlat : GroupForm::k2d;
  uint64_t next = 0;
  const auto place = [&next](const TileType& type) {
    const UbTile tile = {type, next};
    next += (*TileBytes(type) + 31) / 32 * 32;
    return tile;
  };
  const UbQuantTiles tiles = {
      place(FullTile(FormatOf(arguments.alg), kRows, kCols)),
      place(src),
      {place(group_type(ElementFormat::kF8E8M0FNU)), form},
      {place(group_type(arguments.source)), form},
      {place(group_type(arguments.source)), form}};
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(*TileBytes(src));
  for (int64_t i = 0; i < kRows * kCols; ++i) {
    const uint32_t code =
        Encode(arguments.source, static_cast<float>(random() % 4096) / 64 - 32,
               Overflow::kSaturate);
    const int64_t size = BitWidth(arguments.source) / 8;
    for (int64_t byte = 0; byte < size; ++byte) {
      bytes[i * size + byte] = static_cast<uint8_t>(code >> (8 * byte));
    }
  }
  machine.memory(MemorySpace::kVec).Poke(tiles.src.address, bytes);
  return tiles;
}

void BM_TQuant(benchmark::State& state, const Arguments& arguments) {
  Machine machine;
  const UbQuantTiles tiles = PlaceTiles(machine, arguments);
  for (auto _ : state) {
    VectorUnit unit(machine);
    const absl::Status status =
        TQuant(unit,
               {arguments.axis, RuleOf(arguments.alg), FormatOf(arguments.alg),
                /*extensions=*/true},
               tiles);
    MX_CHECK(status.ok() && unit.Finish().ok()) << status;
  }
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

void RegisterAll() {
  for (const ElementFormat source : kSources) {
    for (const MxQuantAlg alg : kMxQuantAlgs) {
      const auto add = [&](const char* loop, GroupAxis axis, bool flat) {
        const Arguments arguments = {axis, flat, source, alg};
        benchmark::RegisterBenchmark(
            absl::StrCat("TQuant/", loop, "/", Name(source), "/",
                         Name(FormatOf(alg)), "/",
                         RuleOf(alg) == ScaleRule::kOcp ? "ocp" : "nv")
                .c_str(),
            [arguments](benchmark::State& state) {
              BM_TQuant(state, arguments);
            });
      };
      add("axis1_flat", GroupAxis::kAxis1, true);
      add("axis1_2d", GroupAxis::kAxis1, false);
      add("axis0", GroupAxis::kAxis0, false);
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  mxtile::a5::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
