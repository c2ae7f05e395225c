#include "exec/simd/launches.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/data_type.h"
#include "ir/type.h"

namespace mxtile::exec::simd {
namespace {

using Sequence = std::vector<int64_t>;

// Whether the entries first .. first + count - 1 of each sequence go up by the
// step of its first two.
bool IsAffine(const std::vector<Sequence>& sequences, int64_t first,
              int64_t count) {
  for (const Sequence& s : sequences) {
    for (int64_t i = 1; i < count; ++i) {
      if (s[first + i] - s[first + i - 1] != s[1] - s[0]) return false;
    }
  }
  return true;
}

// Digits, outermost first, in which all sequences are affine; none when there
// are no such.
std::vector<int64_t> DigitsOf(std::vector<Sequence> sequences, int64_t count) {
  std::vector<int64_t> digits;
  while (count > 1) {
    int64_t run = 2;
    while (run < count && IsAffine(sequences, 0, run + 1)) ++run;
    // The longest run may reach into the next round of an outer digit.
    for (; run > 1; --run) {
      bool repeats = count % run == 0;
      for (int64_t i = 0; repeats && i < count; i += run) {
        repeats = IsAffine(sequences, i, run);
      }
      if (repeats) break;
    }
    if (run <= 1) return {};
    for (Sequence& s : sequences) {
      for (int64_t i = 0; i < count / run; ++i) s[i] = s[i * run];
    }
    digits.insert(digits.begin(), run);
    count /= run;
  }
  return digits;
}

InstanceScalar ScalarOf(const Sequence& sequence,
                        const std::vector<int64_t>& digits) {
  InstanceScalar scalar;
  if (digits.empty() && sequence.size() > 1) {
    const bool constant =
        std::all_of(sequence.begin(), sequence.end(),
                    [&](int64_t value) { return value == sequence[0]; });
    if (constant) {
      scalar.base = sequence[0];
    } else {
      scalar.table = sequence;
    }
    return scalar;
  }
  scalar.base = sequence[0];
  scalar.steps.resize(digits.size());
  int64_t inner = 1;
  for (size_t i = digits.size(); i-- > 0;) {
    scalar.steps[i] = sequence[inner] - sequence[0];
    inner *= digits[i];
  }
  return scalar;
}

bool IsReal(const ir::Var& param) {
  const auto* scalar = ir::DynCast<ir::ScalarType>(param.type);
  return scalar != nullptr && ir::IsFloat(scalar->dtype);
}

int64_t IntegerOf(const exec::Value& value) {
  return value.is_bool() ? (value.AsBool() ? 1 : 0) : value.AsInt();
}

// What calls of one launch have in common.
struct Key {
  const ir::Function* function;
  std::vector<const Object*> tensors;
  std::vector<double> reals;
  int64_t block_count;

  bool operator<(const Key& other) const {
    return std::tie(function, tensors, reals, block_count) <
           std::tie(other.function, other.tensors, other.reals,
                    other.block_count);
  }
};

Key KeyOf(const LaunchCall& call) {
  Key key = {call.function, {}, {}, call.block.count};
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (call.args[i].is_object()) {
      key.tensors.push_back(call.args[i].AsObject().get());
    } else if (IsReal(*call.function->params[i])) {
      key.reals.push_back(call.args[i].AsFloat());
    }
  }
  return key;
}

Launch LaunchOf(const std::vector<const LaunchCall*>& calls) {
  const LaunchCall& first = *calls[0];
  Launch launch;
  launch.function = first.function;
  launch.request.params.resize(first.args.size());
  launch.request.block_count = first.block.count;
  std::vector<Sequence> sequences(1);  // The block's, then the parameters'.
  std::vector<ImportedParam*> integers;
  for (size_t i = 0; i < first.args.size(); ++i) {
    ImportedParam& param = launch.request.params[i];
    const exec::Value& arg = first.args[i];
    if (arg.is_object()) {
      // One tensor is one buffer.
      const auto same =
          std::find_if(launch.tensors.begin(), launch.tensors.end(),
                       [&](const exec::Value& tensor) {
                         return tensor.AsObject() == arg.AsObject();
                       });
      param.buffer = static_cast<int>(same - launch.tensors.begin());
      if (same == launch.tensors.end()) launch.tensors.push_back(arg);
    } else if (IsReal(*first.function->params[i])) {
      param.real = arg.AsFloat();
    } else if (arg.is_int() || arg.is_bool()) {
      integers.push_back(&param);
      sequences.emplace_back();
      for (const LaunchCall* call : calls) {
        sequences.back().push_back(IntegerOf(call->args[i]));
      }
    }
  }
  for (const LaunchCall* call : calls) {
    sequences[0].push_back(call->block.index);
  }
  const int64_t count = static_cast<int64_t>(calls.size());
  const std::vector<int64_t> digits = DigitsOf(sequences, count);
  launch.request.digits = digits.empty() ? std::vector<int64_t>{count} : digits;
  launch.request.block_index = ScalarOf(sequences[0], digits);
  for (size_t i = 0; i < integers.size(); ++i) {
    integers[i]->scalar = ScalarOf(sequences[i + 1], digits);
  }
  return launch;
}

}  // namespace

void LaunchRecorder::FinishRound(Region& region) {
  for (size_t i = 0; i < region.round.size(); ++i) {
    if (i == region.stages.size()) region.stages.emplace_back();
    std::move(region.round[i].begin(), region.round[i].end(),
              std::back_inserter(region.stages[i]));
  }
  region.round.clear();
}

void LaunchRecorder::BeginRound() { FinishRound(regions_.back()); }

void LaunchRecorder::Add(LaunchCall call) {
  Stage stage;
  stage.push_back(std::move(call));
  regions_.back().round.push_back(std::move(stage));
}

std::vector<Stage> LaunchRecorder::EndRegion() {
  FinishRound(regions_.back());
  std::vector<Stage> stages = std::move(regions_.back().stages);
  regions_.pop_back();
  if (regions_.empty()) return stages;
  std::move(stages.begin(), stages.end(),
            std::back_inserter(regions_.back().round));
  return {};
}

std::vector<Launch> LaunchesOf(const Stage& stage) {
  std::map<Key, size_t> groups;
  std::vector<std::vector<const LaunchCall*>> calls;
  for (const LaunchCall& call : stage) {
    const auto [it, is_new] = groups.emplace(KeyOf(call), calls.size());
    if (is_new) calls.emplace_back();
    calls[it->second].push_back(&call);
  }
  std::vector<Launch> launches;
  for (const auto& group : calls) launches.push_back(LaunchOf(group));
  return launches;
}

}  // namespace mxtile::exec::simd
