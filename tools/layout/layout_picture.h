#ifndef TOOLS_LAYOUT_LAYOUT_PICTURE_H_
#define TOOLS_LAYOUT_LAYOUT_PICTURE_H_

// Two layouts of a matrix as a picture, an SVG file: both matrices as grids,
// coloured by the blocks of memory of the one that has boxes, numbered in the
// order of memory; the order inside one block as an arrow; one element and
// where it goes; padding hatched. Of a large matrix some blocks are shown, and
// the picture says so.
//
//   MX_ASSIGN_OR_RETURN(const LayoutPair pair, MakeLayoutPair(request));
//   WriteFileAtomically("pic.svg", LayoutPicture(pair, std::nullopt));
//
// The file has its own background and takes no font from elsewhere; the same
// layouts give the same bytes.

#include <optional>
#include <string>

#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"

namespace mxtile {

// `element` is an index inside of pair.from; without one, a telling one.
std::string LayoutPicture(const LayoutPair& pair,
                          std::optional<IndexMap::Index> element);

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_LAYOUT_PICTURE_H_
