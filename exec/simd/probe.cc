#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/planner.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_data.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
using namespace mxtile::exec::simd;
double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
int main(int argc, char** argv) {
  // probe WORKLOAD spec...
  std::string w = argv[1];
  TileProgram program;
  std::vector<std::vector<float>> mem;
  double flops = 0;
  if (w.rfind("gen:", 0) == 0) {
    auto g = *GenerateProgram(atol(w.c_str() + 4));
    auto want = g.memory;
    if (!Interpret(g.program, Spans(want), AllOf(g.program)).ok()) return 1;
    for (int i = 2; i < argc; ++i) {
      Candidate c;
      for (auto x : std::vector<std::string>(absl::StrSplit(argv[i], ','))) {
        if (x == "axis")
          c.lanes = LaneMode::kAxis;
        else if (x == "fwd")
          c.forward = true;
        else if (x == "cp")
          c.vector_copies = true;
        else if (x == "full")
          c.full_packet = true;
        else if (x == "mask")
          c.masked_lanes = true;
        else if (x == "noshare")
          c.share_uniform = false;
        else if (x[0] == 'g')
          c.group = atoi(x.c_str() + 1);
        else if (x[0] == 'u')
          c.k_unroll = atoi(x.c_str() + 1);
        else if (x[0] == 't')
          c.max_unrolled_elements = atoi(x.c_str() + 1);
        else if (x[0] == 'b') {
          c.block_rows = x[1] - '0';
          c.block_cols = x[3] - '0';
        }
      }
      if (getenv("BISECT")) {
        auto all = g.program.blocks[g.program.body].ops;
        for (size_t n = 1; n <= all.size(); ++n) {
          if (g.program.ops[all[n - 1]].kind != OpKind::kStore &&
              g.program.ops[all[n - 1]].kind != OpKind::kFor &&
              g.program.ops[all[n - 1]].kind != OpKind::kIf)
            continue;
          TileProgram t = g.program;
          t.blocks[t.body].ops.resize(n);
          auto w2 = g.memory, m2 = g.memory;
          (void)Interpret(t, Spans(w2), AllOf(t));
          auto k2 = CompiledKernel::Create(t, c, JitOptions());
          if (!k2.ok()) {
            printf("op %d (%d) %s\n%s", (int)n, (int)all[n - 1],
                   k2.status().ToString().c_str(), ToText(t).c_str());
            break;
          }
          (void)(*k2)->Run(Spans(m2));
          bool bad = false;
          for (size_t b = 0; b < m2.size(); ++b) {
            auto d = FirstDifference(g.types[b], m2[b], w2[b]);
            if (!d.empty()) {
              bad = true;
              printf("op %d (%d): buffer %d %s\n", (int)n, (int)all[n - 1],
                     (int)b, d.c_str());
            }
          }
          if (bad) {
            auto text = ToText(t);
            puts(text.c_str());
            break;
          }
        }
      }
      auto mem = g.memory;
      auto k = CompiledKernel::Create(g.program, c, JitOptions());
      if (!k.ok()) {
        printf("%s: %s\n", argv[i], k.status().ToString().c_str());
        continue;
      }
      printf("%s: %s\n", argv[i], (*k)->Run(Spans(mem)).ToString().c_str());
      for (size_t b = 0; b < mem.size(); ++b) {
        auto d = FirstDifference(g.types[b], mem[b], want[b]);
        if (!d.empty()) {
          printf("   buffer %d %s\n", (int)b, d.c_str());
          for (size_t q = 0; q + 4 <= mem[b].size(); q += 4)
            if (memcmp(&mem[b][q], &want[b][q], 4)) printf(" %d", (int)q / 4);
          puts("");
        }
      }
    }
    return 0;
  }
  if (w.rfind("gemm", 0) == 0) {
    std::vector<std::string> f = absl::StrSplit(w, ':');
    long n = atol(f[1].c_str()), bm = atol(f[2].c_str()),
         bn = atol(f[3].c_str()), bk = atol(f[4].c_str());
    program = *BuildGemm({n, n, n, bm, bn, bk});
    mem = {std::vector<float>(n * n), std::vector<float>(n * n),
           std::vector<float>(n * n)};
    for (int i = 0; i < n * n; ++i)
      mem[0][i] = sin(i * .7), mem[1][i] = cos(i * .3);
    flops = 2.0 * n * n * n;
  } else {
    AttentionShape s = kDecode;
    for (auto& named : kAttentionShapes)
      if (named.name == w) s = named.shape;
    program = *BuildAttention(s);
    AttentionInputs in = MakeAttentionInputs(s);
    mem = {
        in.q, in.k, in.v,
        std::vector<float>(s.batch * s.query_heads * s.queries * s.value_dim)};
    flops = 2.0 * s.batch * s.query_heads * s.queries * s.keys *
            (s.head_dim + s.value_dim);
  }
  std::vector<BufferSpan> bufs;
  for (auto& m : mem) bufs.push_back({m.data(), (int64_t)m.size() * 4});
  std::vector<float> want;
  if (flops < 5e8) {
    if (!Interpret(program, bufs, AllOf(program)).ok()) return 1;
    want = mem.back();
  }
  if (argc == 3 && !strcmp(argv[2], "plan")) {
    double t0 = Now();
    PlannerOptions po;
    auto r = Plan(program, po, HostTarget());
    if (!r.ok()) {
      puts(r.status().ToString().c_str());
      return 1;
    }
    printf("planned in %.0f ms: %s\n", (Now() - t0) * 1e3,
           ToString(r->selected.candidate()).c_str());
    for (auto* v : {&r->admitted, &r->rejected})
      for (auto& f : *v) {
        printf("%-70s %7ld %7ld cycles %10.0f = %8.1f us %s",
               ToString(f.candidate).c_str(), (long)f.body_instructions,
               (long)f.team_instructions, f.cycles, f.cycles / 3240,
               f.rejection.c_str());
        if (getenv("RUN") && f.rejection.empty()) {
          auto k = CompiledKernel::Create(program, f.candidate, JitOptions());
          if (!k.ok()) {
            puts(k.status().ToString().c_str());
            continue;
          }
          std::fill(mem.back().begin(), mem.back().end(), -1.f);
          if (!(*k)->Run(bufs).ok()) puts("run failed");
          bool same = want.empty() ||
                      !memcmp(want.data(), mem.back().data(), want.size() * 4);
          double t1 = Now(), best = 1e9;
          for (int r2 = 0; r2 < 200 && Now() - t1 < .3; ++r2) {
            double a = Now();
            (void)(*k)->Run(bufs);
            best = std::min(best, Now() - a);
          }
          printf(" %s %8.1f us  x %.2f", same ? "same" : "DIFFERENT",
                 best * 1e6, best * 1e6 / (f.cycles / 3240));
        }
        puts("");
      }
    return 0;
  }
  for (int i = 2; i < argc; ++i) {
    Candidate c;
    std::vector<std::string> f = absl::StrSplit(argv[i], ',');
    bool dump = false;
    for (auto& x : f) {
      if (x == "axis")
        c.lanes = LaneMode::kAxis;
      else if (x == "fwd")
        c.forward = true;
      else if (x == "cp")
        c.vector_copies = true;
      else if (x == "full")
        c.full_packet = true;
      else if (x == "mask")
        c.masked_lanes = true;
      else if (x == "noshare")
        c.share_uniform = false;
      else if (x == "dump")
        dump = true;
      else if (x[0] == 'g')
        c.group = atoi(x.c_str() + 1);
      else if (x[0] == 'u')
        c.k_unroll = atoi(x.c_str() + 1);
      else if (x[0] == 't')
        c.max_unrolled_elements = atoi(x.c_str() + 1);
      else if (x[0] == 'b') {
        c.block_rows = x[1] - '0';
        c.block_cols = x[3] - '0';
      }
    }
    JitOptions o;
    o.keep_ir = dump;
    double t0 = Now();
    auto k = CompiledKernel::Create(program, c, o);
    double t1 = Now();
    if (!k.ok()) {
      printf("%s: %s\n", argv[i], k.status().ToString().c_str());
      continue;
    }
    std::fill(mem.back().begin(), mem.back().end(), -1.f);
    if (!(*k)->Run(bufs).ok()) puts("run failed");
    bool same = want.empty() ||
                !memcmp(want.data(), mem.back().data(), want.size() * 4);
    double best = 1e9;
    std::vector<double> ts;
    for (int r = 0; r < 30; ++r) {
      double a = Now();
      (void)(*k)->Run(bufs);
      double b = Now() - a;
      best = std::min(best, b);
      ts.push_back(b);
      if (Now() - t1 > 3) break;
    }
    std::sort(ts.begin(), ts.end());
    auto& fa = (*k)->facts();
    printf(
        "%-34s %s body %ld team %ld all %ld after %ld compile %.0f ms (prep "
        "%.0f opt %.0f cg %.0f) bytes %ld/%ld ws %ld  best %.1f us med %.1f  "
        "%.1f GFLOP/s\n",
        argv[i], same ? "same" : "DIFFERENT", (long)fa.body_instructions,
        (long)fa.team_instructions, (long)fa.instructions,
        (long)(*k)->code().object().instructions_after.value_or(0),
        (t1 - t0) * 1e3, (*k)->code().object().prepare_ms,
        (*k)->code().object().optimize_ms, (*k)->code().object().codegen_ms,
        (long)fa.resources.bytes, (long)fa.resources.allocations,
        (long)fa.resources.workspace, best * 1e6, ts[ts.size() / 2] * 1e6,
        flops / best * 1e-9);
    if (dump) {
      std::ofstream("/tmp/before.ll") << (*k)->code().object().ir_before;
      std::ofstream("/tmp/after.ll") << (*k)->code().object().ir_after;
      std::ofstream("/tmp/kernel.o") << (*k)->code().object().bytes;
    }
  }
}
