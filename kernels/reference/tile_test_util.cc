#include "kernels/reference/tile_test_util.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile {

TestTile::TestTile(const TileType& type)
    : type_(type), bytes_(*TileBytes(type), kUnset) {}

TestTile TestTile::OfCodes(const TileType& type,
                           absl::Span<const uint32_t> codes) {
  MX_CHECK(codes.size() == type.valid_rows * type.valid_cols) << codes.size();
  TestTile tile(type);
  const ElementWriter writer = *ElementWriter::Create(tile.view());
  const uint32_t* code = codes.data();
  for (int64_t row = 0; row < type.valid_rows; ++row) {
    for (int64_t col = 0; col < type.valid_cols; ++col) {
      writer.SetCode(row, col, *code++);
    }
  }
  return tile;
}

TestTile TestTile::OfValues(const TileType& type,
                            absl::Span<const float> values) {
  std::vector<uint32_t> codes;
  for (const float value : values) {
    codes.push_back(Encode(type.format, value, Overflow::kSpecial));
  }
  return OfCodes(type, codes);
}

void TestTile::SetCode(int64_t row, int64_t col, uint32_t code) {
  ElementWriter::Create(view())->SetCode(row, col, code);
}

std::vector<uint32_t> TestTile::Codes() const {
  const ElementReader reader = *ElementReader::Create(const_view());
  std::vector<uint32_t> codes;
  for (int64_t row = 0; row < type_.valid_rows; ++row) {
    for (int64_t col = 0; col < type_.valid_cols; ++col) {
      codes.push_back(reader.Code(row, col));
    }
  }
  return codes;
}

std::vector<float> TestTile::Values() const {
  std::vector<float> values;
  for (const uint32_t code : Codes()) {
    values.push_back(Decode(type_.format, code));
  }
  return values;
}

}  // namespace mxtile
