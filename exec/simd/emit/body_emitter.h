#ifndef EXEC_SIMD_EMIT_BODY_EMITTER_H_
#define EXEC_SIMD_EMIT_BODY_EMITTER_H_

// Emits the body of a kernel: the instructions that run one team of instances.
// Values are pulled: whoever needs an element asks Read() for it, which finds
// it in a register, an array, memory, or computes it; see realization.h for
// which.
//
// In reading order, which is also that of the declarations:
//   body_emitter.cc       blocks, types, small instructions
//   emit_flow.cc          loops and branches of the emitted code
//   emit_read.cc          elements of values, wherever they live
//   emit_define.cc        the way there: registers and arrays are filled
//   emit_elementwise.cc   operations on single elements
//   emit_window.cc        windows of the caller's memory, then what is done
//                         with them: emit_load.cc, emit_copy.cc, emit_store.cc
//   emit_reduction.cc
//   emit_contraction.cc   with emit_output_blocks.cc and emit_operands.cc
//   emit_control.cc       loops and ifs of the program

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "exec/simd/admission.h"
#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/emit/cost_model.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/jit/float_ops.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Value.h"

namespace mxtile::exec::simd {

// Arguments of a body.
struct BodyArgs {
  std::vector<llvm::Value*> buffers;  // by buffer number
  llvm::Value* first = nullptr;       // i64: the first instance
  llvm::Value* active = nullptr;      // i64: how many; null: a whole team
  llvm::Value* workspace = nullptr;
  llvm::Value* error = nullptr;  // i64*: 1 + the operation that left a view
};

class BodyEmitter {
 public:
  // All must outlive it. Emits into `function`, whose entry block `builder`
  // stands in.
  BodyEmitter(const TileProgram& program, const Candidate& candidate,
              const SimdTarget& target, const LaneAnalysis& lanes,
              const Realization& plan, llvm::IRBuilder<>& builder,
              llvm::Function* function, BodyArgs args);

  void Emit();

  // What was allocated, to be compared with the plan's prediction.
  const Resources& emitted() const { return emitted_; }
  // Estimated, of one execution.
  double cycles() const {
    return cost_.Cycles(*function_, emitted_.team_bytes);
  }
  // Contractions that were emitted with more than one accumulator.
  int64_t blocked_mmas() const { return blocked_mmas_; }

 private:
  using Values = std::vector<llvm::Value*>;

  // Memory that elements of a value are read from.
  struct Storage {
    llvm::Value* base = nullptr;
    // By dimension of the value's order, in slots: constants, or i64 where it
    // is known at run time only whether the value is forwarded.
    std::vector<Coord> strides;
    // Slots from one instance of the group to the next.
    int64_t member_stride = 0;
    // By instance, when the members have bases of their own; one for all of
    // them otherwise.
    Values member_bases;
    // A slot is a vector of lanes.
    bool interleaved = false;
    // For the cost model: how much a load costs, compared with one of an array.
    double load_factor = 1;
  };

  // ---- body_emitter.cc
  void EmitBlock(BlockId block);
  void EmitOp(OpId op);
  bool programs() const { return candidate_.lanes == LaneMode::kPrograms; }
  int width() const { return candidate_.width; }
  // Columns of a register of accumulators.
  int64_t ColumnUnit() const { return programs() ? 1 : width(); }
  llvm::Type* ScalarType(ElementType type) const;
  llvm::Type* SlotType(ElementType type) const;  // in arrays and memory
  llvm::Type* VectorOf(llvm::Type* scalar) const;
  llvm::Value* I64(int64_t value) const;
  llvm::Value* Splat(llvm::Value* value);        // of a scalar; a vector as is
  void Unify(llvm::Value** a, llvm::Value** b);  // both vectors, if one is
  llvm::Value* FromSlot(llvm::Value* slot, ElementType type);
  llvm::Value* ToSlot(llvm::Value* value, ElementType type);
  llvm::Value* CoordValue(const Coord& coord) const;
  Coord Add(const Coord& a, const Coord& b);
  Coord Multiply(const Coord& a, const Coord& b);
  llvm::Value* Constant(ElementType type, double value);
  FloatOps& OpsFor(llvm::Value* value);

  // ---- emit_flow.cc
  // Runs body(i) for i in [0, count), with `values` carried: body returns the
  // next ones. Nothing is emitted for a constant count of 0 or 1 but the body.
  Values Loop(const Coord& start, const Coord& stop, int64_t step,
              Values carried, const std::function<Values(Coord, Values)>& body);
  void Loop(int64_t stop, int64_t step, const std::function<void(Coord)>& body);
  // if (condition) then() else otherwise(), with equally many results.
  // `likely`: how often the condition holds, for the cost model.
  Values Branch(llvm::Value* condition, double likely,
                const std::function<Values()>& then,
                const std::function<Values()>& otherwise);

  // ---- emit_read.cc
  int Members(ValueId value) const;
  // The place of a scalar.
  Place ScalarPlace(int member) const;
  static bool DiffersByLane(const Place& place);
  llvm::Value* Read(ValueId value, const Place& place);
  llvm::Value* ReadScalar(ValueId value, int member);
  llvm::Value* ReadRegister(ValueId value, const Place& place);
  llvm::Value* ReadArray(ValueId value, const Place& place);
  llvm::Value* ReadLanes(ValueId value, const Place& place);
  bool IsStatic(ValueId value, const Place& place) const;
  Place Relabelled(const Op& relabel, Place place) const;
  int64_t RegisterIndex(ValueId value, const Place& place) const;

  // ---- emit_define.cc
  void AllocateArrays();
  Storage StorageOf(ValueId value, int array) const;
  llvm::Value* SlotAddress(const Storage& storage, ValueId value,
                           const Place& place, llvm::Type* slot);
  void WriteArray(const Storage& storage, ValueId value, const Place& place,
                  llvm::Value* element);
  // Calls body for each register of the value, with its place: as many times
  // as there are members.
  void ForEachRegister(ValueId value, int members,
                       const std::function<void(const Place&)>& body);
  // Calls body for each element (vector) of the value's array, in loops.
  void ForEachSlot(ValueId value, int members,
                   const std::function<void(const Place&)>& body);
  // Calls body for each place of the value's other dimensions, in loops.
  void ForEachOther(ValueId value, const std::vector<DimId>& without,
                    const std::function<void(const Place&)>& body);
  // Registers or array, as planned, from element(place).
  void Define(ValueId value,
              const std::function<llvm::Value*(const Place&)>& element);
  llvm::Value* Shaped(llvm::Value* element, ValueId value, const Place& place);
  void SetRegister(ValueId value, const Place& place, llvm::Value* element);
  void FillArray(ValueId value);

  // ---- emit_elementwise.cc
  llvm::Value* Compute(const Op& op, const Place& place);
  llvm::Value* ProgramIndex(int member);
  llvm::Value* ComputeUnary(UnaryKind kind, llvm::Value* x);
  llvm::Value* ComputeBinary(BinaryKind kind, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloorDivide(llvm::Value* a, llvm::Value* b, bool remainder);
  llvm::Value* Convert(llvm::Value* x, ElementType from, ElementType to);
  llvm::Value* ComputeExtract(const Op& op, const Place& place);

  // ---- emit_window.cc
  // How often a window is whole: a ragged one is the last of many.
  static constexpr double kUsuallyWhole = 0.97;
  struct MemoryWindow {
    const Op* op = nullptr;
    const View* view = nullptr;
    std::vector<int64_t> strides;  // by axis
    // Whether the program stores to its buffer.
    bool overwritten = false;
    // Whether it differs between the instances of a team.
    bool varies = false;
    // Of the first element. By instance of the group; with complete-program
    // lanes one, a vector where lanes differ.
    Values offsets;
    // By instance and axis; null where there is none.
    std::vector<Values> limits;
    // By instance: false for a window that leaves its view. Null: always.
    Values enabled;
    // Elements are inside all limits of all instances: i1, null for always.
    llvm::Value* whole = nullptr;
    // From one lane to the next, in elements.
    std::optional<int64_t> lane_step;
  };
  static llvm::Align AlignmentOf(ElementType type);
  MemoryWindow OpenWindow(const Op& op);
  void CheckWindow(MemoryWindow& window);
  // Of conditions; null is "always".
  llvm::Value* And(llvm::Value* a, llvm::Value* b);
  llvm::Value* AllLanes(llvm::Value* condition);
  void FindWhole(MemoryWindow& window);
  llvm::Value* ElementOffset(const MemoryWindow& window, const Place& place);
  llvm::Value* Offset(const MemoryWindow& window, int member) const;
  int64_t VectorStride(const MemoryWindow& window, DimId dim) const;
  llvm::Value* Address(const MemoryWindow& window, llvm::Value* offset);
  llvm::Value* Unpack(const MemoryWindow& window, llvm::Value* slot,
                      llvm::Value* offset);
  llvm::Value* LaneOffsets(int64_t stride, int lanes);
  llvm::Value* LanesBelow(int lanes);
  llvm::Value* ElementMask(const MemoryWindow& window, const Place& place,
                           bool whole, bool guard_active);

  // ---- emit_load.cc
  llvm::Value* FillOf(const Op& load);
  llvm::Value* LoadMasked(const MemoryWindow& window, llvm::Value* address,
                          llvm::Value* mask, llvm::Value* fill);
  llvm::Value* LoadElement(const MemoryWindow& window, const Place& place,
                           bool whole);
  void EmitLoad(const Op& op);
  void Forward(const MemoryWindow& window, ValueId value);
  double ForwardedLoadFactor(const MemoryWindow& window, ValueId value) const;

  // ---- emit_copy.cc
  void Transpose(Values& rows);
  bool CanCopyTransposed(const MemoryWindow& window, ValueId value) const;
  void CopyTransposed(const MemoryWindow& window, ValueId value);
  bool CanCopyLanes(const MemoryWindow& window, ValueId value) const;
  void CopyLanes(const MemoryWindow& window, ValueId value);

  // ---- emit_store.cc
  void StoreElement(const MemoryWindow& window, const Place& place,
                    llvm::Value* element, bool whole);
  void EmitStore(const Op& op);

  // ---- emit_reduction.cc
  void EmitReduce(const Op& op);
  llvm::Value* ReduceAt(const Op& op, const Place& place);
  llvm::Value* Combine(ReduceKind kind, llvm::Value* a, llvm::Value* b);

  // ---- emit_contraction.cc
  struct Mma {
    const Op& op;
    Contraction shape;
    MmaBlock block;
    Storage scaled[2];  // MX: operands times their scales
  };
  // A block of outputs, rows x columns.
  struct Outputs {
    std::vector<Place> rows;  // coordinates of all but the column
    std::vector<Coord> cols;
    int last_lanes = 0;  // of the last column's vector
  };
  void EmitContraction(OpId op);
  void ContractBlock(const Mma& mma, const Outputs& outputs);
  Values ContractTerms(const Mma& mma, const Outputs& outputs,
                       Values accumulators);
  void Accumulate(const Mma& mma, const Outputs& outputs, const Place& term,
                  bool select_by_limit, Values* accumulators);
  llvm::Value* AddProduct(llvm::Value* acc, llvm::Value* product);

  // ---- emit_output_blocks.cc
  void ForEachRowBlock(
      const Mma& mma,
      const std::function<void(const std::vector<Place>&)>& body);
  void ForEachColumnBlock(
      const Mma& mma,
      const std::function<void(const std::vector<Coord>&, int)>& body);
  void ForEachOutputBlock(const Mma& mma,
                          const std::function<void(const Outputs&)>& body);
  Place OutputPlace(const Mma& mma, const Outputs& outputs, size_t row,
                    size_t col) const;

  // ---- emit_operands.cc
  bool DependsOnRow(const Mma& mma, const ContractionOperand& operand) const;
  llvm::Value* ReadOperand(const Mma& mma, int side, const Place& place);
  bool IsPagesApart(const Mma& mma, ValueId value) const;
  Place ThroughRelabels(ValueId value, Place place) const;
  Storage ScaleOperand(ValueId codes, ValueId scales,
                       const std::vector<DimId>& dims, int array);

  // ---- emit_control.cc
  void EmitFor(const Op& op);
  void EmitIf(const Op& op);
  Values ReadAll(ValueId source, ValueId like);
  void SetRegisters(ValueId value, Values elements);
  void CopyToArray(ValueId source, ValueId like, const Storage& storage);

  const TileProgram& program_;
  const Candidate& candidate_;
  const LaneAnalysis& lanes_;
  const Realization& plan_;
  llvm::IRBuilder<>& builder_;
  llvm::Function* function_;
  BodyArgs args_;
  FloatOps scalar_ops_;
  FloatOps vector_ops_;
  std::vector<Values> registers_;       // by value
  std::vector<Storage> storage_;        // by value
  Values arrays_;                       // base addresses, by array
  llvm::Value* active_mask_ = nullptr;  // null: all lanes
  int vector_bytes_;                    // of one register
  CostModel cost_;
  double frequency_ = 1;  // of the block that is being emitted
  Resources emitted_;
  int64_t blocked_mmas_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_EMIT_BODY_EMITTER_H_
