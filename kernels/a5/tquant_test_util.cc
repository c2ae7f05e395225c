#include "kernels/a5/tquant_test_util.h"

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_test_util.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

GroupTile Groups(GroupForm form, TestTile& tile) {
  switch (form) {
    case GroupForm::kFlat:
      return FlatGroupTile{tile.view()};
    case GroupForm::kInterleaved:
      return InterleavedGroupTile{tile.view()};
    case GroupForm::k2d:
      break;
  }
  return tile.view();
}

GroupForm ScratchForm(GroupForm form) {
  return form == GroupForm::kFlat ? form : GroupForm::k2d;
}

// Fresh tiles of the outputs, with the bytes that UbArena gives them.
struct QuantOutputs {
  explicit QuantOutputs(const QuantCase& c)
      : dst(c.dst), exp(c.exp), max(c.scratch), scaling(c.scratch) {}
  TestTile dst, exp, max, scaling;
};
static_assert(TestTile::kUnset == UbArena::kUnset);

QuantOutputs Reference(const QuantCase& c, const TestTile& src) {
  QuantOutputs outputs(c);
  EXPECT_THAT(
      mxtile::TQuant(c.options, {outputs.dst.view(), src.const_view(),
                                 Groups(c.form, outputs.exp),
                                 Groups(ScratchForm(c.form), outputs.max),
                                 Groups(ScratchForm(c.form), outputs.scaling)}),
      IsOk());
  return outputs;
}

// The valid elements of the source, which the kernel only reads.
std::vector<uint32_t> CodesIn(const std::vector<uint8_t>& bytes,
                              const TileType& type) {
  const ElementReader reader = *ElementReader::Create({type, bytes});
  std::vector<uint32_t> codes;
  for (int64_t row = 0; row < type.valid_rows; ++row) {
    for (int64_t col = 0; col < type.valid_cols; ++col) {
      codes.push_back(reader.Code(row, col));
    }
  }
  return codes;
}

TileType GroupType(ElementFormat format, const TQuantOptions& options,
                   const TileType& src, GroupForm form) {
  if (form == GroupForm::kFlat) {
    const GroupShape groups = ShapeOfFlatGroups(src);
    return FullTile(format, 1, groups.rows * groups.cols);
  }
  const GroupShape groups = ShapeOfGroups(options.axis, src);
  TileType type = FullTile(format, groups.rows, groups.cols);
  if (options.axis == GroupAxis::kAxis0) type.pitch = RoundUp(groups.cols, 32);
  return type;
}

}  // namespace

std::string ToString(const QuantCase& c) {
  return absl::StrCat("axis ", static_cast<int>(c.options.axis), " rule ",
                      static_cast<int>(c.options.rule), " form ",
                      static_cast<int>(c.form), " src ", ToString(c.src),
                      " dst ", ToString(c.dst), " exp ", ToString(c.exp),
                      " scratch ", ToString(c.scratch));
}

QuantCase WholeTileCase(const TQuantOptions& options, const TileType& src,
                        GroupForm form) {
  TileType dst = src;
  dst.format = options.format;
  return {options,
          src,
          dst,
          form,
          GroupType(ElementFormat::kF8E8M0FNU, options, src, form),
          GroupType(src.format, options, src, form)};
}

void ExpectModelEqualsReference(const QuantCase& c, const TestTile& src,
                                PathCounts* paths) {
  const QuantOutputs expected = Reference(c, src);
  Machine machine;
  VectorUnit unit(machine);
  UbArena arena(machine, unit);
  const UbTile ub_src = arena.Place("src", src.const_view());
  const UbTile dst = arena.Place("dst", c.dst);
  const UbTile exp = arena.Place("exp", c.exp);
  const UbTile max = arena.Place("max", c.scratch);
  const UbTile scaling = arena.Place("scaling", c.scratch);
  const GroupForm scratch_form = ScratchForm(c.form);
  EXPECT_THAT(TQuant(unit, c.options,
                     {dst,
                      ub_src,
                      {exp, c.form},
                      {max, scratch_form},
                      {scaling, scratch_form}},
                     paths),
              IsOk());
  EXPECT_THAT(unit.Finish(), IsOk());
  EXPECT_EQ(arena.Bytes(dst), expected.dst.bytes());
  EXPECT_EQ(arena.Bytes(exp), expected.exp.bytes());
  EXPECT_EQ(arena.Bytes(max), expected.max.bytes());
  EXPECT_EQ(arena.Bytes(scaling), expected.scaling.bytes());
  EXPECT_EQ(CodesIn(arena.Bytes(ub_src), c.src), src.Codes());
  arena.ExpectGuardsUntouched();
}

}  // namespace a5
}  // namespace mxtile
