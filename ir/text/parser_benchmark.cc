// Speed of the parser, in bytes of program text.
//
//   ./bazelw run -c opt //ir/text:parser_benchmark

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/text/parser.h"
#include "ir/text/syntax.h"

namespace mxtile::ir::text {
namespace {

constexpr int kProgramBytes = 10 << 20;

void ParseRepeatedly(benchmark::State& state, const std::string& contents) {
  for (auto _ : state) {
    const SourceFile file("a.py", contents);
    SyntaxTree tree;
    DiagnosticSink sink;
    MX_CHECK(ParseModule(file, &tree, &sink).ok()) << "it is a program";
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(contents.size()));
}

std::string Repeat(absl::string_view text) {
  std::string result;
  while (result.size() < kProgramBytes) result.append(text.data(), text.size());
  return result;
}

// Many lines as a kernel has them.
void BM_Kernel(benchmark::State& state) {
  ParseRepeatedly(
      state,
      Repeat("a: pl.Tile[[32, 128], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load("
             "lhs, [0, 64 * k], [32, 128], target_memory=pl.Mem.Mat)\n"));
}
BENCHMARK(BM_Kernel)->Unit(benchmark::kMillisecond);

// One line: the most tokens and nodes there can be in so many bytes.
void BM_ListOnOneLine(benchmark::State& state) {
  ParseRepeatedly(state, absl::StrCat("[", Repeat("1,"), "]"));
}
BENCHMARK(BM_ListOnOneLine)->Unit(benchmark::kMillisecond);

void BM_SumOnOneLine(benchmark::State& state) {
  ParseRepeatedly(state, absl::StrCat(Repeat("a+"), "a"));
}
BENCHMARK(BM_SumOnOneLine)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mxtile::ir::text
