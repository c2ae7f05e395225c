#include "passes/block_nz_tensor_views/block_nz_tensor_views.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_nz_tensor_views/nz_blocking.h"
#include "passes/function_attrs.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kMark[] = "pl.func_attr({\"nz_tensor_views_blocked\": True})\n";

std::string Nz(absl::string_view shape, absl::string_view dtype = "FP16") {
  return absl::StrCat("pl.Tensor[[", shape, "], pl.", dtype, ", pl.NZ]");
}

std::string Load(absl::string_view offsets, absl::string_view shapes,
                 absl::string_view valid = "") {
  return absl::StrCat("t = pl.tile.load(w, [", offsets, "], [", shapes, "], [",
                      valid.empty() ? shapes : valid,
                      "], target_memory=pl.Mem.Mat)");
}

// A function with an NZ tensor w and a scalar n.
std::string Cell(absl::string_view tensor, absl::string_view body,
                 absl::string_view type = "InCore") {
  return ProgramText({FunctionText(
      type, "cell", absl::StrCat("w: ", tensor, ", n: pl.Scalar[pl.INDEX]"),
      std::string(body))});
}

PassOutcome Block(absl::string_view tensor, absl::string_view body,
                  absl::string_view type = "InCore") {
  const TextProgram input(Cell(tensor, body, type));
  return RunOnText(BlockNzTensorViews(), input);
}

// What the pass makes of the load at the end of the body, as it is printed.
std::string LoadAfter(absl::string_view tensor, absl::string_view body) {
  const TextProgram input(Cell(tensor, body));
  const PassOutcome outcome = RunOnText(BlockNzTensorViews(), input);
  if (outcome.program == nullptr) return outcome.errors();
  const std::string text = ir::PrintProgram(*outcome.program);
  const size_t at = text.find("pl.tile.load(w, ");
  if (at == std::string::npos) return text;
  const size_t begin = at + std::string("pl.tile.load(w, ").size();
  return text.substr(begin, text.find(", target_memory") - begin);
}

TEST(BlockNzTensorViewsTest, BlocksTensorAndWindow) {
  const TextProgram input(
      Cell(Nz("128, 256"), Load("32, 64", "32, 64", "16, 64")));
  const PassOutcome outcome = RunOnText(BlockNzTensorViews(), input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const std::string text = ir::PrintProgram(*outcome.program);
  EXPECT_THAT(text, HasSubstr("w: pl.Tensor[[1, 16, 8, 16, 16], pl.FP16, "
                              "pl.TensorView(stride=[], "
                              "layout=pl.TensorLayout.NZ)]"));
  EXPECT_THAT(text,
              HasSubstr("t: pl.Tile[[32, 64], pl.FP16, pl.Mem.Mat, "
                        "pl.TileView(valid_shape=[16, 64])] = pl.tile.load(w, "
                        "[0, 4, 2, 0, 0], [1, 4, 2, 16, 16], "
                        "[1, 4, 1, 16, 16], target_memory=pl.Mem.Mat)"));
  EXPECT_THAT(text, HasSubstr(kMark));
  // A lowered program reads back as itself.
  ExpectProgram(outcome, text);
  EXPECT_EQ(RunOnText(BlockNzTensorViews(), input, {}, outcome.program).program,
            outcome.program);
  EXPECT_EQ(outcome.findings.offsets.size(), 2);
}

TEST(BlockNzTensorViewsTest, FunctionsWithoutNzAreLeft) {
  const TextProgram input(
      Cell("pl.Tensor[[128, 256], pl.FP16]", Load("32, 64", "32, 64")));
  EXPECT_EQ(RunOnText(BlockNzTensorViews(), input).program, input.get());
}

TEST(BlockNzTensorViewsTest, Offsets) {
  struct Case {
    std::string tensor, body, after;
  };
  const std::string loop = "for i in pl.range(0, 128, 32):\n    ";
  const Case cases[] = {
      {Nz("128, 256"), loop + Load("i, 64", "32, 64"),
       "[0, 4, i // 16, 0, 0], [1, 4, 2, 16, 16], [1, 4, 2, 16, 16]"},
      {Nz("128, 256", "INT8"), loop + Load("64, i", "64, 32"),
       "[0, i // 32, 4, 0, 0], [1, 1, 4, 16, 32], [1, 1, 4, 16, 32]"},
      {Nz("128, 256", "FP32"), loop + Load("i, i", "32, 32"),
       "[0, i // 8, i // 16, 0, 0], [1, 4, 2, 16, 8], [1, 4, 2, 16, 8]"},
      {Nz("128, 256"), loop + "k = i * 2\n    " + Load("k // 2, k", "16, 16"),
       "[0, k // 16, k // 2 // 16, 0, 0], [1, 1, 1, 16, 16], "
       "[1, 1, 1, 16, 16]"},
      // The block index is never negative, and no multiple by itself.
      {Nz("128, 256"),
       "b = pl.tile.get_block_idx()\n" + Load("b * 16, 0", "16, 16"),
       "[0, 0, b * 16 // 16, 0, 0], [1, 1, 1, 16, 16], [1, 1, 1, 16, 16]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body);
    EXPECT_EQ(LoadAfter(c.tensor, c.body), c.after);
  }
}

TEST(BlockNzTensorViewsTest, RefusedOffsets) {
  struct Case {
    std::string body, error;
  };
  const std::string by_8 = "for i in pl.range(0, 128, 8):\n    ";
  const std::string by_16 = "for i in pl.range(0, 128, 16):\n    ";
  const Case cases[] = {
      {Load("8, 0", "16, 16"),
       "NZ-OFFSET-2 tile.load of NZ tensor 'w': the row offset (argument 1, "
       "axis 0) must be a non-negative multiple of 16, got 8"},
      {Load("0, 8", "16, 16"),
       "NZ-OFFSET-2 tile.load of NZ tensor 'w': the column offset (argument 1, "
       "axis 1) must be a non-negative multiple of 16, got 8"},
      {Load("n, 0", "16, 16"),
       "NZ-OFFSET-3 tile.load of NZ tensor 'w': the row offset (argument 1, "
       "axis 0) 'n' cannot be proven a multiple of 16; what counts is what "
       "'cell' says itself"},
      {by_8 + Load("i, 0", "16, 16"), "NZ-OFFSET-3 "},
      {by_16 + Load("48 - i, 0", "16, 16"),
       "NZ-OFFSET-4 tile.load of NZ tensor 'w': the row offset (argument 1, "
       "axis 0) '48 - i' cannot be proven non-negative; what counts is what "
       "'cell' says itself"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body);
    EXPECT_THAT(Block(Nz("128, 256"), c.body).errors(), StartsWith(c.error));
  }
}

// A caller passes 0, and an MX scale offset would be proven by that.
TEST(BlockNzTensorViewsTest, CallersDoNotCount) {
  const std::string tensor = Nz("128, 256");
  const TextProgram input(
      ProgramText({FunctionText("InCore", "cell",
                                "w: " + tensor + ", n: pl.Scalar[pl.INDEX]",
                                Load("n, 0", "16, 16")),
                   FunctionText("Orchestration", "main", "w: " + tensor,
                                "self.cell(w, 0)")}));
  const PassOutcome outcome = RunOnText(BlockNzTensorViews(), input);
  EXPECT_THAT(outcome.errors(), StartsWith("NZ-OFFSET-3 "));
}

TEST(BlockNzTensorViewsTest, CallsForward) {
  const std::string tensor = Nz("128, 256");
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell", "w: " + tensor, Load("16, 0", "16, 16")),
       FunctionText("Orchestration", "main", "w: " + tensor, "self.cell(w)")}));
  const PassOutcome outcome = RunOnText(BlockNzTensorViews(), input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  for (const ir::Function* function : outcome.program->functions) {
    EXPECT_TRUE(HasMark(*function, kNzTensorViewsBlocked));
  }
  ExpectHolds(Property::kCallTypes, *outcome.program);
}

TEST(BlockNzTensorViewsTest, SlicesOfBatches) {
  struct Case {
    std::string body, slice, result;
  };
  const Case cases[] = {
      // Batch 1, 2 of [2, 3] is number 1 * 3 + 2.
      {"s = pl.tensor.slice(w, [1, 1, 32, 64], [1, 2, 0, 0], [], [0, 1])",
       "w, [1, 4, 2, 16, 16], [5, 0, 0, 0, 0])", "1, 4, 2, 16, 16"},
      {"s = pl.tensor.slice(w, [1, 3, 32, 64], [1, 0, 0, 0], [1, 3, 32, 64])",
       "w, [3, 4, 2, 16, 16], [3, 0, 0, 0, 0], [3, 4, 2, 16, 16])",
       "3, 4, 2, 16, 16"},
      {"for i in pl.range(2):\n"
       "    s = pl.tensor.slice(w, [1, 1, 32, 64], [i, 2, 0, 0])",
       "w, [1, 4, 2, 16, 16], [i * 3 + 2, 0, 0, 0, 0])", "1, 4, 2, 16, 16"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body);
    const TextProgram input(Cell(Nz("2, 3, 32, 64"), c.body, "Orchestration"));
    const PassOutcome outcome = RunOnText(BlockNzTensorViews(), input);
    ASSERT_NE(outcome.program, nullptr) << outcome.errors();
    const std::string text = ir::PrintProgram(*outcome.program);
    EXPECT_THAT(text, HasSubstr("w: pl.Tensor[[6, 4, 2, 16, 16], "));
    EXPECT_THAT(text, HasSubstr(absl::StrCat("pl.tensor.slice(", c.slice)));
    EXPECT_THAT(text,
                HasSubstr(absl::StrCat("s: pl.Tensor[[", c.result, "], ")));
    ExpectProgram(outcome, text);
  }
}

TEST(BlockNzTensorViewsTest, RefusedSlices) {
  struct Case {
    std::string slice, error;
  };
  const Case cases[] = {
      // Batches 1, 2, 5 and 6 of eight.
      {"pl.tensor.slice(w, [2, 2, 32, 64], [0, 1, 0, 0])",
       "NZ-BLOCK-9 tensor.slice of NZ tensor 'w': the window (argument 1) "
       "names batches that do not follow each other: axis 1 has 2 of 4 behind "
       "an axis with several"},
      {"pl.tensor.slice(w, [1, 1, 16, 64], [0, 0, 0, 0])",
       "NZ-BLOCK-10 tensor.slice of NZ tensor 'w': axis 2 must be whole, from "
       "offset 0, got 16 of 32 from 0"},
      {"pl.tensor.slice(w, [1, 2, 32, 64], [0, 0, 0, 0], [1, 1, 32, 64])",
       "NZ-BLOCK-10 tensor.slice of NZ tensor 'w': the valid_shape (argument "
       "3) must be the window, all of which is valid"},
      {"pl.tensor.slice(w, [2, 1, 32, 64], [0, 1, 0, 0], [], [1])",
       "NZ-BLOCK-9 "},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.slice);
    EXPECT_THAT(
        Block(Nz("2, 4, 32, 64"), "s = " + c.slice, "Orchestration").errors(),
        HasSubstr(c.error));
  }
}

TEST(BlockNzTensorViewsTest, RefusedTensorsAndUses) {
  struct Case {
    std::string tensor, body, error;
  };
  const Case cases[] = {
      {Nz("128"), "y = n",
       "NZ-BLOCK-1 NZ tensor 'w' must have at least two axes, not 1"},
      {Nz("128, 256", "FP4"), "y = n",
       "NZ-BLOCK-2 NZ tensor 'w': elements of 4 bits (FP4) are not supported"},
      {Nz("24, 256"), "y = n",
       "NZ-BLOCK-4 NZ tensor 'w': axis 0 must be a positive multiple of 16, "
       "got 24"},
      {Nz("32, 24"), "y = n",
       "NZ-BLOCK-4 NZ tensor 'w': axis 1 must be a positive multiple of 16, "
       "got 24"},
      {"pl.Tensor[[32, 64], pl.FP16, pl.TensorView(valid_shape=[16, 64], "
       "stride=[], layout=pl.TensorLayout.NZ)]",
       "y = n",
       "NZ-BLOCK-5 NZ tensor 'w': a partial tensor valid_shape is not "
       "supported; narrow the load instead"},
      {"pl.Tensor[[32, 64], pl.FP16, pl.TensorView(stride=[64, 1], "
       "layout=pl.TensorLayout.NZ)]",
       "y = n",
       "NZ-BLOCK-5 NZ tensor 'w': a stride is not supported; leave it out, NZ "
       "tensors are packed"},
      {"pld.DistributedTensor[[32, 64], pl.FP16, pl.NZ]", "y = n",
       "NZ-BLOCK-6 NZ tensor 'w': layout NZ is not supported on distributed "
       "tensors"},
      {Nz("32, 64"),
       "a = pl.create_tile([32, 64], dtype=pl.FP16)\n"
       "s = pl.tile.store(a, [0, 0], w)",
       "NZ-BLOCK-7 tile.store cannot take NZ tensor 'w' as argument 2; an NZ "
       "tensor is read-only, make the output ND"},
      {Nz("32, 64"), "v = pl.tensor.read(w, [0, 0])",
       "NZ-BLOCK-7 tensor.read cannot take NZ tensor 'w' as argument 0; only "
       "tile.load and tensor.slice take one, as their source"},
      {Nz("32, 64"),
       "t = pl.tile.load(w, [0, 0], [32, 64], [32, 64], "
       "target_memory=pl.Mem.Vec)",
       "NZ-BLOCK-8 tile.load of NZ tensor 'w' goes to Mat; target_memory is "
       "Vec"},
      {Nz("32, 64"), "t = pl.tile.load(w, [0, 0], [32, 64], [32, 64])",
       "NZ-BLOCK-8 tile.load of NZ tensor 'w' goes to Mat; target_memory is "
       "missing"},
      {Nz("32, 64"), Load("0, 0", "24, 64"),
       "NZ-BLOCK-4 tile.load of NZ tensor 'w': the window (argument 2): axis 0 "
       "must be a positive multiple of 16, got 24"},
      {Nz("32, 64"), Load("0", "64"),
       "NZ-OFFSET-1 tile.load of NZ tensor 'w': the offsets (argument 1) must "
       "be a list of rank 2, written in place; this one has rank 1"},
      {Nz("65568, 64"), Load("0, 0", "16, 32"),
       "NZ-BLOCK-11 tile.load of NZ tensor 'w': 16 of 65568 rows leave 65552 "
       "between two stripes of columns, more than 65535; load 16 columns at a "
       "time"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body + " " + c.tensor);
    EXPECT_EQ(Block(c.tensor, c.body).errors(), c.error + "\n");
  }
  // One stripe has nothing beside it; rows that are read leave no gap.
  EXPECT_EQ(Block(Nz("65568, 64"), Load("0, 0", "16, 16")).errors(), "");
  EXPECT_EQ(Block(Nz("65568, 64"), Load("0, 0", "48, 32")).errors(), "");
}

// Of all small matrices exactly those of whole fractals are blocked.
TEST(NzBlockingTest, ShapesOfAllSmallMatrices) {
  ir::OpRegistry registry;
  ir::Context context(&registry);
  for (const ir::DataType dtype :
       {ir::DataType::kInt8, ir::DataType::kFP16, ir::DataType::kFP32}) {
    const int64_t columns = NzColumns(dtype);
    EXPECT_EQ(columns * ir::BitWidth(dtype), 256);
    for (int64_t rows = 0; rows <= 64; ++rows) {
      for (int64_t cols = 0; cols <= 4 * columns; ++cols) {
        const ir::Dims dims = context.StaticDims({3, rows, cols});
        const absl::Status status = CheckNzBlockable("w", dims, dtype);
        const bool fits =
            rows > 0 && cols > 0 && rows % 16 == 0 && cols % columns == 0;
        ASSERT_EQ(status.ok(), fits) << rows << " " << cols;
        if (!fits) {
          EXPECT_EQ(ir::RuleOf(status), "NZ-BLOCK-4");
          continue;
        }
        const std::vector<int64_t> blocked = BlockedNzShape(dims, dtype);
        EXPECT_EQ(blocked, (std::vector<int64_t>{3, cols / columns, rows / 16,
                                                 16, columns}));
      }
    }
  }
}

}  // namespace
}  // namespace mxtile
