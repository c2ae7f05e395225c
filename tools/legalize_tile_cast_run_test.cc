// legalize_tile_cast judged by execution: the reference interpreter computes
// the same bits before and after it, for every pair of element types, in every
// mode, on values at and between those of the types.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/soc/cast_chain.h"
#include "a5_model/soc/native_casts.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/element_type.h"
#include "exec/interpreter.h"
#include "exec/reference/cast_ops.h"
#include "exec/reference/reference_backend.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "numerics/element_format.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"

namespace mxtile {
namespace {

using a5::CastType;
using Backend = exec::ReferenceBackend<double>;

constexpr absl::string_view kModes[] = {"none", "rint",  "round", "floor",
                                        "ceil", "trunc", "odd"};

ir::DataType DataTypeOf(CastType type) {
  return *ir::DataTypeFromName(a5::Name(type));
}

// Values of the type: all codes of a format of up to 8 bits, a part of those of
// larger ones, what lies around the halves and the powers of two of integers.
std::vector<double> ValuesOf(CastType type) {
  std::vector<double> values;
  const auto format = exec::FormatOf(DataTypeOf(type));
  if (format.has_value()) {
    const uint64_t count = CodeCount(*format);
    const uint64_t step = count <= 256 ? 1 : count / 1021;
    for (uint64_t code = 0; code < count; code += step) {
      values.push_back(Decode(*format, static_cast<uint32_t>(code)));
    }
    return values;
  }
  const int bits = a5::InfoOf(type).bits;
  if (bits == 8 && type == CastType::kHF8) return {-1.0, 0.0, 1.0, 2.0};
  const bool is_signed = a5::InfoOf(type).is_signed;
  const int value_bits = bits - (is_signed ? 1 : 0);
  for (int bit = 0; bit <= value_bits; ++bit) {
    for (const double offset : {-1.0, 0.0, 1.0}) {
      const double value = std::ldexp(1.0, bit) + offset;
      if (value < std::ldexp(1.0, value_bits)) values.push_back(value);
      if (is_signed && -value >= -std::ldexp(1.0, value_bits)) {
        values.push_back(-value);
      }
    }
  }
  return values;
}

// What the cast makes of one value; its rule where it is refused.
struct Result {
  std::string error;
  std::vector<double> values;

  bool operator==(const Result& other) const {
    if (error != other.error || values.size() != other.values.size()) {
      return false;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const bool same =
          std::isnan(values[i])
              ? std::isnan(other.values[i])
              : values[i] == other.values[i] &&
                    std::signbit(values[i]) == std::signbit(other.values[i]);
      if (!same) return false;
    }
    return true;
  }
};

Result RunOn(const ir::Program& program, const ir::OpRegistry& ops,
             const std::vector<double>& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  const exec::Value out =
      Backend::MakeTensor({1, size}, std::vector<double>(size, -77.0));
  Backend backend(ops);
  ir::DiagnosticSink sink;
  exec::Interpreter interpreter(program, &backend, &sink);
  const auto results = interpreter.Run(
      *program.functions[0], {Backend::MakeTensor({1, size}, values), out});
  if (!results.ok()) return {sink.diagnostics()[0].rule_id, {}};
  return {"", Backend::Tensor(out).values};
}

// A program that casts `size` elements.
std::string CastProgram(CastType from, CastType to, absl::string_view mode,
                        size_t size) {
  const auto tensor = [&](CastType type) {
    return absl::StrCat("pl.Tensor[[1, ", size, "], pl.", a5::Name(type), "]");
  };
  return ir::ProgramText({ir::FunctionText(
      "InCore", "f",
      absl::StrCat("x: ", tensor(from), ", out: pl.Out[", tensor(to), "]"),
      absl::StrCat("t = pl.load(x, [0, 0], [1, ", size, "])\n",
                   "r = pl.tile.cast(t, target_type=pl.", a5::Name(to),
                   ", mode='", mode, "')\n",
                   "stored = pl.store(r, [0, 0], out)"))});
}

// Whether the interpreter runs the cast on the value.
bool Accepts(const ir::Call& cast, double value) {
  auto tile = exec::NewReferenceTile<double>(1, 1);
  tile->values = {value};
  tile->defined = {1};
  return exec::CastTile(cast, *tile).ok();
}

// What was compared, so that the test knows that it did.
struct Counts {
  int programs = 0;
  int values = 0;
  int refused = 0;
};

void Compare(CastType from, CastType to, absl::string_view mode,
             Counts* counts) {
  std::vector<double> values = ValuesOf(from);
  if (values.size() % 2 != 0) values.push_back(0.0);  // Rows of FP4 are even.
  const ir::TextProgram before(CastProgram(from, to, mode, values.size()));
  const ir::OpRegistry& ops = before.context().registry();
  ir::DiagnosticSink sink;
  PassContext context;
  context.ir = &before.context();
  context.sink = &sink;
  const absl::StatusOr<const ir::Program*> after =
      PassManager({FindPass("legalize_tile_cast")}).Run(before.get(), context);
  ASSERT_TRUE(after.ok()) << sink.diagnostics()[0].message;
  ASSERT_NE(*after, before.get());
  ++counts->programs;

  const auto* stmt = ir::CheckedCast<ir::Assign>(before->functions[0]->body[1]);
  const auto& cast = *ir::CheckedCast<ir::Call>(stmt->value);
  const auto refused =
      std::stable_partition(values.begin(), values.end(),
                            [&](double value) { return Accepts(cast, value); });
  const auto expect_same = [&](const std::vector<double>& inputs) {
    const Result want = RunOn(*before, ops, inputs);
    EXPECT_EQ(RunOn(**after, ops, inputs), want) << ir::PrintProgram(**after);
    return want.error;
  };
  // All that are accepted, in the place of the others the first of them.
  if (refused != values.begin()) {
    std::vector<double> inputs = values;
    std::fill(inputs.begin() + (refused - values.begin()), inputs.end(),
              values[0]);
    EXPECT_EQ(expect_same(inputs), "");
    counts->values += refused - values.begin();
  }
  // Of those that are refused, some, one by one.
  const auto count = values.end() - refused;
  for (auto i = count * 0; i < count; i += count / 4 + 1) {
    EXPECT_EQ(expect_same(std::vector<double>(values.size(), refused[i])),
              "MX-REF-3");
    ++counts->refused;
  }
}

TEST(LegalizeTileCastRunTest, NoResultChanges) {
  Counts counts;
  int chained = 0;
  for (int from = 0; from < a5::kNumCastTypes; ++from) {
    for (int to = 0; to < a5::kNumCastTypes; ++to) {
      const auto source = static_cast<CastType>(from);
      const auto target = static_cast<CastType>(to);
      if (a5::CastChain(a5::NativeCasts("a5"), source, target).size() < 2) {
        continue;
      }
      ++chained;
      for (const absl::string_view mode : kModes) {
        SCOPED_TRACE(absl::StrCat(a5::Name(source), " to ", a5::Name(target),
                                  ", ", mode));
        Compare(source, target, mode, &counts);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_EQ(chained, 126 - 42);
  EXPECT_EQ(counts.programs, 7 * chained);
  // Both happen, and often.
  EXPECT_GT(counts.values, 20000);
  EXPECT_GT(counts.refused, 500);
  RecordProperty("values", counts.values);
  RecordProperty("refused", counts.refused);
}

}  // namespace
}  // namespace mxtile
