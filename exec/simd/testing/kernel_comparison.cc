#include "exec/simd/testing/kernel_comparison.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/element_type.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/testing/guarded_memory.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_data.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

ElementType TypeOf(const TileProgram& program, size_t buffer) {
  for (const View& view : program.views) {
    if (view.buffer == static_cast<int>(buffer)) return view.type;
  }
  return ElementType::kF32;
}

std::string RunDifference(const CompiledKernel& kernel, const Memory& memory,
                          const Memory& expected, GuardedMemory::Side side,
                          BlockPool* pool) {
  std::vector<std::unique_ptr<GuardedMemory>> guarded;
  std::vector<BufferSpan> spans;
  for (const std::vector<uint8_t>& content : memory) {
    guarded.push_back(std::make_unique<GuardedMemory>(content, side));
    spans.push_back({guarded.back()->data(), guarded.back()->bytes()});
  }
  const absl::Status status = kernel.Run(spans, pool);
  if (!status.ok()) return status.ToString();
  for (size_t i = 0; i < guarded.size(); ++i) {
    if (!guarded[i]->IsIntact()) return absl::StrCat("wrote beyond buffer ", i);
    const std::string difference = FirstDifference(
        TypeOf(kernel.program(), i), guarded[i]->content(), expected[i]);
    if (!difference.empty()) {
      return absl::StrCat("buffer ", i, ": ", difference);
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<Memory> InterpretedMemory(const TileProgram& program,
                                         Memory memory) {
  MX_RETURN_IF_ERROR(Interpret(program, Spans(memory), AllOf(program)));
  return memory;
}

std::string KernelDifference(const TileProgram& program, const Memory& memory,
                             const Memory& expected, const Candidate& candidate,
                             const ComparisonOptions& options) {
  JitOptions jit;
  jit.target = options.target;
  jit.level = options.level;
  const absl::StatusOr<std::unique_ptr<CompiledKernel>> kernel =
      CompiledKernel::Create(program, candidate, jit);
  if (!kernel.ok()) return kernel.status().ToString();
  for (const GuardedMemory::Side side :
       {GuardedMemory::Side::kEnd, GuardedMemory::Side::kBegin}) {
    std::string difference =
        RunDifference(**kernel, memory, expected, side, options.pool);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace mxtile::exec::simd
