#include "kernels/tile_view.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/tile_layout.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nz/nz_layout.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

constexpr int64_t kMaxExtent = int64_t{1} << 29;

bool IsScaleLayout(TileLayout layout) {
  return layout == TileLayout::kZz || layout == TileLayout::kNn;
}

absl::Status Fault(const TileType& type, absl::string_view fault,
                   absl::string_view rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("tile ", ToString(type), ": ", fault, " (", rule, ")"));
}

absl::Status CheckShape(const TileType& type) {
  if (type.rows < 1 || type.cols < 1 || type.rows > kMaxExtent ||
      type.cols > kMaxExtent || type.valid_rows < 1 ||
      type.valid_rows > type.rows || type.valid_cols < 1 ||
      type.valid_cols > type.cols) {
    return Fault(type,
                 absl::StrCat("the valid region must not be empty and lie in "
                              "the shape, whose extents are at most ",
                              kMaxExtent),
                 "TILE-VIEW-1");
  }
  if (type.layout != TileLayout::kNd &&
      IsScaleLayout(type.layout) !=
          (type.format == ElementFormat::kF8E8M0FNU)) {
    return Fault(type,
                 "ZZ and NN are layouts of f8E8M0FNU scales, NZ and ZN of data",
                 "TILE-VIEW-3");
  }
  return absl::OkStatus();
}

absl::StatusOr<IndexMap> RowMajorMap(const TileType& type) {
  const int64_t nibbles = BitWidth(type.format) / 4;
  int64_t pitch = type.pitch == 0 ? type.cols : type.pitch;
  if (pitch < type.cols || pitch > kMaxExtent || pitch * nibbles % 2 != 0) {
    return Fault(type,
                 absl::StrCat("a pitch of ", pitch, " elements; it must be ",
                              nibbles == 1 ? "even and " : "", "in ", type.cols,
                              " .. ", kMaxExtent),
                 "TILE-VIEW-2");
  }
  return IndexMap(type.rows, type.cols, {{type.rows, pitch}}, {{type.cols, 1}});
}

absl::StatusOr<IndexMap> FractalMap(const TileType& type) {
  const NzOrder order =
      type.layout == TileLayout::kNz ? NzOrder::kNZ : NzOrder::kZN;
  const int bits = BitWidth(type.format);
  const absl::StatusOr<NzLayout> layout =
      type.pitch == 0
          ? NzLayout::Create(order, type.rows, type.cols, bits)
          : NzLayout::Create(order, type.rows, type.cols, bits, type.pitch);
  if (!layout.ok()) {
    return Fault(type, layout.status().message(), "TILE-VIEW-2");
  }
  return layout->map();
}

absl::StatusOr<IndexMap> BoxMap(const TileType& type) {
  const ScaleOrder order =
      type.layout == TileLayout::kZz ? ScaleOrder::kZZ : ScaleOrder::kNN;
  MX_ASSIGN_OR_RETURN(const ScaleLayout dense,
                      ScaleLayout::Create(order, type.rows, type.cols));
  if (type.pitch == 0) return dense.map();
  const absl::StatusOr<ScaleLayout> layout =
      ScaleLayout::Create(order, type.rows, type.cols, type.pitch);
  if (!layout.ok()) {
    return Fault(type, layout.status().message(), "TILE-VIEW-2");
  }
  return layout->map();
}

absl::Status CheckBytes(absl::string_view name, ElementFormat format,
                        const IndexMap& map, int64_t bytes) {
  const int64_t needed = BytesOfElements(map.size(), BitWidth(format));
  if (bytes >= needed) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": it takes ", needed,
                                                 " bytes, but its view has ",
                                                 bytes, " (TILE-VIEW-4)"));
}

bool Overlap(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b) {
  // Pointers into different arrays are ordered by std::less only.
  const std::less<const uint8_t*> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

}  // namespace

bool operator==(const TileType& a, const TileType& b) {
  return a.format == b.format && a.rows == b.rows && a.cols == b.cols &&
         a.valid_rows == b.valid_rows && a.valid_cols == b.valid_cols &&
         a.layout == b.layout && a.pitch == b.pitch;
}

TileType FullTile(ElementFormat format, int64_t rows, int64_t cols,
                  TileLayout layout) {
  return {format, rows, cols, rows, cols, layout, /*pitch=*/0};
}

std::string ToString(const TileType& type) {
  std::string text = absl::StrCat(Name(type.format), " ", Name(type.layout),
                                  " [", type.rows, ", ", type.cols, "]");
  if (type.valid_rows != type.rows || type.valid_cols != type.cols) {
    absl::StrAppend(&text, " valid [", type.valid_rows, ", ", type.valid_cols,
                    "]");
  }
  if (type.pitch != 0) absl::StrAppend(&text, " pitch ", type.pitch);
  return text;
}

absl::StatusOr<IndexMap> TileMap(const TileType& type) {
  MX_RETURN_IF_ERROR(CheckShape(type));
  switch (type.layout) {
    case TileLayout::kNd:
      return RowMajorMap(type);
    case TileLayout::kNz:
    case TileLayout::kZn:
      return FractalMap(type);
    case TileLayout::kZz:
    case TileLayout::kNn:
      return BoxMap(type);
  }
  return absl::InternalError("a tile layout without a map");
}

absl::StatusOr<int64_t> TileBytes(const TileType& type) {
  MX_ASSIGN_OR_RETURN(const IndexMap map, TileMap(type));
  return BytesOfElements(map.size(), BitWidth(type.format));
}

ElementReader::ElementReader(ElementFormat format, IndexMap map,
                             absl::Span<const uint8_t> bytes)
    : format_(format), map_(std::move(map)), bytes_(bytes) {}

absl::StatusOr<ElementReader> ElementReader::Create(
    absl::string_view name, ElementFormat format, IndexMap map,
    absl::Span<const uint8_t> bytes) {
  MX_RETURN_IF_ERROR(CheckBytes(name, format, map, bytes.size()));
  return ElementReader(format, std::move(map), bytes);
}

absl::StatusOr<ElementReader> ElementReader::Create(const ConstTileView& view) {
  MX_ASSIGN_OR_RETURN(IndexMap map, TileMap(view.type));
  return Create(absl::StrCat("tile ", ToString(view.type)), view.type.format,
                std::move(map), view.bytes);
}

uint32_t ElementReader::Code(int64_t row, int64_t col) const {
  const int64_t offset = map_.Offset(row, col);
  const int bits = BitWidth(format_);
  if (bits == 4) return bytes_[offset / 2] >> (offset % 2 * 4) & 0xF;
  uint32_t code = 0;
  for (int i = bits / 8 - 1; i >= 0; --i) {
    code = code << 8 | bytes_[offset * (bits / 8) + i];
  }
  return code;
}

ElementWriter::ElementWriter(ElementFormat format, IndexMap map,
                             absl::Span<uint8_t> bytes)
    : format_(format), map_(std::move(map)), bytes_(bytes) {}

absl::StatusOr<ElementWriter> ElementWriter::Create(absl::string_view name,
                                                    ElementFormat format,
                                                    IndexMap map,
                                                    absl::Span<uint8_t> bytes) {
  MX_RETURN_IF_ERROR(CheckBytes(name, format, map, bytes.size()));
  return ElementWriter(format, std::move(map), bytes);
}

absl::StatusOr<ElementWriter> ElementWriter::Create(const TileView& view) {
  MX_ASSIGN_OR_RETURN(IndexMap map, TileMap(view.type));
  return Create(absl::StrCat("tile ", ToString(view.type)), view.type.format,
                std::move(map), view.bytes);
}

void ElementWriter::SetCode(int64_t row, int64_t col, uint32_t code) const {
  const int64_t offset = map_.Offset(row, col);
  const int bits = BitWidth(format_);
  if (bits == 4) {
    uint8_t& byte = bytes_[offset / 2];
    const int shift = static_cast<int>(offset % 2 * 4);
    byte =
        static_cast<uint8_t>((byte & ~(0xF << shift)) | (code & 0xF) << shift);
    return;
  }
  for (int i = 0; i < bits / 8; ++i) {
    bytes_[offset * (bits / 8) + i] = static_cast<uint8_t>(code >> (8 * i));
  }
}

absl::Status CheckDisjoint(absl::string_view kernel,
                           absl::Span<const NamedTile> tiles) {
  for (size_t i = 0; i < tiles.size(); ++i) {
    for (size_t j = i + 1; j < tiles.size(); ++j) {
      if (!Overlap(tiles[i].view.bytes, tiles[j].view.bytes)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          kernel, ": the tiles '", tiles[i].name, "' and '", tiles[j].name,
          "' share bytes; each needs memory of its own (TILE-VIEW-5)"));
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile
