#include "layouts/index_map.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace mxtile {
namespace {

int64_t Product(const std::vector<IndexMap::Digit>& digits) {
  int64_t product = 1;
  for (const IndexMap::Digit& digit : digits) product *= digit.extent;
  return product;
}

int64_t Place(const std::vector<IndexMap::Digit>& digits, int64_t index) {
  int64_t offset = 0;
  for (const IndexMap::Digit& digit : digits) {
    offset += index % digit.extent * digit.stride;
    index /= digit.extent;
  }
  return offset;
}

}  // namespace

IndexMap::IndexMap(int64_t rows, int64_t cols, std::vector<Digit> row_digits,
                   std::vector<Digit> col_digits)
    : rows_(rows),
      cols_(cols),
      row_digits_(std::move(row_digits)),
      col_digits_(std::move(col_digits)) {
  MX_CHECK(rows >= 1 && rows <= Product(row_digits_)) << rows;
  MX_CHECK(cols >= 1 && cols <= Product(col_digits_)) << cols;
  for (const bool of_row : {true, false}) {
    int64_t divisor = 1;
    for (const Digit& digit : of_row ? row_digits_ : col_digits_) {
      MX_CHECK(digit.extent >= 1 && digit.stride >= 1);
      if (digit.extent > 1) by_stride_.push_back({digit, of_row, divisor});
      divisor *= digit.extent;
    }
  }
  std::sort(by_stride_.begin(), by_stride_.end(),
            [](const PlacedDigit& a, const PlacedDigit& b) {
              return a.digit.stride > b.digit.stride;
            });
  std::vector<Digit> digits = row_digits_;
  digits.insert(digits.end(), col_digits_.begin(), col_digits_.end());
  MX_CHECK(AreNested(digits)) << "digits of [" << rows << ", " << cols << "]";
}

bool IndexMap::AreNested(std::vector<Digit> digits) {
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
  int64_t reach = 0;
  for (const Digit& digit : digits) {
    if (digit.extent == 1) continue;
    if (digit.stride <= reach) return false;
    reach += (digit.extent - 1) * digit.stride;
  }
  return true;
}

int64_t IndexMap::size() const {
  int64_t size = 1;
  for (const std::vector<Digit>* digits : {&row_digits_, &col_digits_}) {
    for (const Digit& digit : *digits) {
      size = std::max(size, digit.extent * digit.stride);
    }
  }
  return size;
}

int64_t IndexMap::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows_ && col >= 0 && col < cols_)
      << "(" << row << ", " << col << ") is outside of [" << rows_ << ", "
      << cols_ << "]";
  return Place(row_digits_, row) + Place(col_digits_, col);
}

int64_t IndexMap::RowOffset(int64_t row) const {
  MX_CHECK(row >= 0 && row < rows_) << row << " of " << rows_ << " rows";
  return Place(row_digits_, row);
}

int64_t IndexMap::ColOffset(int64_t col) const {
  MX_CHECK(col >= 0 && col < cols_) << col << " of " << cols_ << " columns";
  return Place(col_digits_, col);
}

std::optional<IndexMap::Index> IndexMap::IndexAt(int64_t offset) const {
  MX_CHECK(offset >= 0 && offset < size()) << offset;
  Index index = {0, 0};
  for (const PlacedDigit& placed : by_stride_) {
    const int64_t value = offset / placed.digit.stride;
    if (value >= placed.digit.extent) return std::nullopt;
    offset -= value * placed.digit.stride;
    (placed.of_row ? index.row : index.col) += value * placed.divisor;
  }
  if (offset != 0 || index.row >= rows_ || index.col >= cols_) {
    return std::nullopt;
  }
  return index;
}

IndexMap IndexMap::Transposed() const {
  return IndexMap(cols_, rows_, col_digits_, row_digits_);
}

}  // namespace mxtile
