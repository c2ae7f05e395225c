#include "exec/pad_number.h"

#include <limits>
#include <optional>

#include "gtest/gtest.h"
#include "ir/expr.h"

namespace mxtile::exec {
namespace {

using ir::AttrValue;

std::optional<double> Pad(const AttrValue& value) {
  const ir::Attr attrs[] = {{"other", AttrValue::Int(7)}, {"pad_value", value}};
  return PadNumber(attrs);
}

TEST(PadNumberTest, EachSpelling) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(PadNumber({}), 0);
  EXPECT_EQ(Pad(AttrValue::Enum("PadValue", "zero")), 0);
  EXPECT_EQ(Pad(AttrValue::Enum("PadValue", "max")), kInf);
  EXPECT_EQ(Pad(AttrValue::Enum("PadValue", "min")), -kInf);
  EXPECT_EQ(Pad(AttrValue::Enum("PadValue", "null")), std::nullopt);
  EXPECT_EQ(Pad(AttrValue::Int(0)), 0);
  EXPECT_EQ(Pad(AttrValue::Float(-kInf)), -kInf);
}

}  // namespace
}  // namespace mxtile::exec
