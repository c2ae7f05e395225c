// Reads many programs and says how the reader fares with them.
//
//   find dumps -name '*.py' | bazel run //tools/corpus:corpus_report
//
// For each file whose path stands on a line of the input: is it read, and do
// text -> text, text -> protobuf and text -> protobuf's text format give an
// equal program that prints the same? Prints each refusal and each difference
// as PATH: WHAT, then the counts; exits 1 if a round trip failed.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/source_file.h"
#include "ir/stmt_walk.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/reader.h"

namespace mxtile {
namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  int files = 0;
  int read = 0;
  int round_trips = 0;  // Of three for each file that is read.
  int64_t calls = 0;    // Of operators.
  int64_t typed_calls = 0;
  double slowest_ms = 0;
  std::map<std::string, int> refused;  // By rule.
};

class Report {
 public:
  void Add(const std::string& path) {
    ++counts_.files;
    const absl::StatusOr<std::string> contents = ReadFile(path);
    if (!contents.ok())
      return Refuse(path, "file", contents.status().message());
    const Clock::time_point begin = Clock::now();
    const ir::SourceFile file(path, *contents);
    ir::Context context(&ir::StandardOps());
    ir::DiagnosticSink sink;
    const auto program = ir::ReadProgram(file, &context, &sink);
    if (!program.ok()) {
      const ir::Diagnostic& first = sink.diagnostics()[0];
      return Refuse(path, first.rule_id,
                    absl::StrCat(first.span.line, ": ", first.message));
    }
    ++counts_.read;
    CountCalls(**program);
    CheckText(path, **program);
    CheckProto(path, **program);
    CheckTextProto(path, **program);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    counts_.slowest_ms = std::max(counts_.slowest_ms, took.count());
  }

  // Returns whether all round trips were good.
  bool Print() const {
    std::cout << "files " << counts_.files << ", read " << counts_.read
              << "\nround trips " << counts_.round_trips << " of "
              << 3 * counts_.read << "\ncalls of operators " << counts_.calls
              << ", registered with a deduction " << counts_.typed_calls
              << "\nslowest file " << counts_.slowest_ms << " ms\n";
    for (const auto& [rule, count] : counts_.refused) {
      std::cout << "refused by " << rule << ": " << count << "\n";
    }
    return counts_.round_trips == 3 * counts_.read;
  }

 private:
  void Refuse(absl::string_view path, absl::string_view rule,
              absl::string_view message) {
    ++counts_.refused[std::string(rule)];
    std::cout << path << ": " << rule << ": " << message << "\n";
  }

  void CountCalls(const ir::Program& program) {
    for (const ir::Function* function : program.functions) {
      ir::ForEachStmt(function->body, [this](const ir::Stmt* stmt) {
        ir::ForEachRootExpr(*stmt, [this](const ir::Expr* root) {
          ir::PostOrder(root, [this](const ir::Expr* expr) {
            const auto* call = ir::DynCast<ir::Call>(expr);
            if (call == nullptr || call->callee->is_function) return;
            ++counts_.calls;
            const ir::OpDef* def = call->callee->def;
            if (def != nullptr && def->deduce) ++counts_.typed_calls;
          });
        });
      });
    }
  }

  void CheckText(absl::string_view path, const ir::Program& program) {
    const ir::SourceFile file("printed.py", ir::PrintProgram(program));
    ir::Context context(&ir::StandardOps());
    ir::DiagnosticSink sink;
    Compare(path, "text", program, ir::ReadProgram(file, &context, &sink),
            sink);
  }

  void CheckProto(absl::string_view path, const ir::Program& program) {
    const std::string bytes = ir::SerializeProgram(program);
    ir::Context context(&ir::StandardOps());
    ir::DiagnosticSink sink;
    Compare(path, "protobuf", program,
            ir::ReadProtoProgram(bytes, "a.mxpb", {}, &context, &sink), sink);
  }

  void CheckTextProto(absl::string_view path, const ir::Program& program) {
    const ir::SourceFile file("a.textproto", ir::PrintTextProto(program));
    ir::Context context(&ir::StandardOps());
    ir::DiagnosticSink sink;
    Compare(path, "textproto", program,
            ir::ReadTextProtoProgram(file, {}, &context, &sink), sink);
  }

  void Compare(absl::string_view path, absl::string_view form,
               const ir::Program& program,
               const absl::StatusOr<const ir::Program*>& again,
               const ir::DiagnosticSink& sink) {
    if (!again.ok()) {
      std::cout << path << ": not read back from " << form << ": "
                << sink.diagnostics()[0].message << "\n";
      return;
    }
    const std::optional<ir::Difference> difference =
        ir::FindDifference(program, **again);
    if (difference.has_value()) {
      std::cout << path << ": " << form << " changes " << difference->path
                << ": " << difference->lhs << " | " << difference->rhs << "\n";
    } else if (ir::PrintProgram(program) != ir::PrintProgram(**again)) {
      std::cout << path << ": " << form << " changes the text\n";
    } else {
      ++counts_.round_trips;
    }
  }

  Counts counts_;
};

}  // namespace
}  // namespace mxtile

int main() {
  mxtile::Report report;
  std::string path;
  while (std::getline(std::cin, path)) report.Add(path);
  return report.Print() ? EXIT_SUCCESS : EXIT_FAILURE;
}
