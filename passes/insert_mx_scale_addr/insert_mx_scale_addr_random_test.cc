// The pass on random programs, straight and nested, judged by
// scale_binding_checker: with and without reuse nothing is missing, with reuse
// nothing is idle, and every planted fault is seen.

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/insert_mx_scale_addr/mx_matmul_text_test_util.h"
#include "passes/insert_mx_scale_addr/scale_binding_checker.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::TextProgram;

constexpr uint64_t kFirstSeed = 20260901;
// How many programs a test makes; the long test asks for more.
int Programs() {
  const char* asked = std::getenv("MX_RANDOM_PROGRAMS");
  return asked == nullptr ? 12 : std::atoi(asked);
}

using Lines = std::vector<std::string>;

// ---- Events

// A statement that ends bindings of some sides; % stands for a number that
// makes its names new.
struct Event {
  absl::string_view text;
  bool ends_left;
  bool ends_right;
};

// Of every kind of pypto_passes 8.2.
constexpr Event kEvents[] = {
    {"x% = pl.load(l_t, [0, 0], [16, 64], target_memory=pl.Mem.Mat)", false,
     false},
    {"x% = pl.store(zero, [0, 0], dst)", false, false},
    {"x% = n + 1", false, false},
    {"x% = fill_left(lm)", true, false},
    {"x% = fill_left_scale(lsm)", true, false},
    {"x% = fill_right(rm)", false, true},
    {"x% = fill_right_scale(rsm)", false, true},
    {"x% = pl.tile.move(l, target_memory=pl.Mem.Vec)", true, false},
    {"x% = pl.tile.move(r, target_memory=pl.Mem.Vec)", false, true},
    {"x% = bind(ls, l)", true, false},
    {"x% = bind(rs, r)", false, true},
    {"x% = l", true, false},
    {"x% = ls", true, false},
    {"x% = r", false, true},
    {"x% = rs", false, true},
    {"x% = pair[0]", true, false},
    {"x% = pair[1]", false, true},
    {"self.other(n)", true, true},
    {"x% = pl.submit(self.other, n)", true, true},
    {"x%: pl.Scalar[pl.INDEX] = pl.some.op(n)", true, true},
    {"if flag:\n    x% = n + 1", true, true},
    {"for x% in pl.range(2):\n    y% = x% + 1", true, true},
    {"for (x%,) in pl.while_(init_values=(n,)):\n    pl.cond(x% > 0)\n"
     "    y% = x% - 1\n    z% = pl.yield_(y%)",
     true, true},
    {"for x% in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n    y% = x% + 1",
     true, true},
    {"if flag:\n    x% = pl.yield_(l)\nelse:\n    x% = pl.yield_(l)", true,
     true},
};

std::string Indented(absl::string_view text, absl::string_view indent) {
  Lines lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(absl::StrCat(indent, line));
  }
  return absl::StrJoin(lines, "\n");
}

std::string EventText(const Event& event, int number,
                      absl::string_view indent) {
  return Indented(absl::StrReplaceAll(ExpandedMatmuls(event.text),
                                      {{"%", absl::StrCat(number)}}),
                  indent);
}

// ---- Random programs

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string Program() {
    text_ =
        "k = fill_left(lm)\n"
        "ks = fill_left_scale(lsm)\n"
        "q = fill_right(rm)\n"
        "qs = fill_right_scale(rsm)\n"
        "zero = pl.create_tile([16, 32], dtype=pl.FP32, "
        "target_memory=pl.Mem.Acc)\n";
    Block("", /*depth=*/0);
    return MatmulProgram("InCore", text_);
  }

 private:
  // From 0 to limit - 1.
  int Draw(int limit) {
    return static_cast<int>(random_() % static_cast<uint64_t>(limit));
  }
  absl::string_view Pick(absl::string_view a, absl::string_view b) {
    // One in four, so that pairs often repeat.
    return Draw(4) == 0 ? b : a;
  }

  void Block(const std::string& indent, int depth) {
    const int statements = 1 + Draw(depth == 0 ? 14 : 5);
    for (int i = 0; i < statements; ++i) Statement(indent, depth);
  }

  void Statement(const std::string& indent, int depth) {
    const int kind = Draw(10);
    if (kind < 5) return Matmul(indent);
    if (kind < 8 || depth == 3) {
      const Event& event = kEvents[Draw(static_cast<int>(std::size(kEvents)))];
      absl::StrAppend(&text_, EventText(event, next_++, indent), "\n");
      return;
    }
    if (kind == 8) {
      absl::StrAppend(&text_, indent, "if flag:\n");
      Block(indent + "    ", depth + 1);
      if (Draw(2) == 0) return;
      absl::StrAppend(&text_, indent, "else:\n");
    } else {
      absl::StrAppend(&text_, indent, "for i", next_++, " in pl.range(3):\n");
    }
    Block(indent + "    ", depth + 1);
  }

  void Matmul(absl::string_view indent) {
    const std::string pairs =
        absl::StrCat(Pick("l", "k"), ", ", Pick("ls", "ks"), ", ",
                     Pick("r", "q"), ", ", Pick("rs", "qs"));
    absl::StrAppend(&text_, indent, "c", next_++, " = ");
    switch (Draw(3)) {
      case 0:
        absl::StrAppend(&text_, "mm(", pairs, ")\n");
        break;
      case 1:
        absl::StrAppend(&text_, "mma(zero, ", pairs, ")\n");
        break;
      default:
        absl::StrAppend(&text_, "mmb(", pairs, ", b)\n");
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  int next_ = 0;
};

// ---- Lowered programs as lines

// Without a fault.
Lines Lowered(const TextProgram& input, bool reuse) {
  PassOptions options;
  options.reuse_scale_bindings = reuse;
  const PassOutcome outcome = RunOnText(InsertMxScaleAddr(), input, options);
  if (outcome.program == nullptr) {
    ADD_FAILURE() << outcome.errors();
    return {};
  }
  for (const BindingFault& fault :
       FindBindingFaults(*outcome.program->Find("cell"))) {
    ADD_FAILURE() << fault.message << " in\n"
                  << ir::PrintProgram(*outcome.program);
  }
  return absl::StrSplit(ir::PrintProgram(*outcome.program), '\n');
}

// Faults of the program that the lines are.
std::vector<BindingFault> FaultsOf(
    const Lines& lines, const ir::OpRegistry& ops = ir::StandardOps()) {
  const TextProgram program(absl::StrJoin(lines, "\n"), ops);
  std::vector<BindingFault> faults =
      FindBindingFaults(program.function("cell"));
  // What they point to ends with the program.
  for (BindingFault& fault : faults) fault.matmul = nullptr;
  return faults;
}

std::string IndentOf(absl::string_view line) {
  return std::string(line.substr(0, line.find_first_not_of(' ')));
}
bool IsBinding(absl::string_view line) {
  return absl::StrContains(line, "pl.tile.tget_scale_addr(");
}
bool IsMatmul(absl::string_view line) {
  return absl::StrContains(line, "pl.tile.matmul_mx");
}
// "ls_bound" of "    ls_bound: TYPE = ...".
std::string BoundName(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return std::string(line.substr(0, line.find(':')));
}
// The arguments of the line's call.
Lines ArgsOf(absl::string_view line) {
  const size_t open = line.rfind('(');
  return absl::StrSplit(line.substr(open + 1, line.rfind(')') - open - 1),
                        ", ");
}
std::string WithArgs(absl::string_view line, const Lines& args) {
  return absl::StrCat(line.substr(0, line.rfind('(') + 1),
                      absl::StrJoin(args, ", "), ")");
}
// The line with another name for an argument.
std::string Renamed(absl::string_view line, absl::string_view from,
                    absl::string_view to) {
  Lines args = ArgsOf(line);
  for (std::string& arg : args) {
    if (arg == from) arg = std::string(to);
  }
  return WithArgs(line, args);
}
// Where the matmul's pairs begin: behind the accumulator.
size_t FirstPair(absl::string_view line) {
  return absl::StrContains(line, "matmul_mx_acc") ? 1 : 0;
}

template <typename Predicate>
std::vector<size_t> Where(const Lines& lines, Predicate&& holds) {
  std::vector<size_t> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (holds(lines[i])) found.push_back(i);
  }
  return found;
}

// Those lines of which the pass made a binding.
std::vector<size_t> InsertedBindings(const Lines& lines) {
  return Where(lines, [](absl::string_view line) {
    return IsBinding(line) && absl::StrContains(BoundName(line), "_bound");
  });
}

// At most four of the places, others for each seed.
std::vector<size_t> Some(const std::vector<size_t>& places, uint64_t seed) {
  constexpr size_t kPlaces = 4;
  if (places.size() <= kPlaces) return places;
  std::vector<size_t> some;
  for (size_t i = 0; i < kPlaces; ++i) {
    some.push_back(
        places[(seed + i * places.size() / kPlaces) % places.size()]);
  }
  return some;
}

// Without the binding; who used it uses `instead`.
Lines WithoutBinding(const Lines& lines, size_t at, absl::string_view instead) {
  const std::string bound = BoundName(lines[at]);
  Lines result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == at) continue;
    const bool may_use = IsMatmul(lines[i]) || IsBinding(lines[i]);
    result.push_back(may_use ? Renamed(lines[i], bound, instead) : lines[i]);
  }
  return result;
}

// ---- The tests

class RandomProgramTest : public testing::Test {
 protected:
  // Calls test(lines, seed) for `programs` lowered random programs.
  template <typename Test>
  void ForEach(bool reuse, Test&& test, int programs = Programs()) {
    for (int i = 0; i < programs; ++i) {
      const uint64_t seed = kFirstSeed + i;
      SCOPED_TRACE(absl::StrCat("seed ", seed));
      const TextProgram input(Generator(seed).Program());
      test(Lowered(input, reuse), seed);
      if (HasFailure()) return;
    }
  }
  // The checker sees a fault in these lines, whose operators have no type
  // rules: what was planted may break those too.
  static void ExpectSeen(const Lines& lines, absl::string_view what) {
    EXPECT_FALSE(FaultsOf(lines, UncheckedOps()).empty())
        << what << " is not seen in\n"
        << absl::StrJoin(lines, "\n");
  }
};

TEST_F(RandomProgramTest, NothingIsMissing) {
  // Nothing is planted, which is quick.
  const int programs = 6 * Programs();
  size_t matmuls = 0;
  size_t bindings[2] = {};
  for (const bool reuse : {false, true}) {
    const auto count = [&](const Lines& lines, uint64_t seed) {
      if (reuse) matmuls += Where(lines, IsMatmul).size();
      bindings[reuse] += Where(lines, IsBinding).size();
    };
    ForEach(reuse, count, programs);
  }
  // The programs have what the test is about.
  EXPECT_GT(matmuls, 5 * programs);
  EXPECT_LT(bindings[1], bindings[0] * 9 / 10);
}

// The pass adds bindings and changes nothing else: each matmul reads the scales
// that it read, bound.
TEST_F(RandomProgramTest, WithoutItsBindingsAProgramIsAsItWas) {
  for (const bool reuse : {false, true}) {
    ForEach(reuse, [&](const Lines& lines, uint64_t seed) {
      Lines erased = lines;
      for (std::vector<size_t> at = InsertedBindings(erased); !at.empty();
           at = InsertedBindings(erased)) {
        const std::string scale = ArgsOf(erased[at.back()])[0];
        erased = WithoutBinding(erased, at.back(), scale);
      }
      const TextProgram before(Generator(seed).Program());
      const TextProgram after(absl::StrJoin(erased, "\n"));
      ExpectSamePrograms(*after, *before);
    });
  }
}

// With reuse, a binding whose pair was bound before is there for a reason.
TEST_F(RandomProgramTest, NoBindingIsIdle) {
  int tried = 0;
  ForEach(true, [&](const Lines& lines, uint64_t seed) {
    const std::vector<size_t> bindings = InsertedBindings(lines);
    for (size_t n = 1; n < bindings.size(); ++n) {
      const size_t at = bindings[n];
      for (size_t m = n; m-- > 0;) {
        const size_t earlier = bindings[m];
        if (ArgsOf(lines[earlier]) != ArgsOf(lines[at])) continue;
        // A name of another branch would be no variable here.
        if (IndentOf(lines[earlier]).size() <= IndentOf(lines[at]).size() &&
            IndentOf(lines[earlier]).size() == 8) {
          ++tried;
          ExpectSeen(WithoutBinding(lines, at, BoundName(lines[earlier])),
                     absl::StrCat("the idle binding ", lines[at]));
        }
        break;
      }
    }
  });
  EXPECT_GT(tried, Programs());
}

TEST_F(RandomProgramTest, DroppedBindingsAreSeen) {
  for (const bool reuse : {false, true}) {
    ForEach(reuse, [&](const Lines& lines, uint64_t seed) {
      for (const size_t at : Some(InsertedBindings(lines), seed)) {
        ExpectSeen(WithoutBinding(lines, at, ArgsOf(lines[at])[0]),
                   absl::StrCat("without ", lines[at]));
      }
    });
  }
}

TEST_F(RandomProgramTest, SwappedSidesAreSeen) {
  ForEach(true, [&](const Lines& lines, uint64_t seed) {
    for (const size_t at : Some(Where(lines, IsMatmul), seed)) {
      Lines planted = lines;
      Lines args = ArgsOf(lines[at]);
      const size_t first = FirstPair(lines[at]);
      std::swap(args[first + 1], args[first + 3]);
      planted[at] = WithArgs(lines[at], args);
      ExpectSeen(planted, absl::StrCat("the swap of ", planted[at]));
    }
  });
}

TEST_F(RandomProgramTest, BindingsToOtherDataAreSeen) {
  ForEach(true, [&](const Lines& lines, uint64_t seed) {
    for (const size_t at : Some(InsertedBindings(lines), seed)) {
      Lines planted = lines;
      Lines args = ArgsOf(lines[at]);
      args[1] = args[1] == "l"   ? "k"
                : args[1] == "k" ? "l"
                : args[1] == "r" ? "q"
                                 : "r";
      planted[at] = WithArgs(lines[at], args);
      ExpectSeen(planted, absl::StrCat("the data of ", planted[at]));
    }
  });
}

// Events in front of a matmul: those that end a side are seen, those that do
// not are no fault. The programs take turns with the kinds.
TEST_F(RandomProgramTest, InsertedEventsAreSeen) {
  ForEach(true, [&](const Lines& lines, uint64_t seed) {
    const std::vector<size_t> matmuls = Where(lines, IsMatmul);
    if (matmuls.empty()) return;
    const size_t at = matmuls[seed % matmuls.size()];
    constexpr size_t kTurns = 4;
    for (size_t i = seed % kTurns; i < std::size(kEvents); i += kTurns) {
      const Event& event = kEvents[i];
      Lines planted = lines;
      planted.insert(planted.begin() + at,
                     EventText(event, 1000000, IndentOf(lines[at])));
      bool left = false;
      bool right = false;
      for (const BindingFault& fault : FaultsOf(planted)) {
        (fault.is_left ? left : right) = true;
      }
      EXPECT_EQ(left, event.ends_left) << absl::StrJoin(planted, "\n");
      EXPECT_EQ(right, event.ends_right) << absl::StrJoin(planted, "\n");
      if (HasFailure()) return;
    }
  });
}

// Bindings moved up in front of an event of each kind.
TEST(PlantedFaultTest, BindingsMovedInFrontOfAnEventAreSeen) {
  for (const Event& event : kEvents) {
    if (!event.ends_left && !event.ends_right) continue;
    SCOPED_TRACE(event.text);
    const TextProgram input(MatmulProgram(
        "InCore",
        absl::StrCat("zero = pl.create_tile([16, 32], "
                     "dtype=pl.FP32, target_memory=pl.Mem.Acc)\n"
                     "c = mm(l, ls, r, rs)\n",
                     EventText(event, 1, ""), "\n", "d = mm(l, ls, r, rs)\n")));
    const Lines lines = Lowered(input, /*reuse=*/true);
    EXPECT_TRUE(FaultsOf(lines).empty());
    const size_t first_matmul = Where(lines, IsMatmul)[0];
    for (const size_t at : InsertedBindings(lines)) {
      if (at < first_matmul) continue;
      Lines planted = lines;
      planted.erase(planted.begin() + at);
      planted.insert(planted.begin() + first_matmul, lines[at]);
      EXPECT_FALSE(FaultsOf(planted).empty()) << absl::StrJoin(planted, "\n");
    }
  }
}

// A binding of a body moved out of it.
TEST(PlantedFaultTest, BindingsMovedOutOfABodyAreSeen) {
  for (const absl::string_view body :
       {"if flag:\n    c = mm(l, ls, r, rs)\n",
        "for i in pl.range(4):\n    c = mm(l, ls, r, rs)\n"}) {
    const TextProgram input(MatmulProgram("InCore", body));
    const Lines lines = Lowered(input, /*reuse=*/true);
    const std::vector<size_t> bindings = Where(lines, IsBinding);
    ASSERT_EQ(bindings.size(), 2);
    for (const size_t at : bindings) {
      Lines planted = lines;
      planted.erase(planted.begin() + at);
      planted.insert(planted.begin() + bindings[0] - 1,
                     std::string(absl::StripLeadingAsciiWhitespace(lines[at]))
                         .insert(0, 8, ' '));
      EXPECT_FALSE(FaultsOf(planted).empty()) << absl::StrJoin(planted, "\n");
    }
  }
}

}  // namespace
}  // namespace mxtile
