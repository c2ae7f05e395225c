#include "layouts/layout_test_util.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "layouts/index_map.h"
#include "layouts/mx/flat_exponents.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"

namespace mxtile {
namespace {

using Storage = LayoutCase::Storage;

LayoutCase ScaleCase(ScaleOrder order, Storage storage, bool lines_are_cols) {
  LayoutCase layout;
  layout.name = absl::StrCat("Scale", Name(order));
  layout.storage = storage;
  layout.unit = 1;
  layout.lines_are_cols = lines_are_cols;
  layout.needs_pairs = order != ScaleOrder::kND && order != ScaleOrder::kDN;
  layout.create = [order](int64_t rows,
                          int64_t cols) -> absl::StatusOr<IndexMap> {
    MX_ASSIGN_OR_RETURN(const ScaleLayout scale,
                        ScaleLayout::Create(order, rows, cols));
    return scale.map();
  };
  return layout;
}

LayoutCase FlatCase() {
  LayoutCase layout;
  layout.name = "FlatExponents";
  layout.storage = Storage::kLines;
  layout.unit = 4;
  layout.lines_are_cols = false;
  layout.create = [](int64_t rows, int64_t cols) -> absl::StatusOr<IndexMap> {
    MX_ASSIGN_OR_RETURN(const FlatExponents flat,
                        FlatExponents::Create(rows, 32 * cols - rows % 32,
                                              (cols + 3) / 4 * 128));
    return flat.map();
  };
  return layout;
}

LayoutCase NdCase(int bits) {
  LayoutCase layout;
  layout.name = absl::StrCat("ND_", bits);
  layout.storage = Storage::kLines;
  layout.unit = bits == 4 ? 2 : 1;
  layout.lines_are_cols = false;
  layout.create = [bits](int64_t rows,
                         int64_t cols) -> absl::StatusOr<IndexMap> {
    MX_ASSIGN_OR_RETURN(const NdLayout nd, NdLayout::Create(rows, cols, bits));
    return nd.map();
  };
  return layout;
}

LayoutCase FractalCase(NzOrder order, int bits, bool row_plus_one) {
  LayoutCase layout;
  layout.name =
      absl::StrCat(Name(order), row_plus_one ? "RowPlusOne" : "", "_", bits);
  layout.storage = row_plus_one ? Storage::kSpacedStrips : Storage::kFractals;
  layout.unit = order == NzOrder::kL0C ? 16 : 256 / bits;
  layout.lines_are_cols = order == NzOrder::kZN;
  layout.create = [=](int64_t rows, int64_t cols) -> absl::StatusOr<IndexMap> {
    MX_ASSIGN_OR_RETURN(const NzLayout nz,
                        row_plus_one
                            ? NzLayout::CreateRowPlusOne(rows, cols, bits)
                            : NzLayout::Create(order, rows, cols, bits));
    return nz.map();
  };
  return layout;
}

}  // namespace

bool LayoutCase::IsLegal(int64_t rows, int64_t cols) const {
  return !needs_pairs || (lines_are_cols ? rows : cols) % 2 == 0;
}

IndexMap LayoutCase::Map(int64_t rows, int64_t cols) const {
  absl::StatusOr<IndexMap> map = create(rows, cols);
  MX_CHECK(map.ok()) << map.status();
  return *map;
}

std::vector<LayoutCase> AllLayouts() {
  std::vector<LayoutCase> layouts = {
      ScaleCase(ScaleOrder::kND, Storage::kLines, false),
      ScaleCase(ScaleOrder::kDN, Storage::kLines, false),
      ScaleCase(ScaleOrder::kZZ, Storage::kScaleBoxes, false),
      ScaleCase(ScaleOrder::kNN, Storage::kScaleBoxes, true),
      ScaleCase(ScaleOrder::kMxAND, Storage::kLines, false),
      ScaleCase(ScaleOrder::kMxADN, Storage::kPairs, false),
      ScaleCase(ScaleOrder::kMxBND, Storage::kPairs, true),
      ScaleCase(ScaleOrder::kMxBDN, Storage::kLines, true),
      FlatCase(),
      FractalCase(NzOrder::kL0C, 32, false),
  };
  for (const int bits : {4, 8, 16, 32}) {
    layouts.push_back(NdCase(bits));
    layouts.push_back(FractalCase(NzOrder::kNZ, bits, false));
    layouts.push_back(FractalCase(NzOrder::kNZ, bits, true));
    layouts.push_back(FractalCase(NzOrder::kZN, bits, false));
  }
  return layouts;
}

bool SameOffsets(const IndexMap& a, const IndexMap& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (int64_t row = 0; row < a.rows(); ++row) {
    if (a.RowOffset(row) != b.RowOffset(row)) return false;
  }
  for (int64_t col = 0; col < a.cols(); ++col) {
    if (a.ColOffset(col) != b.ColOffset(col)) return false;
  }
  return true;
}

}  // namespace mxtile
