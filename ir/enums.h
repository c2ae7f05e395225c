#ifndef IR_ENUMS_H_
#define IR_ENUMS_H_

// The enumerations of the IR, with the names that the text form prints.
//
//   EnumName(MemorySpace::kLeftScale) == "LeftScale"
//   EnumFromName<MemorySpace>("Mat") == MemorySpace::kMat
//   kEnumClass<MemorySpace> == "Mem"        // as in pl.Mem.Mat

#include <optional>

#include "absl/strings/string_view.h"

namespace mxtile::ir {

// The numbers are those that `tile.alloc` takes.
enum class MemorySpace {
  kDDR = 0,
  kVec = 1,
  kMat = 2,
  kLeft = 3,
  kRight = 4,
  kAcc = 5,
  kBias = 6,
  kScalarLocal = 7,
  kLeftScale = 8,
  kRightScale = 9,
};

enum class TensorLayout { kND, kDN, kNZ, kMxAZZ, kMxBNN };
enum class TileLayout { kNoneBox, kRowMajor, kColMajor };
enum class PadValue { kNull, kZero, kMax, kMin };
enum class CompactMode { kNull, kNormal };
enum class ParamDirection { kIn, kOut, kInOut };

enum class FunctionType {
  kOpaque,
  kOrchestration,
  kInCore,
  kAIC,
  kAIV,
  kGroup,
  kSpmd,
  kInline,
  kGraph,
};

enum class Level {
  kAIV,
  kAIC,
  kCoreGroup,
  kChipDie,
  kChip,
  kHost,
  kCluster0,
  kCluster1,
  kCluster2,
  kGlobal,
};

enum class Role { kOrchestrator, kSubWorker };

enum class LoopKind { kSequential, kParallel, kUnroll, kPipeline };

// What a scope (`with pl.at(...)`) says about the statements in it.
enum class ScopeKind {
  kAt,        // pl.at: they run at a level of the machine.
  kCluster,   // pl.cluster: on one cluster.
  kSpmd,      // pl.spmd: once a block, on several cores.
  kSplitAiv,  // pl.split_aiv: once a vector core, which share the data.
  kRuntime,   // pl.scope: tasks launched here end with it.
};

// Whether the layout is one of the two MX scale layouts.
inline bool IsMx(TensorLayout layout) {
  return layout == TensorLayout::kMxAZZ || layout == TensorLayout::kMxBNN;
}

// InCore, AIC and AIV functions: those whose body runs on a core.
inline bool IsInCore(FunctionType type) {
  return type == FunctionType::kInCore || type == FunctionType::kAIC ||
         type == FunctionType::kAIV;
}

// Level and role that the function type implies; nullopt for none.
std::optional<Level> DerivedLevel(FunctionType type);
std::optional<Role> DerivedRole(FunctionType type);

template <typename E>
absl::string_view EnumName(E value);
template <typename E>
std::optional<E> EnumFromName(absl::string_view name);

// The class name behind "pl." in the text form; LoopKind's members are
// functions there (pl.range, pl.parallel ...) and have no class; so are
// ScopeKind's.
template <typename E>
inline constexpr absl::string_view kEnumClass = "";
template <>
inline constexpr absl::string_view kEnumClass<MemorySpace> = "Mem";
template <>
inline constexpr absl::string_view kEnumClass<TensorLayout> = "TensorLayout";
template <>
inline constexpr absl::string_view kEnumClass<TileLayout> = "TileLayout";
template <>
inline constexpr absl::string_view kEnumClass<PadValue> = "PadValue";
template <>
inline constexpr absl::string_view kEnumClass<CompactMode> = "CompactMode";
template <>
inline constexpr absl::string_view kEnumClass<FunctionType> = "FunctionType";
template <>
inline constexpr absl::string_view kEnumClass<Level> = "Level";
template <>
inline constexpr absl::string_view kEnumClass<Role> = "Role";

}  // namespace mxtile::ir

#endif  // IR_ENUMS_H_
