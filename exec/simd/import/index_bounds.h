#ifndef EXEC_SIMD_IMPORT_INDEX_BOUNDS_H_
#define EXEC_SIMD_IMPORT_INDEX_BOUNDS_H_

// What is known about indices: sums of atoms, which are loop variables, digits
// of the program index, and results of operations that are not linear.
//
//   IndexBounds bounds;
//   const Linear k0 = bounds.NewAtom({Linear(0)}, {Linear(2048)});
//   const Linear rest = Linear(2053) - k0;
//   const Linear n = bounds.NewAtom({Linear(0)}, {Linear(16), rest});  // min
//   bounds.IsAtMost(k0 + n, 2053)   // true: n <= 2053 - k0
//
// Proofs replace atoms by their bounds, a few at a time; what is not proven may
// still hold. Sums that leave 64 bits are unknown, about which nothing is
// proven.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace mxtile::exec::simd {

class Linear {
 public:
  explicit Linear(int64_t constant = 0) : constant_(constant) {}
  static Linear Atom(int atom);
  static Linear Unknown();

  Linear operator+(const Linear& other) const { return Plus(other, 1); }
  Linear operator-(const Linear& other) const { return Plus(other, -1); }
  Linear operator*(int64_t factor) const {
    return Linear(0).Plus(*this, factor);
  }

  bool is_known() const { return known_; }
  // The value of a sum without atoms.
  std::optional<int64_t> AsConstant() const;
  int64_t constant() const { return constant_; }
  // Coefficients other than 0, by atom.
  const std::map<int, int64_t>& terms() const { return terms_; }

 private:
  Linear Plus(const Linear& other, int64_t factor) const;

  int64_t constant_;
  std::map<int, int64_t> terms_;
  bool known_ = true;
};

class IndexBounds {
 public:
  // An atom that is at least each of `lower` and at most each of `upper`.
  Linear NewAtom(std::vector<Linear> lower, std::vector<Linear> upper);

  // Whether the sum is at most, or at least, the bound whatever the atoms are.
  bool IsAtMost(const Linear& sum, int64_t bound) const;
  bool IsAtLeast(const Linear& sum, int64_t bound) const;
  // The least constant that replacing atoms by constants shows to be an upper
  // bound; the greatest lower one.
  std::optional<int64_t> Max(const Linear& sum) const;
  std::optional<int64_t> Min(const Linear& sum) const;

 private:
  struct Bounds {
    std::vector<Linear> lower;
    std::vector<Linear> upper;
    std::optional<int64_t> min;
    std::optional<int64_t> max;
  };

  bool Prove(const Linear& sum, int64_t bound, int depth) const;

  std::vector<Bounds> atoms_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_INDEX_BOUNDS_H_
