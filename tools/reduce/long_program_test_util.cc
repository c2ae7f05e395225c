#include "tools/reduce/long_program_test_util.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile {
namespace {

constexpr int kNumCells = 12;
constexpr int kCellOfRecip = 3;
constexpr int kCellOfRowMax = 8;
constexpr int kCellOfOffset = 6;

constexpr char kMatrix[] = "pl.Tensor[[64, 64], pl.FP32]";
constexpr char kScales[] = "pl.Tensor[[64, 8], pl.FP8E8M0, pl.MX_A_ZZ]";

// A chain of arithmetic from tile t0, in the loop.
std::string Chain(int cell) {
  constexpr absl::string_view kOps[] = {"exp", "neg", "abs", "relu", "sqrt"};
  std::string chain;
  for (int i = 0; i < 6; ++i) {
    absl::StrAppend(&chain, "    t", i + 1, " = pl.tile.", kOps[(cell + i) % 5],
                    "(t", i, ")\n");
  }
  return chain;
}

std::string CellText(int cell) {
  std::string body = absl::StrCat(
      "first = pl.load(x, [", cell, ", 0], [8, 64])\n",
      "scale = pl.load(x, [16, 0], [8, 64])\n",
      "for i, (acc,) in pl.range(0, n, 8, init_values=(first,)):\n",
      "    row = i * 2 + ", cell, "\n",
      "    t0 = pl.load(x, [i, 0], [8, 64])\n", Chain(cell));
  if (cell == kCellOfRecip) {
    absl::StrAppend(&body, "    inverse = pl.tile.recip(t6)\n");
  }
  if (cell == kCellOfRowMax) {
    absl::StrAppend(&body, "    largest = pl.tile.row_max(t6, t5)\n");
  }
  if (cell == kCellOfOffset) {
    absl::StrAppend(&body,
                    "    group = i // 8 * 2 + 1\n"
                    "    boxes = pl.load(s, [0, group], [16, 2])\n");
  }
  absl::StrAppend(&body,
                  "    both = pl.tile.add(t6, scale)\n"
                  "    if row > 20:\n"
                  "        more = pl.tile.add(acc, both)\n"
                  "        chosen = pl.yield_(more)\n"
                  "    else:\n"
                  "        less = pl.tile.sub(acc, both)\n"
                  "        chosen = pl.yield_(less)\n"
                  "    sum = pl.yield_(chosen)\n"
                  "result = pl.store(sum, [0, 0], z)\n"
                  "return result");
  return ir::FunctionText(
      "InCore", absl::StrCat("cell_", cell),
      absl::StrCat("x: ", kMatrix, ", s: ", kScales,
                   ", n: pl.Scalar[pl.INDEX], z: pl.Out[", kMatrix, "]"),
      body, kMatrix);
}

}  // namespace

std::string LongProgramText() {
  std::vector<std::string> functions;
  std::string calls;
  std::string last = "z";
  for (int cell = 0; cell < kNumCells; ++cell) {
    functions.push_back(CellText(cell));
    const std::string next = absl::StrCat("z_", cell);
    absl::StrAppend(&calls, next, " = self.cell_", cell, "(x, s, ",
                    16 + 8 * (cell % 3), ", ", last, ")\n");
    last = next;
  }
  functions.push_back(
      ir::FunctionText("Orchestration", "main",
                       absl::StrCat("self, x: ", kMatrix, ", s: ", kScales,
                                    ", z: pl.Out[", kMatrix, "]"),
                       absl::StrCat(calls, "return ", last), kMatrix));
  return ir::ProgramText(functions);
}

}  // namespace mxtile
