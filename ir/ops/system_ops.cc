#include "ir/ops/system_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// ---- Results that do not depend on the operands

Deduction Scalar(DataType dtype) {
  return [dtype](const OpCall&, Context& context) {
    return absl::StatusOr<const Type*>(context.GetScalarType(dtype));
  };
}

Deduction Marker(TypeKind kind) {
  return [kind](const OpCall&, Context& context) {
    return absl::StatusOr<const Type*>(context.GetMarkerType(kind));
  };
}

Deduction Nothing() { return Marker(TypeKind::kUnknown); }

enum class Effect { kNone, kSome };

using Fill = void (*)(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                      Context&);

void Register(OpRegistry& registry, absl::string_view name, Effect effect,
              OpSignature signature, Deduction deduction,
              std::vector<ShortForm> short_forms = {}, Fill fill = nullptr) {
  OpDef def;
  def.name = std::string(name);
  def.has_effect = effect == Effect::kSome;
  def.short_forms = std::move(short_forms);
  if (fill != nullptr) def.fill_defaults = fill;
  RegisterOp(registry, std::move(def), std::move(signature),
             std::move(deduction));
}

// ---- Pipes and their buffers

void FillPipeBuffers(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                     Context& context) {
  while (args.size() < 2) args.push_back(context.Int(0, DataType::kInt32));
}

void FillBase(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
              Context& context) {
  constexpr int64_t kCompilersChoice = -1;
  if (FindAttr(kwargs, "base") == nullptr) {
    kwargs.push_back(
        {context.Intern("base"), AttrValue::Int(kCompilersChoice)});
  }
}

void RegisterPipes(OpRegistry& registry) {
  for (const char* name : {"aic_initialize_pipe", "aiv_initialize_pipe"}) {
    OpDef def;
    def.name = absl::StrCat("system.", name);
    def.has_effect = true;
    def.short_forms = {{name}};
    def.zero_args = {0, 1};
    def.fill_defaults = FillPipeBuffers;
    RegisterOp(registry, std::move(def),
               {{{"c2v_consumer_buf", ArgKind::kInteger, /*optional=*/true},
                 {"v2c_consumer_buf", ArgKind::kInteger, /*optional=*/true}},
                {{"dir_mask", KwargKind::kInt},
                 {"slot_size", KwargKind::kInt},
                 {"slot_num", KwargKind::kInt},
                 {"local_slot_num", KwargKind::kInt},
                 {"id", KwargKind::kInt}}},
               Nothing());
  }
  Register(registry, "system.reserve_buffer", Effect::kSome,
           {{},
            {{"name", KwargKind::kString, /*required=*/true},
             {"size", KwargKind::kInt, /*required=*/true},
             {"base", KwargKind::kInt}}},
           Scalar(DataType::kInt32), {{"reserve_buffer"}}, FillBase);
  Register(registry, "system.import_peer_buffer", Effect::kSome,
           {{},
            {{"name", KwargKind::kString, /*required=*/true},
             {"peer_func", KwargKind::kString, /*required=*/true}}},
           Scalar(DataType::kInt32), {{"import_peer_buffer"}});
  for (const char* name : {"tfree_to_aic", "tfree_to_aiv"}) {
    Register(registry, absl::StrCat("system.", name), Effect::kSome,
             {{{"tile", ArgKind::kTile}},
              {{"split", KwargKind::kInt}, {"id", KwargKind::kInt}}},
             Nothing(), {{name}});
  }
}

// ---- Synchronisation

// An event that is a constant is the kwarg event_id, another the argument.
void FillEvent(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
               Context& context) {
  if (args.size() == 1 && AsConstInt(args[0]) != nullptr) {
    kwargs.push_back({context.Intern("event_id"), AttrValue::Of(args[0])});
    args.clear();
    return;
  }
  for (size_t i = 0; args.empty() && i < kwargs.size(); ++i) {
    if (kwargs[i].name == "event_id" &&
        kwargs[i].value.kind == AttrValue::Kind::kExpr) {
      args.push_back(kwargs[i].value.expr);
      kwargs.erase(kwargs.begin() + static_cast<int64_t>(i));
    }
  }
}

void RegisterSync(OpRegistry& registry) {
  const ArgSpec event = {"event_id_dyn", ArgKind::kInteger, /*optional=*/true};
  const KwargSpec pipe = {"pipe", KwargKind::kInt};
  const KwargSpec event_id = {"event_id", KwargKind::kInt};
  const KwargSpec core_type = {"core_type", KwargKind::kString};
  for (const char* name : {"bar_all", "bar_m", "bar_v", "fence"}) {
    Register(registry, absl::StrCat("system.", name), Effect::kSome, {},
             Nothing());
  }
  for (const char* name : {"sync_src", "sync_dst"}) {
    Register(registry, absl::StrCat("system.", name), Effect::kSome,
             {{},
              {{"set_pipe", KwargKind::kInt},
               {"wait_pipe", KwargKind::kInt},
               event_id}},
             Nothing());
  }
  Register(
      registry, "system.sync_set", Effect::kSome,
      {{event}, {pipe, event_id, {"ffts_mode", KwargKind::kInt}, core_type}},
      Nothing(), {{"system.sync_set"}}, FillEvent);
  Register(registry, "system.sync_wait", Effect::kSome,
           {{event}, {pipe, event_id, core_type}}, Nothing(),
           {{"system.sync_wait"}}, FillEvent);
  Register(registry, "system.syncall", Effect::kSome,
           {{{"gm_workspace", ArgKind::kTensor, /*optional=*/true},
             {"used_cores", ArgKind::kInteger, /*optional=*/true}},
            {core_type, {"mode", KwargKind::kString}}},
           Nothing());
  Register(registry, "system.cacheinvalid", Effect::kSome,
           {{{"tensor", ArgKind::kTensor, /*optional=*/true},
             {"shapes", ArgKind::kDims, /*optional=*/true},
             {"offsets", ArgKind::kDims, /*optional=*/true}}},
           Nothing());
  Register(registry, "system.set_ffts", Effect::kSome,
           {{{"workspace", ArgKind::kTensor}}}, Nothing());
}

// ---- Tasks, devices, prefetches

void RegisterTasks(OpRegistry& registry) {
  Register(registry, "system.task_invalid", Effect::kNone, {},
           Scalar(DataType::kTaskId));
  Register(registry, "system.task_dummy", Effect::kSome,
           {{}, {{"deps", KwargKind::kAny}}}, Scalar(DataType::kTaskId));
  Register(registry, "system.task_is_valid", Effect::kNone,
           {{{"task_id", ArgKind::kTaskId}}}, Scalar(DataType::kBool));
  for (const char* name : {"available_cluster_count", "available_aiv_count"}) {
    Register(registry, absl::StrCat("system.", name), Effect::kNone, {},
             Scalar(DataType::kInt32));
  }
}

void RegisterDevices(OpRegistry& registry) {
  Register(registry, "pld.system.world_size", Effect::kNone, {},
           Scalar(DataType::kInt64), {{"pld.world_size"}});
  Register(registry, "pld.system.get_comm_ctx", Effect::kNone,
           {{{"dist_tensor", ArgKind::kTensor}}}, Marker(TypeKind::kCommCtx),
           {{"pld.get_comm_ctx"}});
  for (const char* name : {"rank", "nranks"}) {
    Register(registry, absl::StrCat("pld.system.", name), Effect::kNone,
             {{{"ctx", ArgKind::kCommCtx}}}, Scalar(DataType::kInt32),
             {{absl::StrCat("pld.", name)}});
  }
  const ArgSpec offsets = {"offsets", ArgKind::kDims};
  Register(registry, "pld.system.notify", Effect::kSome,
           {{{"target", ArgKind::kTensor},
             {"peer", ArgKind::kInteger},
             offsets,
             {"value", ArgKind::kInteger}},
            {{"op", KwargKind::kInt}}},
           Nothing(), {{"pld.notify"}});
  for (const char* name : {"wait", "defer_wait"}) {
    Register(registry, absl::StrCat("pld.system.", name), Effect::kSome,
             {{{"signal", ArgKind::kTensor},
               offsets,
               {"expected", ArgKind::kInteger}},
              {{"cmp", KwargKind::kInt}}},
             Nothing(), {{absl::StrCat("pld.", name)}});
  }
}

void RegisterPrefetch(OpRegistry& registry) {
  Register(registry, "prefetch.make_context", Effect::kNone, {},
           Marker(TypeKind::kPrefetchAsyncContext));
  Register(registry, "prefetch.async_prefetch", Effect::kSome,
           {{{"src", ArgKind::kTensor}, {"ctx", ArgKind::kPrefetchContext}}},
           Marker(TypeKind::kAsyncEvent));
  Register(registry, "prefetch.session", Effect::kNone,
           {{{"ctx", ArgKind::kPrefetchContext}}},
           Marker(TypeKind::kAsyncSession));
  Register(
      registry, "prefetch.wait", Effect::kSome,
      {{{"event", ArgKind::kAsyncEvent}, {"session", ArgKind::kAsyncSession}}},
      Scalar(DataType::kBool));
}

// ---- Arrays

const ArrayType& ArrayOf(const OpCall& call) {
  return *CheckedCast<ArrayType>(call.Arg(0)->type);
}

absl::StatusOr<const Type*> DeduceArray(const OpCall& call, Context& context) {
  const std::optional<int64_t> extent = ConstantOf(call.Arg(0));
  if (!extent.has_value() || *extent <= 0) {
    return call.Error(
        "MX-ARRAY-1", "the extent must be a positive constant",
        extent.has_value() ? absl::StrCat(", got ", *extent) : "");
  }
  return context.GetArrayType(*extent, *call.DataTypeKwarg("dtype"));
}

absl::Status CheckIndex(const OpCall& call) {
  const std::optional<int64_t> index = ConstantOf(call.Arg(1));
  const int64_t extent = ArrayOf(call).extent;
  if (!index.has_value() || (*index >= 0 && *index < extent)) {
    return absl::OkStatus();
  }
  return call.Error("MX-ARRAY-2", "index ", *index, " is outside the array of ",
                    extent);
}

absl::StatusOr<const Type*> DeduceElement(const OpCall& call,
                                          Context& context) {
  MX_RETURN_IF_ERROR(CheckIndex(call));
  return context.GetScalarType(ArrayOf(call).dtype);
}

absl::StatusOr<const Type*> DeduceUpdate(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckIndex(call));
  const DataType element = ArrayOf(call).dtype;
  const DataType value = call.Scalar(2);
  const bool fits = value == element ||
                    (value == DataType::kIndex && IsInteger(element)) ||
                    (element == DataType::kIndex && IsInteger(value));
  if (!fits) {
    return call.Error("MX-ARRAY-3", "the value must be ", DataTypeName(element),
                      ", got ", DataTypeName(value), "; cast it first");
  }
  return call.Arg(0)->type;
}

void RegisterArrays(OpRegistry& registry) {
  const ArgSpec array = {"array", ArgKind::kArray};
  const ArgSpec index = {"index", ArgKind::kInteger};
  Register(registry, "array.create", Effect::kNone,
           {{{"extent", ArgKind::kInteger}},
            {{"dtype", KwargKind::kDataType, /*required=*/true}}},
           DeduceArray);
  Register(registry, "array.get_element", Effect::kNone, {{array, index}},
           DeduceElement);
  Register(registry, "array.update_element", Effect::kNone,
           {{array, index, {"value", ArgKind::kScalar}}}, DeduceUpdate);
}

}  // namespace

void RegisterSystemOps(OpRegistry& registry) {
  RegisterPipes(registry);
  RegisterSync(registry);
  RegisterTasks(registry);
  RegisterDevices(registry);
  RegisterPrefetch(registry);
  RegisterArrays(registry);
}

}  // namespace mxtile::ir
