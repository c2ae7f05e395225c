#ifndef KERNELS_HOST_PANEL_PIECES_H_
#define KERNELS_HOST_PANEL_PIECES_H_

// A matrix larger than memory, panel by panel: a panel of rows has a layout of
// its own, and its bytes are pieces of the whole matrix's in a regular pattern.
//
//   // Rows 512 .. 1023 of `whole`, whose bytes lie in a file:
//   MX_ASSIGN_OR_RETURN(const Panel panel, PanelOf(whole, {512, 1024}));
//   std::vector<uint8_t> data(panel.layout.data_size_bytes());
//   std::vector<uint8_t> scales(panel.layout.scale_size_bytes());
//   MX_RETURN_IF_ERROR(QuantizeRows(panel.layout, rule, source, {0, 512},
//                                   {absl::MakeSpan(data), ...}));
//   for (int64_t i = 0; i < panel.data.count; ++i) {
//     write panel.data.size_bytes bytes
//       of `data`   from i * panel.data.size_bytes
//       to the file at panel.data.first + i * panel.data.stride_bytes
//   }
//
// The panels of a matrix cover its bytes, padding included, without overlap.
//
//   data ND                   one piece       NZ  one for each 32 bytes of
//   columns scales of groups in rows  one piece, in MX_A_DN and MX_B_ND one for
//   each
//                             pair of groups
//   scales of groups in       one piece, in ZZ and NN one for each 16 lines, in
//   columns                   MX_A_ND and MX_B_DN one for each line

#include <cstdint>

#include "absl/status/statusor.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"

namespace mxtile::host {

// Panels but the last are made of so many rows: whole boxes of data and of
// scales, whole pairs of groups.
inline constexpr int64_t kPanelUnit = 64;

struct Pieces {
  int64_t count = 0;
  int64_t size_bytes = 0;
  // In the bytes of the whole matrix. In the panel's they follow each other.
  int64_t first = 0;
  int64_t stride_bytes = 0;
};

struct Panel {
  QuantizedLayout layout;
  Pieces data;
  Pieces scales;
};

// MX-HOST-7 (kInvalidArgument): the panel lies in the matrix, begins at a
// multiple of kPanelUnit and ends at one or with the matrix.
absl::StatusOr<Panel> PanelOf(const QuantizedLayout& whole, RowRange rows);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_PANEL_PIECES_H_
