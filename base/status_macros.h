#ifndef BASE_STATUS_MACROS_H_
#define BASE_STATUS_MACROS_H_

// Early return on errors, for functions that return absl::Status or
// absl::StatusOr.
//
//   absl::StatusOr<int> Sum(absl::string_view a, absl::string_view b) {
//     MX_ASSIGN_OR_RETURN(const int x, Parse(a));
//     MX_ASSIGN_OR_RETURN(const int y, Parse(b));
//     MX_RETURN_IF_ERROR(CheckRange(x + y));
//     return x + y;
//   }
//
// Each macro is several statements: put braces around a one-line body.

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define MX_RETURN_IF_ERROR(expr)           \
  do {                                     \
    ::absl::Status mx_status = (expr);     \
    if (!mx_status.ok()) return mx_status; \
  } while (false)

// `lhs` may declare a variable. A `lhs` with a comma outside parentheses needs
// its own typedef.
#define MX_ASSIGN_OR_RETURN(lhs, expr) \
  MX_ASSIGN_OR_RETURN_IMPL_(MX_CONCAT_(mx_statusor_, __LINE__), lhs, expr)

#define MX_CONCAT_INNER_(a, b) a##b
#define MX_CONCAT_(a, b) MX_CONCAT_INNER_(a, b)
#define MX_ASSIGN_OR_RETURN_IMPL_(statusor, lhs, expr)     \
  auto statusor = (expr);                                  \
  if (!statusor.ok()) return std::move(statusor).status(); \
  lhs = *std::move(statusor)

#endif  // BASE_STATUS_MACROS_H_
