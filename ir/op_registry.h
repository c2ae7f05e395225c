#ifndef IR_OP_REGISTRY_H_
#define IR_OP_REGISTRY_H_

// What is known about operators. An operator that is not registered still
// parses, prints and passes through; its result has the annotated type.
//
//   OpRegistry registry;
//   RegisterTileOps(registry);
//   const OpDef* load = registry.Find("tile.load");
//
// Higher rooms keep tables keyed by the OpDef; nothing switches on names.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::ir {

class Context;

// Where an operand must live: any of these spaces; empty: anywhere.
using SpaceSet = std::vector<MemorySpace>;

// How the memory space of an operator's tile result comes about.
enum class ResultSpace {
  kNone,        // No tile result.
  kFixed,       // Always `fixed_space`.
  kKwarg,       // kwarg target_memory; without it, what consumers ask for
                // ("retargetable": tile.load, tile.create).
  kKwargOrVec,  // kwarg target_memory; Vec without it (tile.move).
  kFirstInput,  // That of the first tile operand.
};

// Two operands of an MX matmul that belong together.
struct MxPair {
  int data_index;
  int scale_index;
};

// The arguments of one call, as type deduction sees them.
struct CallOperands {
  const OpDef* op = nullptr;
  Exprs args;
  Attrs kwargs;
  // The type that the text states for the result, or that the call had; null
  // without. What deduction can't know is taken from it.
  const Type* stated = nullptr;
};

// What short forms tell operators apart by.
enum class OperandKind { kAny, kTensor, kTile, kScalar };

// A name of the front end for an operator: {"add", {kTile, kScalar}} of
// tile.adds: `pl.add` of a tile and a scalar is tile.adds. Several operators
// may share a name.
struct ShortForm {
  std::string name;  // Behind "pl.": "add", "tile.mrgsort", "pld.window".
  std::vector<OperandKind> operands = {};  // Of the first operands.
  std::string keyword = {};  // Only for calls that give this keyword.
};

// An operand of a call of the front end: its keyword, empty by position; its
// type, null when it is no value (an element type, a memory space).
struct GivenOperand {
  absl::string_view keyword;
  const Type* type = nullptr;
};

struct OpDef {
  std::string name;
  std::vector<std::string> arg_names;
  int min_args = 0;
  int max_args = 0;
  std::vector<std::string> kwarg_names;

  // One per argument, or shorter: later arguments are unconstrained.
  std::vector<SpaceSet> operand_spaces;
  ResultSpace result_space = ResultSpace::kNone;
  std::optional<MemorySpace> fixed_space;
  // The result is the buffer of this argument (tile.store, *_acc).
  std::optional<int> result_aliases_arg;
  // The MX operand pairs; non-empty exactly for the MX matmul family.
  std::vector<MxPair> mx_pairs;
  // Never negative whatever the machine does (block index and count).
  bool result_never_negative = false;
  // The call matters even when its result is not used.
  bool has_effect = false;
  // What stands for this operator in front-end text: pl.load.
  std::vector<ShortForm> short_forms;
  // Only compilers write it: pl.alloc is refused, pl.tile.alloc is read.
  bool compiler_only = false;
  // The order of what the front end takes by position, when it is not the
  // arguments and then the kwargs.
  std::vector<std::string> front_order;
  // Arguments that are lists: a single element may stand without brackets, and
  // one that is left out before others is empty.
  std::vector<int> list_args;
  // Arguments that are 0 when they are left out before others.
  std::vector<int> zero_args;

  // The type of the result. Errors carry a rule (ir/rule_error.h). Null: the
  // result has whatever type the text states.
  std::function<absl::StatusOr<const Type*>(const CallOperands&, Context&)>
      deduce;
  // For the short form: fills in what the front end adds to the arguments.
  std::function<void(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                     Context&)>
      fill_defaults;
};

class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // Names must be new, and no two short forms fit the same calls alike.
  const OpDef* Register(OpDef def);

  // Null when not registered.
  const OpDef* Find(absl::string_view name) const;

  // An operator that a name of the front end may stand for.
  struct Candidate {
    const OpDef* op;
    const ShortForm* form;
  };
  // All that the name may stand for, in order of registration.
  absl::Span<const Candidate> ShortCandidates(absl::string_view name) const;
  // The one that stands for these operands: of those whose short form fits the
  // one with a keyword, else the first. Null when none fits.
  static const OpDef* ChooseShort(absl::Span<const Candidate> candidates,
                                  absl::Span<const GivenOperand> operands);
  // Both together.
  const OpDef* FindShort(absl::string_view name,
                         absl::Span<const GivenOperand> operands = {}) const {
    return ChooseShort(ShortCandidates(name), operands);
  }
  // In order of registration.
  const std::vector<std::unique_ptr<OpDef>>& ops() const { return ops_; }

 private:
  std::vector<std::unique_ptr<OpDef>> ops_;
  absl::flat_hash_map<std::string, const OpDef*> by_name_;
  absl::flat_hash_map<std::string, std::vector<Candidate>> by_short_name_;
};

}  // namespace mxtile::ir

#endif  // IR_OP_REGISTRY_H_
