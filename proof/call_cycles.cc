#include "proof/call_cycles.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mxtile::proof {
namespace {

// Tarjan's strongly connected components, with the call stack made explicit.
class CycleFinder {
 public:
  explicit CycleFinder(const std::vector<std::vector<int>>& edges)
      : edges_(edges),
        order_(edges.size(), kUnseen),
        lowest_(edges.size(), 0),
        open_(edges.size(), false),
        on_cycle_(edges.size(), false) {}

  std::vector<bool> Run() {
    for (size_t node = 0; node < edges_.size(); ++node) {
      if (order_[node] == kUnseen) Search(static_cast<int>(node));
    }
    return on_cycle_;
  }

 private:
  static constexpr int kUnseen = -1;

  struct Frame {
    int node;
    size_t next_edge;
  };

  void Enter(int node) {
    order_[node] = lowest_[node] = next_order_++;
    open_[node] = true;
    component_.push_back(node);
    frames_.push_back({node, 0});
  }

  void Search(int root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const int node = frame.node;
      if (frame.next_edge < edges_[node].size()) {
        Follow(node, edges_[node][frame.next_edge++]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        const int parent = frames_.back().node;
        lowest_[parent] = std::min(lowest_[parent], lowest_[node]);
      }
      if (lowest_[node] == order_[node]) CloseComponent(node);
    }
  }

  void Follow(int node, int successor) {
    if (successor == node) on_cycle_[node] = true;
    if (order_[successor] == kUnseen) {
      Enter(successor);
    } else if (open_[successor]) {
      lowest_[node] = std::min(lowest_[node], order_[successor]);
    }
  }

  void CloseComponent(int root) {
    const bool is_cycle = component_.back() != root;
    int node;
    do {
      node = component_.back();
      component_.pop_back();
      open_[node] = false;
      if (is_cycle) on_cycle_[node] = true;
    } while (node != root);
  }

  const std::vector<std::vector<int>>& edges_;
  std::vector<int> order_;
  std::vector<int> lowest_;
  std::vector<bool> open_;
  std::vector<bool> on_cycle_;
  std::vector<int> component_;
  std::vector<Frame> frames_;
  int next_order_ = 0;
};

}  // namespace

std::vector<bool> OnCycle(const std::vector<std::vector<int>>& edges) {
  return CycleFinder(edges).Run();
}

}  // namespace mxtile::proof
