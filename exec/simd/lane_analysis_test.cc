// What the analysis says about lanes, against what the interpreter computes in
// each of them.

#include "exec/simd/lane_analysis.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/simd/workloads/attention.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

uint64_t seed = 20261201;
int num_programs = 100;

constexpr int64_t kPrograms = 48;
constexpr int64_t kSlots = 2048;
constexpr int64_t kTable = 16;
// What a slot holds that no instance has written.
constexpr int64_t kUnset = -0x0123456789ABCDEF;

// How often the analysis knew something.
struct Knowledge {
  int64_t uniform = 0;
  int64_t stepping = 0;
  int64_t varying = 0;
};

// A program that writes down its indices: each execution of Trace(x) stores x
// at a slot of its own in the instance's row.
class TracedProgram {
 public:
  TracedProgram()
      : b("traced", kPrograms),
        out_(b.AddView({"out", ElementType::kIndex, {kPrograms, kSlots}, 0})),
        table_(b.AddView({"table", ElementType::kIndex, {kTable}, 1})),
        p(b.ProgramIndex()) {}

  void Trace(ValueId value) { Trace(value, value); }
  // Of a condition its truth is stored.
  void TraceCondition(ValueId condition) {
    Trace(condition, b.Select(condition, b.Index(1), b.Index(0)));
  }
  void TraceWindow(const View& view, const Window& window) {
    ValueId offset = b.Index(0);
    for (size_t i = 0; i < view.shape.size(); ++i) {
      offset =
          b.Binary(BinaryKind::kAdd,
                   b.Binary(BinaryKind::kMul, offset, b.Index(view.shape[i])),
                   window.origins[i]);
    }
    Trace(offset, offset);
    windows_.push_back({traces_.size() - 1, view, window});
  }

  ValueId Binary(BinaryKind kind, ValueId a, int64_t constant) {
    return b.Binary(kind, a, b.Index(constant));
  }
  // One of kTable numbers, by a load.
  ValueId FromTable(ValueId index) {
    return b.Load(table_,
                  {{Binary(BinaryKind::kMod, index, kTable)}, {kNoDim}});
  }
  // Body's rounds are traced apart. step is not 0; at most `max_trips`.
  std::vector<ValueId> For(
      ValueId start, ValueId stop, int64_t step, int64_t max_trips,
      std::vector<ValueId> carried,
      const std::function<std::vector<ValueId>(ValueId, std::vector<ValueId>)>&
          body) {
    return b.For(
        start, stop, b.Index(step), std::move(carried),
        [&](ValueId i, std::vector<ValueId> values) {
          const ValueId done = step > 0 ? b.Binary(BinaryKind::kSub, i, start)
                                        : b.Binary(BinaryKind::kSub, start, i);
          rounds_.push_back(
              {Binary(BinaryKind::kFloorDiv, done, std::abs(step)), max_trips});
          Trace(i);
          std::vector<ValueId> next = body(i, std::move(values));
          rounds_.pop_back();
          return next;
        });
  }

  void Finish() {
    absl::StatusOr<TileProgram> program = std::move(b).Finish();
    MX_ASSERT_OK(program);
    program_ = *std::move(program);
    ASSERT_LE(next_slot_, kSlots);
    values_.assign(kPrograms * kSlots, kUnset);
    std::vector<int64_t> table(kTable);
    for (int64_t i = 0; i < kTable; ++i) table[i] = 7 * i * i % 11 - 3;
    MX_ASSERT_OK(Interpret(
        program_,
        {{values_.data(), kPrograms * kSlots * 8}, {table.data(), kTable * 8}},
        AllOf(program_)));
  }

  // After Finish: that every claim about a team of this size is true.
  void Check(int64_t team, Knowledge* knowledge) const {
    const LaneAnalysis lanes(program_, team);
    for (const TraceOf& trace : traces_) {
      const bool is_index =
          program_.values[trace.value].type == ElementType::kIndex;
      const std::optional<int64_t> step =
          is_index ? lanes.Step(trace.value) : std::nullopt;
      const bool uniform = lanes.IsUniform(trace.value);
      ++(uniform            ? knowledge->uniform
         : step.has_value() ? knowledge->stepping
                            : knowledge->varying);
      if (step.has_value()) {
        ASSERT_EQ(uniform, *step == 0) << Describe(trace, team);
      }
      if (uniform) ExpectSteps(trace, team, 0);
      if (step.has_value()) ExpectSteps(trace, team, *step);
    }
    for (const WindowOf& window : windows_) {
      const std::optional<int64_t> step =
          lanes.Step(window.view, window.window);
      if (step.has_value()) ExpectSteps(traces_[window.trace], team, *step);
    }
  }

  TileProgramBuilder b;

 private:
  struct Round {
    ValueId index;
    int64_t trips;
  };
  struct TraceOf {
    ValueId value;
    int64_t first_slot;
    int64_t slots;
  };
  struct WindowOf {
    size_t trace;
    View view;
    Window window;
  };

  void Trace(ValueId value, ValueId index) {
    ValueId slot = b.Index(next_slot_);
    int64_t slots = 1;
    for (const Round& round : rounds_) {
      slot = b.Binary(BinaryKind::kAdd, slot,
                      Binary(BinaryKind::kMul, round.index, slots));
      slots *= round.trips;
    }
    b.Store(out_, {{p, slot}, {kNoDim, kNoDim}}, index);
    traces_.push_back({value, next_slot_, slots});
    next_slot_ += slots;
  }

  // Lanes that were there: an instance may skip a branch or a round.
  void ExpectSteps(const TraceOf& trace, int64_t team, int64_t step) const {
    for (int64_t slot = trace.first_slot; slot < trace.first_slot + trace.slots;
         ++slot) {
      for (int64_t first = 0; first < kPrograms; first += team) {
        std::optional<std::pair<int64_t, int64_t>> seen;  // lane, value
        for (int64_t lane = 0; lane < team && first + lane < kPrograms;
             ++lane) {
          const int64_t value = values_[(first + lane) * kSlots + slot];
          if (value == kUnset) continue;
          if (!seen.has_value()) seen = {lane, value};
          ASSERT_EQ(value, seen->second + (lane - seen->first) * step)
              << Describe(trace, team) << ", program " << first + lane
              << ", execution " << slot - trace.first_slot;
        }
      }
    }
  }

  std::string Describe(const TraceOf& trace, int64_t team) const {
    return "%" + std::to_string(trace.value) + " in teams of " +
           std::to_string(team) + "\n" + ToText(program_);
  }

  ViewId out_;
  ViewId table_;

 public:
  const ValueId p;  // the instance

 private:
  TileProgram program_;
  std::vector<Round> rounds_;
  std::vector<TraceOf> traces_;
  std::vector<WindowOf> windows_;
  int64_t next_slot_ = 0;
  std::vector<int64_t> values_;
};

// Draws expressions, loops and branches.
class RandomIndices {
 public:
  explicit RandomIndices(uint64_t own_seed)
      : random_(own_seed), pool_({t.p, t.b.Index(random_.Below(9))}) {
    AddSome(8, 0);
    t.Finish();
  }

  TracedProgram t;

 private:
  ValueId Any() { return pool_[random_.Below(pool_.size())]; }
  int64_t Constant() {
    return random_.OneOf<int64_t>({-5, -1, 0, 1, 2, 3, 4, 6, 8, 12, 16, 96});
  }
  int64_t Divisor() {
    return random_.OneOf<int64_t>({1, 2, 3, 4, 6, 8, 12, 16, 96});
  }

  ValueId Condition() {
    return t.b.Binary(
        random_.OneOf({BinaryKind::kLt, BinaryKind::kGe, BinaryKind::kEq}),
        Any(), random_.Chance(50) ? t.b.Index(Constant()) : Any());
  }

  ValueId Expression() {
    switch (random_.Below(10)) {
      case 0:
      case 1:
        return t.b.Binary(random_.OneOf({BinaryKind::kAdd, BinaryKind::kSub}),
                          Any(), Any());
      case 2:
        return t.Binary(BinaryKind::kMul, Any(), Constant());
      case 3:
        return t.b.Binary(BinaryKind::kMul, t.b.Index(Constant()), Any());
      case 4:
        return t.Binary(BinaryKind::kFloorDiv, Any(), Divisor());
      case 5:
        return t.Binary(BinaryKind::kMod, Any(), Divisor());
      case 6:
        return t.b.Binary(random_.OneOf({BinaryKind::kMin, BinaryKind::kMax}),
                          Any(), random_.Chance(50) ? t.b.Index(4) : Any());
      case 7: {
        const ValueId condition = Condition();
        t.TraceCondition(condition);
        return t.b.Select(condition, Any(), Any());
      }
      case 8:
        return t.FromTable(Any());
      default:
        return t.Binary(random_.OneOf({BinaryKind::kAdd, BinaryKind::kSub}),
                        Any(), Constant());
    }
  }

  void AddSome(int count, int depth) {
    for (int i = 0; i < count; ++i) {
      if (depth < 2 && random_.Chance(15)) {
        AddLoop(depth);
      } else if (depth < 2 && random_.Chance(10)) {
        AddIf(depth);
      } else {
        Keep(Expression());
      }
    }
    const View view = {"any", ElementType::kF32, {3, 1 + random_.Below(9), 5}};
    t.TraceWindow(view, {{Any(), Any(), Any()}, {kNoDim, kNoDim, kNoDim}});
  }

  void Keep(ValueId value) {
    t.Trace(value);
    pool_.push_back(value);
  }

  std::vector<ValueId> Yields(size_t count) {
    std::vector<ValueId> yields;
    for (size_t i = 0; i < count; ++i) yields.push_back(Any());
    return yields;
  }

  void AddLoop(int depth) {
    const size_t outside = pool_.size();
    const int64_t step = random_.OneOf<int64_t>({1, 2, 4, -3});
    const int64_t trips = random_.Below(4);
    const ValueId start = Any();
    // Trips are the same in all instances, or not.
    const ValueId length =
        random_.Chance(70)
            ? t.b.Index(trips * step)
            : t.Binary(BinaryKind::kMul, t.Binary(BinaryKind::kMod, Any(), 3),
                       step);
    const std::vector<ValueId> results =
        t.For(start, t.b.Binary(BinaryKind::kAdd, start, length), step,
              std::max<int64_t>(trips, 2), Yields(2),
              [&](ValueId i, std::vector<ValueId> carried) {
                pool_.push_back(i);
                for (const ValueId value : carried) Keep(value);
                AddSome(3, depth + 1);
                return Yields(2);
              });
    pool_.resize(outside);
    for (const ValueId result : results) Keep(result);
  }

  void AddIf(int depth) {
    const size_t outside = pool_.size();
    const ValueId condition = Condition();
    const auto side = [&] {
      AddSome(2, depth + 1);
      std::vector<ValueId> yields = Yields(1);
      pool_.resize(outside);
      return yields;
    };
    Keep(t.b.If(condition, side, side)[0]);
  }

  RandomSource random_;
  std::vector<ValueId> pool_;
};

TEST(LaneAnalysisTest, ClaimsAboutRandomProgramsAreTrue) {
  Knowledge knowledge;
  for (int i = 0; i < num_programs; ++i) {
    SCOPED_TRACE("--seed=" + std::to_string(seed + i));
    const RandomIndices random(seed + i);
    for (int64_t team = 1; team <= 16; ++team) {
      random.t.Check(team, &knowledge);
      if (HasFailure()) return;
    }
  }
  // It knows something.
  const int64_t all =
      knowledge.uniform + knowledge.stepping + knowledge.varying;
  EXPECT_GT(8 * knowledge.uniform, all);
  EXPECT_GT(20 * knowledge.stepping, all);
  EXPECT_GT(20 * knowledge.varying, all);
}

// ---- what must be recognised

TEST(LaneAnalysisTest, HeadsOfAGroupShareAKeyValueHead) {
  TileProgramBuilder b("heads", 64);
  const ValueId head = b.Binary(BinaryKind::kMod, b.ProgramIndex(), b.Index(8));
  const ValueId kv_head = b.Binary(BinaryKind::kFloorDiv, head, b.Index(4));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  for (const int64_t team : {1, 2, 4}) {
    const LaneAnalysis lanes(program, team);
    EXPECT_TRUE(lanes.IsUniform(kv_head)) << team;
    EXPECT_EQ(lanes.Step(head), team == 1 ? 0 : 1);
  }
  // Two key/value heads, and no constant step between their lanes.
  const LaneAnalysis eight(program, 8);
  EXPECT_EQ(eight.Step(head), 1);
  EXPECT_FALSE(eight.IsUniform(kv_head));
  EXPECT_EQ(eight.Step(kv_head), std::nullopt);
  // Heads of different rows of blocks.
  const LaneAnalysis sixteen(program, 16);
  EXPECT_EQ(sixteen.Step(head), std::nullopt);
}

TEST(LaneAnalysisTest, QuotientsAndRemaindersOfThePlaceInATeam) {
  TileProgramBuilder b("places", 64);
  const ValueId p = b.ProgramIndex();
  const ValueId twice = b.Binary(BinaryKind::kMul, p, b.Index(2));
  const ValueId whole = b.Binary(BinaryKind::kFloorDiv, twice, b.Index(2));
  const ValueId row = b.Binary(BinaryKind::kFloorDiv, p, b.Index(8));
  const ValueId column = b.Binary(BinaryKind::kMod, p, b.Index(8));
  const ValueId pair = b.Binary(BinaryKind::kMod, p, b.Index(2));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  const LaneAnalysis lanes(program, 4);
  EXPECT_EQ(lanes.Step(p), 1);
  EXPECT_EQ(lanes.Step(twice), 2);
  EXPECT_EQ(lanes.Step(whole), 1);
  EXPECT_TRUE(lanes.IsUniform(row));
  EXPECT_EQ(lanes.Step(column), 1);
  EXPECT_FALSE(lanes.IsUniform(pair));
  EXPECT_EQ(lanes.Step(pair), std::nullopt);
}

TEST(LaneAnalysisTest, LoadsAndTilesAreUniformWithTheirPlaces) {
  TileProgramBuilder b("loads", 64);
  const DimId n = b.AddDim("n", 4);
  const ViewId x = b.AddView({"x", ElementType::kF32, {64, 4}, 0});
  const ValueId p = b.ProgramIndex();
  const ValueId row = b.Binary(BinaryKind::kFloorDiv, p, b.Index(4));
  const ValueId shared = b.Load(x, {{row, b.Index(0)}, {kNoDim, n}});
  const ValueId own = b.Load(x, {{p, b.Index(0)}, {kNoDim, n}});
  const ValueId cut =
      b.Load(x, {{row, b.Index(0)}, {kNoDim, n}, {kNoValue, p}});
  const ValueId sum = b.Reduce(ReduceKind::kSum, shared, n);
  const ValueId part = b.Reduce(ReduceKind::kSum, shared, n, p);
  const ValueId mixed = b.Binary(BinaryKind::kAdd, shared, own);
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  const LaneAnalysis lanes(program, 4);
  EXPECT_TRUE(lanes.IsUniform(shared));
  EXPECT_FALSE(lanes.IsUniform(own));
  EXPECT_FALSE(lanes.IsUniform(cut));
  EXPECT_TRUE(lanes.IsUniform(sum));
  EXPECT_FALSE(lanes.IsUniform(part));
  EXPECT_FALSE(lanes.IsUniform(mixed));
}

TEST(LaneAnalysisTest, LoopsAndConditionsThatDiffer) {
  const auto analyse =
      [](const std::function<void(TileProgramBuilder&, ValueId)>& add) {
        TileProgramBuilder b("control", 64);
        add(b, b.ProgramIndex());
        return *std::move(b).Finish();
      };
  const auto same = [](ValueId, std::vector<ValueId> carried) {
    return carried;
  };
  const TileProgram loop = analyse([&](TileProgramBuilder& b, ValueId p) {
    b.For(b.Index(0), p, b.Index(1), {}, same);
  });
  const TileProgram quotient = analyse([&](TileProgramBuilder& b, ValueId p) {
    b.For(b.Index(0), b.Binary(BinaryKind::kFloorDiv, p, b.Index(4)),
          b.Index(1), {}, same);
  });
  const TileProgram branch = analyse([](TileProgramBuilder& b, ValueId p) {
    const auto nothing = [] { return std::vector<ValueId>(); };
    b.If(b.Binary(BinaryKind::kLt, p, b.Index(3)), nothing, nothing);
  });
  EXPECT_FALSE(LaneAnalysis(loop, 4).loops_are_uniform());
  EXPECT_TRUE(LaneAnalysis(loop, 4).ifs_are_uniform());
  EXPECT_TRUE(LaneAnalysis(loop, 1).loops_are_uniform());
  EXPECT_TRUE(LaneAnalysis(quotient, 4).loops_are_uniform());
  EXPECT_FALSE(LaneAnalysis(quotient, 8).loops_are_uniform());
  EXPECT_TRUE(LaneAnalysis(branch, 4).loops_are_uniform());
  EXPECT_FALSE(LaneAnalysis(branch, 4).ifs_are_uniform());
  EXPECT_TRUE(LaneAnalysis(branch, 1).ifs_are_uniform());
}

// x = 0, y = 0; each round x = y, y = p: x differs from the second round on.
TEST(LaneAnalysisTest, CarriedValuesThatDifferFromTheSecondRoundOn) {
  TracedProgram t;
  const std::vector<ValueId> results = t.For(
      t.b.Index(0), t.b.Index(3), 1, 3, {t.b.Index(0), t.b.Index(0)},
      [&](ValueId, std::vector<ValueId> carried) {
        const ValueId condition =
            t.b.Binary(BinaryKind::kEq, t.b.Index(0), t.b.Index(0));
        const auto side = [&] { return std::vector<ValueId>{carried[0]}; };
        const ValueId merged = t.b.If(condition, side, side)[0];
        t.Trace(carried[0]);
        t.Trace(merged);
        t.Trace(t.Binary(BinaryKind::kAdd, merged, 1));
        return std::vector<ValueId>{carried[1], t.p};
      });
  for (const ValueId result : results) t.Trace(result);
  t.Finish();
  Knowledge knowledge;
  t.Check(4, &knowledge);
  // The loop variable; nothing else.
  EXPECT_EQ(knowledge.uniform, 1);
}

// Indices wrap: no claim may rest on a product being a multiple.
TEST(LaneAnalysisTest, NumbersThatWrap) {
  for (const int64_t huge : {INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_MAX / 3,
                             int64_t{1} << 62, int64_t{3} << 61}) {
    TracedProgram t;
    const ValueId unknown = t.b.Binary(
        BinaryKind::kMul, t.FromTable(t.b.Index(3)), t.b.Index(huge));
    const ValueId dozens =
        t.b.Binary(BinaryKind::kAdd, t.Binary(BinaryKind::kMul, unknown, 12),
                   t.Binary(BinaryKind::kMul, t.p, 3));
    const ValueId far = t.Binary(BinaryKind::kAdd, t.p, huge);
    for (const ValueId x :
         {dozens, far, t.Binary(BinaryKind::kMul, t.p, huge),
          t.b.Binary(BinaryKind::kSub, t.b.Index(huge), t.p)}) {
      for (const int64_t d : {2, 3, 4, 12}) {
        t.Trace(t.Binary(BinaryKind::kFloorDiv, x, d));
        t.Trace(t.Binary(BinaryKind::kMod, x, d));
      }
    }
    t.Finish();
    Knowledge knowledge;
    for (int64_t team = 1; team <= 16; ++team) {
      t.Check(team, &knowledge);
      if (HasFailure()) return;
    }
  }
}

TEST(LaneAnalysisTest, AttentionSharesKeysAndValues) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram decode, BuildAttention(kDecode));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram prefill, BuildAttention(kPrefill));
  const auto load = [](const TileProgram& program, const char* view) {
    for (const Op& op : program.ops) {
      if (op.kind == OpKind::kLoad && program.views[op.view].name == view) {
        return op;
      }
    }
    return Op();
  };
  const auto step = [&](const TileProgram& program, int64_t team,
                        const char* view) {
    const Op op = load(program, view);
    return LaneAnalysis(program, team).Step(program.views[op.view], op.window);
  };
  const auto uniform = [&](const TileProgram& program, int64_t team,
                           const char* view) {
    return LaneAnalysis(program, team)
        .IsUniform(load(program, view).results[0]);
  };
  // Four of eight heads have one key/value head.
  for (const char* view : {"k", "v"}) {
    EXPECT_TRUE(uniform(decode, 4, view)) << view;
    EXPECT_EQ(step(decode, 4, view), 0);
    EXPECT_FALSE(uniform(decode, 8, view));
    // Eight blocks of queries, and the next head's.
    EXPECT_TRUE(uniform(prefill, 8, view));
  }
  EXPECT_EQ(step(decode, 8, "q"), 80);
  EXPECT_EQ(step(prefill, 8, "q"), 4 * 32);
  EXPECT_EQ(step(prefill, 16, "q"), std::nullopt);
  EXPECT_TRUE(LaneAnalysis(decode, 8).loops_are_uniform());
  EXPECT_TRUE(LaneAnalysis(prefill, 8).ifs_are_uniform());
}

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--programs=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_programs);
}
