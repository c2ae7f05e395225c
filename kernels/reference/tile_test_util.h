#ifndef KERNELS_REFERENCE_TILE_TEST_UTIL_H_
#define KERNELS_REFERENCE_TILE_TEST_UTIL_H_

// Tiles with memory of their own, for tests.
//
//   TestTile src = TestTile::OfValues(type, values);  // row-major, valid
//   region TestTile dst(FullTile(ElementFormat::kF8E4M3FN, 32, 64));
//   ... TQuant(..., {dst.view(), src.const_view(), ...}) ...
//   EXPECT_EQ(dst.bytes(), expected.bytes());
//
// Bytes that nobody has set are kUnset, so that a test that compares all bytes
// sees what was written and what was not.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "kernels/tile_view.h"

namespace mxtile {

class TestTile {
 public:
  static constexpr uint8_t kUnset = 0xA5;

  // `type` is legal.
  explicit TestTile(const TileType& type);

  // The valid region holds these codes (values, which the format has), row by
  // row.
  static TestTile OfCodes(const TileType& type,
                          absl::Span<const uint32_t> codes);
  static TestTile OfValues(const TileType& type,
                           absl::Span<const float> values);

  const TileType& type() const { return type_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  TileView view() { return {type_, absl::MakeSpan(bytes_)}; }
  ConstTileView const_view() const { return {type_, bytes_}; }

  void SetCode(int64_t row, int64_t col, uint32_t code);
  // The codes (values) of the valid region, row by row.
  std::vector<uint32_t> Codes() const;
  std::vector<float> Values() const;

 private:
  TileType type_;
  std::vector<uint8_t> bytes_;
};

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_TILE_TEST_UTIL_H_
