#include "exec/simd/testing/program_generator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/generated_memory.h"
#include "exec/simd/testing/generated_operations.h"
#include "exec/simd/testing/generated_values.h"
#include "exec/simd/testing/random_data.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

using Values = std::vector<ValueId>;

constexpr int kMaxDepth = 2;
constexpr int64_t kMaxTrips = 3;

bool IsStorable(ElementType type) { return BitWidth(type) >= 8; }

class Generator {
 public:
  Generator(uint64_t seed, const GeneratorOptions& options)
      : random_(seed),
        options_(options),
        b_(absl::StrCat("generated_", seed),
           random_.OneOf<int64_t>(
               {1, 2, 3, 4, 7, 8, 8, 9, 12, 16, 17, 31, 32, 33, 40})),
        values_(&b_, &random_, &features_),
        operations_(&b_, &random_, &values_, options.mx_contractions) {}

  absl::StatusOr<GeneratedProgram> Generate() {
    AddDims();
    for (int64_t i = 4 + random_.Below(10); i > 0; --i) AddStatement(0);
    StoreResults();
    const std::vector<GeneratedBuffer> buffers = values_.memory().Buffers();
    absl::StatusOr<TileProgram> program = std::move(b_).Finish();
    if (!program.ok()) return program.status();
    GeneratedProgram generated;
    generated.program = *std::move(program);
    const bool finite = options_.finite || random_.Chance(60);
    for (const GeneratedBuffer& buffer : buffers) {
      generated.types.push_back(buffer.type);
      generated.memory.push_back(
          RandomData(buffer.type, buffer.bytes, finite, random_));
    }
    generated.features = std::move(features_);
    return generated;
  }

 private:
  void Note(const std::string& feature) { ++features_[feature]; }

  void AddDims() {
    for (int64_t i = 4 + random_.Below(3); i > 0; --i) {
      const int64_t extent = random_.OneOf<int64_t>(
          {1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 65, 70});
      b_.AddDim(absl::StrCat("d", i), extent);
    }
    if (random_.Chance(30)) b_.AddDim("none", 0);
  }

  void AddStatement(int depth) {
    b_.SetPlace(absl::StrCat("s", ++statements_));
    const int64_t how = random_.Below(100);
    if (how < 8 && depth < kMaxDepth) {
      AddLoop(depth + 1);
    } else if (how < 15 && depth < kMaxDepth) {
      AddIf(depth + 1);
    } else if (how < 21 && depth < kMaxDepth) {
      AddBlockedFold();
    } else if (how < 28) {
      AddStore(depth);
    } else if (how < 33) {
      AddOverwrite();
    } else {
      operations_.Add();
    }
  }

  // ---- stores

  void AddStore(int depth) {
    const ValueId tile = values_.Any();
    if (!IsStorable(values_.TypeOf(tile))) return;
    if (values_.memory().Store(tile) && depth > 0) Note("store in a block");
  }

  // A tile that is loaded, overwritten in memory, and then used.
  void AddOverwrite() {
    const ValueId x = values_.AnyFloat();
    const Space space = values_.SpaceOf(x);
    if (!values_.memory().Store(x)) return;
    const ValueId before = values_.memory().LoadOwn(ElementType::kF32, space);
    if (before == kNoValue) return;
    const ValueId other = values_.FloatOver(space);
    const ValueId next = b_.Binary(BinaryKind::kAdd, other, b_.Constant(13));
    if (!values_.memory().Store(next)) return;
    Note("overwritten load");
    const ValueId after = values_.memory().LoadOwn(ElementType::kF32, space);
    values_.Keep(b_.Binary(BinaryKind::kSub, before, after));
    values_.Keep(before);
  }

  // What nobody used, so that it is not computed for nothing.
  void StoreResults() {
    std::vector<bool> used(b_.program().values.size());
    bool stored = false;
    for (const Op& op : b_.program().ops) {
      for (const ValueId operand : op.operands) used[operand] = true;
      stored = stored || op.kind == OpKind::kStore;
    }
    Values unused;
    for (const ValueId value : values_.pool()) {
      if (!used[value] && IsStorable(values_.TypeOf(value))) {
        unused.push_back(value);
      }
    }
    std::reverse(unused.begin(), unused.end());
    if (unused.size() > 6) unused.resize(6);
    for (const ValueId value : unused) {
      stored = values_.memory().Store(value) || stored;
    }
    if (!stored) values_.memory().Store(b_.Constant(1));
  }

  // ---- control flow

  void AddBody(int depth) {
    for (int64_t i = 1 + random_.Below(4); i > 0; --i) AddStatement(depth);
  }

  struct Bounds {
    ValueId start;
    ValueId stop;
    ValueId step;
  };

  // At most kMaxTrips.
  Bounds AnyBounds() {
    const int64_t how = random_.Below(4);
    if (how == 0) {
      Note("loop by instance");
      const ValueId stop = b_.Binary(BinaryKind::kMod, b_.ProgramIndex(),
                                     b_.Index(kMaxTrips + 1));
      const ValueId start = b_.Index(0);
      return {start, stop, b_.Index(1)};
    }
    if (how == 1) {
      Note("loop down by data");
      const ValueId start = b_.Binary(BinaryKind::kMod, values_.AnyIndex(),
                                      b_.Index(2 * kMaxTrips));
      const ValueId stop = b_.Index(-1);
      return {start, stop, b_.Index(-2)};
    }
    const int64_t trips = random_.Below(kMaxTrips + 1);
    const int64_t start = random_.Below(9) - 4;
    const int64_t step = random_.OneOf<int64_t>({1, 1, 2, 5, -1, -3});
    // Not always a multiple of the step.
    const int64_t cut = trips == 0 ? 0 : random_.Below(step > 0 ? step : -step);
    const int64_t stop = start + step * trips + (step > 0 ? -cut : cut);
    if (trips == 0) Note("loop without trips");
    const ValueId first = b_.Index(start);
    const ValueId last = b_.Index(stop);
    return {first, last, b_.Index(step)};
  }

  bool Alike(ValueId a, ValueId b) const {
    return values_.TypeOf(a) == values_.TypeOf(b) &&
           values_.SpaceOf(a) == values_.SpaceOf(b);
  }

  // Another value of the same type and space.
  ValueId Replacement(ValueId value) {
    const Space space = values_.SpaceOf(value);
    switch (values_.TypeOf(value)) {
      case ElementType::kF32: {
        const ValueId other = values_.FloatOver(space);
        const BinaryKind kind = random_.OneOf(
            {BinaryKind::kAdd, BinaryKind::kMax, BinaryKind::kSub});
        return values_.Tame(b_.Binary(kind, value, other, space));
      }
      case ElementType::kIndex:
        return b_.Binary(BinaryKind::kAdd, value, values_.AnyIndex(), space);
      case ElementType::kBool:
        return b_.Unary(UnaryKind::kNot, value);
      default:
        return value;
    }
  }

  void AddLoop(int depth) {
    const Bounds bounds = AnyBounds();
    Values carried;
    for (int64_t i = random_.Below(4); i > 0; --i) {
      carried.push_back(values_.Any());
      if (random_.Chance(40)) carried.push_back(Replacement(carried.back()));
    }
    const int64_t repeats = values_.repeats();
    values_.set_repeats(repeats * kMaxTrips);
    const Values results =
        b_.For(bounds.start, bounds.stop, bounds.step, carried,
               [&](ValueId variable, Values params) {
                 const size_t scope = values_.OpenScope();
                 values_.Keep(variable);
                 for (const ValueId param : params) values_.Keep(param);
                 AddBody(depth);
                 const Values next = NextOf(params);
                 values_.CloseScope(scope);
                 return next;
               });
    values_.set_repeats(repeats);
    if (values_.repeats() > 1) Note("nested loop");
    for (const ValueId result : results) values_.Keep(result);
  }

  Values NextOf(const Values& params) {
    Values next;
    for (size_t i = 0; i < params.size(); ++i) {
      if (i + 1 < params.size() && Alike(params[i], params[i + 1]) &&
          random_.Chance(60)) {
        Note("swapped carries");
        next.push_back(params[i + 1]);
        next.push_back(params[i]);
        ++i;
      } else {
        next.push_back(Replacement(params[i]));
      }
    }
    return next;
  }

  void AddIf(int depth) {
    const ValueId condition = values_.Condition();
    Values models;
    for (int64_t i = random_.Below(3); i > 0; --i) {
      models.push_back(values_.Any());
    }
    const auto side = [&] {
      const size_t scope = values_.OpenScope();
      if (random_.Chance(80)) AddBody(depth);
      Values yields;
      for (const ValueId model : models) {
        yields.push_back(random_.Chance(30) ? model : Replacement(model));
      }
      values_.CloseScope(scope);
      return yields;
    };
    for (const ValueId result : b_.If(condition, side, side)) {
      values_.Keep(result);
    }
  }

  // The loop of a matrix product or of attention: blocks of a dimension, the
  // last one ragged, folded into a carried tile.
  void AddBlockedFold() {
    const Space result = values_.RandomSpace(2, 100);
    const DimId k = values_.BlockDim(result);
    const int64_t block = b_.program().Extent(k);
    const int64_t size = block * random_.Below(3) + 1 + random_.Below(block);
    const bool contract = random_.Chance(60);
    Note(contract ? "blocked contraction" : "blocked reduction");
    const ReduceKind kind = random_.OneOf({ReduceKind::kSum, ReduceKind::kMax});
    const bool cut_fold = random_.Chance(50);
    const ValueId start = b_.Index(0);
    const ValueId stop = b_.Index(size);
    const ValueId seed = values_.FloatOver(result);
    const Values folded = b_.For(
        start, stop, b_.Index(block), {seed},
        [&](ValueId first, Values carried) {
          const ValueId limit = b_.Binary(BinaryKind::kSub, stop, first);
          const ValueId fold_limit = cut_fold ? limit : kNoValue;
          Space lhs = {k};
          Space rhs = {k};
          for (size_t i = 0; i < result.size(); ++i) {
            Space& space = i == 0 || !contract ? lhs : rhs;
            space.insert(random_.Chance(50) ? space.begin() : space.end(),
                         result[i]);
          }
          const ValueId a = values_.memory().LoadBlock(ElementType::kF32, lhs,
                                                       k, first, limit, size);
          if (!contract) {
            const ValueId part = b_.Reduce(kind, a, k, fold_limit);
            const BinaryKind combine =
                kind == ReduceKind::kSum ? BinaryKind::kAdd : BinaryKind::kMax;
            return Values{b_.Binary(combine, carried[0], part, result)};
          }
          const ValueId b = values_.memory().LoadBlock(ElementType::kF32, rhs,
                                                       k, first, limit, size);
          return Values{b_.Contract(a, b, carried[0], fold_limit)};
        });
    values_.Keep(values_.Tame(folded[0]));
  }

  RandomSource random_;
  const GeneratorOptions options_;
  Histogram features_;
  TileProgramBuilder b_;
  GeneratedValues values_;
  GeneratedOperations operations_;
  int statements_ = 0;
};

}  // namespace

absl::StatusOr<GeneratedProgram> GenerateProgram(
    uint64_t seed, const GeneratorOptions& options) {
  absl::StatusOr<GeneratedProgram> generated =
      Generator(seed, options).Generate();
  if (!generated.ok()) {
    return absl::InternalError(absl::StrCat("generated program ", seed, ": ",
                                            generated.status().message()));
  }
  return generated;
}

void CountOperations(const TileProgram& program, Histogram& histogram) {
  for (const Op& op : program.ops) {
    const std::string kind(Name(op.kind));
    ++histogram[kind];
    if (op.kind == OpKind::kUnary) {
      ++histogram[absl::StrCat(kind, " ", Name(op.unary))];
    } else if (op.kind == OpKind::kBinary) {
      ++histogram[absl::StrCat(kind, " ", Name(op.binary))];
    } else if (op.kind == OpKind::kReduce) {
      ++histogram[absl::StrCat(kind, " ", Name(op.reduce))];
    } else if (op.kind == OpKind::kLoad || op.kind == OpKind::kStore) {
      ++histogram[absl::StrCat(kind, " ", Name(program.views[op.view].type))];
    }
  }
}

std::vector<BufferSpan> Spans(std::vector<std::vector<uint8_t>>& memory) {
  std::vector<BufferSpan> spans;
  for (std::vector<uint8_t>& bytes : memory) {
    spans.push_back({bytes.data(), static_cast<int64_t>(bytes.size())});
  }
  return spans;
}

}  // namespace mxtile::exec::simd
