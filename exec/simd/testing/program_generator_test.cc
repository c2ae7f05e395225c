#include "exec/simd/testing/program_generator.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/testing/random_data.h"
#include "exec/simd/tile_program.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

uint64_t seed = 20240;
int num_programs = 1000;

// Of what every 1,000 programs have at least so many.
constexpr int64_t kOften = 20;

TEST(ProgramGeneratorTest, ProgramsRunAndHaveEverything) {
  Histogram histogram;
  int64_t floats = 0;
  int64_t finite_floats = 0;
  int64_t changed_buffers = 0;
  for (int i = 0; i < num_programs; ++i) {
    SCOPED_TRACE(testing::Message() << "--seed=" << seed + i);
    MX_ASSERT_OK_AND_ASSIGN(GeneratedProgram generated,
                            GenerateProgram(seed + i));
    const std::vector<std::vector<uint8_t>> before = generated.memory;
    MX_ASSERT_OK(Interpret(generated.program, Spans(generated.memory),
                           AllOf(generated.program)))
        << ToText(generated.program);
    CountOperations(generated.program, histogram);
    for (const auto& [feature, count] : generated.features) {
      histogram[feature] += count;
    }
    for (size_t buffer = 0; buffer < before.size(); ++buffer) {
      const std::vector<uint8_t>& bytes = generated.memory[buffer];
      if (bytes == before[buffer]) continue;
      ++changed_buffers;
      if (generated.types[buffer] != ElementType::kF32) continue;
      for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        float value;
        std::memcpy(&value, &bytes[at], 4);
        ++floats;
        finite_floats += std::isfinite(value) ? 1 : 0;
      }
    }
  }
  for (const auto& [name, count] : histogram) {
    std::cout << count << "  " << name << "\n";
  }
  std::cout << finite_floats << " of " << floats << " floats are finite\n";
  EXPECT_GE(changed_buffers, num_programs);
  EXPECT_GE(finite_floats, floats * 3 / 4);
  for (int kind = 0; kind <= static_cast<int>(OpKind::kIf); ++kind) {
    const std::string name(Name(static_cast<OpKind>(kind)));
    EXPECT_GE(histogram[name] * 1000, kOften * num_programs) << name;
  }
  for (int kind = 0; kind <= static_cast<int>(UnaryKind::kNot); ++kind) {
    const std::string name =
        "unary " + std::string(Name(static_cast<UnaryKind>(kind)));
    EXPECT_GE(histogram[name] * 1000, kOften * num_programs) << name;
  }
  for (int kind = 0; kind <= static_cast<int>(BinaryKind::kOr); ++kind) {
    const std::string name =
        "binary " + std::string(Name(static_cast<BinaryKind>(kind)));
    EXPECT_GE(histogram[name] * 1000, kOften * num_programs) << name;
  }
  for (const char* name : {"reduce sum",
                           "reduce max",
                           "reduce min",
                           "load bf16",
                           "load f16",
                           "load f8E4M3FN",
                           "load f8E5M2",
                           "load f4E2M1FN",
                           "load f4E1M2",
                           "load f8E8M0FNU",
                           "load bool",
                           "load index",
                           "store f32",
                           "store bf16",
                           "store f16",
                           "store index",
                           "store bool",
                           "ragged window",
                           "window with a limit",
                           "window by instance",
                           "checked window",
                           "window without elements, outside its view",
                           "instances over two axes",
                           "instances along the last axis",
                           "load from an own buffer",
                           "overwritten load",
                           "store in a block",
                           "reduction with a limit",
                           "contraction with a limit",
                           "contraction of nothing",
                           "contraction without dimensions",
                           "contraction of two dimensions",
                           "contraction of more than 64 terms",
                           "contraction to more than 64 elements",
                           "MX contraction with a limit",
                           "extract at a dynamic index",
                           "loop by instance",
                           "loop down by data",
                           "loop without trips",
                           "nested loop",
                           "swapped carries",
                           "blocked contraction",
                           "blocked reduction",
                           "known condition",
                           "condition on the instance",
                           "condition on an index",
                           "condition on data"}) {
    EXPECT_GE(histogram[name] * 1000, kOften * num_programs) << name;
  }
}

TEST(ProgramGeneratorTest, TheSeedDecides) {
  std::set<std::string> texts;
  for (uint64_t i = 0; i < 50; ++i) {
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram a,
                            GenerateProgram(seed + i));
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram b,
                            GenerateProgram(seed + i));
    EXPECT_EQ(ToText(a.program), ToText(b.program));
    EXPECT_EQ(a.memory, b.memory);
    texts.insert(ToText(a.program));
  }
  EXPECT_EQ(texts.size(), 50);
}

// Whatever runs several at once relies on it.
TEST(ProgramGeneratorTest, InstancesAreIndependent) {
  for (uint64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(testing::Message() << "--seed=" << seed + i);
    MX_ASSERT_OK_AND_ASSIGN(GeneratedProgram generated,
                            GenerateProgram(seed + i));
    std::vector<std::vector<uint8_t>> backwards = generated.memory;
    const TileProgram& program = generated.program;
    MX_ASSERT_OK(Interpret(program, Spans(generated.memory), AllOf(program)));
    for (int64_t p = program.program_count - 1; p >= 0; --p) {
      MX_ASSERT_OK(Interpret(program, Spans(backwards), {p, p + 1}));
    }
    for (size_t buffer = 0; buffer < backwards.size(); ++buffer) {
      EXPECT_EQ(FirstDifference(generated.types[buffer], backwards[buffer],
                                generated.memory[buffer]),
                "");
    }
  }
}

TEST(ProgramGeneratorTest, OptionsAreHeld) {
  GeneratorOptions options;
  options.finite = true;
  options.mx_contractions = false;
  Histogram histogram;
  for (uint64_t i = 0; i < 50; ++i) {
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(seed + i, options));
    CountOperations(generated.program, histogram);
    for (size_t buffer = 0; buffer < generated.memory.size(); ++buffer) {
      if (generated.types[buffer] != ElementType::kF32) continue;
      const std::vector<uint8_t>& bytes = generated.memory[buffer];
      for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        float value;
        std::memcpy(&value, &bytes[at], 4);
        EXPECT_TRUE(std::isfinite(value));
      }
    }
  }
  EXPECT_EQ(histogram["mx_contract"], 0);
}

TEST(RandomDataTest, DifferencesAreOfBitsButNotOfNans) {
  using Bytes = std::vector<uint8_t>;
  const auto bytes = [](std::vector<uint32_t> words) {
    Bytes result(words.size() * 4);
    std::memcpy(result.data(), words.data(), result.size());
    return result;
  };
  EXPECT_EQ(FirstDifference(ElementType::kF32, bytes({0x7FC00000, 1}),
                            bytes({0xFFC00001, 1})),
            "");
  EXPECT_EQ(
      FirstDifference(ElementType::kF32, bytes({1, 0x80000000}), bytes({1, 0})),
      "element 1 of f32: -0 (0x80000000), not 0 (0x0)");
  EXPECT_EQ(FirstDifference(ElementType::kIndex, bytes({7, 0}), bytes({8, 0})),
            "element 0 of index: 7, not 8");
  EXPECT_EQ(FirstDifference(ElementType::kF4E2M1FN, Bytes{0x21}, Bytes{0x31}),
            "element 1 of f4E2M1FN: 1 (0x2), not 1.5 (0x3)");
  EXPECT_EQ(FirstDifference(ElementType::kBool, Bytes{1}, Bytes{1, 1}),
            "1 bytes, not 2");
}

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--programs=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_programs);
}
