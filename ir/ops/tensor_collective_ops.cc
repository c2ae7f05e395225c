#include "ir/ops/tensor_collective_ops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// What an argument is for.
enum class Role { kInput, kTarget, kSignal, kSendCounts, kRecvCounts };

// [NR] and [NR, 1].
enum class Counters { kAnyShape, kVector, kColumn, kEither, kPerCore, kRing };

struct Collective {
  absl::string_view name;
  std::vector<Role> roles;
  Counters signal = Counters::kAnyShape;
  bool optional_signal = false;
  // Of one chip: windows only, with a kwarg dtype.
  bool builtin = false;
  bool one_input_row = false;        // Else as many as of the target.
  bool is_matrix = false;            // The target.
  std::vector<DataType> types = {};  // Of the target; empty: any.
  std::vector<KwargSpec> kwargs = {};
  bool sum_only = false;
};

constexpr absl::string_view kOps[] = {"Sum", "Max", "Min", "Prod"};

int IndexOf(const Collective& op, Role role) {
  const auto it = std::find(op.roles.begin(), op.roles.end(), role);
  return it == op.roles.end() ? -1 : static_cast<int>(it - op.roles.begin());
}

// ---- Counters: signals and numbers of rows

bool HasShape(Dims shape, Counters wanted) {
  const bool is_vector = shape.size() == 1;
  const bool is_column = shape.size() == 2 && IsConstant(shape[1], 1);
  switch (wanted) {
    case Counters::kAnyShape:
      return true;
    case Counters::kVector:
      return is_vector;
    case Counters::kColumn:
      return is_column;
    case Counters::kEither:
      return is_vector || is_column;
    case Counters::kPerCore:
      return is_vector ||
             (shape.size() == 2 && ConstantOf(shape[1]).has_value());
    case Counters::kRing:
      return shape.size() == 2;
  }
  return false;
}

absl::string_view Describe(Counters wanted) {
  switch (wanted) {
    case Counters::kAnyShape:
      return "any shape";
    case Counters::kVector:
      return "[NR]";
    case Counters::kColumn:
      return "[NR, 1]";
    case Counters::kEither:
      return "[NR] or [NR, 1]";
    case Counters::kPerCore:
      return "[NR] or [NR, number of cores]";
    case Counters::kRing:
      return "[2 * (NR - 1) + 1, NR]";
  }
  return "";
}

absl::Status CheckCounters(const OpCall& call, int index, Counters wanted) {
  const TensorType& counters = call.Tensor(index);
  if (counters.dtype == DataType::kInt32 && HasShape(counters.shape, wanted)) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-12", call.ArgName(index), " must be INT32, of ",
                    Describe(wanted), ", got ", DataTypeName(counters.dtype),
                    " ", ShapeText(counters.shape));
}

// A column of cores for each of them; without, one core.
absl::Status CheckCores(const OpCall& call, Dims signal) {
  const int64_t cores = call.IntKwarg("core_num").value_or(1);
  const int64_t columns =
      signal.size() == 2 ? ConstantOf(signal[1]).value_or(0) : 1;
  if (cores <= columns) return absl::OkStatus();
  return call.Error("MX-TENSOR-12", "needs a counter a core in signal, got ",
                    ShapeText(signal), " for ", cores, " cores");
}

// The steps of a ring, and its chunks.
absl::Status CheckRing(const OpCall& call, Dims signal) {
  constexpr int64_t kMostRanks = 16;  // Public collective.cpp.
  const std::optional<int64_t> steps = ConstantOf(signal[0]);
  const std::optional<int64_t> ranks = ConstantOf(signal[1]);
  if (!ranks.has_value() || *ranks <= 0) return absl::OkStatus();
  const Dims shape = call.Tensor(0).shape;
  const std::optional<int64_t> count = ElementCount(shape);
  if (*ranks > kMostRanks ||
      (steps.has_value() && *steps != 2 * (*ranks - 1) + 1)) {
    return call.Error("MX-TENSOR-12", "signal must be ",
                      Describe(Counters::kRing), " of at most ", kMostRanks,
                      " ranks, got ", ShapeText(signal));
  }
  if (count.has_value() && *count % *ranks == 0) return absl::OkStatus();
  return call.Error("MX-TENSOR-1", "cuts the data into ", *ranks,
                    " equal chunks, got ", ShapeText(shape));
}

// ---- Data

absl::Status CheckTarget(const OpCall& call, const Collective& op, int index) {
  if (op.is_matrix) MX_RETURN_IF_ERROR(CheckRank(call, index, 2));
  if (!op.types.empty()) {
    MX_RETURN_IF_ERROR(CheckElementType(call, index, op.types));
  }
  if (!op.builtin) return absl::OkStatus();
  return CheckDataType(call, "dtype", *call.DataTypeKwarg("dtype"),
                       {call.Tensor(index).dtype});
}

absl::Status CheckInput(const OpCall& call, const Collective& op, int index) {
  const int target = IndexOf(op, Role::kTarget);
  MX_RETURN_IF_ERROR(CheckRank(call, index, 2));
  MX_RETURN_IF_ERROR(CheckSameType(call, index, call.Tensor(target).dtype));
  const Dims shape = call.Tensor(index).shape;
  const Dims target_shape = call.Tensor(target).shape;
  MX_RETURN_IF_ERROR(CheckSameExtent(call, "the cols of input", shape[1],
                                     "those of target", target_shape[1]));
  if (call.Arg(index) == call.Arg(target)) {
    return call.Error("MX-TENSOR-12",
                      "input and target must be different buffers");
  }
  if (!op.one_input_row) {
    return CheckSameExtent(call, "the rows of input", shape[0],
                           "those of target", target_shape[0]);
  }
  if (ConstantOf(shape[0]).value_or(1) == 1) return absl::OkStatus();
  return call.Error("MX-TENSOR-1", "input must be this rank's [1, SIZE], got ",
                    ShapeText(shape));
}

// Ranks and rows: one counter a rank.
absl::Status CheckRanks(const OpCall& call, const Collective& op) {
  const int signal = IndexOf(op, Role::kSignal);
  const int target = IndexOf(op, Role::kTarget);
  const Expr* ranks = call.Tensor(signal).shape[0];
  const int counts = IndexOf(op, Role::kSendCounts);
  if (counts < 0) {
    return CheckSameExtent(call, "the ranks of signal", ranks,
                           "the rows of target", call.Tensor(target).shape[0]);
  }
  for (const int index : {counts, IndexOf(op, Role::kRecvCounts)}) {
    MX_RETURN_IF_ERROR(CheckSameExtent(call, call.ArgName(index),
                                       call.Tensor(index).shape[0],
                                       "the ranks of signal", ranks));
  }
  const std::optional<int64_t> number = ConstantOf(ranks);
  const std::optional<int64_t> rows = ConstantOf(call.Tensor(target).shape[0]);
  if (number.has_value() && *number > 0 && rows.has_value() &&
      *rows % *number == 0) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-12",
                    "the number of ranks must be a constant that divides the "
                    "rows of target, got signal ",
                    ShapeText(call.Tensor(signal).shape), " and target ",
                    ShapeText(call.Tensor(target).shape));
}

absl::Status CheckArgument(const OpCall& call, const Collective& op,
                           int index) {
  switch (op.roles[index]) {
    case Role::kInput:
      return CheckInput(call, op, index);
    case Role::kTarget:
      return CheckTarget(call, op, index);
    case Role::kSignal:
      return CheckCounters(call, index, op.signal);
    case Role::kSendCounts:
      return CheckCounters(call, index, Counters::kEither);
    case Role::kRecvCounts:
      return CheckCounters(call, index, Counters::kColumn);
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceCollective(const OpCall& call,
                                             const Collective& op,
                                             Context& context) {
  constexpr int64_t kAny = std::numeric_limits<int32_t>::max();
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "root", 0, kAny));
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "core_num", 1, kAny));
  const std::optional<int> reduction = call.ChoiceKwarg("op");
  if (op.sum_only && reduction.value_or(0) != 0) {
    return call.Error("MX-TENSOR-9", "reduces by Sum only, got ",
                      kOps[*reduction]);
  }
  for (int i = 0; i < call.num_args(); ++i) {
    MX_RETURN_IF_ERROR(CheckArgument(call, op, i));
  }
  const int signal = IndexOf(op, Role::kSignal);
  if (op.signal == Counters::kPerCore) {
    MX_RETURN_IF_ERROR(CheckCores(call, call.Tensor(signal).shape));
  }
  if (op.signal == Counters::kRing) {
    MX_RETURN_IF_ERROR(CheckRing(call, call.Tensor(signal).shape));
  }
  if (IndexOf(op, Role::kInput) >= 0) MX_RETURN_IF_ERROR(CheckRanks(call, op));
  return call.Arg(std::max(IndexOf(op, Role::kTarget), 0))->type;
}

// ---- Registration

ArgSpec SpecOf(const Collective& op, Role role) {
  // Public builtins call what they reduce in place the source.
  const bool is_source =
      role == Role::kTarget && op.builtin && op.signal >= Counters::kPerCore;
  const ArgKind local = op.builtin ? ArgKind::kWindow : ArgKind::kTensor;
  switch (role) {
    case Role::kInput:
      return {"input", local};
    case Role::kTarget:
      return {is_source ? "src" : "target", ArgKind::kWindow};
    case Role::kSignal:
      return {"signal", ArgKind::kWindow, op.optional_signal};
    case Role::kSendCounts:
      return {"send_counts", local};
    case Role::kRecvCounts:
      return {"recv_counts", ArgKind::kWindow};
  }
  return {};
}

void RegisterCollective(OpRegistry& registry, Collective op) {
  OpDef def;
  def.name = std::string(op.name);
  def.has_effect = true;
  def.compiler_only = op.builtin;
  def.result_aliases_arg = std::max(IndexOf(op, Role::kTarget), 0);
  OpSignature signature;
  for (const Role role : op.roles) signature.args.push_back(SpecOf(op, role));
  signature.kwargs = op.kwargs;
  if (op.builtin && IndexOf(op, Role::kTarget) >= 0) {
    signature.kwargs.push_back(
        {"dtype", KwargKind::kDataType, /*required=*/true});
  }
  RegisterOp(registry, std::move(def), std::move(signature),
             [op = std::move(op)](const OpCall& call, Context& context) {
               return DeduceCollective(call, op, context);
             });
}

KwargSpec Reduction() {
  return {"op",
          KwargKind::kChoice,
          /*required=*/false,
          {std::begin(kOps), std::end(kOps)}};
}
KwargSpec Root() { return {"root", KwargKind::kInt, /*required=*/true}; }
KwargSpec Cores() { return {"core_num", KwargKind::kInt}; }

// Of what users write and of what a chip runs.
Collective BuiltinOf(Collective op, absl::string_view name, Counters signal) {
  op.name = name;
  op.builtin = true;
  op.signal = signal;
  op.optional_signal = false;
  op.types = {DataType::kFP32};
  return op;
}

void RegisterInPlace(OpRegistry& registry) {
  const std::vector<Role> roles = {Role::kTarget, Role::kSignal};
  Collective allreduce = {"pld.tensor.allreduce", roles};
  allreduce.optional_signal = true;
  allreduce.types = {DataType::kFP16, DataType::kFP32};
  allreduce.kwargs = {Reduction(), {"mode", KwargKind::kString}, Cores()};
  RegisterCollective(registry, allreduce);
  Collective builtin =
      BuiltinOf(allreduce, "builtin.tensor.allreduce", Counters::kPerCore);
  builtin.types = allreduce.types;
  builtin.kwargs = {Reduction(), Cores()};
  RegisterCollective(registry, builtin);
  Collective ring =
      BuiltinOf(allreduce, "builtin.tensor.allreduce_ring", Counters::kRing);
  ring.kwargs = {Reduction()};
  ring.sum_only = true;
  RegisterCollective(registry, ring);

  Collective scatter = {"pld.tensor.reduce_scatter", roles};
  scatter.is_matrix = true;
  scatter.kwargs = {Reduction()};
  scatter.sum_only = true;
  RegisterCollective(registry, scatter);
  RegisterCollective(
      registry,
      BuiltinOf(scatter, "builtin.tensor.reduce_scatter", Counters::kVector));

  Collective broadcast = {"pld.tensor.broadcast", roles};
  broadcast.kwargs = {Root()};
  RegisterCollective(registry, broadcast);
  RegisterCollective(registry, BuiltinOf(broadcast, "builtin.tensor.broadcast",
                                         Counters::kVector));

  const Collective barrier = {"pld.tensor.barrier", {Role::kSignal}};
  RegisterCollective(registry, barrier);
  RegisterCollective(registry, BuiltinOf(barrier, "builtin.tensor.barrier",
                                         Counters::kVector));
}

void RegisterExchanges(OpRegistry& registry) {
  Collective gather = {"pld.tensor.allgather",
                       {Role::kInput, Role::kTarget, Role::kSignal},
                       Counters::kEither};
  gather.is_matrix = true;
  gather.one_input_row = true;
  RegisterCollective(registry, gather);
  RegisterCollective(registry, BuiltinOf(gather, "builtin.tensor.allgather",
                                         Counters::kEither));

  Collective exchange = gather;
  exchange.name = "pld.tensor.all_to_all";
  exchange.one_input_row = false;
  RegisterCollective(registry, exchange);
  RegisterCollective(registry, BuiltinOf(exchange, "builtin.tensor.all_to_all",
                                         Counters::kEither));

  Collective variable = exchange;
  variable.name = "pld.tensor.all_to_all_v";
  variable.roles = {Role::kInput, Role::kTarget, Role::kSignal,
                    Role::kSendCounts, Role::kRecvCounts};
  variable.signal = Counters::kColumn;
  RegisterCollective(registry, variable);
  RegisterCollective(
      registry,
      BuiltinOf(variable, "builtin.tensor.all_to_all_v", Counters::kColumn));
}

}  // namespace

void RegisterTensorCollectiveOps(OpRegistry& registry) {
  RegisterInPlace(registry);
  RegisterExchanges(registry);
}

}  // namespace mxtile::ir
