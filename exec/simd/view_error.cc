#include "exec/simd/view_error.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

constexpr absl::string_view kPlacePayload = "mxtile.exec.simd.place";

}  // namespace

absl::Status LeftViewError(const TileProgram& program, const Op& op,
                           absl::string_view window) {
  const View& view = program.views[op.view];
  absl::Status status = absl::OutOfRangeError(
      absl::StrCat(op.place, op.place.empty() ? "" : ": ",
                   op.kind == OpKind::kLoad ? "load" : "store", " of view ",
                   view.name, ": ", window.empty() ? "a window" : window,
                   " leaves the view [", absl::StrJoin(view.shape, ", "), "]"));
  status.SetPayload(kPlacePayload, absl::Cord(op.place));
  return status;
}

std::string PlaceOf(const absl::Status& status) {
  const absl::optional<absl::Cord> place = status.GetPayload(kPlacePayload);
  return place.has_value() ? std::string(*place) : std::string();
}

std::string MessageWithoutPlace(const absl::Status& status) {
  absl::string_view message = status.message();
  const std::string place = PlaceOf(status);
  if (!place.empty()) absl::ConsumePrefix(&message, place + ": ");
  return std::string(message);
}

}  // namespace mxtile::exec::simd
