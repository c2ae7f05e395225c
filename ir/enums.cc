#include "ir/enums.h"

#include <optional>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile::ir {
namespace {

template <typename E>
struct Named {
  E value;
  absl::string_view name;
};

template <typename E>
constexpr Named<E> kNames[] = {};

template <>
constexpr Named<MemorySpace> kNames<MemorySpace>[] = {
    {MemorySpace::kDDR, "DDR"},
    {MemorySpace::kVec, "Vec"},
    {MemorySpace::kMat, "Mat"},
    {MemorySpace::kLeft, "Left"},
    {MemorySpace::kRight, "Right"},
    {MemorySpace::kAcc, "Acc"},
    {MemorySpace::kBias, "Bias"},
    {MemorySpace::kScalarLocal, "ScalarLocal"},
    {MemorySpace::kLeftScale, "LeftScale"},
    {MemorySpace::kRightScale, "RightScale"},
};
template <>
constexpr Named<TensorLayout> kNames<TensorLayout>[] = {
    {TensorLayout::kND, "ND"},         {TensorLayout::kDN, "DN"},
    {TensorLayout::kNZ, "NZ"},         {TensorLayout::kMxAZZ, "MX_A_ZZ"},
    {TensorLayout::kMxBNN, "MX_B_NN"},
};
template <>
constexpr Named<TileLayout> kNames<TileLayout>[] = {
    {TileLayout::kNoneBox, "none_box"},
    {TileLayout::kRowMajor, "row_major"},
    {TileLayout::kColMajor, "col_major"},
};
template <>
constexpr Named<PadValue> kNames<PadValue>[] = {
    {PadValue::kNull, "null"},
    {PadValue::kZero, "zero"},
    {PadValue::kMax, "max"},
    {PadValue::kMin, "min"},
};
template <>
constexpr Named<CompactMode> kNames<CompactMode>[] = {
    {CompactMode::kNull, "null"},
    {CompactMode::kNormal, "normal"},
};
template <>
constexpr Named<ParamDirection> kNames<ParamDirection>[] = {
    {ParamDirection::kIn, "In"},
    {ParamDirection::kOut, "Out"},
    {ParamDirection::kInOut, "InOut"},
};
template <>
constexpr Named<FunctionType> kNames<FunctionType>[] = {
    {FunctionType::kOpaque, "Opaque"},
    {FunctionType::kOrchestration, "Orchestration"},
    {FunctionType::kInCore, "InCore"},
    {FunctionType::kAIC, "AIC"},
    {FunctionType::kAIV, "AIV"},
    {FunctionType::kGroup, "Group"},
    {FunctionType::kSpmd, "Spmd"},
    {FunctionType::kInline, "Inline"},
    {FunctionType::kGraph, "Graph"},
};
// L2CACHE is another spelling of CHIP_DIE, POD of CLUSTER_0; names are looked
// up in order, so printing gives the first.
template <>
constexpr Named<Level> kNames<Level>[] = {
    {Level::kAIV, "AIV"},
    {Level::kAIC, "AIC"},
    {Level::kCoreGroup, "CORE_GROUP"},
    {Level::kChipDie, "CHIP_DIE"},
    {Level::kChipDie, "L2CACHE"},
    {Level::kChip, "CHIP"},
    {Level::kHost, "HOST"},
    {Level::kCluster0, "CLUSTER_0"},
    {Level::kCluster0, "POD"},
    {Level::kCluster1, "CLUSTER_1"},
    {Level::kCluster2, "CLUSTER_2"},
    {Level::kGlobal, "GLOBAL"},
};
template <>
constexpr Named<Role> kNames<Role>[] = {
    {Role::kOrchestrator, "Orchestrator"},
    {Role::kSubWorker, "SubWorker"},
};
template <>
constexpr Named<LoopKind> kNames<LoopKind>[] = {
    {LoopKind::kSequential, "range"},
    {LoopKind::kParallel, "parallel"},
    {LoopKind::kUnroll, "unroll"},
    {LoopKind::kPipeline, "pipeline"},
};
template <>
constexpr Named<ScopeKind> kNames<ScopeKind>[] = {
    {ScopeKind::kAt, "at"},         {ScopeKind::kCluster, "cluster"},
    {ScopeKind::kSpmd, "spmd"},     {ScopeKind::kSplitAiv, "split_aiv"},
    {ScopeKind::kRuntime, "scope"},
};

}  // namespace

std::optional<Level> DerivedLevel(FunctionType type) {
  switch (type) {
    case FunctionType::kOrchestration:
    case FunctionType::kGraph:
      return Level::kChip;
    case FunctionType::kInCore:
      return Level::kChipDie;
    case FunctionType::kAIC:
      return Level::kAIC;
    case FunctionType::kAIV:
      return Level::kAIV;
    case FunctionType::kGroup:
      return Level::kCoreGroup;
    case FunctionType::kOpaque:
    case FunctionType::kSpmd:
    case FunctionType::kInline:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Role> DerivedRole(FunctionType type) {
  switch (type) {
    case FunctionType::kOrchestration:
    case FunctionType::kGraph:
      return Role::kOrchestrator;
    case FunctionType::kInCore:
    case FunctionType::kAIC:
    case FunctionType::kAIV:
    case FunctionType::kGroup:
      return Role::kSubWorker;
    case FunctionType::kOpaque:
    case FunctionType::kSpmd:
    case FunctionType::kInline:
      return std::nullopt;
  }
  return std::nullopt;
}

template <typename E>
absl::string_view EnumName(E value) {
  for (const Named<E>& row : kNames<E>) {
    if (row.value == value) return row.name;
  }
  MX_CHECK(false) << "unnamed enumerator " << static_cast<int>(value);
  return "";
}

template <typename E>
std::optional<E> EnumFromName(absl::string_view name) {
  for (const Named<E>& row : kNames<E>) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

#define MX_INSTANTIATE_ENUM(E)               \
  template absl::string_view EnumName<E>(E); \
  template std::optional<E> EnumFromName<E>(absl::string_view)

MX_INSTANTIATE_ENUM(MemorySpace);
MX_INSTANTIATE_ENUM(TensorLayout);
MX_INSTANTIATE_ENUM(TileLayout);
MX_INSTANTIATE_ENUM(PadValue);
MX_INSTANTIATE_ENUM(CompactMode);
MX_INSTANTIATE_ENUM(ParamDirection);
MX_INSTANTIATE_ENUM(FunctionType);
MX_INSTANTIATE_ENUM(Level);
MX_INSTANTIATE_ENUM(Role);
MX_INSTANTIATE_ENUM(LoopKind);
MX_INSTANTIATE_ENUM(ScopeKind);

}  // namespace mxtile::ir
