// What compiling costs an IR instruction, by phase, on kernels of three sizes.
//
//   ./bazelw run -c opt //exec/simd/jit:compile_benchmark
//
// The kernel is the inner loop of a matrix product: 6 x 2 vectors of
// accumulators, K unrolled 4, 16 and 64 times; in the loop products are rounded
// before they are added. us/inst is all phases and linking over the IR
// instructions before optimising; the columns before it are ms a compilation.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/object_cache.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#endif

namespace mxtile::exec::simd {
namespace {

#ifndef MX_WITHOUT_LLVM

constexpr int kRows = 6;
constexpr int kVectors = 2;
constexpr int kLanes = 8;

// void product(const float* a, const float* b, float* c, int64_t k): a is
// [k, 6], b is [k, 16], c is [6, 16]; k a multiple of `unroll`.
EmittedModule MatrixProduct(int unroll) {
  EmittedModule emitted("product");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Type* const f32 = builder.getFloatTy();
  llvm::Type* const vector = llvm::FixedVectorType::get(f32, kLanes);
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Function* const function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {pointer, pointer, pointer, builder.getInt64Ty()},
                              false),
      llvm::Function::ExternalLinkage, "product", &emitted.module());
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(emitted.context(), name, function);
  };
  llvm::BasicBlock* const entry = block("entry");
  llvm::BasicBlock* const loop = block("loop");
  llvm::BasicBlock* const done = block("done");
  const auto at = [&](llvm::Value* base, llvm::Value* index) {
    return builder.CreateGEP(f32, base, index);
  };
  builder.SetInsertPoint(entry);
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* const k = builder.CreatePHI(builder.getInt64Ty(), 2);
  k->addIncoming(builder.getInt64(0), entry);
  std::vector<llvm::PHINode*> carried;
  std::vector<llvm::Value*> sums;
  for (int i = 0; i < kRows * kVectors; ++i) {
    carried.push_back(builder.CreatePHI(vector, 2));
    carried.back()->addIncoming(llvm::Constant::getNullValue(vector), entry);
    sums.push_back(carried.back());
  }
  for (int step = 0; step < unroll; ++step) {
    llvm::Value* const row = builder.CreateAdd(k, builder.getInt64(step));
    llvm::Value* b[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      llvm::Value* const index = builder.CreateAdd(
          builder.CreateMul(row, builder.getInt64(kVectors * kLanes)),
          builder.getInt64(v * kLanes));
      b[v] = builder.CreateAlignedLoad(vector, at(function->getArg(1), index),
                                       llvm::Align(4));
    }
    for (int r = 0; r < kRows; ++r) {
      llvm::Value* const index = builder.CreateAdd(
          builder.CreateMul(row, builder.getInt64(kRows)), builder.getInt64(r));
      llvm::Value* const a = builder.CreateVectorSplat(
          kLanes, builder.CreateLoad(f32, at(function->getArg(0), index)));
      for (int v = 0; v < kVectors; ++v) {
        llvm::Value*& sum = sums[r * kVectors + v];
        sum = builder.CreateFAdd(sum, builder.CreateFMul(a, b[v]));
      }
    }
  }
  llvm::Value* const next = builder.CreateAdd(k, builder.getInt64(unroll));
  k->addIncoming(next, loop);
  for (size_t i = 0; i < sums.size(); ++i) {
    carried[i]->addIncoming(sums[i], loop);
  }
  builder.CreateCondBr(builder.CreateICmpSLT(next, function->getArg(3)), loop,
                       done);

  builder.SetInsertPoint(done);
  for (size_t i = 0; i < sums.size(); ++i) {
    builder.CreateAlignedStore(
        sums[i], at(function->getArg(2), builder.getInt64(i * kLanes)),
        llvm::Align(4));
  }
  builder.CreateRetVoid();
  return emitted;
}

void BM_Compile(benchmark::State& state) {
  JitOptions options;
  options.level = static_cast<int>(state.range(1));
  double prepare = 0, optimize = 0, codegen = 0, link = 0;
  int64_t instructions = 0;
  for (auto _ : state) {
    state.PauseTiming();
    EmittedModule emitted = MatrixProduct(static_cast<int>(state.range(0)));
    state.ResumeTiming();
    absl::StatusOr<std::unique_ptr<JitCode>> code =
        Compile(std::move(emitted), options);
    MX_CHECK(code.ok());
    const CompiledObject& object = (*code)->object();
    instructions = object.instructions;
    prepare += object.prepare_ms;
    optimize += object.optimize_ms;
    codegen += object.codegen_ms;
    link += (*code)->link_ms();
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["insts"] = static_cast<double>(instructions);
  state.counters["prepare_ms"] = prepare / runs;
  state.counters["optimize_ms"] = optimize / runs;
  state.counters["codegen_ms"] = codegen / runs;
  state.counters["link_ms"] = link / runs;
  state.counters["us/inst"] =
      1000 * (prepare + optimize + codegen + link) / runs / instructions;
}
BENCHMARK(BM_Compile)
    ->ArgNames({"unroll", "level"})
    ->ArgsProduct({{4, 16, 64}, {2}})
    ->Args({64, 0})
    ->Args({64, 1})
    ->Args({64, 3})
    ->Unit(benchmark::kMillisecond);

// The same from the cache in memory: hashing the IR and linking.
void BM_CompileFromCache(benchmark::State& state) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_CHECK(
      Compile(MatrixProduct(static_cast<int>(state.range(0))), options).ok());
  for (auto _ : state) {
    state.PauseTiming();
    EmittedModule emitted = MatrixProduct(static_cast<int>(state.range(0)));
    state.ResumeTiming();
    MX_CHECK(Compile(std::move(emitted), options).ok());
  }
  MX_CHECK(cache.counters().misses == 1);
}
BENCHMARK(BM_CompileFromCache)
    ->ArgName("unroll")
    ->Arg(4)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
