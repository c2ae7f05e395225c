// Masked stores that LLVM 22.1.8 gets wrong (jit.h): with AVX-512 a value that
// is narrowed and stored in a single lane is stored at its width before.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_matchers.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/jit_test_util.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#endif

namespace mxtile::exec::simd {
namespace {

#ifndef MX_WITHOUT_LLVM

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kLanes = 8;

// out[i] = trunc(a[i]) from `wide` to `narrow` bits, for i == lane only.
struct Narrowing {
  int wide;
  int narrow;
};
constexpr Narrowing kNarrowings[] = {{16, 8}, {32, 8},  {32, 16},
                                     {64, 8}, {64, 16}, {64, 32}};

EmittedModule StoreOneLane(const Narrowing& bits, int lane) {
  EmittedModule emitted("one_lane");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, "store", &builder);
  const auto vector = [&](int width) {
    return llvm::FixedVectorType::get(builder.getIntNTy(width), kLanes);
  };
  std::vector<llvm::Constant*> mask;
  for (int i = 0; i < kLanes; ++i) mask.push_back(builder.getInt1(i == lane));
  llvm::Value* const loaded = builder.CreateAlignedLoad(
      vector(bits.wide), function->getArg(0), llvm::Align(1));
  builder.CreateMaskedStore(builder.CreateTrunc(loaded, vector(bits.narrow)),
                            function->getArg(2), llvm::Align(bits.narrow / 8),
                            llvm::ConstantVector::get(mask));
  builder.CreateRetVoid();
  return emitted;
}

std::string Name(const Narrowing& bits, int lane, int level) {
  return "i" + std::to_string(bits.wide) + " to i" +
         std::to_string(bits.narrow) + ", lane " + std::to_string(lane) +
         ", level " + std::to_string(level);
}

// Wherever it runs: no such store reaches the code generator.
TEST(MaskedMemoryTest, OneKnownLaneIsAScalarStore) {
  for (const char* const cpu : {"haswell", "skylake-avx512"}) {
    JitOptions options;
    if (!NamedTarget(cpu).ok()) GTEST_SKIP() << "not an x86-64";
    MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget(cpu));
    options.keep_ir = true;
    for (const Narrowing& bits : kNarrowings) {
      for (int lane = 0; lane < kLanes; ++lane) {
        for (options.level = 0; options.level <= 3; ++options.level) {
          SCOPED_TRACE(cpu + (": " + Name(bits, lane, options.level)));
          MX_ASSERT_OK_AND_ASSIGN(
              const CompiledObject object,
              CompileObject(StoreOneLane(bits, lane), options));
          EXPECT_THAT(object.ir_before, HasSubstr("@llvm.masked.store"));
          EXPECT_THAT(object.ir_after,
                      Not(HasSubstr("call void @llvm.masked.store")));
          EXPECT_THAT(object.ir_after,
                      HasSubstr("store i" + std::to_string(bits.narrow)));
        }
      }
    }
  }
}

TEST(MaskedMemoryTest, OneLaneStoresItsOwnBytesOnly) {
  if (HostTarget().f32_lanes < 16) GTEST_SKIP() << "the host has no AVX-512";
  std::vector<uint8_t> in(8 * kLanes);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i + 1);
  constexpr size_t kGuard = 16;
  for (const Narrowing& bits : kNarrowings) {
    const size_t wide = static_cast<size_t>(bits.wide) / 8;
    const size_t narrow = static_cast<size_t>(bits.narrow) / 8;
    for (int lane = 0; lane < kLanes; ++lane) {
      JitOptions options;
      for (options.level = 0; options.level <= 3; ++options.level) {
        SCOPED_TRACE(Name(bits, lane, options.level));
        MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                                Compile(StoreOneLane(bits, lane), options));
        std::vector<uint8_t> actual(kLanes * narrow + 2 * kGuard, 0xAB);
        std::vector<uint8_t> expected = actual;
        // Little endian: the low bytes come first.
        std::memcpy(expected.data() + kGuard + lane * narrow,
                    in.data() + lane * wide, narrow);
        using Store = void (*)(const uint8_t*, const uint8_t*, uint8_t*);
        reinterpret_cast<Store>(code->Find("store"))(in.data(), nullptr,
                                                     actual.data() + kGuard);
        EXPECT_EQ(actual, expected);
      }
    }
  }
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
