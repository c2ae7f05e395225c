#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

// The elements of `source` as the registers of `like` hold them.
BodyEmitter::Values BodyEmitter::ReadAll(ValueId source, ValueId like) {
  Values elements;
  ForEachRegister(like, Members(like), [&](const Place& place) {
    elements.push_back(Shaped(Read(source, place), like, place));
  });
  return elements;
}

void BodyEmitter::SetRegisters(ValueId value, Values elements) {
  registers_[value] = std::move(elements);
  FillArray(value);
}

void BodyEmitter::CopyToArray(ValueId source, ValueId like,
                              const Storage& storage) {
  ForEachSlot(like, Members(like), [&](const Place& place) {
    WriteArray(storage, like, place, Read(source, place));
  });
}

// Registers are carried by phis. Of an array the addresses are: the current
// one's and the one that the next round's value goes to change places.
void BodyEmitter::EmitFor(const Op& op) {
  const Block& body = program_.blocks[op.blocks[0]];
  const Op& step = program_.ops[program_.values[op.operands[2]].op];
  const size_t count = op.results.size();
  Values carried;
  std::vector<size_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    const ValueId param = body.params[1 + i];
    const ValueId initial = op.operands[3 + i];
    Values elements;
    if (plan_.of(param).form == Form::kArray) {
      const Storage current = StorageOf(param, plan_.of(param).array);
      CopyToArray(initial, param, current);
      elements = {current.base, arrays_[plan_.of(param).next_array]};
    } else {
      elements = ReadAll(initial, param);
    }
    sizes.push_back(elements.size());
    carried.insert(carried.end(), elements.begin(), elements.end());
  }
  const auto bound = [&](int i) {
    llvm::Value* value = ReadScalar(op.operands[i], 0);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    return constant != nullptr ? Coord::Constant(constant->getSExtValue())
                               : Coord::Of(value);
  };
  const auto round = [&](Coord index, Values current) {
    registers_[body.params[0]] = {CoordValue(index)};
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      const ValueId param = body.params[1 + i];
      const Values own(current.begin() + at, current.begin() + at + sizes[i]);
      at += sizes[i];
      if (plan_.of(param).form != Form::kArray) {
        SetRegisters(param, own);
        continue;
      }
      storage_[param] = StorageOf(param, plan_.of(param).array);
      storage_[param].base = own[0];
      Storage next = storage_[param];
      next.base = own[1];
      if (plan_.of(body.yields[i]).next_of == param) {
        storage_[body.yields[i]] = next;
      }
    }
    EmitBlock(op.blocks[0]);
    // All next values are complete before one becomes current.
    Values following;
    at = 0;
    for (size_t i = 0; i < count; ++i) {
      const ValueId param = body.params[1 + i];
      const ValueId yield = body.yields[i];
      if (plan_.of(param).form != Form::kArray) {
        const Values elements = ReadAll(yield, param);
        following.insert(following.end(), elements.begin(), elements.end());
      } else {
        if (plan_.of(yield).next_of != param) {
          Storage next = storage_[param];
          next.base = current[at + 1];
          CopyToArray(yield, param, next);
        }
        following.push_back(current[at + 1]);
        following.push_back(current[at]);
      }
      at += sizes[i];
    }
    return following;
  };
  const Values last =
      Loop(bound(0), bound(1), step.integer, std::move(carried), round);
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const ValueId result = op.results[i];
    const ValueId param = body.params[1 + i];
    if (plan_.of(param).form == Form::kArray) {
      storage_[result] = StorageOf(param, plan_.of(param).array);
      storage_[result].base = last[at];
    } else {
      SetRegisters(result,
                   Values(last.begin() + at, last.begin() + at + sizes[i]));
    }
    at += sizes[i];
  }
}

void BodyEmitter::EmitIf(const Op& op) {
  const auto side = [&](BlockId block) {
    EmitBlock(block);
    Values elements;
    for (size_t i = 0; i < op.results.size(); ++i) {
      const ValueId result = op.results[i];
      const ValueId yield = program_.blocks[block].yields[i];
      switch (plan_.of(result).form) {
        case Form::kRegisters: {
          const Values own = ReadAll(yield, result);
          elements.insert(elements.end(), own.begin(), own.end());
          break;
        }
        case Form::kArray:
          CopyToArray(yield, result, storage_[result]);
          break;
        default:
          break;
      }
    }
    return elements;
  };
  const Values merged = Branch(
      ReadScalar(op.operands[0], 0), 0.5, [&] { return side(op.blocks[0]); },
      [&] { return side(op.blocks[1]); });
  size_t at = 0;
  for (const ValueId result : op.results) {
    if (plan_.of(result).form != Form::kRegisters) continue;
    const size_t size =
        static_cast<size_t>(plan_.of(result).registers * Members(result));
    SetRegisters(result,
                 Values(merged.begin() + at, merged.begin() + at + size));
    at += size;
  }
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
