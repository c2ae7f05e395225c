#include "passes/pass_manager.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/diagnostic.h"

namespace mxtile {
namespace {

// They hold for every program; passes do not list them.
const PropertySet& Structural() {
  static const PropertySet* const properties =
      new PropertySet{Property::kTypeChecked, Property::kUseAfterDef};
  return *properties;
}

// Which pass to run for a property; "" when none produces it.
absl::string_view ProducerOf(Property property) {
  switch (property) {
    case Property::kTileOps2D:
      return "flatten_tile_nd_to_2d";
    case Property::kNoNestedCalls:
      return "flatten_call_expr";
    case Property::kMxViewsBlocked:
      return "block_mx_scale_tensor_views";
    case Property::kTileMemoryInferred:
      return "infer_tile_memory_space";
    case Property::kTensorViewCanonical:
      return "materialize_tensor_strides";
    case Property::kAllocatedMemoryAddr:
      return "allocate_addresses";
    case Property::kSplitIncoreOrch:
      return "PyPTO's outline_incore_scopes";
    case Property::kSsaForm:
      return "convert_to_ssa";
    case Property::kTypeChecked:
    case Property::kUseAfterDef:
    case Property::kCallTypes:
    case Property::kNormalizedStmtStructure:
    case Property::kNoRedundantBlocks:
    case Property::kTensorViewCanonicalWeak:
    case Property::kIncoreTileOps:
      return "";
  }
  return "";
}

absl::Status CheckRequired(const Pass& pass, Property property,
                           const ir::Program& program, PassContext& context) {
  ir::DiagnosticSink found;
  VerifyProperty(property, program, &found);
  if (!found.has_errors()) return absl::OkStatus();
  for (const ir::Diagnostic& diagnostic : found.diagnostics()) {
    ir::Diagnostic& copy = context.sink->Error(
        diagnostic.rule_id, diagnostic.span, diagnostic.message);
    copy.notes = diagnostic.notes;
    std::string note = absl::StrCat("pass ", pass.name(), " requires ",
                                    PropertyName(property));
    const absl::string_view producer = ProducerOf(property);
    if (!producer.empty()) {
      absl::StrAppend(&note, "; run ", producer, " first");
    }
    copy.AddNote({}, note);
  }
  return context.sink->ToStatus();
}

absl::Status CheckPromise(const Pass& pass, Property property,
                          const ir::Program& program) {
  ir::DiagnosticSink found;
  VerifyProperty(property, program, &found);
  if (!found.has_errors()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "pass ", pass.name(), " broke ", PropertyName(property), ": ",
      found.diagnostics()[0].message, "; please report this program"));
}

}  // namespace

absl::StatusOr<const ir::Program*> PassManager::RunPass(
    const Pass& pass, const ir::Program* program, PropertySet* holding,
    PassContext& context) const {
  for (const PropertySet& needed : {pass.required(), Structural()}) {
    for (const Property property : needed.ToVector()) {
      if (holding->Contains(property)) continue;
      MX_RETURN_IF_ERROR(CheckRequired(pass, property, *program, context));
      holding->Insert(property);
    }
  }
  for (PassHook* hook : hooks_) {
    MX_RETURN_IF_ERROR(hook->BeforePass(pass, *program));
  }
  MX_ASSIGN_OR_RETURN(const ir::Program* after, pass.Run(program, context));
  if (after != program) {
    for (const Property property : pass.invalidated().ToVector()) {
      holding->Erase(property);
    }
  }
  for (const PropertySet& promised : {pass.produced(), Structural()}) {
    for (const Property property : promised.ToVector()) {
      if (after == program && holding->Contains(property)) continue;
      // With a fault injected the pass breaks its promises on purpose.
      if (context.options.fault == InjectedFault::kNone) {
        MX_RETURN_IF_ERROR(CheckPromise(pass, property, *after));
      }
      holding->Insert(property);
    }
  }
  for (PassHook* hook : hooks_) {
    MX_RETURN_IF_ERROR(hook->AfterPass(pass, *program, *after));
  }
  return after;
}

absl::StatusOr<const ir::Program*> PassManager::Run(
    const ir::Program* program, PassContext& context) const {
  PropertySet holding;
  for (const Pass* pass : passes_) {
    MX_ASSIGN_OR_RETURN(program, RunPass(*pass, program, &holding, context));
  }
  return program;
}

}  // namespace mxtile
