#include "tools/layout/layout_pair.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"

namespace mxtile {
namespace {

struct ScaleName {
  absl::string_view name;
  ScaleOrder order;
};

constexpr ScaleName kScaleNames[] = {
    {"nd", ScaleOrder::kND},         {"dn", ScaleOrder::kDN},
    {"zz", ScaleOrder::kZZ},         {"nn", ScaleOrder::kNN},
    {"mx-a-zz", ScaleOrder::kZZ},    {"mx-b-nn", ScaleOrder::kNN},
    {"mx-a-nd", ScaleOrder::kMxAND}, {"mx-a-dn", ScaleOrder::kMxADN},
    {"mx-b-nd", ScaleOrder::kMxBND}, {"mx-b-dn", ScaleOrder::kMxBDN},
};

constexpr absl::string_view kDataNames[] = {"nd", "nz", "nz-row-plus-one", "zn",
                                            "l0c"};

std::optional<ScaleOrder> ScaleOrderOf(absl::string_view name) {
  for (const ScaleName& scale : kScaleNames) {
    if (scale.name == name) return scale.order;
  }
  return std::nullopt;
}

bool IsDataName(absl::string_view name) {
  return std::find(std::begin(kDataNames), std::end(kDataNames), name) !=
         std::end(kDataNames);
}

std::string JoinedScaleNames() {
  return absl::StrJoin(kScaleNames, ", ",
                       [](std::string* out, const ScaleName& scale) {
                         absl::StrAppend(out, scale.name);
                       });
}

bool AreScales(const LayoutRequest& request) {
  // nd beside nd is data: of 8 bits the two are the same.
  return !IsDataName(request.from) || !IsDataName(request.to);
}

int ElementBits(const LayoutRequest& request) {
  const bool l0c = request.from == "l0c" || request.to == "l0c";
  return request.element_bits.value_or(l0c ? 32 : 8);
}

// The digits of a map, the ones of each side filled up to where the next stride
// in memory starts: so that every place has an index.
IndexMap WithPadding(const IndexMap& map) {
  std::vector<IndexMap::Digit> rows = map.row_digits();
  std::vector<IndexMap::Digit> cols = map.col_digits();
  std::vector<IndexMap::Digit*> by_stride;
  for (auto* digits : {&rows, &cols}) {
    for (IndexMap::Digit& digit : *digits) by_stride.push_back(&digit);
  }
  std::sort(by_stride.begin(), by_stride.end(),
            [](const IndexMap::Digit* a, const IndexMap::Digit* b) {
              return std::make_pair(a->stride, a->extent) <
                     std::make_pair(b->stride, b->extent);
            });
  for (size_t i = 0; i + 1 < by_stride.size(); ++i) {
    by_stride[i]->extent = by_stride[i + 1]->stride / by_stride[i]->stride;
  }
  int64_t num_rows = 1, num_cols = 1;
  for (const IndexMap::Digit& digit : rows) num_rows *= digit.extent;
  for (const IndexMap::Digit& digit : cols) num_cols *= digit.extent;
  return IndexMap(num_rows, num_cols, std::move(rows), std::move(cols));
}

void SetBoxes(PlacedLayout* layout, int64_t rows, int64_t cols,
              absl::string_view inside, absl::string_view between) {
  layout->block_rows = rows;
  layout->block_cols = cols;
  layout->boxed = true;
  layout->block_name = "box";
  layout->storage = absl::StrCat("boxes of ", rows, " x ", cols, ", ", inside,
                                 " inside; boxes ", between);
}

void SetStripes(PlacedLayout* layout, int64_t rows, int64_t cols,
                absl::string_view block_name, absl::string_view storage) {
  layout->block_rows = rows;
  layout->block_cols = cols;
  layout->boxed = false;
  layout->block_name = std::string(block_name);
  layout->storage = std::string(storage);
}

PlacedLayout Placed(absl::string_view name, int element_bits,
                    const IndexMap& map) {
  return PlacedLayout{std::string(name),
                      element_bits,
                      /*lines_are_rows=*/true,
                      map,
                      WithPadding(map),
                      /*block_rows=*/1,
                      /*block_cols=*/1,
                      /*boxed=*/false,
                      "",
                      "",
                      /*pitch=*/0,
                      "bytes"};
}

absl::StatusOr<PlacedLayout> PlaceScales(ScaleOrder order, int64_t rows,
                                         int64_t cols,
                                         std::optional<int64_t> pitch) {
  MX_ASSIGN_OR_RETURN(const ScaleLayout scale,
                      pitch.has_value()
                          ? ScaleLayout::Create(order, rows, cols, *pitch)
                          : ScaleLayout::Create(order, rows, cols));
  PlacedLayout layout = Placed(Name(order), 8, scale.map());
  layout.lines_are_rows = !GroupsAreRows(order);
  layout.pitch = scale.pitch_bytes();
  const int64_t all_rows = layout.places.rows();
  const int64_t all_cols = layout.places.cols();
  switch (order) {
    case ScaleOrder::kND:
    case ScaleOrder::kDN:
    case ScaleOrder::kMxAND:
      SetStripes(&layout, 1, all_cols, "row", "row after row");
      break;
    case ScaleOrder::kMxBDN:
      SetStripes(&layout, all_rows, 1, "column", "column after column");
      break;
    case ScaleOrder::kMxADN:
      SetStripes(&layout, all_rows, 2, "pair of columns",
                 "pairs of columns; row after row inside");
      break;
    case ScaleOrder::kMxBND:
      SetStripes(&layout, 2, all_cols, "pair of rows",
                 "pairs of rows; column after column inside");
      break;
    case ScaleOrder::kZZ:
      SetBoxes(&layout, kScaleBoxLines, 2, "row-major", "row-major");
      break;
    case ScaleOrder::kNN:
      SetBoxes(&layout, 2, kScaleBoxLines, "column-major", "column-major");
      break;
  }
  return layout;
}

absl::StatusOr<PlacedLayout> PlaceRows(int64_t rows, int64_t cols, int bits,
                                       std::optional<int64_t> pitch) {
  MX_ASSIGN_OR_RETURN(const NdLayout nd,
                      pitch.has_value()
                          ? NdLayout::Create(rows, cols, bits, *pitch)
                          : NdLayout::Create(rows, cols, bits));
  PlacedLayout layout = Placed("ND", bits, nd.map());
  SetStripes(&layout, 1, layout.places.cols(), "row", "row after row");
  layout.pitch = nd.pitch_bytes();
  return layout;
}

absl::StatusOr<NzLayout> CreateNz(absl::string_view name, int64_t rows,
                                  int64_t cols, int bits,
                                  std::optional<int64_t> pitch) {
  if (name == "nz-row-plus-one") {
    return NzLayout::CreateRowPlusOne(rows, cols, bits);
  }
  const NzOrder order = name == "nz"   ? NzOrder::kNZ
                        : name == "zn" ? NzOrder::kZN
                                       : NzOrder::kL0C;
  return pitch.has_value() ? NzLayout::Create(order, rows, cols, bits, *pitch)
                           : NzLayout::Create(order, rows, cols, bits);
}

absl::StatusOr<PlacedLayout> PlaceFractals(absl::string_view name, int64_t rows,
                                           int64_t cols, int bits,
                                           std::optional<int64_t> pitch) {
  MX_ASSIGN_OR_RETURN(const NzLayout nz,
                      CreateNz(name, rows, cols, bits, pitch));
  PlacedLayout layout =
      Placed(name == "nz-row-plus-one" ? "NZ row plus one" : Name(nz.order()),
             bits, nz.map());
  const int64_t line =
      nz.order() == NzOrder::kL0C ? kNzBoxLines : kNzBoxLineBytes * 8 / bits;
  if (nz.order() == NzOrder::kZN) {
    layout.lines_are_rows = false;
    SetBoxes(&layout, line, kNzBoxLines, "column-major", "row-major");
  } else {
    SetBoxes(&layout, kNzBoxLines, line, "row-major", "column-major");
  }
  layout.pitch = nz.pitch_lines();
  layout.pitch_unit = "lines";
  return layout;
}

absl::StatusOr<PlacedLayout> Place(const LayoutRequest& request,
                                   absl::string_view name, int64_t rows,
                                   int64_t cols, std::optional<int64_t> pitch) {
  if (AreScales(request)) {
    return PlaceScales(*ScaleOrderOf(name), rows, cols, pitch);
  }
  const int bits = ElementBits(request);
  if (name == "nd") return PlaceRows(rows, cols, bits, pitch);
  return PlaceFractals(name, rows, cols, bits, pitch);
}

}  // namespace

bool PlacedLayout::BlocksAreRowMajor() const {
  if (blocks_right() == 1) return true;
  return blocks_down() > 1 &&
         places.RowOffset(block_rows) > places.ColOffset(block_cols);
}

std::optional<int64_t> PlacedLayout::BlockOf(IndexMap::Index index) const {
  const int64_t row = index.row / block_rows, col = index.col / block_cols;
  if (row >= blocks_down() || col >= blocks_right()) return std::nullopt;
  return BlocksAreRowMajor() ? row * blocks_right() + col
                             : col * blocks_down() + row;
}

IndexMap::Index PlacedLayout::StartOfBlock(int64_t block) const {
  const bool row_major = BlocksAreRowMajor();
  const int64_t row =
      row_major ? block / blocks_right() : block % blocks_down();
  const int64_t col =
      row_major ? block % blocks_right() : block / blocks_down();
  return {row * block_rows, col * block_cols};
}

int64_t PlacedLayout::PositionInBlock(IndexMap::Index index) const {
  return places.Offset(index.row, index.col) -
         places.Offset(index.row / block_rows * block_rows,
                       index.col / block_cols * block_cols);
}

IndexMap::Index LayoutPair::ToIndex(IndexMap::Index index) const {
  if (transposed) std::swap(index.row, index.col);
  return index;
}

Conversion LayoutPair::conversion() const {
  absl::StatusOr<Conversion> conversion =
      Conversion::Create(from.map, transposed ? to.map.Transposed() : to.map);
  MX_CHECK(conversion.ok()) << conversion.status();
  return *std::move(conversion);
}

const std::vector<std::string>& LayoutNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>;
    for (const ScaleName& scale : kScaleNames) all->emplace_back(scale.name);
    for (const absl::string_view data : kDataNames) {
      if (data != "nd") all->emplace_back(data);
    }
    return all;
  }();
  return *names;
}

std::string NormalizedLayoutName(absl::string_view name) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", "-"}});
}

absl::Status CheckLayoutNames(const LayoutRequest& request) {
  for (const std::string& name : {request.from, request.to}) {
    if (!IsDataName(name) && !ScaleOrderOf(name).has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no layout '", name, "'; there are ",
                       absl::StrJoin(LayoutNames(), ", ")));
    }
  }
  const bool scales = AreScales(request);
  if (scales) {
    for (const std::string& name : {request.from, request.to}) {
      if (ScaleOrderOf(name).has_value()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--from ", request.from, " --to ", request.to,
          ": scales do not become data; scales are ", JoinedScaleNames(),
          "; data are ", absl::StrJoin(kDataNames, ", ")));
    }
  }
  if (scales && request.element_bits.value_or(8) != 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("--element-bits ", *request.element_bits,
                     ": scales have 8 bits; leave it out"));
  }
  if ((request.from == "nz-row-plus-one" && request.from_pitch.has_value()) ||
      (request.to == "nz-row-plus-one" && request.to_pitch.has_value())) {
    return absl::InvalidArgumentError(
        "nz-row-plus-one has its own pitch; give nz a pitch instead, a "
        "multiple of 16 and one more");
  }
  return absl::OkStatus();
}

absl::StatusOr<LayoutPair> MakeLayoutPair(const LayoutRequest& request) {
  MX_RETURN_IF_ERROR(CheckLayoutNames(request));
  const bool scales = AreScales(request);
  const bool transposed =
      scales && GroupsAreRows(*ScaleOrderOf(request.from)) !=
                    GroupsAreRows(*ScaleOrderOf(request.to));
  MX_ASSIGN_OR_RETURN(PlacedLayout from,
                      Place(request, request.from, request.rows, request.cols,
                            request.from_pitch));
  MX_ASSIGN_OR_RETURN(
      PlacedLayout to,
      Place(request, request.to, transposed ? request.cols : request.rows,
            transposed ? request.rows : request.cols, request.to_pitch));
  return LayoutPair{std::move(from), std::move(to), scales, transposed};
}

absl::StatusOr<std::string> ConvertBytes(const LayoutPair& pair,
                                         absl::string_view bytes) {
  const absl::Span<const uint8_t> source(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  MX_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> converted,
      pair.conversion().Converted(pair.from.element_bits, source));
  return std::string(converted.begin(), converted.end());
}

}  // namespace mxtile
