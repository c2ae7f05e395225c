#include "exec/simd/emit/body_emitter.h"

#ifndef MX_WITHOUT_LLVM

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

constexpr int kArrayAlignment = 64;

}  // namespace

BodyEmitter::BodyEmitter(const TileProgram& program, const Candidate& candidate,
                         const SimdTarget& target, const LaneAnalysis& lanes,
                         const Realization& plan, llvm::IRBuilder<>& builder,
                         llvm::Function* function, BodyArgs args)
    : program_(program),
      candidate_(candidate),
      lanes_(lanes),
      plan_(plan),
      builder_(builder),
      function_(function),
      args_(std::move(args)),
      scalar_ops_(&builder, target, 1),
      vector_ops_(&builder, target, candidate.width),
      registers_(program.values.size()),
      storage_(program.values.size()),
      vector_bytes_(target.vector_bytes),
      cost_(target) {}

void BodyEmitter::Emit() {
  AllocateArrays();
  if (programs() && args_.active != nullptr) {
    llvm::Value* lane =
        builder_.CreateStepVector(VectorOf(builder_.getInt64Ty()));
    active_mask_ = builder_.CreateICmpULT(lane, Splat(args_.active));
  }
  EmitBlock(program_.body);
}

// ---- types and small instructions

llvm::Type* BodyEmitter::ScalarType(ElementType type) const {
  switch (type) {
    case ElementType::kBool:
      return builder_.getInt1Ty();
    case ElementType::kIndex:
      return builder_.getInt64Ty();
    case ElementType::kF32:
      return builder_.getFloatTy();
    case ElementType::kBF16:
    case ElementType::kF16:
      return builder_.getInt16Ty();
    default:
      return builder_.getInt8Ty();
  }
}

llvm::Type* BodyEmitter::SlotType(ElementType type) const {
  return type == ElementType::kBool ? builder_.getInt8Ty() : ScalarType(type);
}

llvm::Type* BodyEmitter::VectorOf(llvm::Type* scalar) const {
  return llvm::FixedVectorType::get(scalar, width());
}

llvm::Value* BodyEmitter::I64(int64_t value) const {
  return builder_.getInt64(static_cast<uint64_t>(value));
}

llvm::Value* BodyEmitter::Splat(llvm::Value* value) {
  if (value->getType()->isVectorTy()) return value;
  return builder_.CreateVectorSplat(width(), value);
}

void BodyEmitter::Unify(llvm::Value** a, llvm::Value** b) {
  if ((*a)->getType()->isVectorTy() || (*b)->getType()->isVectorTy()) {
    *a = Splat(*a);
    *b = Splat(*b);
  }
}

llvm::Value* BodyEmitter::FromSlot(llvm::Value* slot, ElementType type) {
  if (type != ElementType::kBool) return slot;
  return builder_.CreateICmpNE(slot,
                               llvm::Constant::getNullValue(slot->getType()));
}

llvm::Value* BodyEmitter::ToSlot(llvm::Value* value, ElementType type) {
  if (type != ElementType::kBool) return value;
  llvm::Type* i8 = builder_.getInt8Ty();
  return builder_.CreateZExt(
      value, value->getType()->isVectorTy() ? VectorOf(i8) : i8);
}

llvm::Value* BodyEmitter::CoordValue(const Coord& coord) const {
  return coord.is_constant() ? I64(coord.constant) : coord.value;
}

Coord BodyEmitter::Add(const Coord& a, const Coord& b) {
  if (a.is_constant() && b.is_constant()) {
    return Coord::Constant(a.constant + b.constant);
  }
  if (a.is_constant() && a.constant == 0) return b;
  if (b.is_constant() && b.constant == 0) return a;
  llvm::Value* x = CoordValue(a);
  llvm::Value* y = CoordValue(b);
  Unify(&x, &y);
  return Coord::Of(builder_.CreateAdd(x, y));
}

Coord BodyEmitter::Multiply(const Coord& a, const Coord& b) {
  if (a.is_constant() && b.is_constant()) {
    return Coord::Constant(a.constant * b.constant);
  }
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (!x.is_constant()) continue;
    if (x.constant == 0) return x;
    if (x.constant == 1) return y;
  }
  llvm::Value* x = CoordValue(a);
  llvm::Value* y = CoordValue(b);
  Unify(&x, &y);
  return Coord::Of(builder_.CreateMul(x, y));
}

BodyEmitter::Values BodyEmitter::Loop(
    const Coord& start, const Coord& stop, int64_t step, Values carried,
    const std::function<Values(Coord, Values)>& body) {
  const bool is_constant = start.is_constant() && stop.is_constant();
  if (is_constant && (step > 0 ? start.constant >= stop.constant
                               : start.constant <= stop.constant)) {
    return carried;
  }
  if (is_constant && step > 0 && stop.constant - start.constant <= step) {
    return body(start, std::move(carried));
  }
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* inside =
      llvm::BasicBlock::Create(context, "loop", function_);
  llvm::BasicBlock* after =
      llvm::BasicBlock::Create(context, "done", function_);
  llvm::Value* first = CoordValue(start);
  llvm::Value* last = CoordValue(stop);
  const auto continues = [&](llvm::Value* i) {
    return step > 0 ? builder_.CreateICmpSLT(i, last)
                    : builder_.CreateICmpSGT(i, last);
  };
  // A constant trip count is at least one here.
  if (is_constant) {
    builder_.CreateBr(inside);
  } else {
    builder_.CreateCondBr(continues(first), inside, after);
  }
  const double outside = frequency_;
  // Of a loop whose trips nobody knows.
  constexpr double kUnknownTrips = 8;
  frequency_ *=
      is_constant
          ? std::ceil(static_cast<double>(stop.constant - start.constant) /
                      static_cast<double>(step))
          : kUnknownTrips;
  cost_.SetFrequency(inside, frequency_);
  cost_.SetFrequency(after, outside);
  builder_.SetInsertPoint(inside);
  llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2, "i");
  index->addIncoming(first, before);
  std::vector<llvm::PHINode*> phis;
  Values current;
  for (llvm::Value* value : carried) {
    llvm::PHINode* phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    phis.push_back(phi);
    current.push_back(phi);
  }
  Values next = body(Coord::Of(index), std::move(current));
  llvm::BasicBlock* end = builder_.GetInsertBlock();
  llvm::Value* following = builder_.CreateAdd(index, I64(step), "next");
  index->addIncoming(following, end);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], end);
  builder_.CreateCondBr(continues(following), inside, after);
  builder_.SetInsertPoint(after);
  frequency_ = outside;
  Values results;
  for (size_t i = 0; i < phis.size(); ++i) {
    if (is_constant) {
      results.push_back(next[i]);
      continue;
    }
    llvm::PHINode* phi = builder_.CreatePHI(phis[i]->getType(), 2);
    phi->addIncoming(carried[i], before);
    phi->addIncoming(next[i], end);
    results.push_back(phi);
  }
  return results;
}

void BodyEmitter::Loop(int64_t stop, int64_t step,
                       const std::function<void(Coord)>& body) {
  Loop(Coord::Constant(0), Coord::Constant(stop), step, {},
       [&](Coord i, Values) {
         body(i);
         return Values();
       });
}

BodyEmitter::Values BodyEmitter::Branch(
    llvm::Value* condition, double likely, const std::function<Values()>& then,
    const std::function<Values()>& otherwise) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    return constant->isZero() ? otherwise() : then();
  }
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* blocks[2];
  for (llvm::BasicBlock*& block : blocks) {
    block = llvm::BasicBlock::Create(context, "side", function_);
  }
  llvm::BasicBlock* join = llvm::BasicBlock::Create(context, "join", function_);
  const double outside = frequency_;
  builder_.CreateCondBr(condition, blocks[0], blocks[1]);
  Values results[2];
  for (const int side : {0, 1}) {
    builder_.SetInsertPoint(blocks[side]);
    frequency_ = outside * (side == 0 ? likely : 1 - likely);
    cost_.SetFrequency(blocks[side], frequency_);
    results[side] = side == 0 ? then() : otherwise();
    blocks[side] = builder_.GetInsertBlock();
    builder_.CreateBr(join);
  }
  builder_.SetInsertPoint(join);
  frequency_ = outside;
  cost_.SetFrequency(join, outside);
  MX_CHECK(results[0].size() == results[1].size());
  Values merged;
  for (size_t i = 0; i < results[0].size(); ++i) {
    if (results[0][i] == results[1][i]) {
      merged.push_back(results[0][i]);
      continue;
    }
    Unify(&results[0][i], &results[1][i]);
    llvm::PHINode* phi = builder_.CreatePHI(results[0][i]->getType(), 2);
    phi->addIncoming(results[0][i], blocks[0]);
    phi->addIncoming(results[1][i], blocks[1]);
    merged.push_back(phi);
  }
  return merged;
}

// ---- arrays

void BodyEmitter::AllocateArrays() {
  int64_t offset = 0;
  for (const ArrayPlan& array : plan_.arrays()) {
    const int64_t bytes =
        array.slots * array.bytes * (array.varies ? candidate_.team() : 1);
    ++emitted_.allocations;
    emitted_.bytes += array.slots * array.bytes;
    emitted_.team_bytes += bytes;
    if (plan_.resources().workspace > 0) {
      arrays_.push_back(builder_.CreateConstInBoundsGEP1_64(
          builder_.getInt8Ty(), args_.workspace, offset));
      emitted_.workspace += bytes;
      offset += bytes;
    } else {
      llvm::AllocaInst* memory = builder_.CreateAlloca(
          llvm::ArrayType::get(builder_.getInt8Ty(), bytes));
      memory->setAlignment(llvm::Align(kArrayAlignment));
      arrays_.push_back(memory);
    }
  }
  for (size_t i = 0; i < storage_.size(); ++i) {
    const ValueId value = static_cast<ValueId>(i);
    const int array = plan_.of(value).array;
    if (array != kNoArray) storage_[i] = StorageOf(value, array);
  }
}

BodyEmitter::Storage BodyEmitter::StorageOf(ValueId value, int array) const {
  Storage storage;
  storage.base = arrays_[array];
  for (const int64_t stride : plan_.Strides(value)) {
    storage.strides.push_back(Coord::Constant(stride));
  }
  const ArrayPlan& plan = plan_.arrays()[array];
  storage.member_stride = plan.varies && !programs() ? plan.slots : 0;
  storage.interleaved = plan.varies && programs();
  return storage;
}

llvm::Value* BodyEmitter::SlotAddress(const Storage& storage, ValueId value,
                                      const Place& place, llvm::Type* slot) {
  const Space& order = plan_.of(value).order;
  Coord index = Coord::Constant(storage.member_stride * place.member);
  for (size_t i = 0; i < order.size(); ++i) {
    if (program_.Extent(order[i]) == 1) continue;
    const Coord* coord = place.Find(order[i]);
    MX_CHECK(coord != nullptr) << "no coordinate for dimension " << order[i];
    index = Add(index, Multiply(*coord, storage.strides[i]));
  }
  if (storage.interleaved) index = Multiply(index, Coord::Constant(width()));
  llvm::Value* base = storage.base;
  if (!storage.member_bases.empty()) {
    base =
        storage
            .member_bases[storage.member_bases.size() == 1 ? 0 : place.member];
  }
  return builder_.CreateGEP(slot, base, CoordValue(index));
}

void BodyEmitter::WriteArray(const Storage& storage, ValueId value,
                             const Place& place, llvm::Value* element) {
  const ElementType type = program_.values[value].type;
  element = Shaped(element, value, place);
  llvm::Value* address = SlotAddress(storage, value, place, SlotType(type));
  const int bytes =
      static_cast<int>(SlotType(type)->getPrimitiveSizeInBits() / 8);
  builder_.CreateAlignedStore(ToSlot(element, type), address,
                              llvm::Align(bytes));
}

// ---- values

int BodyEmitter::Members(ValueId value) const {
  return !programs() && plan_.of(value).varies ? candidate_.group : 1;
}

Place BodyEmitter::ScalarPlace(int member) const {
  Place place;
  place.member = member;
  return place;
}

llvm::Value* BodyEmitter::ReadScalar(ValueId value, int member) {
  return Read(value, ScalarPlace(member));
}

Place BodyEmitter::Relabelled(const Op& relabel, Place place) const {
  const Space& from = program_.values[relabel.results[0]].space;
  const Space& to = program_.values[relabel.operands[0]].space;
  Place source = place;
  source.coords.clear();
  source.vector = kNoDim;
  for (size_t i = 0; i < from.size(); ++i) {
    const Coord* coord = place.Find(from[i]);
    if (coord != nullptr) source.Set(to[i], *coord);
    if (place.vector == from[i]) source.vector = to[i];
  }
  return source;
}

// Whether lanes look at different elements.
bool BodyEmitter::DiffersByLane(const Place& place) {
  return absl::c_any_of(place.coords, [](const auto& dim_and_coord) {
    const Coord& coord = dim_and_coord.second;
    return !coord.is_constant() && coord.value->getType()->isVectorTy();
  });
}

llvm::Value* BodyEmitter::Read(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  // Of a vector along a dimension that the value lacks each lane is the same.
  if (place.vector != kNoDim &&
      !absl::c_linear_search(program_.values[value].space, place.vector)) {
    Place scalar = place;
    scalar.vector = kNoDim;
    return Read(value, scalar);
  }
  switch (plan.form) {
    case Form::kAlias: {
      const Op& op = program_.ops[program_.values[value].op];
      return Read(op.operands[0], Relabelled(op, place));
    }
    case Form::kLazy: {
      llvm::Value* element =
          Compute(program_.ops[program_.values[value].op], place);
      // The same for all lanes, though computed from what differs.
      if (programs() && !plan.varies && element->getType()->isVectorTy() &&
          !DiffersByLane(place)) {
        element = builder_.CreateExtractElement(element, uint64_t{0});
      }
      return element;
    }
    case Form::kRegisters:
      if (!IsStatic(value, place)) return ReadArray(value, place);
      return ReadRegister(value, place);
    case Form::kArray:
      return ReadArray(value, place);
    case Form::kDead:
      break;
  }
  MX_CHECK(false) << "value %" << value << " is read and has no storage";
  return nullptr;
}

// Whether all coordinates are constants.
bool BodyEmitter::IsStatic(ValueId value, const Place& place) const {
  return absl::c_all_of(program_.values[value].space, [&](DimId dim) {
    if (program_.Extent(dim) == 1) return true;
    const Coord* coord = place.Find(dim);
    MX_CHECK(coord != nullptr) << "no coordinate for dimension " << dim;
    return coord->is_constant();
  });
}

int64_t BodyEmitter::RegisterIndex(ValueId value, const Place& place) const {
  const ValuePlan& plan = plan_.of(value);
  int64_t index = 0;
  for (const DimId dim : plan.order) {
    const int64_t extent = program_.Extent(dim);
    if (extent == 1) continue;
    const int64_t coord = place.Find(dim)->constant;
    const bool is_vector = dim == plan.vector_dim;
    const int64_t count = is_vector ? (extent + width() - 1) / width() : extent;
    index = index * count + (is_vector ? coord / width() : coord);
  }
  return index + (Members(value) > 1 ? place.member * plan.registers : 0);
}

llvm::Value* BodyEmitter::ReadRegister(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  if (place.vector != kNoDim && place.vector != plan.vector_dim) {
    return ReadLanes(value, place);
  }
  llvm::Value* element = registers_[value][RegisterIndex(value, place)];
  if (programs() || plan.vector_dim == kNoDim || place.vector != kNoDim) {
    return element;
  }
  const int64_t coord = place.Find(plan.vector_dim)->constant;
  return builder_.CreateExtractElement(element,
                                       static_cast<uint64_t>(coord % width()));
}

llvm::Value* BodyEmitter::ReadArray(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  const Storage& storage = storage_[value];
  MX_CHECK(storage.base != nullptr || !storage.member_bases.empty())
      << "value %" << value << " has no array";
  if (DiffersByLane(place) ||
      (place.vector != kNoDim && place.vector != plan.vector_dim)) {
    return ReadLanes(value, place);
  }
  const ElementType type = program_.values[value].type;
  llvm::Type* slot = SlotType(type);
  llvm::Value* address = SlotAddress(storage, value, place, slot);
  const bool is_vector = storage.interleaved || place.vector != kNoDim;
  cost_.AddSlowLoad(frequency_, storage.load_factor);
  llvm::Value* element = builder_.CreateAlignedLoad(
      is_vector ? VectorOf(slot) : slot, address,
      llvm::Align(slot->getPrimitiveSizeInBits() / 8));
  return FromSlot(element, type);
}

// A vector whose lanes do not lie side by side, lane after lane.
llvm::Value* BodyEmitter::ReadLanes(ValueId value, const Place& place) {
  const ElementType type = program_.values[value].type;
  llvm::Value* result = llvm::PoisonValue::get(VectorOf(ScalarType(type)));
  for (int lane = 0; lane < width(); ++lane) {
    Place scalar = place;
    scalar.vector = kNoDim;
    if (place.vector != kNoDim) {
      const int within = std::min(lane, place.lanes - 1);
      scalar.Set(place.vector,
                 Add(*place.Find(place.vector), Coord::Constant(within)));
    }
    for (auto& [dim, coord] : scalar.coords) {
      if (!coord.is_constant() && coord.value->getType()->isVectorTy()) {
        coord = Coord::Of(builder_.CreateExtractElement(
            coord.value, static_cast<uint64_t>(lane)));
      }
    }
    llvm::Value* element = Read(value, scalar);
    // Interleaved arrays give all lanes of a slot.
    if (element->getType()->isVectorTy()) {
      element =
          builder_.CreateExtractElement(element, static_cast<uint64_t>(lane));
    }
    result = builder_.CreateInsertElement(result, element,
                                          static_cast<uint64_t>(lane));
  }
  return result;
}

// ---- definitions

void BodyEmitter::ForEachRegister(
    ValueId value, int members, const std::function<void(const Place&)>& body) {
  const ValuePlan& plan = plan_.of(value);
  for (int member = 0; member < members; ++member) {
    Place place = ScalarPlace(member);
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == plan.order.size()) {
        body(place);
        return;
      }
      const DimId dim = plan.order[axis];
      const bool is_vector = dim == plan.vector_dim;
      const int64_t extent = program_.Extent(dim);
      for (int64_t i = 0; i < extent; i += is_vector ? width() : 1) {
        place.Set(dim, Coord::Constant(i));
        if (is_vector) {
          place.vector = dim;
          place.lanes =
              static_cast<int>(std::min<int64_t>(width(), extent - i));
        }
        visit(axis + 1);
      }
    };
    visit(0);
  }
}

void BodyEmitter::ForEachSlot(ValueId value, int members,
                              const std::function<void(const Place&)>& body) {
  const ValuePlan& plan = plan_.of(value);
  for (int member = 0; member < members; ++member) {
    Place place = ScalarPlace(member);
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == plan.order.size()) {
        body(place);
        return;
      }
      const DimId dim = plan.order[axis];
      const int64_t extent = program_.Extent(dim);
      const auto round = [&](Coord i, int lanes) {
        place.Set(dim, i);
        if (dim == plan.vector_dim) {
          place.vector = dim;
          place.lanes = lanes;
        }
        visit(axis + 1);
      };
      if (dim != plan.vector_dim) {
        Loop(extent, 1, [&](Coord i) { round(i, 0); });
        return;
      }
      const int64_t whole = extent / width() * width();
      Loop(whole, width(), [&](Coord i) { round(i, width()); });
      if (whole < extent) {
        round(Coord::Constant(whole), static_cast<int>(extent - whole));
      }
    };
    visit(0);
  }
}

// As the value's registers and slots are: a vector, or one element.
llvm::Value* BodyEmitter::Shaped(llvm::Value* element, ValueId value,
                                 const Place& place) {
  const bool is_vector =
      programs() ? plan_.of(value).varies : place.vector != kNoDim;
  if (is_vector) return Splat(element);
  if (!element->getType()->isVectorTy()) return element;
  // The same in all lanes, though computed from what differs.
  return builder_.CreateExtractElement(element, uint64_t{0});
}

void BodyEmitter::SetRegister(ValueId value, const Place& place,
                              llvm::Value* element) {
  Values& registers = registers_[value];
  if (registers.empty()) {
    registers.resize(plan_.of(value).registers * Members(value));
  }
  registers[RegisterIndex(value, place)] = Shaped(element, value, place);
}

void BodyEmitter::FillArray(ValueId value) {
  if (plan_.of(value).array == kNoArray) return;
  ForEachRegister(value, Members(value), [&](const Place& place) {
    WriteArray(storage_[value], value, place,
               registers_[value][RegisterIndex(value, place)]);
  });
}

void BodyEmitter::Define(
    ValueId value, const std::function<llvm::Value*(const Place&)>& element) {
  switch (plan_.of(value).form) {
    case Form::kRegisters:
      ForEachRegister(value, Members(value), [&](const Place& place) {
        SetRegister(value, place, element(place));
      });
      FillArray(value);
      return;
    case Form::kArray:
      ForEachSlot(value, Members(value), [&](const Place& place) {
        WriteArray(storage_[value], value, place, element(place));
      });
      return;
    default:
      return;
  }
}

// ---- blocks

void BodyEmitter::EmitBlock(BlockId block) {
  for (const OpId op : program_.blocks[block].ops) EmitOp(op);
}

void BodyEmitter::EmitOp(OpId id) {
  const Op& op = program_.ops[id];
  switch (op.kind) {
    case OpKind::kStore:
      EmitStore(op);
      return;
    case OpKind::kFor:
      EmitFor(op);
      return;
    case OpKind::kIf:
      EmitIf(op);
      return;
    default:
      break;
  }
  const Form form = plan_.of(op.results[0]).form;
  if (form != Form::kRegisters && form != Form::kArray) return;
  switch (op.kind) {
    case OpKind::kLoad:
      EmitLoad(op);
      return;
    case OpKind::kReduce:
      EmitReduce(op);
      return;
    case OpKind::kContract:
    case OpKind::kMxContract:
      EmitContraction(id);
      return;
    default:
      Define(op.results[0],
             [&](const Place& place) { return Compute(op, place); });
  }
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
