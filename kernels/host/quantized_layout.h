#ifndef KERNELS_HOST_QUANTIZED_LAYOUT_H_
#define KERNELS_HOST_QUANTIZED_LAYOUT_H_

// Where the codes and the scales of a quantised matrix lie: its padded shape,
// one data layout and one scale layout, and how many bytes each takes.
//
//   // Left operand A [M, K] = [100, 4000] as the cube reads it.
//   QuantizedForm form;
//   form.data_order = DataOrder::kNZ;
//   form.scale_order = ScaleOrder::kZZ;
//   MX_ASSIGN_OR_RETURN(const QuantizedLayout layout,
//                       QuantizedLayout::Create(/*rows=*/100, /*cols=*/4000,
//                                               form));
//   layout.padded_rows() == 112       // M to 16
//   layout.padded_cols() == 4032      // K to 64, two groups
//   layout.data_size_bytes() == 112 * 4032
//   layout.scale_size_bytes() == 112 * 126
//
// A matrix is quantised as if it were padded with +0 to the padded shape: codes
// 0, and scales 0 of groups that hold nothing else. No byte of a layout is left
// undefined.
//
// Scales form a matrix [lines, groups]. Along axis 1 the lines are the rows of
// the source, along axis 0 its columns; groups are its other side / 32.
//
//   axis  source                  lines    scale orders
//   1     A [M, K], or B^T [N, K] rows     ND, ZZ, NN, MX_A_*, MX_B_*
//   0     B [K, N], or A^T [K, M] columns  DN, ZZ, NN, MX_A_*, MX_B_*
//
// ND and DN are what TQUANT writes along axis 1 and axis 0; for the other axis
// they would mean another order, which MX_B_DN (n*G + g) and MX_A_ND (m*G + g)
// name. ZZ and NN are the same bytes (layouts/mx/scale_layout.h), so that both
// serve either axis: TQUANT DN -> ZZ is axis 0 with ZZ.
//
// The least padded shape is made of
//
//   the axis of the groups   a multiple of 32; of 64, an even number of groups,
//                            in every scale order but ND and DN
//   the lines                a multiple of 16 in ZZ and NN
//   NZ                       rows a multiple of 16, columns of 32 bytes
//   4-bit elements           an even number of columns
//
// and PaddedForCube says what the cube wants besides.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/group_axis.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"

namespace mxtile::host {

// Row-major, or boxes of 16 rows by 32 bytes (layouts/nz/nz_layout.h).
enum class DataOrder { kND, kNZ };
inline constexpr DataOrder kDataOrders[] = {DataOrder::kND, DataOrder::kNZ};

// "ND", "NZ".
absl::string_view Name(DataOrder order);

struct Extents {
  int64_t rows = 0;
  int64_t cols = 0;
};

struct QuantizedForm {
  ElementFormat format = ElementFormat::kF8E4M3FN;
  GroupAxis axis = GroupAxis::kAxis1;
  DataOrder data_order = DataOrder::kND;
  ScaleOrder scale_order = ScaleOrder::kND;
  // Pads at least to this; {0, 0} is the least padded shape.
  Extents padded;
};

// Whether the order is in the row of the axis in the table above.
bool IsScaleOrderOf(GroupAxis axis, ScaleOrder order);

// The operand of the cube that a matrix becomes.
enum class CubeOperand { kA, kB };

// The shape that the cube's operands are padded to: M to 16, K to 64, N to 32
// with 8-bit and to 64 with 4-bit elements (pto_layouts, 11). K is along the
// axis, so that an operand A along axis 0 is stored as [K, M], an operand B
// along axis 1 as [N, K].
Extents PaddedForCube(CubeOperand operand, GroupAxis axis, ElementFormat format,
                      Extents extents);

// The byte of something that lies in a regular pattern: strides in bytes.
//
//   data, row r and byte c of it       r * line + (c / 32) * chunk + c % 32
//   scales, line l and group g         (l / 16) * box + (l % 16) * line +
//                                      (g / 2) * pair + (g % 2) * group
struct DataStrides {
  int64_t line;
  int64_t chunk;
};
struct ScaleStrides {
  int64_t box;
  int64_t line;
  int64_t pair;
  int64_t group;
};

class QuantizedLayout {
 public:
  // Errors (kInvalidArgument):
  //   MX-HOST-1  the format is one of MX data: f8E4M3FN, f8E5M2, f4E2M1FN,
  //              f4E1M2;
  //   MX-HOST-2  extents, also those to pad to, are at most kMaxExtent; rows
  //              and columns are 1 or more;
  //   MX-HOST-3  the scale order is one of the axis.
  static absl::StatusOr<QuantizedLayout> Create(int64_t rows, int64_t cols,
                                                const QuantizedForm& form);

  static constexpr int64_t kMaxExtent = int64_t{1} << 28;

  const QuantizedForm& form() const { return form_; }
  ElementFormat format() const { return form_.format; }
  GroupAxis axis() const { return form_.axis; }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t padded_rows() const { return padded_rows_; }
  int64_t padded_cols() const { return padded_cols_; }
  // Of the padded matrix.
  int64_t lines() const;
  int64_t groups() const;

  int64_t data_size_bytes() const { return data_size_bytes_; }
  int64_t scale_size_bytes() const { return scale_size_bytes_; }

  const DataStrides& data_strides() const { return data_strides_; }
  const ScaleStrides& scale_strides() const { return scale_strides_; }

  // In bytes; the byte of a 4-bit element holds two, the even column low.
  int64_t DataOffset(int64_t row, int64_t col) const;
  int64_t ScaleOffset(int64_t line, int64_t group) const;

 private:
  QuantizedLayout() = default;

  QuantizedForm form_;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  int64_t padded_rows_ = 0;
  int64_t padded_cols_ = 0;
  int64_t data_size_bytes_ = 0;
  int64_t scale_size_bytes_ = 0;
  DataStrides data_strides_ = {};
  ScaleStrides scale_strides_ = {};
};

}  // namespace mxtile::host

#endif  // KERNELS_HOST_QUANTIZED_LAYOUT_H_
