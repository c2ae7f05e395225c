#include "passes/allocate_addresses/allocate_addresses.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/soc/soc.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "passes/allocate_addresses/memory_plan.h"
#include "passes/allocate_addresses/tile_buffers.h"
#include "passes/allocate_addresses/tile_bytes.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/property.h"
#include "passes/variable_retyper.h"

namespace mxtile {
namespace {

using ir::MemorySpace;
using ir::TileType;
using ir::Var;

constexpr absl::string_view kAlloc = "tile.alloc";
constexpr absl::string_view kBind = "tile.tget_scale_addr";
constexpr absl::string_view kUnknownTarget = "a2a3";
// How many tiles a message about a full memory names.
constexpr size_t kNamedTiles = 3;

// ---- Memories

// The core's memory that the space is; nullopt for global memory and scalars.
std::optional<a5::MemorySpace> CoreMemory(MemorySpace space) {
  switch (space) {
    case MemorySpace::kVec:
      return a5::MemorySpace::kVec;
    case MemorySpace::kMat:
      return a5::MemorySpace::kMat;
    case MemorySpace::kLeft:
      return a5::MemorySpace::kLeft;
    case MemorySpace::kRight:
      return a5::MemorySpace::kRight;
    case MemorySpace::kAcc:
      return a5::MemorySpace::kAcc;
    case MemorySpace::kBias:
      return a5::MemorySpace::kBias;
    case MemorySpace::kLeftScale:
      return a5::MemorySpace::kLeftScale;
    case MemorySpace::kRightScale:
      return a5::MemorySpace::kRightScale;
    case MemorySpace::kDDR:
    case MemorySpace::kScalarLocal:
      return std::nullopt;
  }
  return std::nullopt;
}

int64_t AlignmentOf(const a5::Soc& soc, a5::MemorySpace memory) {
  const bool is_l0 =
      memory == a5::MemorySpace::kLeft || memory == a5::MemorySpace::kRight;
  return is_l0 ? soc.l0_tile_alignment_bytes
               : soc.memory(memory).alignment_bytes;
}

const TileType& TileOf(const Var* var) {
  return *ir::CheckedCast<TileType>(var->type);
}

// ---- Placement

// Where a buffer is.
struct Placement {
  MemorySpace space = MemorySpace::kDDR;
  a5::MemorySpace memory = a5::MemorySpace::kGm;
  int64_t size_bytes = 0;
  int64_t address = 0;
};

// Places the buffers of one function.
class Placer {
 public:
  Placer(const ir::Function& function, const TileBuffers& buffers,
         ir::DiagnosticSink* sink)
      : soc_(a5::Ascend950()),
        function_(function),
        buffers_(buffers.buffers()),
        sink_(*sink) {
    for (int i = 0; i < a5::kNumMemorySpaces; ++i) {
      const auto memory = static_cast<a5::MemorySpace>(i);
      plans_.emplace_back(AlignmentOf(soc_, memory));
    }
  }

  // By buffer. Empty after errors, which are reported.
  std::vector<Placement> Place() {
    const int errors_before = sink_.error_count();
    for (const TileBuffer& buffer : buffers_) {
      placements_.push_back(Measured(buffer));
    }
    if (sink_.error_count() > errors_before) return {};
    PlaceFree(/*scales=*/false);
    PlaceBoundScales();
    PlaceFree(/*scales=*/true);
    CheckCapacities();
    if (sink_.error_count() > errors_before) return {};
    return std::move(placements_);
  }

 private:
  // ---- Sizes

  // Space and size of the buffer: that of its largest tile.
  Placement Measured(const TileBuffer& buffer) {
    Placement placement;
    const Var* first = buffer.tiles.front();
    const std::optional<a5::MemorySpace> memory =
        TileOf(first).space.has_value() ? CoreMemory(*TileOf(first).space)
                                        : std::nullopt;
    if (!memory.has_value()) {
      sink_.Error("MX-ADDR-2", PlaceOf(first),
                  absl::StrCat("tile '", first->name,
                               "' is in no memory of the core; run "
                               "infer_tile_memory_space first"));
      return placement;
    }
    placement.space = *TileOf(first).space;
    placement.memory = *memory;
    for (const Var* tile : buffer.tiles) {
      if (TileOf(tile).space != placement.space) {
        ReportTwoSpaces(first, tile);
        break;
      }
      placement.size_bytes = std::max(placement.size_bytes, SizeOf(tile));
    }
    return placement;
  }

  // 0 after an error.
  int64_t SizeOf(const Var* tile) {
    const absl::StatusOr<int64_t> size = TileBytes(TileOf(tile));
    if (size.ok()) return *size;
    sink_.Error(ir::RuleOf(size.status()), PlaceOf(tile),
                absl::StrCat("tile '", tile->name,
                             "' gets no address: ", size.status().message()));
    return 0;
  }

  // ---- Addresses

  MemoryPlan& PlanOf(const Placement& placement) {
    return plans_[static_cast<int>(placement.memory)];
  }

  // The buffers that nothing binds.
  void PlaceFree(bool scales) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      Placement& placement = placements_[i];
      if (a5::IsScaleSpace(placement.memory) != scales ||
          !buffers_[i].bindings.empty()) {
        continue;
      }
      placement.address = PlanOf(placement).Place(placement.size_bytes);
    }
  }

  void PlaceBoundScales() {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const std::vector<BufferBinding>& bindings = buffers_[i].bindings;
      if (bindings.empty()) continue;
      if (!IsBoundToOneAddress(buffers_[i])) continue;
      Placement& placement = placements_[i];
      placement.address = DataAddress(bindings[0]) >> soc_.scale_address_shift;
      if (!PlanOf(placement).Reserve(placement.address, placement.size_bytes)) {
        ReportOverlap(buffers_[i], placement);
      }
    }
  }

  int64_t DataAddress(const BufferBinding& binding) const {
    return placements_[binding.data_buffer].address;
  }

  bool IsBoundToOneAddress(const TileBuffer& buffer) {
    const BufferBinding& first = buffer.bindings[0];
    for (const BufferBinding& binding : buffer.bindings) {
      if (DataAddress(binding) == DataAddress(first)) continue;
      sink_
          .Error("MX-ADDR-4", binding.span,
                 absl::StrCat(
                     "scale tile '", buffer.tiles[0]->name, "' is bound to '",
                     first.data->name, "' at ", DataAddress(first), " and to '",
                     binding.data->name, "' at ", DataAddress(binding),
                     "; scales are at the address of their data >> ",
                     soc_.scale_address_shift,
                     ", so each data tile needs a scale tile of its own"))
          .AddNote(first.span, "the first binding");
      return false;
    }
    return true;
  }

  // ---- Capacity

  void CheckCapacities() {
    for (int i = 0; i < a5::kNumMemorySpaces; ++i) {
      const auto memory = static_cast<a5::MemorySpace>(i);
      if (plans_[i].end() > soc_.memory(memory).size_bytes) {
        ReportOverflow(memory, plans_[i].end());
      }
    }
  }

  void ReportOverflow(a5::MemorySpace memory, int64_t needed_bytes) {
    ir::Diagnostic& diagnostic = sink_.Error(
        "MX-ADDR-5", function_.span,
        absl::StrCat("the tiles of function '", function_.name, "' need ",
                     needed_bytes, " bytes of ", a5::Name(memory),
                     ", which has ", soc_.memory(memory).size_bytes,
                     "; use smaller tiles"));
    std::vector<size_t> largest;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (placements_[i].memory == memory) largest.push_back(i);
    }
    std::stable_sort(largest.begin(), largest.end(), [&](size_t a, size_t b) {
      return placements_[a].size_bytes > placements_[b].size_bytes;
    });
    for (size_t i = 0; i < std::min(kNamedTiles, largest.size()); ++i) {
      const Var* tile = buffers_[largest[i]].tiles[0];
      diagnostic.AddNote(
          PlaceOf(tile),
          absl::StrCat("tile '", tile->name, "' takes ",
                       placements_[largest[i]].size_bytes, " bytes"));
    }
  }

  // ---- Other refusals

  ir::SourceSpan PlaceOf(const Var* tile) const {
    return tile->span.known() ? tile->span : function_.span;
  }

  void ReportTwoSpaces(const Var* first, const Var* other) {
    const std::optional<MemorySpace> space = TileOf(other).space;
    sink_.Error(
        "MX-ADDR-2", PlaceOf(other),
        absl::StrCat(
            "tiles '", first->name, "' in ", ir::EnumName(*TileOf(first).space),
            " and '", other->name, "' in ",
            space.has_value() ? ir::EnumName(*space) : "no memory space",
            " share a buffer; tile.move makes a copy"));
  }

  void ReportOverlap(const TileBuffer& buffer, const Placement& placement) {
    sink_.Error(
        "MX-ADDR-8", buffer.bindings[0].span,
        absl::StrCat("scale tile '", buffer.tiles[0]->name, "' at ",
                     placement.address, ", of ", placement.size_bytes,
                     " bytes, overlaps the scales of other data; it has more "
                     "scales than its data '",
                     buffer.bindings[0].data->name, "' needs"));
  }

  const a5::Soc& soc_;
  const ir::Function& function_;
  const std::vector<TileBuffer>& buffers_;
  ir::DiagnosticSink& sink_;
  std::vector<MemoryPlan> plans_;  // By memory.
  std::vector<Placement> placements_;
};

// ---- Rewrite

class AddressWriter : public VariableRetyper {
 public:
  AddressWriter(const TileBuffers* buffers,
                const std::vector<Placement>* placements, ir::Context* context)
      : VariableRetyper(context),
        buffers_(*buffers),
        placements_(*placements),
        alloc_(context->GetOp(kAlloc)) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    std::vector<const ir::Stmt*> body = Allocations();
    ir::Function rewritten = *VariableRetyper::RewriteFunction(function);
    body.insert(body.end(), rewritten.body.begin(), rewritten.body.end());
    rewritten.body = context().List(body);
    return context().New(rewritten);
  }

 protected:
  const ir::Type* TypeOf(const Var* var) override {
    const int buffer = buffers_.BufferOf(var);
    if (buffer < 0) return var->type;
    ir::MemRef memref;
    memref.base = bases_[buffer];
    memref.byte_offset = context().Index(placements_[buffer].address);
    memref.size_bytes = *TileBytes(TileOf(var));
    TileType tile = TileOf(var);
    tile.memref = &memref;
    return context().GetTileType(tile);
  }

 private:
  // One statement a buffer; fills bases_.
  std::vector<const ir::Stmt*> Allocations() {
    std::array<int, a5::kNumMemorySpaces> count = {};
    std::vector<const ir::Stmt*> stmts;
    for (const Placement& placement : placements_) {
      const int number = count[static_cast<int>(placement.memory)]++;
      const std::string space =
          absl::AsciiStrToLower(ir::EnumName(placement.space));
      ir::Assign assign;
      assign.kind = ir::StmtKind::kAssign;
      assign.var =
          context().NewVar(absl::StrCat("mem_", space, "_", number),
                           context().GetMarkerType(ir::TypeKind::kPtr));
      assign.value = AllocCall(placement);
      stmts.push_back(context().New(assign));
      bases_.push_back(assign.var);
    }
    return stmts;
  }

  const ir::Expr* AllocCall(const Placement& placement) {
    ir::Call call;
    call.kind = ir::ExprKind::kCall;
    call.callee = alloc_;
    call.args = context().ExprList(
        {context().Index(static_cast<int64_t>(placement.space)),
         context().Index(placement.size_bytes)});
    call.type = context().GetMarkerType(ir::TypeKind::kPtr);
    return context().New(call);
  }

  const TileBuffers& buffers_;
  const std::vector<Placement>& placements_;
  const ir::Callee* alloc_;
  std::vector<const Var*> bases_;  // By buffer.
};

// ---- Functions

// Exchanges the addresses of the first two LeftScale buffers; false when there
// are no two.
bool SwapLeftScales(std::vector<Placement>& placements) {
  Placement* first = nullptr;
  for (Placement& placement : placements) {
    if (placement.space != MemorySpace::kLeftScale) continue;
    if (first != nullptr) {
      std::swap(first->address, placement.address);
      return true;
    }
    first = &placement;
  }
  return false;
}

class FunctionAllocator {
 public:
  explicit FunctionAllocator(PassContext* context)
      : context_(*context),
        bind_(context->ir->registry().Find(kBind)),
        swap_(context->options.fault == InjectedFault::kSwapBindings) {}

  // The function with addresses; itself when it has them, or after an error.
  const ir::Function* Allocated(const ir::Function* function) {
    if (!ir::IsInCore(function->function_type)) return function;
    const std::vector<const Var*> tiles = TilesOf(*function);
    const size_t addressed = std::count_if(
        tiles.begin(), tiles.end(),
        [](const Var* tile) { return TileOf(tile).memref != nullptr; });
    if (tiles.empty()) return function;
    if (addressed == 0) {
      if (!CheckTarget(*function)) return function;
      function = WithAddresses(function);
    } else if (addressed != tiles.size()) {
      ReportHalf(*function, tiles);
    }
    Record(*function);
    return function;
  }

 private:
  const ir::Function* WithAddresses(const ir::Function* function) {
    const int errors_before = context_.sink->error_count();
    const TileBuffers buffers =
        TileBuffers::Build(*function, bind_, context_.sink);
    if (context_.sink->error_count() > errors_before) return function;
    std::vector<Placement> placements =
        Placer(*function, buffers, context_.sink).Place();
    if (placements.empty()) return function;
    if (swap_) swap_ = !SwapLeftScales(placements);
    return AddressWriter(&buffers, &placements, context_.ir)
        .RewriteFunction(function);
  }

  void Record(const ir::Function& function) {
    for (const Var* var : TilesOf(function)) {
      const TileType& tile = TileOf(var);
      const ir::ConstInt* address =
          tile.memref == nullptr ? nullptr
                                 : ir::AsConstInt(tile.memref->byte_offset);
      if (address == nullptr || !tile.space.has_value()) continue;
      context_.findings.addresses.push_back(
          {std::string(function.name), std::string(var->name),
           std::string(ir::EnumName(*tile.space)), address->value,
           tile.memref->size_bytes});
    }
  }

  // Reports once a program: the target is wrong for all of it.
  bool CheckTarget(const ir::Function& function) {
    if (context_.options.target != kUnknownTarget) return true;
    if (!target_reported_) {
      context_.sink->Error(
          "MX-ADDR-9", function.span,
          absl::StrCat("the memories of target '", kUnknownTarget,
                       "' are not known; addresses are for Ascend950 ('a5')"));
    }
    target_reported_ = true;
    return false;
  }

  void ReportHalf(const ir::Function& function,
                  const std::vector<const Var*>& tiles) {
    for (const Var* tile : tiles) {
      if (TileOf(tile).memref != nullptr) continue;
      context_.sink->Error(
          "MX-ADDR-6", tile->span.known() ? tile->span : function.span,
          absl::StrCat("tile '", tile->name,
                       "' has no address but other tiles of function '",
                       function.name,
                       "' have; give all tiles addresses, or none"));
      return;
    }
  }

  PassContext& context_;
  const ir::OpDef* bind_;
  bool target_reported_ = false;
  bool swap_;  // InjectedFault::kSwapBindings has still to be done.
};

PropertySet Preserved() {
  return {Property::kSsaForm, Property::kIncoreTileOps,
          Property::kTileMemoryInferred};
}

}  // namespace

PropertySet AllocateAddresses::required() const { return Preserved(); }

PropertySet AllocateAddresses::produced() const {
  PropertySet produced = Preserved();
  produced.Insert(Property::kAllocatedMemoryAddr);
  return produced;
}

absl::StatusOr<const ir::Program*> AllocateAddresses::Run(
    const ir::Program* program, PassContext& context) const {
  FunctionAllocator allocator(&context);
  std::vector<const ir::Function*> functions;
  for (const ir::Function* function : program->functions) {
    functions.push_back(allocator.Allocated(function));
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return WithFunctions(program, functions, context.ir);
}

}  // namespace mxtile
