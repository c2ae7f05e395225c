// Every error of the reader: its rule, its place and its words.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/ir_test_util.h"
#include "ir/source_file.h"

namespace mxtile::ir {
namespace {

// What is written, and the error that it makes.
struct ErrorCase {
  absl::string_view written;
  const char* error;
};

template <size_t kCount>
void ExpectErrorsInBody(const ErrorCase (&cases)[kCount]) {
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(ErrorInBody(c.written), c.error) << c.written;
  }
}

template <size_t kCount>
void ExpectErrors(absl::string_view head, const ErrorCase (&cases)[kCount]) {
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(ErrorIn(absl::StrCat(head, c.written)), c.error) << c.written;
  }
}

// ---- The file

TEST(ReaderErrorTest, TheFileHoldsOneProgram_MX_TEXT_1) {
  constexpr ErrorCase kCases[] = {
      {"", "MX-TEXT-1 a.py the file holds no program and no function"},
      {"\n\n", "MX-TEXT-1 a.py the file holds no program and no function"},
      {"# only\n# comments",
       "MX-TEXT-1 a.py the file holds no program and no function"},
      {"import pypto.language as pl\n\"\"\"Nothing.\"\"\"\n",
       "MX-TEXT-1 a.py the file holds no program and no function"},
      {"x = 1\n", "MX-TEXT-1 a.py the file holds no program and no function"},
      {"x = [1]\n",
       "MX-TEXT-1 1:1-1:8 expected NAME = pl.dynamic(\"NAME\") or NAME = "
       "NUMBER"},
      {"pass\n",
       "MX-TEXT-1 1:1-1:5 a file holds imports, dynamic dimensions and one "
       "program"},
  };
  ExpectErrors("", kCases);
}

TEST(ReaderErrorTest, TopLevel_MX_TEXT_1) {
  constexpr absl::string_view kHead = "import pypto.language as pl\n";
  constexpr ErrorCase kCases[] = {
      {"@pl.program\nclass P:\n  pass\n",
       "MX-TEXT-1 a.py the program has no function"},
      {"class P:\n  pass\n",
       "MX-TEXT-1 2:7-2:8 a program's class has the decorator @pl.program"},
      {"@pl.function\nclass P:\n  pass\n",
       "MX-TEXT-1 3:7-3:8 a program's class has the decorator @pl.program"},
      {"@pl.program\nclass P:\n  x = 1\n",
       "MX-TEXT-1 4:3-4:8 a program's class holds functions"},
      {"@pl.program\nclass P:\n  pass\n@pl.program\nclass Q:\n  pass\n",
       "MX-TEXT-1 6:7-6:8 a second program in the file"},
      {"@pl.function\ndef f():\n  pass\n@pl.program\nclass Q:\n  pass\n",
       "MX-TEXT-1 6:7-6:8 a second program in the file"},
      {"@pl.program\nclass P:\n  pass\n@pl.function\ndef f():\n  pass\n",
       "MX-TEXT-1 6:5-6:6 a function outside of the program's class"},
      {"M = pl.dynamic(\"M\")\nM = pl.dynamic(\"M\")\n",
       "MX-TEXT-1 3:1-3:2 a second dynamic dimension 'M'"},
      {"M, N = pl.dynamic(\"M\")\n",
       "MX-TEXT-1 2:1-2:23 expected NAME = pl.dynamic(\"NAME\") or NAME = "
       "NUMBER"},
      {"M = pl.dynamic()\n",
       "MX-TEXT-1 2:1-2:17 expected NAME = pl.dynamic(\"NAME\") or NAME = "
       "NUMBER"},
  };
  ExpectErrors(kHead, kCases);
}

// ---- Names

TEST(ReaderErrorTest, Names_MX_TEXT_2) {
  constexpr ErrorCase kCases[] = {
      {"y = z", "MX-TEXT-2 1:5-1:6 'z' is not defined"},
      {"y = y + 1", "MX-TEXT-2 1:5-1:6 'y' is not defined"},
      {"y = n + (\n  z)", "MX-TEXT-2 2:3-2:4 'z' is not defined"},
      {"y: pl.Tensor[[z], pl.FP32] = x",
       "MX-TEXT-2 1:15-1:16 'z' is not defined"},
      {"for i in pl.range(i):\n    pass",
       "MX-TEXT-2 1:19-1:20 'i' is not defined"},
      {"for i, (a,) in pl.range(n, init_values=(a,)):\n    r = pl.yield_(a)",
       "MX-TEXT-2 1:41-1:42 'a' is not defined"},
      {"pl.tile.mystery(t, k=[1, z])",
       "MX-TEXT-2 1:26-1:27 'z' is not defined"},
      {"return pl", "MX-TEXT-2 1:8-1:10 'pl' is not defined"},
  };
  ExpectErrorsInBody(kCases);
}

// Each round would read another variable.
TEST(ReaderErrorTest, TypesThatChangeAroundALoop_MX_TEXT_2) {
  constexpr absl::string_view kWhy =
      "'y' gets another type in a loop that has read it; the next round would "
      "read either";
  EXPECT_EQ(ErrorInBody("y = n\n"
                        "for i in pl.range(n):\n"
                        "    z = y\n"
                        "    y = 1.0"),
            absl::StrCat("MX-TEXT-2 4:5-4:6 ", kWhy));
  EXPECT_EQ(ErrorInBody("y = n\n"
                        "while y > 0:\n"
                        "    if b:\n"
                        "        y = 1.0"),
            absl::StrCat("MX-TEXT-2 4:9-4:10 ", kWhy));
  EXPECT_EQ(ErrorInBody("y = n\n"
                        "for i in pl.range(n):\n"
                        "    for j, (a,) in pl.range(y, init_values=(f,)):\n"
                        "        y = pl.yield_(a)"),
            absl::StrCat("MX-TEXT-2 4:9-4:10 ", kWhy));
  // Written first, it is what the round itself reads.
  EXPECT_EQ(ErrorInBody("y = n\n"
                        "for i in pl.range(n):\n"
                        "    y = 1.0\n"
                        "    z = y"),
            "no error");
}

// ---- Types

// The error of a parameter `v` of this type; its first column is 1.
std::string TypeError(absl::string_view annotation) {
  constexpr absl::string_view kBefore =
      "import pypto.language as pl\n"
      "import pypto.language.distributed as pld\n"
      "@pl.function\n"
      "def f(n: pl.Scalar[pl.INDEX], g: pl.Scalar[pl.FP32], v:\n";
  // Inside brackets a line break is nothing, so the type starts its line.
  return ErrorIn(absl::StrCat(kBefore, annotation, "):\n  pass\n"));
}

template <size_t kCount>
void ExpectTypeErrors(const ErrorCase (&cases)[kCount]) {
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(TypeError(c.written), c.error) << c.written;
  }
}

TEST(ReaderErrorTest, Types_MX_TEXT_3) {
  constexpr ErrorCase kCases[] = {
      {"1", "MX-TEXT-3 5:1-5:2 expected a type, such as pl.Tensor[...]"},
      {"Tensor[[4], pl.FP32]",
       "MX-TEXT-3 5:1-5:7 expected a type, such as pl.Tensor[...]"},
      {"pl.Nothing", "MX-TEXT-3 5:1-5:11 pl.Nothing is no type"},
      {"pl.Nothing[4]", "MX-TEXT-3 5:1-5:11 pl.Nothing is no type"},
      {"pld.Nothing[4]", "MX-TEXT-3 5:1-5:12 pld.Nothing is no type"},
      {"pld.Nothing", "MX-TEXT-3 5:1-5:12 pld.Nothing is no type"},
      {"pl.DistributedTensor[[4], pl.FP32]",
       "MX-TEXT-3 5:1-5:21 pl.DistributedTensor is no type"},
      {"pl.Scalar[pl.FP32, pl.FP32]",
       "MX-TEXT-3 5:1-5:28 expected pl.Scalar[pl.DTYPE]"},
      {"pl.Array[4]", "MX-TEXT-3 5:1-5:12 expected pl.Array[EXTENT, pl.DTYPE]"},
      {"pl.Array[n, pl.INT32]",
       "MX-TEXT-3 5:10-5:11 an array's extent must be an integer constant"},
      {"pl.Array[0, pl.INT32]",
       "MX-TEXT-3 5:10-5:11 an array's extent must be positive, not 0"},
      {"pl.Tuple[1]",
       "MX-TEXT-3 5:10-5:11 expected a type, such as pl.Tensor[...]"},
      // Tensors.
      {"pl.Tensor[[4]]",
       "MX-TEXT-3 5:1-5:15 expected pl.Tensor[[DIMS], pl.DTYPE, VIEW, MEMREF], "
       "the last two optional"},
      {"pl.Tensor[4, pl.FP32]",
       "MX-TEXT-3 5:11-5:12 expected a list of dimensions"},
      {"pl.Tensor[[4, g], pl.FP32]",
       "MX-TEXT-3 5:15-5:16 a dimension is an integer scalar"},
      {"pl.Tensor[[4, [2]], pl.FP32]",
       "MX-TEXT-3 5:15-5:18 a dimension is an integer scalar"},
      {"pl.Tensor[[4, -2], pl.FP32]",
       "MX-TEXT-3 5:11-5:18 dimension -2 is negative"},
      {"pl.Tensor[[4, 3], pl.FP4]",
       "MX-TEXT-3 5:11-5:17 FP4 elements share bytes in pairs: the last "
       "dimension must be positive and even"},
      {"pl.Tensor[[], pl.FP4]",
       "MX-TEXT-3 5:11-5:13 FP4 elements share bytes in pairs: the last "
       "dimension must be positive and even"},
      {"pl.Tile[[0], pl.FP4]",
       "MX-TEXT-3 5:9-5:12 FP4 elements share bytes in pairs: the last "
       "dimension must be positive and even"},
      {"pl.Tensor[[4], pl.FP32, pl.DN]",
       "MX-TEXT-3 5:25-5:30 pl.DN alone is ambiguous; give "
       "pl.TensorView(stride=[...], layout=pl.TensorLayout.DN)"},
      {"pl.Tensor[[4], pl.FP32, pl.Mem.Vec]",
       "MX-TEXT-3 5:25-5:35 expected pl.TensorView(...), a layout such as "
       "pl.NZ, or pl.MemRef(...)"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView([4])]",
       "MX-TEXT-3 5:39-5:42 pl.TensorView takes keyword arguments only"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView(strides=[1])]",
       "MX-TEXT-3 5:39-5:46 pl.TensorView has no 'strides'; it has "
       "valid_shape, stride, layout and pad"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView(stride=[1, 1])]",
       "MX-TEXT-3 5:25-5:53 the view has rank 2, the shape 1"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView(valid_shape=[1, 1])]",
       "MX-TEXT-3 5:25-5:58 the view has rank 2, the shape 1"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", 0, 16), pl.NZ]",
       "MX-TEXT-3 5:48-5:53 the last entry must be the pl.MemRef(...)"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", 0, 16), pl.MemRef(\"m\", 0, "
       "16)]",
       "MX-TEXT-3 5:48-5:69 the last entry must be the pl.MemRef(...)"},
      {"pl.Tensor((4,), pl.FP32, shape=1)",
       "MX-TEXT-3 5:26-5:31 pl.Tensor(DIMS, pl.DTYPE) takes no keywords"},
      // Memrefs.
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", 0)]",
       "MX-TEXT-3 5:25-5:42 expected pl.MemRef(BASE, BYTE_OFFSET, SIZE) "
       "or pl.MemRef(BASE), either with slots=COUNT"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\")[0]]",
       "MX-TEXT-3 5:25-5:42 a slot is chosen of several: slots=COUNT"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"a b\", 0, 16)]",
       "MX-TEXT-3 5:35-5:40 a memref's base is a name"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", 0, -16)]",
       "MX-TEXT-3 5:43-5:46 a memref of -16 bytes"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(1, 0, 16)]",
       "MX-TEXT-3 5:35-5:36 a memref's base is a name"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", 0, n)]",
       "MX-TEXT-3 5:43-5:44 a memref's size must be an integer constant"},
      {"pl.Tensor[[4], pl.FP32, pl.MemRef(\"m\", g, 16)]",
       "MX-TEXT-3 5:40-5:41 a memref's offset is an integer scalar"},
      // Tiles.
      {"pl.Tile[[4]]",
       "MX-TEXT-3 5:1-5:13 expected pl.Tile[[DIMS], pl.DTYPE, MEMREF, "
       "pl.Mem.X, VIEW], the last three optional"},
      {"pl.Tile[[4], pl.FP32, pl.MemRef(\"m\", 0, 16)]",
       "MX-TEXT-3 5:1-5:45 a tile with a memref needs a memory space, "
       "pl.Mem.X"},
      {"pl.Tile[[4], pl.FP32, pl.Mem.Vec, pl.MemRef(\"m\", 0, 16), "
       "pl.MemRef(\"m\", 0, 16)]",
       "MX-TEXT-3 5:58-5:79 a second memref"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(), pl.TileView()]",
       "MX-TEXT-3 5:38-5:51 a second view"},
      {"pl.Tile[[4], pl.FP32, pl.Mem.Vec, pl.Mem.Vec]",
       "MX-TEXT-3 5:35-5:45 expected pl.MemRef(...) or pl.TileView(...)"},
      {"pl.Tile[[4], pl.FP32, pl.TileView([4])]",
       "MX-TEXT-3 5:35-5:38 pl.TileView takes keyword arguments only"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(layout=1)]",
       "MX-TEXT-3 5:35-5:41 pl.TileView has no 'layout'; it has valid_shape, "
       "stride, start_offset, blayout, slayout, fractal, pad and compact"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(valid_shape=[4, 1])]",
       "MX-TEXT-3 5:23-5:54 the view has rank 2, the shape 1"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(start_offset=g)]",
       "MX-TEXT-3 5:48-5:49 a start offset is an integer scalar"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(fractal=n)]",
       "MX-TEXT-3 5:43-5:44 a fractal's size must be an integer constant"},
  };
  ExpectTypeErrors(kCases);
}

TEST(ReaderErrorTest, Enumerators_MX_TEXT_4) {
  constexpr ErrorCase kCases[] = {
      {"pl.Scalar[FP32]",
       "MX-TEXT-4 5:11-5:15 expected an element type, pl.FP32"},
      {"pl.Scalar[pl.FP64]", "MX-TEXT-4 5:11-5:18 pl.FP64 is no element type"},
      {"pl.Tile[[4], pl.FP32, pl.Mem.L1]",
       "MX-TEXT-4 5:23-5:32 pl.Mem has no 'L1'"},
      {"pl.Tile[[4], pl.FP32, pl.NZ]",
       "MX-TEXT-4 5:23-5:28 expected pl.Mem.NAME"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(blayout=pl.TensorLayout.NZ)]",
       "MX-TEXT-4 5:43-5:61 expected pl.TileLayout.NAME"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView(layout=pl.TensorLayout.ZZ)]",
       "MX-TEXT-4 5:46-5:64 pl.TensorLayout has no 'ZZ'"},
      {"pl.Tensor[[4], pl.FP32, pl.TensorView(pad=0)]",
       "MX-TEXT-4 5:43-5:44 expected pl.PadValue.NAME"},
      {"pl.Tile[[4], pl.FP32, pl.TileView(compact=pl.CompactMode.max)]",
       "MX-TEXT-4 5:43-5:61 pl.CompactMode has no 'max'"},
  };
  ExpectTypeErrors(kCases);
  constexpr ErrorCase kInBodies[] = {
      {"y = pl.cast(n, pl.FP31)",
       "MX-TEXT-4 1:16-1:23 pl.FP31 is no element "
       "type"},
      {"y = pl.tile.alloc(pl.Mem.Top, 4)",
       "MX-TEXT-4 1:19-1:29 pl.Mem has no 'Top'"},
      {"pl.tile.mystery(t, k=pl.a.b.c.d)",
       "MX-TEXT-4 1:22-1:32 expected pl.CLASS.NAME"},
      {"pl.tile.mystery(t, k=n.a)",
       "MX-TEXT-4 1:22-1:25 expected pl.CLASS.NAME"},
  };
  ExpectErrorsInBody(kInBodies);
}

TEST(ReaderErrorTest, Annotations_MX_TEXT_5) {
  constexpr absl::string_view kLoad = " = pl.load(x, [0, 0], [16, 64])";
  constexpr ErrorCase kLoads[] = {
      {"pl.Tensor[[16, 64], pl.FP32]",
       "MX-TEXT-5 1:4-1:32 the annotation says pl.Tensor[[16, 64], pl.FP32], "
       "the value has pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]"},
      {"pl.Tile[[16, 64], pl.FP16]",
       "MX-TEXT-5 1:4-1:30 the annotation says FP16, the value has FP32"},
      {"pl.Tile[[16], pl.FP32]",
       "MX-TEXT-5 1:4-1:26 the annotation says rank 1, the value has rank 2"},
      {"pl.Tile[[16, 32], pl.FP32]",
       "MX-TEXT-5 1:4-1:30 the annotation says 32 for dimension 1, the value "
       "has 64"},
      {"pl.Tile[[n, 64], pl.FP32]", "no error"},
      {"pl.UnknownType", "no error"},
  };
  for (const ErrorCase& c : kLoads) {
    EXPECT_EQ(ErrorInBody(absl::StrCat("y: ", c.written, kLoad)), c.error);
  }
  constexpr ErrorCase kCases[] = {
      {"y: pl.Scalar[pl.INT32] = n",
       "MX-TEXT-5 1:4-1:23 the annotation says pl.Scalar[pl.INT32], the value "
       "has pl.Scalar[pl.INDEX]"},
      {"y: pl.Tensor[[4], pl.FP32] = n",
       "MX-TEXT-5 1:4-1:27 the annotation says pl.Tensor[[4], pl.FP32], the "
       "value has pl.Scalar[pl.INDEX]"},
      {"y: pl.Tuple[pl.Scalar[pl.INDEX]] = (n, n)",
       "MX-TEXT-5 1:4-1:33 the annotation says pl.Tuple[pl.Scalar[pl.INDEX]], "
       "the value has pl.Tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]"},
      {"y: pl.Tuple[pl.Scalar[pl.INDEX], pl.Tensor[[4, 4], pl.FP32]] = (n, x)",
       "MX-TEXT-5 1:4-1:61 the annotation says 4 for dimension 0, the value "
       "has 64"},
      {"if b:\n    y: pl.Scalar[pl.FP32] = pl.yield_(n)\nelse:\n    y = "
       "pl.yield_(n)",
       "MX-TEXT-5 2:8-2:26 the annotation says pl.Scalar[pl.FP32], the value "
       "has pl.Scalar[pl.INDEX]"},
      {"if b:\n    y = pl.yield_(n)\nelse:\n    y: pl.Scalar[pl.FP32] = "
       "pl.yield_(n)",
       "MX-TEXT-5 4:8-4:26 the annotation says pl.Scalar[pl.FP32], the value "
       "has pl.Scalar[pl.INDEX]"},
  };
  ExpectErrorsInBody(kCases);
}

// ---- Calls

TEST(ReaderErrorTest, Calls_MX_TEXT_6) {
  constexpr ErrorCase kCases[] = {
      {"y = n()", "MX-TEXT-6 1:5-1:6 'n' is no function of programs"},
      {"y = x[0]()",
       "MX-TEXT-6 1:5-1:9 a call names self.FUNCTION or pl.OPERATOR"},
      {"y = os.open(n)",
       "MX-TEXT-6 1:5-1:12 a call names self.FUNCTION or pl.OPERATOR"},
      {"y = self.g(n)", "MX-TEXT-6 1:5-1:11 the program has no function 'g'"},
      {"y = self.f(n)",
       "MX-TEXT-6 1:5-1:14 'f' has 6 parameters, the call has 1 arguments"},
      {"y = pl.alloc(n)",
       "MX-TEXT-6 1:5-1:13 pl.alloc is not part of the language; compilers "
       "write pl.tile.alloc"},
      // Constants and scalar functions.
      {"y = pl.const(1)",
       "MX-TEXT-6 1:5-1:16 expected pl.const(VALUE, "
       "pl.DTYPE)"},
      {"y = pl.const(n, pl.INDEX)",
       "MX-TEXT-6 1:14-1:15 this is no constant of type INDEX"},
      {"y = pl.const(1.5, pl.INT32)",
       "MX-TEXT-6 1:14-1:17 this is no constant of type INT32"},
      {"y = abs(n, n)", "MX-TEXT-6 1:5-1:14 abs takes 1 argument"},
      {"y = pl.min(n)", "MX-TEXT-6 1:5-1:14 min takes 2 arguments"},
      {"y = pl.max(n, 1, key=2)", "MX-TEXT-6 1:5-1:24 max takes 2 arguments"},
      {"y = abs(x)", "MX-TEXT-6 1:9-1:10 the argument of abs is no scalar"},
      {"y = pl.min(n, x)",
       "MX-TEXT-6 1:15-1:16 the argument of min is no scalar"},
      {"y = float(1)",
       "MX-TEXT-6 1:5-1:13 expected float('inf'), float('-inf') or "
       "float('nan')"},
      {"y = float('1')",
       "MX-TEXT-6 1:5-1:15 expected float('inf'), float('-inf') or "
       "float('nan')"},
      // Submits.
      {"y = pl.submit()",
       "MX-TEXT-6 1:5-1:16 a submit names a function of the program first, "
       "self.FUNCTION"},
      {"y = pl.submit(self.g)",
       "MX-TEXT-6 1:5-1:22 a submit names a function of the program first, "
       "self.FUNCTION"},
      {"y = pl.submit(self.f, n, i32, f, b, x, t, n)",
       "MX-TEXT-6 1:5-1:45 'f' has 6 parameters, the submit has 7 arguments"},
      {"y = pl.submit(self.f, core_num=2)",
       "MX-TEXT-6 1:5-1:34 core_num belongs to pl.spmd_submit"},
      {"y = pl.spmd_submit(self.f)",
       "MX-TEXT-6 1:5-1:27 pl.spmd_submit needs core_num"},
      {"y = pl.submit(self.f, sync_start=True)",
       "MX-TEXT-6 1:5-1:39 sync_start needs core_num"},
      {"y = pl.submit(self.f, allow_early_resolve=1)",
       "MX-TEXT-6 1:43-1:44 allow_early_resolve is True or False"},
      {"y = pl.submit(self.f, deps=n)", "MX-TEXT-6 1:28-1:29 deps is a list"},
      {"y = pl.submit(self.f)\nz = pl.submit(self.f, deps=[y[0], n])",
       "MX-TEXT-6 2:35-2:36 deps are task ids, the last item of a submit's "
       "result"},
  };
  ExpectErrorsInBody(kCases);
}

// An operator's own rules, at the call.
TEST(ReaderErrorTest, OperatorsReportTheirRules) {
  constexpr ErrorCase kCases[] = {
      {"y = pl.tile.load(x)",
       "MX-OP-1 1:5-1:20 tile.load: takes 3 to 4 arguments (tensor, offsets, "
       "shapes, valid_shape), got 1"},
      {"y = n\nif b:\n    z = [pl.tile.move(x, target_memory=pl.Mem.Vec)]",
       "MX-OP-2 3:10-3:51 tile.move: tile must be a tile, got a tensor"},
      {"pl.store(t, [0, 0], x, volatile=True)",
       "MX-OP-3 1:1-1:38 tile.store: unknown kwarg volatile; known: atomic"},
  };
  ExpectErrorsInBody(kCases);
}

// ---- Forms

TEST(ReaderErrorTest, ExpressionsAndStatements_MX_TEXT_7) {
  constexpr ErrorCase kCases[] = {
      {"y = 'text'", "MX-TEXT-7 1:5-1:11 this is no value of a program"},
      {"y = {'a': 1}", "MX-TEXT-7 1:5-1:13 this is no value of a program"},
      {"y = n + ...", "MX-TEXT-7 1:9-1:12 this is no value of a program"},
      {"y = pl.FP32", "MX-TEXT-7 1:5-1:12 this is no value of a program"},
      {"y = pl.PadValue.max",
       "MX-TEXT-7 1:5-1:20 this is no value of a program"},
      {"y = -x", "MX-TEXT-7 1:5-1:7 the operand of '-' is no scalar"},
      {"y = not t", "MX-TEXT-7 1:5-1:10 the operand of 'not' is no scalar"},
      {"y = n + 1 + x", "MX-TEXT-7 1:11-1:12 an operand of '+' is no scalar"},
      {"y = x * 2", "MX-TEXT-7 1:7-1:8 an operand of '*' is no scalar"},
      {"y = n[0]",
       "MX-TEXT-7 1:5-1:9 only tuples, arrays, tensors and tiles have parts"},
      {"y = [n, n][2]", "MX-TEXT-7 1:12-1:13 item 2 of a tuple of 2 items"},
      {"y = [n, n][-1]", "MX-TEXT-7 1:12-1:14 item -1 of a tuple of 2 items"},
      {"y = [n, n][n]",
       "MX-TEXT-7 1:12-1:13 the item's number must be an integer constant"},
      {"y, z = n",
       "MX-TEXT-7 1:8-1:9 several names are given to what is no tuple"},
      {"y, z = n, n, n", "MX-TEXT-7 1:1-1:5 2 names for 3 values"},
      {"pl.tile.mystery(attrs=[1])",
       "MX-TEXT-7 1:23-1:26 expected {\"name\": value, ...}"},
      {"pl.tile.mystery(attrs={n: 1})",
       "MX-TEXT-7 1:24-1:25 an attribute's name must be a string"},
      {"pl.tile.mystery(attrs={'a': 1, 'a': 2})",
       "MX-TEXT-7 1:32-1:35 a second attribute 'a'"},
      {"if x:\n    pass", "MX-TEXT-7 1:4-1:5 a condition is a scalar"},
      {"while [n]:\n    pass", "MX-TEXT-7 1:7-1:10 a condition is a scalar"},
      {"import os",
       "MX-TEXT-7 1:1-1:10 this statement cannot stand in a "
       "function"},
      {"def g():\n    pass",
       "MX-TEXT-7 1:1-2:9 this statement cannot stand in a function"},
  };
  ExpectErrorsInBody(kCases);
}

TEST(ReaderErrorTest, Loops_MX_TEXT_8) {
  constexpr absl::string_view kKinds =
      "a loop runs over pl.range, pl.parallel, pl.unroll, pl.pipeline, "
      "pl.while_, pl.spmd or pl.split_aiv";
  const struct {
    absl::string_view header;
    std::string error;
  } kCases[] = {
      {"for i in range(4)", absl::StrCat("1:10-1:18 ", kKinds)},
      {"for i in n", absl::StrCat("1:10-1:11 ", kKinds)},
      {"for i in pl.scope()", absl::StrCat("1:10-1:20 ", kKinds)},
      {"for i, j in pl.range(n)",
       "1:5-1:9 expected for VAR, (CARRIED,) in "
       "..."},
      {"for i, (a,), j in pl.range(n)",
       "1:5-1:15 expected for VAR, (CARRIED,) in ..."},
      {"for (i, j), (a,) in pl.range(n)",
       "1:5-1:17 expected for VAR, (CARRIED,) in ..."},
      {"for i, (a, (c, d)) in pl.range(n)",
       "1:5-1:19 expected for VAR, (CARRIED,) in ..."},
      {"for a in pl.while_(init_values=(n,))",
       "1:5-1:6 expected for (CARRIED,) in pl.while_(...)"},
      {"for i in pl.range()",
       "1:10-1:20 a range has a stop, a start and a stop, or a start, a stop "
       "and a step"},
      {"for i in pl.range(0, 1, 2, 3)",
       "1:10-1:30 a range has a stop, a start and a stop, or a start, a stop "
       "and a step"},
      {"for i in pl.range(0, x)",
       "1:22-1:23 a loop bound is an integer "
       "scalar"},
      {"for i in pl.range(f)", "1:19-1:20 a loop bound is an integer scalar"},
      {"for i in pl.range(n, steps=2)",
       "1:22-1:27 a loop has no 'steps'; it has stage, init_values, attrs"},
      {"for i in pl.range(n, stage=2)",
       "1:10-1:30 stage belongs to pl.pipeline"},
      {"for i in pl.pipeline(n)", "1:10-1:24 pl.pipeline needs stage=COUNT"},
      {"for i in pl.pipeline(n, stage=0)",
       "1:10-1:33 stage must be a positive integer constant"},
      {"for i in pl.pipeline(n, stage=n)",
       "1:10-1:33 stage must be a positive integer constant"},
      {"for i in pl.pipeline(n, stage=2, attrs={'pipeline_stages': 2})",
       "1:25-1:30 stage and the attribute pipeline_stages say the same; give "
       "one of them"},
      {"for i, (a,) in pl.unroll(4, init_values=(n,))",
       "1:16-1:46 pl.unroll carries no values"},
      {"for i, (a,) in pl.range(n)",
       "1:16-1:27 1 carried names for 0 initial values"},
      {"for i in pl.range(n, init_values=(n,))",
       "1:10-1:39 0 carried names for 1 initial values"},
      {"for i, (a,) in pl.range(n, init_values=n)",
       "1:40-1:41 init_values is a tuple: (a,)"},
      {"for (a,) in pl.while_(n, init_values=(n,))",
       "1:23-1:24 pl.while_ has init_values only; its condition is "
       "pl.cond(CONDITION)"},
      {"for (a,) in pl.while_(init_values=(n,), attrs={})",
       "1:41-1:46 a loop has no 'attrs'; it has init_values"},
      {"for (a,) in pl.while_(init_values=(n,))",
       "1:1-1:40 the body of pl.while_ begins with pl.cond(CONDITION)"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ErrorInBody(absl::StrCat(c.header, ":\n    pass")),
              absl::StrCat("MX-TEXT-8 ", c.error));
  }
  EXPECT_EQ(ErrorInBody("for (a,) in pl.while_(init_values=(n,)):\n"
                        "    pl.cond(a > 0, a)\n"
                        "    r = pl.yield_(a)"),
            "MX-TEXT-8 1:1-1:40 the body of pl.while_ begins with "
            "pl.cond(CONDITION)");
}

TEST(ReaderErrorTest, Yields_MX_TEXT_9) {
  constexpr absl::string_view kLoop =
      "for i, (a,) in pl.range(n, init_values=(n,)):\n    ";
  constexpr ErrorCase kLoops[] = {
      {"r, s = pl.yield_(a, a)",
       "1:1-1:45 the body must end in a yield of 1 values, it yields 2"},
      {"pl.yield_(a)",
       "2:5-2:17 the yield must name its results: NAME = pl.yield_(...)"},
      {"r, s = pl.yield_(a)", "2:5-2:24 2 names for 1 yielded values"},
      {"r, (s, t) = pl.yield_(a, a)",
       "2:8-2:14 the results of a yield are names"},
      {"r[0] = pl.yield_(a)", "2:5-2:9 the results of a yield are names"},
      {"r = pl.yield_(a)\n    y = n",
       "1:1-1:45 the body must end in a yield of 1 values, it yields 0"},
      {"y = 1 + pl.yield_(a)",
       "2:13-2:25 a yield is a statement of its own, at the end of a body"},
  };
  for (const ErrorCase& c : kLoops) {
    EXPECT_EQ(ErrorInBody(absl::StrCat(kLoop, c.written)),
              absl::StrCat("MX-TEXT-9 ", c.error));
  }
  constexpr ErrorCase kCases[] = {
      {"y = pl.yield_(n)",
       "MX-TEXT-9 1:1-1:17 a function's body returns; it does not yield"},
      {"for i in pl.range(n):\n    r = pl.yield_(i)",
       "MX-TEXT-9 1:1-1:21 the body must end in a yield of 0 values, it "
       "yields 1"},
      {"while b:\n    r = pl.yield_(n)",
       "MX-TEXT-9 1:1-1:8 the body must end in a yield of 0 values, it yields "
       "1"},
      {"if b:\n    y = pl.yield_(n)",
       "MX-TEXT-9 1:1-1:5 one branch yields 1 results, the other 0"},
      {"if b:\n    y = pl.yield_(n)\nelse:\n    y, z = pl.yield_(n, n)",
       "MX-TEXT-9 1:1-1:5 one branch yields 1 results, the other 2"},
      {"if b:\n    y = pl.yield_(n)\nelse:\n    z = pl.yield_(n)",
       "MX-TEXT-9 4:5-4:6 the other branch names this result 'y', not 'z'"},
      {"if b:\n    y = pl.yield_(n)\nelse:\n    y = pl.yield_(1.0)",
       "MX-TEXT-9 4:5-4:23 'y' has pl.Scalar[pl.INDEX] in one branch, "
       "pl.Scalar[pl.FP32] in the other"},
      {"if b:\n    y = pl.yield_(n)\nelse:\n    y = pl.yield_(n)\n    z = n",
       "MX-TEXT-9 4:5-4:6 a branch with results ends in its yield"},
      {"if b:\n    y = pl.yield_(n)\n    z = n\nelse:\n    y = pl.yield_(n)",
       "MX-TEXT-9 1:1-1:5 the body must end in a yield of 1 values, it yields "
       "0"},
  };
  ExpectErrorsInBody(kCases);
}

// ---- Functions

TEST(ReaderErrorTest, Functions_MX_TEXT_10) {
  constexpr absl::string_view kHead =
      "import pypto.language as pl\n@pl.program\nclass P:\n";
  constexpr ErrorCase kCases[] = {
      {" def f(self):\n  pass\n",
       "MX-TEXT-10 4:6-4:7 a function has the decorator @pl.function"},
      {" @pl.function\n @pl.function\n def f(self):\n  pass\n",
       "MX-TEXT-10 6:6-6:7 a function has the decorator @pl.function"},
      {" @pl.program\n def f(self):\n  pass\n",
       "MX-TEXT-10 4:3-4:13 expected @pl.function or @pl.function(type=..., "
       "...)"},
      {" @pl.function(1)\n def f(self):\n  pass\n",
       "MX-TEXT-10 4:3-4:17 expected @pl.function or @pl.function(type=..., "
       "...)"},
      {" @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIC)\n"
       " def f():\n  pass\n",
       "MX-TEXT-10 5:6-5:7 level or role contradict the type AIV"},
      {" @pl.function(type=pl.FunctionType.Graph, role=pl.Role.SubWorker)\n"
       " def f():\n  pass\n",
       "MX-TEXT-10 5:6-5:7 level or role contradict the type Graph"},
      {" @pl.function(type=pl.FunctionType.Cube)\n def f():\n  pass\n",
       "MX-TEXT-4 4:20-4:40 pl.FunctionType has no 'Cube'"},
      {" @pl.function\n def f(self):\n  pass\n @pl.function\n def f(self):\n"
       "  pass\n",
       "MX-TEXT-10 8:6-8:7 a second function 'f'"},
      {" @pl.function\n def f(self, x):\n  pass\n",
       "MX-TEXT-10 5:14-5:15 parameter 'x' has no type"},
      {" @pl.function\n def f(x: pl.Ptr, self):\n  pass\n",
       "MX-TEXT-10 5:19-5:23 parameter 'self' has no type"},
      {" @pl.function\n def f(x: pl.InOut[pl.Scalar[pl.INT8]]):\n  pass\n",
       "MX-TEXT-10 5:11-5:39 a scalar parameter cannot be InOut"},
      {" @pl.function\n def f(x: pl.In[pl.Ptr]):\n  pass\n",
       "MX-TEXT-3 5:11-5:16 pl.In is no type"},
      {" @pl.function\n def f(self) -> tuple[1]:\n  pass\n",
       "MX-TEXT-3 5:23-5:24 expected a type, such as pl.Tensor[...]"},
      {" @pl.function\n def f(self):\n  pl.func_attr()\n",
       "MX-TEXT-10 6:3-6:17 expected pl.func_attr({\"name\": value, ...})"},
      {" @pl.function(a=1)\n def f(self):\n  pl.func_attr({'a': 1})\n",
       "MX-TEXT-10 6:3-6:25 the decorator states the attribute 'a' already"},
  };
  ExpectErrors(kHead, kCases);
}

// ---- Rendering

TEST(ReaderErrorTest, ErrorsShowTheirLine) {
  const std::string text = InFunction("y = n + zebra");
  const TestProgram program(text);
  ASSERT_FALSE(program.has_value());
  const SourceFile file("a.py", text);
  EXPECT_EQ(RenderDiagnostic(program.sink().diagnostics()[0],
                             [&](absl::string_view) { return &file; }),
            "a.py:7:17: error: 'zebra' is not defined [MX-TEXT-2]\n"
            "        y = n + zebra\n"
            "                ^~~~~\n");
}

TEST(ReaderErrorTest, SyntaxErrorsComeThrough) {
  EXPECT_EQ(ErrorInBody("y = n +"),
            "MX-SYNTAX-7 1:8-1:8 expected an expression, found the end of the "
            "line");
}

}  // namespace
}  // namespace mxtile::ir
