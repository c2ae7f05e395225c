// The canonical text, by types, expressions, statements and functions; every
// program made here is read back, too.

#include "ir/text/printer.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// A type or expression as written, and as printed where that differs.
struct TextCase {
  const char* written;
  const char* printed = written;
};

// ---- Types

// Types that print as they are written here.
TEST(PrinterTest, TypesPrintAsWritten) {
  constexpr const char* kTypes[] = {
      "pl.Scalar[pl.INDEX]",
      "pl.Scalar[pl.TASK_ID]",
      "pl.Tensor[[], pl.FP32]",
      "pl.Tensor[[64, 128], pl.FP8E4M3FN]",
      "pl.Tensor[[64, 128], pl.FP16, pl.TensorView(stride=[], "
      "layout=pl.TensorLayout.NZ)]",
      "pl.Tensor[[64, 4], pl.FP8E8M0, pl.TensorView(stride=[4, 1], "
      "layout=pl.TensorLayout.MX_A_ZZ)]",
      "pl.Tensor[[64, 4], pl.FP32, pl.TensorView(valid_shape=[8, 4], "
      "stride=[], layout=pl.TensorLayout.ND, pad=pl.PadValue.zero)]",
      "pl.Tensor[[64, 4], pl.FP32, pl.TensorView(stride=[1, 64], "
      "layout=pl.TensorLayout.DN), pl.MemRef(\"mem\", 32, 1024)]",
      "pl.Tensor[[64, 4], pl.FP32, pl.MemRef(\"mem\", n * pl.const(4, "
      "pl.INDEX), 1024)]",
      "pld.DistributedTensor[[64], pl.BF16]",
      "pl.Tile[[16, 64], pl.FP32]",
      "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]",
      "pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"mem\", 0, 4096), pl.Mem.Acc]",
      "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[n, "
      "64])]",
      "pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"mem\", 0, 4096), pl.Mem.Mat, "
      "pl.TileView(valid_shape=[n, 64], stride=[128, 1], start_offset=n + "
      "pl.const(1, pl.INDEX), blayout=pl.TileLayout.row_major, "
      "slayout=pl.TileLayout.col_major, fractal=32, pad=pl.PadValue.max, "
      "compact=pl.CompactMode.normal)]",
      // The box layout of a scale is not Mat's implicit one.
      "pl.Tile[[32, 4], pl.FP8E8M0, pl.Mem.Mat, "
      "pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)]",
      "pl.Array[8, pl.TASK_ID]",
      "pl.Tuple[()]",
      "pl.Tuple[pl.Scalar[pl.BOOL], pl.Tuple[pl.Ptr]]",
      "pl.Ptr",
      "pl.MemRefType",
      "pld.WindowBufferType",
      "pld.CommCtxType",
      "pl.PrefetchAsyncContext",
      "pl.AsyncEvent",
      "pl.AsyncSession",
      "pl.UnknownType",
  };
  for (const char* type : kTypes) {
    const std::string text = RoundTrip(
        InFunction("pass", absl::StrCat("n: pl.Scalar[pl.INDEX], v: ", type)));
    EXPECT_EQ(text.substr(0, text.find("):\n")).substr(text.find("v: ") + 3),
              type);
  }
}

TEST(PrinterTest, ConstantDimsAreBareAndThoseInsideOthersTyped) {
  const TextCase kCases[] = {
      {"[64, n]"},
      {"[pl.const(64, pl.INT32), n]", "[64, n]"},
      {"[n * 2]", "[n * pl.const(2, pl.INDEX)]"},
      {"[n * pl.const(2, pl.INT32)]", "[n * pl.const(2, pl.INDEX)]"},
      {"[(n + 1) * 16]",
       "[(n + pl.const(1, pl.INDEX)) * pl.const(16, pl.INDEX)]"},
      {"[n // 16 % 4 - 1]",
       "[n // pl.const(16, pl.INDEX) % pl.const(4, pl.INDEX) - pl.const(1, "
       "pl.INDEX)]"},
      {"[pl.min(n, 16), pl.max(n, 16)]",
       "[pl.min(n, pl.const(16, pl.INDEX)), pl.max(n, pl.const(16, "
       "pl.INDEX))]"},
      {"[pl.cast(i, pl.INDEX)]"},
  };
  for (const TextCase& c : kCases) {
    const std::string text = RoundTrip(InFunction(
        "pass", absl::StrCat("n: pl.Scalar[pl.INDEX], i: pl.Scalar[pl.INT32], "
                             "v: pl.Tensor[",
                             c.written, ", pl.FP32]")));
    EXPECT_NE(text.find(absl::StrCat("pl.Tensor[", c.printed, ", pl.FP32]")),
              std::string::npos)
        << text;
  }
}

// ---- Expressions

// The print of `v = WRITTEN`, without the annotation.
std::string PrintedValue(absl::string_view written) {
  const std::string text = RoundTripBody(absl::StrCat("v = ", written));
  const size_t value = text.find(" = ");
  return value == std::string::npos
             ? text
             : text.substr(value + 3, text.size() - value - 4);
}

TEST(PrinterTest, Expressions) {
  const TextCase kCases[] = {
      // Constants.
      {"0"},
      {"-7"},
      {"-9223372036854775808"},
      {"9223372036854775807"},
      {"0x10", "16"},
      {"pl.const(5, pl.INDEX)", "5"},
      {"pl.const(-5, pl.INT32)"},
      {"pl.const(5, pl.UINT8)"},
      {"1.0"},
      {"-0.0"},
      {"0.5"},
      {"1e300", "1.0000000000000001e+300"},
      {"0.1", "0.10000000000000001"},
      {"1e-7", "9.9999999999999995e-08"},
      {"pl.const(1, pl.FP16)", "pl.const(1.0, pl.FP16)"},
      {"pl.const(-2.5, pl.BF16)"},
      {"float('inf')"},
      {"float('-inf')"},
      {"float(\"nan\")", "float('nan')"},
      {"pl.const(float('inf'), pl.FP16)"},
      {"True"},
      {"False"},
      // Operators.
      {"n"},
      {"+n", "n"},
      {"-n"},
      {"~n"},
      {"not b"},
      {"- -n", "--n"},
      {"abs(n)"},
      {"min(n, 3)", "pl.min(n, 3)"},
      {"pl.max(n, 3)"},
      {"pl.cast(n, pl.FP32)"},
      {"n + 1"},
      {"n - 1"},
      {"n * 2"},
      {"n // 2"},
      {"n % 2"},
      {"n / 2"},
      {"n ** 2"},
      {"n == 1"},
      {"n != 1"},
      {"n < 1"},
      {"n <= 1"},
      {"n > 1"},
      {"n >= 1"},
      {"b and b"},
      {"b or b"},
      {"b xor b"},
      {"n & 1"},
      {"n | 1"},
      {"n ^ 1"},
      {"n << 1"},
      {"n >> 1"},
      // Parentheses, where they are needed.
      {"(n + 1) - 2", "n + 1 - 2"},
      {"n - (1 - 2)"},
      {"n - (1 + 2)"},
      {"(n * 2) + 1", "n * 2 + 1"},
      {"n * (2 + 1)"},
      {"n // (2 * 3)"},
      {"(-2) ** n"},
      {"-2 ** n"},
      {"(-n) ** 2"},
      {"n ** -2", "n ** (-2)"},
      {"n ** n ** n"},
      {"(n ** n) ** n"},
      {"(n < 1) == b"},
      {"b == (n < 1)"},
      {"not n < 1"},
      {"(not b) == b"},
      {"not (b and b)"},
      {"not b and b"},
      {"b and (b or b)"},
      {"b and b or b"},
      {"(n & 1) == 0", "n & 1 == 0"},
      {"n & (1 == 0)"},
      {"~(n + 1)"},
      {"-abs(-n)"},
      // Lists, tuples and items.
      {"[n, 1]"},
      {"(n, 1)", "[n, 1]"},
      {"[]"},
      {"[n, [1, 2]][1][0]"},
      // Calls.
      {"pl.tile.load(x, [0, n], [16, 64], [16, 64], "
       "target_memory=pl.Mem.Vec)"},
      {"pl.load(x, [0, n], [16, 64])",
       "pl.tile.load(x, [0, n], [16, 64], [16, 64], "
       "target_memory=pl.Mem.Vec)"},
      {"pl.tile.alloc(pl.Mem.Vec, 2048)"},
      {"pl.tile.alloc(1, 2048)", "pl.tile.alloc(pl.Mem.Vec, 2048)"},
      {"self.f(n, i32, f, b, x, t)"},
      {"self.f(n, i32, f, b, x, t, device=n + 1, "
       "attrs={\"arg_directions\": [pl.adir.input, pl.adir.inout], "
       "\"core_num\": n})"},
      {"pl.tile.mystery(t, n)"},
      {"pl.mystery.and_(t, t)"},
      {"pl.mystery.or_(t, t)"},
      {"pl.mystery.not_(t)"},
      {"pld.tensor.mystery(x)"},
      {"pl.system.mystery()"},
      {"pl.tile.mystery(t, a=1, b=-1, c=0.5, d=True, e='it\\'s', g=pl.FP8E8M0, "
       "h=pl.Mem.LeftScale, i=pl.PipeType.MTE1, j=[1, [n]], k=n, "
       "l=pl.const(1, pl.INT32), attrs={\"a\": \"it's\"})"},
      {"pl.tile.mystery(t, space=pl.MemorySpace.Mat)",
       "pl.tile.mystery(t, space=pl.Mem.Mat)"},
      {"pl.tile.mystery(t, x=(1, n))", "pl.tile.mystery(t, x=[1, n])"},
      {"pl.submit(self.f, n, i32, f, b, x)"},
      {"pl.spmd_submit(self.f, n, i32, f, b, x, t, dumps=[x], core_num=n * 2, "
       "sync_start=True, allow_early_resolve=True, predicate=(b and n > 0), "
       "attrs={\"arg_directions\": [pl.adir.input]})"},
  };
  for (const TextCase& c : kCases) {
    EXPECT_EQ(PrintedValue(c.written), c.printed) << c.written;
  }
}

TEST(PrinterTest, StringsKeepEveryCharacter) {
  const std::string text = RoundTripBody(
      R"(pl.tile.mystery(a='\'"\\\n\t\r\x00\x7f', attrs={"k'\"": "'\""}))");
  EXPECT_EQ(text, R"(pl.tile.mystery(a='\'"\\\n\x09\x0d\x00\x7f', )"
                  R"(attrs={"k'\"": "'\""}))"
                  "\n");
}

// Expressions of every shape, one an assignment of one large function.
class ExpressionPrinter {
 public:
  ExpressionPrinter()
      : builder_(&context_, "f", FunctionType::kInCore),
        leaves_({builder_.Param("n", context_.IndexType()),
                 builder_.Param("i", context_.GetScalarType(DataType::kInt32)),
                 builder_.Param("b", context_.GetScalarType(DataType::kBool)),
                 context_.Index(3), context_.Index(-2),
                 context_.Int(-5, DataType::kInt32), context_.Float(1.5),
                 context_.Float(-0.25), context_.Bool(true)}) {}

  static constexpr int kBinaryOps = static_cast<int>(BinaryOp::kShiftR) + 1;
  // The UnaryOps, then a cast.
  static constexpr int kUnaryOps = static_cast<int>(UnaryOp::kBitNot) + 2;

  const std::vector<const Expr*>& leaves() const { return leaves_; }
  const Expr* Binary(int op, const Expr* lhs, const Expr* rhs) {
    return context_.NewBinary(static_cast<BinaryOp>(op), lhs, rhs);
  }
  const Expr* Unary(int op, const Expr* operand) {
    return op + 1 == kUnaryOps
               ? context_.NewCast(operand, DataType::kInt64)
               : context_.NewUnary(static_cast<UnaryOp>(op), operand);
  }
  void Add(const Expr* expr) {
    builder_.Assign(absl::StrCat("v", count_++), expr);
  }
  int count() const { return count_; }
  // Prints all of them and reads them back.
  void Check() {
    PrintAndReadBack(*MakeProgram(&context_, "P", {builder_.Build()}));
  }

 private:
  Context context_{&StandardOps()};
  FunctionBuilder builder_;
  std::vector<const Expr*> leaves_;
  int count_ = 0;
};

TEST(PrinterTest, EveryOperatorInsideEveryOtherReadsBack) {
  ExpressionPrinter p;
  const Expr* n = p.leaves()[0];
  std::vector<const Expr*> inner = {p.leaves()};
  for (int op = 0; op < p.kBinaryOps; ++op) inner.push_back(p.Binary(op, n, n));
  for (int op = 0; op < p.kUnaryOps; ++op) inner.push_back(p.Unary(op, n));
  for (const Expr* e : inner) {
    for (int op = 0; op < p.kBinaryOps; ++op) {
      p.Add(p.Binary(op, e, n));
      p.Add(p.Binary(op, n, e));
    }
    for (int op = 0; op < p.kUnaryOps; ++op) p.Add(p.Unary(op, e));
  }
  EXPECT_EQ(p.count(), (9 + 23 + 5) * (2 * 23 + 5));
  p.Check();
}

// A fixed sequence, the same with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int Below(int bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % bound);
  }

 private:
  uint64_t state_;
};

const Expr* RandomExpr(ExpressionPrinter& p, Random& random, int depth) {
  const int kind = depth == 0 ? 0 : random.Below(8);
  if (kind == 0) return p.leaves()[random.Below(p.leaves().size())];
  if (kind <= 2) {
    return p.Unary(random.Below(p.kUnaryOps), RandomExpr(p, random, depth - 1));
  }
  const Expr* lhs = RandomExpr(p, random, depth - 1);
  return p.Binary(random.Below(p.kBinaryOps), lhs,
                  RandomExpr(p, random, depth - 1));
}

TEST(PrinterTest, RandomExpressionsReadBack) {
  // Another seed: --gtest_random_seed.
  const int given = ::testing::UnitTest::GetInstance()->random_seed();
  const int seed = given != 0 ? given : 1;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  ExpressionPrinter p;
  Random random(seed);
  for (int i = 0; i < 4000; ++i) p.Add(RandomExpr(p, random, 4));
  p.Check();
}

TEST(PrinterTest, ExpressionsForMessagesUseHints) {
  Context context(&StandardOps());
  const Var* a = context.NewVar("a", context.IndexType());
  const Var* other = context.NewVar("a", context.IndexType());
  EXPECT_EQ(PrintExpr(context.NewBinary(BinaryOp::kSub, a, other)), "a - a");
  EXPECT_EQ(PrintType(context.GetScalarType(DataType::kHF8)),
            "pl.Scalar[pl.HF8]");
  Return ret;
  ret.kind = StmtKind::kReturn;
  ret.values = context.ExprList({a, other});
  EXPECT_EQ(PrintStmt(context.New(ret)), "return a, a\n");
}

TEST(PrinterTest, ASumOf100000TermsIsOneLine) {
  Context context(&StandardOps());
  const Var* n = context.NewVar("n", context.IndexType());
  const std::string text = PrintExpr(LongSum(&context, n, 100'000));
  EXPECT_EQ(text.substr(0, 12), "0 + 1 + 2 + ");
  EXPECT_EQ(text.substr(text.size() - 12), " + 99998 + n");
}

// ---- Statements

// Bodies that print as they are written.
TEST(PrinterTest, StatementsPrintAsWritten) {
  constexpr const char* kBodies[] = {
      // Assignments and evaluations.
      R"(y: pl.Scalar[pl.INDEX] = n + 1
pl.tile.store(t, [0, 0], x)
)",
      // Returns.
      R"(return
)",
      R"(return n, x
)",
      R"(return [n, x]
)",
      // Branches.
      R"(if b:
    y: pl.Scalar[pl.INDEX] = n + 1
)",
      R"(if n > 0:
    pass
else:
    y: pl.Scalar[pl.INDEX] = n + 1
)",
      R"(if b:
    y: pl.Scalar[pl.INDEX] = pl.yield_(n)
else:
    if n < 0:
        z: pl.Scalar[pl.INDEX] = pl.yield_(1)
    else:
        z: pl.Scalar[pl.INDEX] = pl.yield_(2)
    y: pl.Scalar[pl.INDEX] = pl.yield_(z)
return y
)",
      R"(if b:
    y, z = pl.yield_(n, x)
else:
    y, z = pl.yield_(0, x)
return z, y
)",
      // Loops.
      R"(for i in pl.range(n):
    pass
)",
      R"(for i in pl.parallel(1, n):
    continue
)",
      R"(for i in pl.unroll(0, 8, 2):
    break
)",
      R"(for i in pl.pipeline(n, stage=2, attrs={"k": [n, "s"]}):
    y: pl.Scalar[pl.INDEX] = i * 2
)",
      R"(for i in pl.range(pl.const(0, pl.INT32), i32):
    y: pl.Scalar[pl.INT32] = i + i32
)",
      R"(for i in pl.range(pl.const(0, pl.INT32), i32, pl.const(1, pl.INT32)):
    pass
)",
      R"(for i, (a,) in pl.range(0, n, 2, init_values=(f,)):
    y: pl.Scalar[pl.FP32] = a + f
    r: pl.Scalar[pl.FP32] = pl.yield_(y)
return r
)",
      R"(for i, (a, c) in pl.pipeline(n, stage=3, init_values=(0, t)):
    r, s = pl.yield_(a + i, c)
return r, s
)",
      R"(while n > 0:
    n: pl.Scalar[pl.INDEX] = n - 1
)",
      R"(for (a,) in pl.while_(init_values=(n,)):
    pl.cond(a > 0)
    r: pl.Scalar[pl.INDEX] = pl.yield_(a - 1)
return r
)",
      R"(for (a, c) in pl.while_(init_values=(n, b)):
    pl.cond(c and a > 0)
    r, s = pl.yield_(a - 1, c)
return r, s
)",
      // Comments.
      R"(# one
#
#  indented
y: pl.Scalar[pl.INDEX] = n + 1
# a branch
if b:
    # inside
    z: pl.Scalar[pl.INDEX] = pl.yield_(0)
else:
    # the other
    z: pl.Scalar[pl.INDEX] = pl.yield_(1)
# the end
return z
)",
      // Allocations: the base's name is bare, as the body defines it.
      R"(mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
y: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem, 0, 4096), pl.Mem.Vec] = )"
      R"(pl.tile.load(x, [0, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
)",
      R"(y: pl.Tile[[16, 64], pl.FP32, pl.MemRef("out", 0, 4096), pl.Mem.Vec] = )"
      R"(pl.tile.load(x, [0, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
)",
  };
  for (const char* body : kBodies) {
    EXPECT_EQ(RoundTripBody(body), body);
  }
}

TEST(PrinterTest, AnEmptyBodyIsAPass) {
  EXPECT_EQ(RoundTripBody("pass"), "pass\n");
  EXPECT_EQ(RoundTripBody("..."), "pass\n");
  EXPECT_EQ(RoundTripBody("for i in pl.range(n):\n    ..."),
            "for i in pl.range(n):\n    pass\n");
}

// ---- Names

TEST(PrinterTest, SharedHintsGetNumbersInOrderOfAppearance) {
  Context context(&StandardOps());
  FunctionBuilder f(&context, "f", FunctionType::kInCore);
  const Var* a = f.Param("a", context.IndexType());
  const Var* second = f.Assign("a", a);
  f.Assign("a_1", a);  // Taken: it is unique.
  const Var* third = f.Assign("a", second);
  f.Return({a, second, third});
  EXPECT_EQ(PrintAndReadBack(*MakeProgram(&context, "P", {f.Build()})),
            "# pypto.program: P\n"
            "import pypto.language as pl\n"
            "\n"
            "@pl.program\n"
            "class P:\n"
            "    @pl.function(type=pl.FunctionType.InCore, "
            "level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
            "    def f(a: pl.Scalar[pl.INDEX]):\n"
            "        a_2: pl.Scalar[pl.INDEX] = a\n"
            "        a_1: pl.Scalar[pl.INDEX] = a\n"
            "        a_3: pl.Scalar[pl.INDEX] = a_2\n"
            "        return a, a_2, a_3\n");
}

TEST(PrinterTest, AUseWithoutADefinitionIsMarked) {
  Context context(&StandardOps());
  FunctionBuilder f(&context, "f", FunctionType::kInCore);
  f.Return({context.NewVar("a", context.IndexType())});
  EXPECT_EQ(PrintFunction(*f.Build()),
            "@pl.function(type=pl.FunctionType.InCore, "
            "level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
            "def f():\n"
            "    return a__FREE_VAR\n");
}

TEST(PrinterTest, NamesThatHideADynamicDimGetNumbers) {
  const std::string text = RoundTrip(
      "import pypto.language as pl\n"
      "M = pl.dynamic(\"M\")\n"
      "@pl.program\n"
      "class P:\n"
      "    @pl.function\n"
      "    def f(self, x: pl.Tensor[[M], pl.FP32], M: pl.Scalar[pl.INDEX]):\n"
      "        return M\n");
  EXPECT_EQ(text,
            "# pypto.program: P\n"
            "import pypto.language as pl\n"
            "\n"
            "M = pl.dynamic(\"M\")\n"
            "\n"
            "@pl.program\n"
            "class P:\n"
            "    @pl.function\n"
            "    def f(self, x: pl.Tensor[[M], pl.FP32], M_1: "
            "pl.Scalar[pl.INDEX]):\n"
            "        return M_1\n");
}

// The bases of memrefs are quoted in the signature, whatever defines them.
TEST(PrinterTest, MemRefBasesInSignaturesAreThoseOfTheBody) {
  constexpr absl::string_view kText =
      "# pypto.program: P\n"
      "import pypto.language as pl\n"
      "\n"
      "@pl.program\n"
      "class P:\n"
      "    @pl.function\n"
      "    def f(self, x: pl.Tensor[[64], pl.FP32, pl.MemRef(\"mem\", 0, 256)])"
      " -> pl.Tensor[[64], pl.FP32, pl.MemRef(\"out\", 0, 256)]:\n"
      "        mem: pl.Ptr = pl.tile.alloc(pl.Mem.DDR, 256)\n"
      "        out: pl.Ptr = pl.tile.alloc(pl.Mem.DDR, 256)\n"
      "        y: pl.Tensor[[64], pl.FP32, pl.MemRef(mem, 0, 256)] = x\n"
      "        z: pl.Tensor[[64], pl.FP32, pl.MemRef(out, 0, 256)] = "
      "pl.tensor.mystery(y)\n"
      "        return z\n";
  EXPECT_EQ(RoundTrip(kText), kText);
  const TestProgram program(kText);
  const Function& f = program.function();
  const auto base_of = [](const Type* type) {
    return CheckedCast<TensorType>(type)->memref->base;
  };
  const auto defined = [&](int i) {
    return CheckedCast<Assign>(f.body[i])->var;
  };
  EXPECT_EQ(base_of(f.params[0]->type), defined(0));
  EXPECT_EQ(base_of(f.return_types[0]), defined(1));
  EXPECT_EQ(base_of(defined(2)->type), defined(0));
  EXPECT_EQ(base_of(defined(3)->type), defined(1));
}

// ---- Functions and programs

// The lines of `function` from its decorator to its `def`.
std::string Header(absl::string_view decorator, absl::string_view signature) {
  std::string text = RoundTrip(
      absl::StrCat("import pypto.language as pl\n@pl.program\nclass P:\n    ",
                   decorator, "\n    def f", signature, ":\n        pass\n"));
  const size_t start = text.find("    @pl.function");
  if (start == std::string::npos) return text;
  const size_t end = text.find(":\n        pass");
  return absl::StrReplaceAll(text.substr(start + 4, end - start - 4),
                             {{"\n    ", "\n"}});
}

TEST(PrinterTest, DecoratorsHoldTypeLevelAndRole) {
  struct Case {
    absl::string_view type;
    absl::string_view printed;
    absl::string_view self;
  };
  constexpr Case kCases[] = {
      {"Opaque", "@pl.function", "self"},
      {"Orchestration",
       "@pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, "
       "role=pl.Role.Orchestrator)",
       "self"},
      {"InCore",
       "@pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, "
       "role=pl.Role.SubWorker)",
       ""},
      {"AIC",
       "@pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIC, "
       "role=pl.Role.SubWorker)",
       ""},
      {"AIV",
       "@pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, "
       "role=pl.Role.SubWorker)",
       ""},
      {"Group",
       "@pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, "
       "role=pl.Role.SubWorker)",
       ""},
      {"Spmd", "@pl.function(type=pl.FunctionType.Spmd)", "self"},
      {"Inline", "@pl.function(type=pl.FunctionType.Inline)", "self"},
      {"Graph",
       "@pl.function(type=pl.FunctionType.Graph, level=pl.Level.CHIP, "
       "role=pl.Role.Orchestrator)",
       "self"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(
        Header(absl::StrCat("@pl.function(type=pl.FunctionType.", c.type, ")"),
               "()"),
        absl::StrCat(c.printed, "\ndef f(", c.self, ")"))
        << c.type;
  }
}

TEST(PrinterTest, LevelsAndRolesOfTypesThatImplyNone) {
  EXPECT_EQ(Header("@pl.function(level=pl.Level.HOST, "
                   "role=pl.Role.SubWorker)",
                   "()"),
            "@pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n"
            "def f()");
  EXPECT_EQ(Header("@pl.function(level=pl.Level.L2CACHE)", "(self)"),
            "@pl.function(level=pl.Level.CHIP_DIE)\ndef f(self)");
}

TEST(PrinterTest, SignaturesHoldDirectionsAndReturns) {
  const TextCase kCases[] = {
      {"(self, a: pl.Out[pl.Tensor[[4], pl.FP32]], b: "
       "pl.InOut[pl.Tensor[[4], pl.FP32]], c: pl.Out[pl.Scalar[pl.INT32]])"},
      {"(self) -> pl.Scalar[pl.INT32]"},
      {"(self) -> None", "(self)"},
      {"(self) -> tuple[pl.Scalar[pl.INT32]]", "(self) -> pl.Scalar[pl.INT32]"},
      {"(self) -> tuple[pl.Scalar[pl.INT32], pl.Ptr]"},
      {"(self) -> pl.Tuple[pl.Scalar[pl.INT32], pl.Ptr]"},
  };
  for (const TextCase& c : kCases) {
    EXPECT_EQ(Header("@pl.function", c.written),
              absl::StrCat("@pl.function\ndef f", c.printed));
  }
}

TEST(PrinterTest, AttributesStandInDecoratorOrBody) {
  const std::string text = RoundTrip(
      "import pypto.language as pl\n"
      "@pl.program\n"
      "class P:\n"
      "    @pl.function(pinned=True, auto_scope=False)\n"
      "    def f(self, n: pl.Scalar[pl.INDEX]):\n"
      "        pl.func_attr({\"split\": pl.SplitMode.UP_DOWN, "
      "\"core_num\": n * 2, \"external_source\": \"a.cpp\"})\n"
      "        return n\n"
      "    @pl.function(auto_scope=True)\n"
      "    def g(self):\n"
      "        pl.func_attr({\"mx_tensor_views_blocked\": True})\n");
  EXPECT_EQ(text.substr(text.find("class")),
            "class P:\n"
            "    @pl.function(auto_scope=False, external_source=\"a.cpp\")\n"
            "    def f(self, n: pl.Scalar[pl.INDEX]):\n"
            "        pl.func_attr({\"pinned\": True, \"split\": "
            "pl.SplitMode.UP_DOWN, \"core_num\": n * 2})\n"
            "        return n\n"
            "    @pl.function\n"
            "    def g(self):\n"
            "        pl.func_attr({\"mx_tensor_views_blocked\": True})\n");
}

std::string FunctionOrder(
    const std::vector<
        std::pair<absl::string_view, std::vector<absl::string_view>>>& calls) {
  Context context(&StandardOps());
  std::vector<const Function*> functions;
  for (const auto& [caller, callees] : calls) {
    FunctionBuilder f(&context, caller, FunctionType::kOpaque);
    for (const absl::string_view callee : callees) {
      f.AssignCall("r", callee, {}, context.GetTupleType({}));
    }
    functions.push_back(f.Build());
  }
  const Program* program = MakeProgram(&context, "P", functions);
  const std::string text = PrintAndReadBack(*program);
  std::vector<std::string> order;
  for (size_t at = text.find("def "); at != std::string::npos;
       at = text.find("def ", at + 1)) {
    order.push_back(text.substr(at + 4, text.find('(', at) - at - 4));
  }
  return absl::StrJoin(order, " ");
}

TEST(PrinterTest, CalleesStandBeforeCallers) {
  EXPECT_EQ(FunctionOrder({{"a", {}}, {"b", {}}}), "a b");
  EXPECT_EQ(FunctionOrder({{"a", {"c"}}, {"b", {}}, {"c", {"d"}}, {"d", {}}}),
            "d c a b");
  EXPECT_EQ(FunctionOrder({{"a", {"a"}}}), "a");
  EXPECT_EQ(FunctionOrder({{"a", {"b"}}, {"b", {"a"}}, {"c", {}}}), "a b c");
}

TEST(PrinterTest, TheModuleOfDistributedTypesIsImportedWhereUsed) {
  const std::string with =
      RoundTrip(InFunction("pass", "v: pld.DistributedTensor[[64], pl.BF16]"));
  EXPECT_NE(with.find("\nimport pypto.language.distributed as pld\n"),
            std::string::npos);
  const std::string without = RoundTrip(InFunction("pass"));
  EXPECT_EQ(without.find("pld"), std::string::npos);
}

TEST(PrinterTest, TheClassOfAProgramWithAnOddNameIsStillPython) {
  constexpr absl::string_view kRest =
      "import pypto.language as pl\n"
      "\n"
      "@pl.program\n"
      "class ";
  constexpr absl::string_view kFunction =
      ":\n"
      "    @pl.function\n"
      "    def f(self):\n"
      "        pass\n";
  const std::pair<absl::string_view, absl::string_view> kCases[] = {
      {"Mxfp8", "Mxfp8"},  {"a b-c", "a_b_c"}, {"8x8", "_8x8"},
      {"class", "class_"}, {"\xc3\xa9", "__"},
  };
  for (const auto& [name, class_name] : kCases) {
    const std::string head = absl::StrCat("# pypto.program: ", name, "\n");
    EXPECT_EQ(RoundTrip(absl::StrCat(head, kRest, "Other", kFunction)),
              absl::StrCat(head, kRest, class_name, kFunction));
  }
}

}  // namespace
}  // namespace mxtile::ir
