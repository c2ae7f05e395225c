#ifndef TOOLS_REDUCE_ITEM_RANGE_H_
#define TOOLS_REDUCE_ITEM_RANGE_H_

// Which items of a reduction are meant: [begin, end).
//
//   if (items.Contains(next++)) return smaller;

namespace mxtile {

struct ItemRange {
  int begin = 0;
  int end = 0;

  bool Contains(int item) const { return begin <= item && item < end; }
};

}  // namespace mxtile

#endif  // TOOLS_REDUCE_ITEM_RANGE_H_
