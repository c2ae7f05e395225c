// Loops and branches.

#ifndef MX_WITHOUT_LLVM

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

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

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
