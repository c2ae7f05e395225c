#include "layouts/conversion.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "layouts/index_map.h"

namespace mxtile {
namespace {

absl::Status CheckSize(absl::string_view what, const IndexMap& map,
                       int element_bits, int64_t actual) {
  const int64_t expected = BytesOfElements(map.size(), element_bits);
  if (actual == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " of [", map.rows(), ", ", map.cols(), "] elements of ",
      element_bits, " bits takes ", expected, " bytes in this layout, but ",
      actual, " are given (MX-CONVERT-2)"));
}

void CopyNibble(absl::Span<const uint8_t> source, int64_t from,
                absl::Span<uint8_t> destination, int64_t to) {
  const int nibble = source[from / 2] >> (from % 2 * 4) & 0xF;
  const int shift = static_cast<int>(to % 2 * 4);
  uint8_t& byte = destination[to / 2];
  byte = static_cast<uint8_t>((byte & ~(0xF << shift)) | nibble << shift);
}

// Columns whose offsets are held at once.
constexpr int64_t kStripCols = 4096;

// Copies columns first .. end - 1 of all rows.
void CopyStrip(const IndexMap& from, const IndexMap& to, int64_t first,
               int64_t end, int element_bits, absl::Span<const uint8_t> source,
               absl::Span<uint8_t> destination) {
  std::vector<int64_t> from_cols, to_cols;
  for (int64_t col = first; col < end; ++col) {
    from_cols.push_back(from.ColOffset(col));
    to_cols.push_back(to.ColOffset(col));
  }
  const int64_t bytes = element_bits / 8;
  for (int64_t row = 0; row < from.rows(); ++row) {
    const int64_t from_row = from.RowOffset(row);
    const int64_t to_row = to.RowOffset(row);
    for (int64_t i = 0; i < end - first; ++i) {
      const int64_t source_at = from_row + from_cols[i];
      const int64_t destination_at = to_row + to_cols[i];
      if (bytes == 0) {
        CopyNibble(source, source_at, destination, destination_at);
      } else {
        std::memcpy(&destination[destination_at * bytes],
                    &source[source_at * bytes], bytes);
      }
    }
  }
}

}  // namespace

int64_t BytesOfElements(int64_t elements, int element_bits) {
  MX_CHECK(element_bits == 4 || element_bits == 8 || element_bits == 16 ||
           element_bits == 32)
      << element_bits;
  // A product with the bits could overflow.
  return element_bits == 4 ? elements / 2 + elements % 2
                           : elements * (element_bits / 8);
}

Conversion::Conversion(IndexMap from, IndexMap to)
    : from_(std::move(from)), to_(std::move(to)) {}

absl::StatusOr<Conversion> Conversion::Create(IndexMap from, IndexMap to) {
  if (from.rows() != to.rows() || from.cols() != to.cols()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a layout of [", from.rows(), ", ", from.cols(),
                     "] does not convert to one of [", to.rows(), ", ",
                     to.cols(), "]: both hold the same matrix (MX-CONVERT-1)"));
  }
  return Conversion(std::move(from), std::move(to));
}

std::optional<int64_t> Conversion::Destination(int64_t offset) const {
  const std::optional<IndexMap::Index> index = from_.IndexAt(offset);
  if (!index.has_value()) return std::nullopt;
  return to_.Offset(index->row, index->col);
}

absl::Status Conversion::Apply(int element_bits,
                               absl::Span<const uint8_t> source,
                               absl::Span<uint8_t> destination) const {
  MX_RETURN_IF_ERROR(CheckSize("the source", from_, element_bits,
                               static_cast<int64_t>(source.size())));
  MX_RETURN_IF_ERROR(CheckSize("the destination", to_, element_bits,
                               static_cast<int64_t>(destination.size())));
  std::fill(destination.begin(), destination.end(), 0);
  for (int64_t col = 0; col < from_.cols(); col += kStripCols) {
    CopyStrip(from_, to_, col, std::min(from_.cols(), col + kStripCols),
              element_bits, source, destination);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> Conversion::Converted(
    int element_bits, absl::Span<const uint8_t> source) const {
  // First, since a source of a wrong size says nothing about the memory needed.
  MX_RETURN_IF_ERROR(CheckSize("the source", from_, element_bits,
                               static_cast<int64_t>(source.size())));
  std::vector<uint8_t> destination(BytesOfElements(to_.size(), element_bits));
  MX_RETURN_IF_ERROR(Apply(element_bits, source, absl::MakeSpan(destination)));
  return destination;
}

}  // namespace mxtile
