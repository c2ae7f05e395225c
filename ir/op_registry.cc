#include "ir/op_registry.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"

namespace mxtile::ir {
namespace {

bool IsOfKind(const Type* type, OperandKind kind) {
  switch (kind) {
    case OperandKind::kAny:
      return true;
    case OperandKind::kTensor:
      return Isa<TensorType>(type);
    case OperandKind::kTile:
      return Isa<TileType>(type);
    case OperandKind::kScalar:
      return Isa<ScalarType>(type);
  }
  return false;
}

// The type of argument `index`, given in its place or by its name.
const Type* TypeOfArg(const OpDef& op, size_t index,
                      absl::Span<const GivenOperand> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const absl::string_view keyword = operands[i].keyword;
    const bool is_it = keyword.empty() ? i == index
                                       : index < op.arg_names.size() &&
                                             keyword == op.arg_names[index];
    if (is_it) return operands[i].type;
  }
  return nullptr;
}

bool Fits(const OpDef& op, const ShortForm& form,
          absl::Span<const GivenOperand> operands) {
  for (size_t i = 0; i < form.operands.size(); ++i) {
    if (!IsOfKind(TypeOfArg(op, i, operands), form.operands[i])) return false;
  }
  return form.keyword.empty() ||
         std::any_of(operands.begin(), operands.end(),
                     [&](const GivenOperand& operand) {
                       return operand.keyword == form.keyword;
                     });
}

}  // namespace

const OpDef* OpRegistry::Register(OpDef def) {
  ops_.push_back(std::make_unique<OpDef>(std::move(def)));
  const OpDef* stored = ops_.back().get();
  MX_CHECK(by_name_.emplace(stored->name, stored).second)
      << stored->name << " is registered twice";
  for (const ShortForm& form : stored->short_forms) {
    std::vector<Candidate>& candidates = by_short_name_[form.name];
    for (const Candidate& other : candidates) {
      MX_CHECK(other.form->operands != form.operands ||
               other.form->keyword != form.keyword)
          << "pl." << form.name << " stands for two operators, "
          << other.op->name << " and " << stored->name;
    }
    candidates.push_back({stored, &form});
  }
  return stored;
}

const OpDef* OpRegistry::Find(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

absl::Span<const OpRegistry::Candidate> OpRegistry::ShortCandidates(
    absl::string_view name) const {
  const auto it = by_short_name_.find(name);
  if (it == by_short_name_.end()) return {};
  return it->second;
}

const OpDef* OpRegistry::ChooseShort(absl::Span<const Candidate> candidates,
                                     absl::Span<const GivenOperand> operands) {
  const OpDef* found = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!Fits(*candidate.op, *candidate.form, operands)) continue;
    if (!candidate.form->keyword.empty()) return candidate.op;
    if (found == nullptr) found = candidate.op;
  }
  return found;
}

}  // namespace mxtile::ir
