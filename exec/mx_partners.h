#ifndef EXEC_MX_PARTNERS_H_
#define EXEC_MX_PARTNERS_H_

// Which parameter of an entry function holds the scales of which: found by
// following the operands of the MX matmuls back through moves, loads and calls.
//
//   const MxPartners partners = FindMxPartners(*program, *entry);
//   const MxPartner* p = partners.OfData(a);   // p->scale, p->side
//
// What an operator passes on: the argument whose buffer its result is
// (OpDef::result_aliases_arg), else its only tensor or tile argument. A
// function passes on its one returned value; tuples are not followed. All calls
// of a function count as one, so that a kernel that two calls give different
// tensors makes them ambiguous.

#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/program.h"

namespace mxtile::exec {

// The left operand [M, K] has its groups along axis 1, the right one [K, N]
// along axis 0.
enum class MxSide { kLeft, kRight };

struct MxPartner {
  const ir::Var* data = nullptr;
  const ir::Var* scale = nullptr;
  MxSide side = MxSide::kLeft;
};

// A parameter that the program itself quantises (tile.tquant_mx and its raw
// form): which axis its groups are along.
struct QuantisedParam {
  const ir::Var* param = nullptr;
  MxSide side = MxSide::kLeft;
};

class MxPartners {
 public:
  explicit MxPartners(std::vector<MxPartner> pairs,
                      std::vector<QuantisedParam> quantised = {})
      : pairs_(std::move(pairs)), quantised_(std::move(quantised)) {}

  const std::vector<MxPartner>& pairs() const { return pairs_; }

  // The pair of a data or scale parameter; null when it is in none or in
  // several.
  const MxPartner* OfData(const ir::Var* data) const;
  const MxPartner* OfScale(const ir::Var* scale) const;
  // Null for what the program does not quantise; the first of several.
  const QuantisedParam* QuantisedByProgram(const ir::Var* param) const;
  // In more than one pair: its values cannot be quantised in one way.
  bool IsAmbiguous(const ir::Var* param) const;

 private:
  std::vector<MxPartner> pairs_;  // Each once, in program order.
  std::vector<QuantisedParam> quantised_;
};

MxPartners FindMxPartners(const ir::Program& program,
                          const ir::Function& entry);

}  // namespace mxtile::exec

#endif  // EXEC_MX_PARTNERS_H_
