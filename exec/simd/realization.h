#ifndef EXEC_SIMD_REALIZATION_H_
#define EXEC_SIMD_REALIZATION_H_

// Where each value of a program lives under a candidate, decided before any
// instruction exists. The emitter follows it; the resources that it predicts
// are those that the emitter finds.
//
//   const Realization plan(program, candidate, LaneAnalysis(program, team));
//   plan.of(value).form, plan.resources().bytes
//
// Forms, T being candidate.max_unrolled_elements:
//   * Up to T elements (vectors with lanes along an axis): registers. An array
//     beside them when a consumer's index is not a constant: an extract with a
//     computed index, a reduction, a consumer of more than T elements.
//   * Above: an array, filled where the value is defined.
//   * Elementwise operations of more than T elements with one consumer in the
//     same block, of as many elements, are computed by that consumer; up to 64
//     in a row.
//   * Constants, iota and broadcasts take no storage; a relabelled value has
//     that of its operand.
//   * A carried value above T has two arrays, the current and the next: all
//     next values are complete before one becomes current.
// An array of a value that differs between the instances of a team has room for
// each.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "exec/simd/admission.h"
#include "exec/simd/candidate.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

enum class Form {
  kDead,  // nobody uses it
  kLazy,  // computed where it is used
  kRegisters,
  kArray,
  kAlias,  // relabelled: the operand's storage
};

inline constexpr int kNoArray = -1;

struct ValuePlan {
  Form form = Form::kDead;
  // Whether the instances of a team have values of their own.
  bool varies = false;
  // Order of dimensions in registers and arrays, innermost last.
  Space order;
  // kAxis: the dimension that vectors run along, the innermost with more than
  // one element; kNoDim when there is none.
  DimId vector_dim = kNoDim;
  // Registers of an instance.
  int64_t registers = 0;
  // kArray, or kRegisters with a dynamic consumer.
  int array = kNoArray;
  // A load whose consumers read memory itself where the window lies completely
  // inside its limits; the array, if it has one, takes its place elsewhere.
  bool forwarded = false;
  // What a loop carries on under this parameter: it has no array of its own but
  // is written where the next round's is.
  ValueId next_of = kNoValue;
  // A carried value: the array that the next round's goes to.
  int next_array = kNoArray;
};

struct ArrayPlan {
  ValueId value = kNoValue;
  bool varies = false;
  int64_t slots = 0;  // of an instance, padded to whole vectors
  int bytes = 4;      // of a slot
};

struct Resources {
  int64_t bytes = 0;  // of an instance
  int64_t allocations = 0;
  int64_t team_bytes = 0;
  int64_t workspace = 0;  // of a team; 0 when it fits the stack

  friend bool operator==(const Resources& a, const Resources& b) {
    return a.bytes == b.bytes && a.allocations == b.allocations &&
           a.team_bytes == b.team_bytes && a.workspace == b.workspace;
  }
};

// Up to here a team's arrays are on the stack.
inline constexpr int64_t kMaxStackBytes = 64 * 1024;

// realization_arrays.cc holds what is about arrays, realization.cc the rest.
class Realization {
 public:
  // All must outlive it.
  Realization(const TileProgram& program, const Candidate& candidate,
              const LaneAnalysis& lanes);

  const ValuePlan& of(ValueId value) const { return values_[value]; }
  // Of kContract and kMxContract.
  const MmaBlock& block(OpId op) const { return blocks_[op]; }
  const std::vector<ArrayPlan>& arrays() const { return arrays_; }
  const Resources& resources() const { return resources_; }
  // Of kMxContract: the array of its left (0) or right (1) operand times its
  // scales.
  int scaled_array(OpId op, int side) const {
    return scaled_arrays_.at(op)[side];
  }
  // Contractions with more than one accumulator.
  int64_t blocked_mmas() const { return blocked_mmas_; }

  // Distance of neighbours along each dimension of `value`'s order in its
  // array, in slots.
  std::vector<int64_t> Strides(ValueId value) const;
  // The value whose storage this one has, through relabellings.
  ValueId Storage(ValueId value) const;

 private:
  struct Uses {
    int count = 0;
    OpId op = -1;        // one of the users
    BlockId block = -1;  // where it is
    bool yielded = false;
  };

  void CountUses(BlockId block);
  void ChooseOrders();
  void ChooseForm(OpId op, BlockId block);
  Form FormOf(OpId op, BlockId block) const;
  void FindDynamicUses(BlockId block);
  void UseDynamically(ValueId value);
  bool IsLarge(ValueId value) const;
  bool IsLoop(const Op& op) const;
  int64_t RegistersOf(ValueId value) const;
  int AddArray(ValueId value);
  void AllocateScaled(OpId op);
  void AllocateArrays(BlockId block);
  void AllocateCarried(const Op& loop);
  bool CanForward(const Op& load) const;

  const TileProgram& program_;
  const Candidate& candidate_;
  const LaneAnalysis& lanes_;
  std::vector<ValuePlan> values_;
  std::vector<Uses> uses_;
  std::vector<bool> dynamic_;      // by value: a consumer's index is computed
  std::vector<BlockId> block_of_;  // by op
  std::vector<MmaBlock> blocks_;   // by op
  std::vector<ArrayPlan> arrays_;
  std::map<OpId, std::array<int, 2>> scaled_arrays_;
  Resources resources_;
  int64_t blocked_mmas_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_REALIZATION_H_
