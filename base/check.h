#ifndef BASE_CHECK_H_
#define BASE_CHECK_H_

// MX_CHECK(condition) << "why": ends the process when a condition that only a
// bug can break does not hold. Whatever a user can cause is an absl::Status
// instead. The condition is always evaluated.
//
//   MX_CHECK(rank == 2) << "rank " << rank;

#include <sstream>

namespace mxtile {

class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  // Prints the message to stderr and aborts.
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

// Makes both branches of MX_CHECK void.
struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace mxtile

#define MX_CHECK(condition)        \
  (condition)                      \
      ? (void)0                    \
      : ::mxtile::CheckVoidify() & \
            ::mxtile::CheckFailure(#condition, __FILE__, __LINE__).stream()

#endif  // BASE_CHECK_H_
