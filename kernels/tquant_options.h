#ifndef KERNELS_TQUANT_OPTIONS_H_
#define KERNELS_TQUANT_OPTIONS_H_

// What a TQUANT does, and which tiles it takes: the same for the reference and
// for the A5 model.
//
//   const TQuantOptions options = {GroupAxis::kAxis0, ScaleRule::kOcp,
//                                  ElementFormat::kF8E4M3FN};
//   MX_RETURN_IF_ERROR(CheckTQuant(options, types));

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {

struct TQuantOptions {
  GroupAxis axis;
  ScaleRule rule;
  ElementFormat format;
  // Accepts what the A5's TQUANT does not have: f8E5M2, and f4E2M1FN from f32.
  bool extensions = false;
};

struct GroupTileType {
  TileType tile;
  GroupForm form;
};

struct TQuantTypes {
  TileType dst;
  TileType src;
  GroupTileType exp;
  GroupTileType max;
  GroupTileType scaling;
};

// Errors (kInvalidArgument):
//   MX-QUANT-1   the format is f8E4M3FN, f8E5M2 or f4E2M1FN;
//   MX-QUANT-3   the allocated columns, for axis 0 also the rows, are a
//                multiple of 32;
//   MX-QUANT-4   the source is row-major f32, bf16 or f16; an extension is
//                asked for;
//   MX-QUANT-5   dst is row-major, of that format, with the shape and the valid
//                region of the source;
//   MX-QUANT-6   exponents are f8E8M0FNU, maxima and scalings f32 or of the
//                source's format, and not interleaved;
// and, of the tiles of groups, MX-GROUP-1 to 3.
absl::Status CheckTQuant(const TQuantOptions& options,
                         const TQuantTypes& types);

// The parts of it that dequantising shares.
absl::Status CheckQuantizedFormat(ElementFormat format);
absl::Status CheckGroupExtents(GroupAxis axis, const TileType& data);
// MX-QUANT-5: `tile` holds an element for each of `like`.
absl::Status CheckSameShape(absl::string_view role, const TileType& tile,
                            ElementFormat format, const TileType& like);
absl::Status CheckExponentFormat(const TileType& tile);

}  // namespace mxtile

#endif  // KERNELS_TQUANT_OPTIONS_H_
