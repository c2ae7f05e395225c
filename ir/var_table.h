#ifndef IR_VAR_TABLE_H_
#define IR_VAR_TABLE_H_

// Facts about variables, and about other nodes of some size, fast on programs
// of a million statements.
//
//   VarTable<State> states;
//   states[var].defined = true;

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "ir/expr.h"

namespace mxtile::ir {

// A value for each node, at first T(). The smaller a T, the better: large
// programs fill caches.
//
// Contexts make nodes one behind the other, and a program mostly uses what was
// made shortly before, so the table has a page for each 64 KiB of addresses:
// neighbours in memory are neighbours in the table, where a hash would scatter
// them. A page has a slot for each 64 bytes; two nodes cannot begin within one.
template <typename Node, typename T>
class NodeTable {
 public:
  T& operator[](const Node* node) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(node);
    const uintptr_t page = address / kPageBytes;
    return PageAt(page)[address % kPageBytes / kSlotBytes];
  }

 private:
  static constexpr uintptr_t kPageBytes = uintptr_t{1} << 16;
  static constexpr uintptr_t kSlotBytes = 64;
  static constexpr size_t kRecentPages = 512;
  static_assert(sizeof(Node) >= kSlotBytes, "two nodes would share a slot");

  struct Recent {
    uintptr_t page = 0;  // No node lies in page 0.
    T* slots = nullptr;
  };

  T* PageAt(uintptr_t page) {
    Recent& recent = recent_[page % kRecentPages];
    if (recent.page != page) {
      std::unique_ptr<T[]>& slots = pages_[page];
      if (slots == nullptr) {
        slots = std::make_unique<T[]>(kPageBytes / kSlotBytes);
      }
      recent = {page, slots.get()};
    }
    return recent.slots;
  }

  Recent recent_[kRecentPages];
  absl::flat_hash_map<uintptr_t, std::unique_ptr<T[]>> pages_;
};

template <typename T>
using VarTable = NodeTable<Var, T>;

}  // namespace mxtile::ir

#endif  // IR_VAR_TABLE_H_
