#include "tools/reduce/reducer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/ops/standard_ops.h"
#include "ir/rule_error.h"
#include "ir/source_file.h"
#include "ir/text/printer.h"
#include "ir/text/reader.h"
#include "passes/property.h"
#include "tools/cli/program_checks.h"
#include "tools/reduce/item_range.h"
#include "tools/reduce/reductions.h"

namespace mxtile {
namespace {

// A program with a context of its own, so that what candidates leave behind
// goes with it.
class Loaded {
 public:
  explicit Loaded(std::string text)
      : file_("candidate.py", std::move(text)), context_(&ir::StandardOps()) {}

  // False when the text cannot be read or the program is not sound.
  bool Load(PropertySet required) {
    ir::DiagnosticSink sink;
    const absl::StatusOr<const ir::Program*> read =
        ir::ReadProgram(file_, &context_, &sink);
    if (!read.ok() || !VerifySound(**read, required, &sink).ok()) return false;
    program_ = *read;
    return true;
  }

  const ir::Program* program() const { return program_; }
  ir::Context* context() { return &context_; }

 private:
  ir::SourceFile file_;
  ir::Context context_;
  const ir::Program* program_ = nullptr;
};

class Reducer {
 public:
  Reducer(const StillFails& still_fails, const OnProgress& on_progress,
          PropertySet required)
      : still_fails_(still_fails),
        on_progress_(on_progress),
        required_(required) {}

  absl::StatusOr<std::string> Reduce(std::string text) {
    MX_ASSIGN_OR_RETURN(const bool fails, Try(std::move(text)));
    if (!fails) {
      return ir::RuleError("MX-REDUCE-1",
                           "the program does not fail: there is nothing to "
                           "keep while it is reduced");
    }
    bool is_smaller = true;
    while (is_smaller) {
      is_smaller = false;
      for (const Reduction& reduction : Reductions()) {
        progress_.reduction = reduction.name;
        MX_ASSIGN_OR_RETURN(const bool any, Sweep(reduction));
        is_smaller = is_smaller || any;
      }
    }
    progress_.reduction = "done";
    on_progress_(progress_);
    return text_;
  }

 private:
  // Whether any item of the reduction could go.
  absl::StatusOr<bool> Sweep(const Reduction& reduction) {
    bool any = false;
    int count = reduction.count(current_->program(), current_->context());
    int chunk = reduction.in_chunks ? count : std::min(count, 1);
    for (; chunk > 0; chunk /= 2) {
      // From the end: what is used stands before its uses.
      for (int end = count; end > 0; end -= chunk) {
        const ItemRange items = {std::max(0, end - chunk), end};
        MX_ASSIGN_OR_RETURN(const bool kept, TryWithout(reduction, items));
        if (!kept) continue;
        any = true;
        count = reduction.count(current_->program(), current_->context());
        // The next chunk ends where this one began.
        end = std::min(end, count + chunk);
      }
    }
    return any;
  }

  absl::StatusOr<bool> TryWithout(const Reduction& reduction, ItemRange items) {
    const ir::Program* candidate =
        reduction.apply(current_->program(), items, current_->context());
    if (candidate == nullptr || candidate == current_->program()) return false;
    return Try(ir::PrintProgram(*candidate));
  }

  // Whether the program is sound and still fails; then it is the current one.
  absl::StatusOr<bool> Try(std::string text) {
    if (!seen_.insert(text).second) return false;
    ++progress_.num_candidates;
    auto loaded = std::make_unique<Loaded>(text);
    if (!loaded->Load(required_)) return false;
    ++progress_.num_tried;
    MX_ASSIGN_OR_RETURN(const bool fails, still_fails_(text));
    if (!fails) return false;
    ++progress_.num_kept;
    current_ = std::move(loaded);
    text_ = std::move(text);
    progress_.lines = CountLines(text_);
    on_progress_(progress_);
    return true;
  }

  const StillFails& still_fails_;
  const OnProgress& on_progress_;
  PropertySet required_;
  std::unique_ptr<Loaded> current_;
  std::string text_;
  absl::flat_hash_set<std::string> seen_;
  ReduceProgress progress_;
};

}  // namespace

int CountLines(absl::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

absl::StatusOr<std::string> ReduceProgram(const ir::Program& program,
                                          const StillFails& still_fails,
                                          const OnProgress& on_progress,
                                          ir::DiagnosticSink* sink) {
  MX_RETURN_IF_ERROR(VerifySound(program, {}, sink));
  PropertySet required;
  ir::DiagnosticSink ssa;
  VerifyProperty(Property::kSsaForm, program, &ssa);
  if (!ssa.has_errors()) required.Insert(Property::kSsaForm);
  return Reducer(still_fails, on_progress, required)
      .Reduce(ir::PrintProgram(program));
}

}  // namespace mxtile
