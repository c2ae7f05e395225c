#include "a5_model/soc/cast_chain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/soc/native_casts.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr absl::string_view kArchitectures[] = {"a5", "a2a3"};

std::vector<CastType> AllTypes() {
  std::vector<CastType> types;
  for (int i = 0; i < kNumCastTypes; ++i) {
    types.push_back(static_cast<CastType>(i));
  }
  return types;
}

// "BF16, FP32, FP8E4M3FN"; "" for no chain.
std::string Text(const std::vector<CastType>& chain) {
  return absl::StrJoin(chain, ", ", [](std::string* out, CastType type) {
    absl::StrAppend(out, Name(type));
  });
}

CastType TypeOf(absl::string_view name) {
  const std::optional<CastType> type = CastTypeFromName(name);
  EXPECT_TRUE(type.has_value()) << name;
  return type.value_or(CastType::kFP32);
}

std::string ChainText(absl::string_view architecture, absl::string_view from,
                      absl::string_view to) {
  return Text(CastChain(NativeCasts(architecture), TypeOf(from), TypeOf(to)));
}

// ---- What is lost on the way, judged by values

// Those whose values the rule compares.
std::optional<ElementFormat> FormatOf(CastType type) {
  switch (type) {
    case CastType::kFP32:
      return ElementFormat::kF32;
    case CastType::kFP16:
      return ElementFormat::kF16;
    case CastType::kBF16:
      return ElementFormat::kBF16;
    default:
      return std::nullopt;
  }
}

// 2^bits of the values of an integer type.
double Bound(CastType type) {
  const CastTypeInfo& info = InfoOf(type);
  return std::ldexp(1.0, info.bits - (info.is_signed ? 1 : 0));
}

// Whether the type, an integer one or one of those of FormatOf, has the value.
bool Holds(CastType type, double value) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (format.has_value()) {
    const auto single = static_cast<float>(value);
    return double{single} == value &&
           double{Decode(*format,
                         Encode(*format, single, Overflow::kSpecial))} == value;
  }
  const bool is_signed = InfoOf(type).is_signed;
  return value == std::floor(value) && value < Bound(type) &&
         value >= (is_signed ? -Bound(type) : 0.0);
}

// Values of the type such that a type that holds them holds all of its others:
// its ends, and its longest significands.
std::vector<double> Witnesses(CastType type) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (format.has_value()) {
    const double ulp =
        Decode(*format, Encode(*format, 1.0f, Overflow::kSpecial) + 1);
    return {0.5, ulp, -ulp, MaxFinite(*format), double{Decode(*format, 1)}};
  }
  const double bound = Bound(type);
  // The largest odd value of up to 53 bits; one more bit is held by no type
  // that does not have the ends.
  const double odd = std::min(bound, std::ldexp(1.0, 53)) - 1;
  std::vector<double> values = {1.0, odd, bound / 2 + 1};
  if (InfoOf(type).is_signed) values.push_back(-bound);
  return values;
}

bool MayLieOnTheWay(CastType middle, CastType last) {
  if (InfoOf(middle).is_float && !FormatOf(middle).has_value()) return true;
  if (InfoOf(last).is_float && !FormatOf(last).has_value()) {
    return InfoOf(middle).is_float;
  }
  const std::vector<double> values = Witnesses(last);
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return Holds(middle, value); });
}

// ---- All ways, one by one

struct Way {
  std::vector<CastType> chain;
  int cost = 0;
};

int EdgeCost(CastType from, CastType to) {
  const bool from_float = InfoOf(from).is_float;
  const bool to_float = InfoOf(to).is_float;
  if (!from_float && to_float && InfoOf(from).bits == InfoOf(to).bits) return 0;
  return from_float && to_float ? 1 : 2;
}

// Every way from `at` to `to` that visits no type twice.
void Collect(absl::Span<const NativeCast> casts, CastType from, CastType at,
             CastType to, Way* way, std::vector<Way>* ways) {
  for (const NativeCast& cast : casts) {
    if (cast.from != at || cast.to == from) continue;
    const auto& chain = way->chain;
    if (std::find(chain.begin(), chain.end(), cast.to) != chain.end()) continue;
    if (cast.to != to && !MayLieOnTheWay(cast.to, to)) continue;
    way->chain.push_back(cast.to);
    way->cost += EdgeCost(at, cast.to);
    if (cast.to == to) {
      ways->push_back(*way);
    } else {
      Collect(casts, from, cast.to, to, way, ways);
    }
    way->cost -= EdgeCost(at, cast.to);
    way->chain.pop_back();
  }
}

// The ways that no other is better than.
std::vector<std::vector<CastType>> BestWays(absl::Span<const NativeCast> casts,
                                            CastType from, CastType to) {
  Way way;
  std::vector<Way> ways;
  if (from != to) Collect(casts, from, from, to, &way, &ways);
  const auto rank = [](const Way& w) {
    return std::make_pair(w.chain.size(), w.cost);
  };
  const auto best = std::min_element(
      ways.begin(), ways.end(),
      [&](const Way& a, const Way& b) { return rank(a) < rank(b); });
  std::vector<std::vector<CastType>> result;
  for (const Way& w : ways) {
    if (rank(w) == rank(*best)) result.push_back(w.chain);
  }
  return result;
}

TEST(CastChainTest, IsABestWayForEveryPair) {
  for (const absl::string_view architecture : kArchitectures) {
    const auto casts = NativeCasts(architecture);
    int reached = 0;
    for (const CastType from : AllTypes()) {
      for (const CastType to : AllTypes()) {
        SCOPED_TRACE(
            absl::StrCat(architecture, ": ", Name(from), " to ", Name(to)));
        const std::vector<CastType> chain = CastChain(casts, from, to);
        const auto best = BestWays(casts, from, to);
        reached += best.empty() ? 0 : 1;
        if (best.empty()) {
          EXPECT_THAT(chain, IsEmpty());
        } else {
          EXPECT_THAT(best, Contains(chain));
        }
        EXPECT_EQ(chain.size() == 1, IsNativeCast(casts, from, to));
      }
    }
    EXPECT_EQ(reached, architecture == "a5" ? 126 : 53);
  }
}

// Of several best ways the table's first; these are all pairs that have more
// than one.
TEST(CastChainTest, AmongEqualsTheTablesFirst) {
  std::vector<std::string> found;
  for (const absl::string_view architecture : kArchitectures) {
    const auto casts = NativeCasts(architecture);
    for (const CastType from : AllTypes()) {
      for (const CastType to : AllTypes()) {
        if (BestWays(casts, from, to).size() < 2) continue;
        found.push_back(absl::StrCat(architecture, ": ", Name(from), " to ",
                                     Text(CastChain(casts, from, to))));
      }
    }
  }
  EXPECT_THAT(found,
              ::testing::ElementsAre(
                  "a5: BF16 to FP32, HF8", "a5: FP4 to BF16, FP32, HF8",
                  "a5: INT8 to FP16, UINT8", "a5: INT16 to UINT32, UINT16",
                  "a5: INT64 to FP32, INT16", "a2a3: INT64 to FP32, INT16"));
}

struct Length {
  std::string architecture;
  std::string from;
  std::string to;
  size_t casts;  // 0: none leads there.
};

// The lengths that pypto_passes section 6 states.
TEST(CastChainTest, StatedLengths) {
  const Length lengths[] = {
      {"a5", "FP4", "FP8E4M3FN", 3}, {"a5", "FP8E4M3FN", "FP4", 3},
      {"a5", "INT8", "FP4", 4},      {"a5", "UINT8", "FP4", 4},
      {"a5", "INT32", "FP16", 2},    {"a5", "FP16", "BF16", 2},
      {"a5", "UINT32", "INT8", 3},   {"a5", "FP32", "INT8", 2},
      {"a5", "UINT32", "FP32", 0},   {"a5", "FP8E4M3FN", "INT32", 0},
      {"a5", "FP4", "FP16", 0},      {"a5", "INT8", "FP32", 0},
      {"a2a3", "FP16", "BF16", 2},   {"a2a3", "INT4", "INT8", 2},
      {"a2a3", "BF16", "INT8", 3},   {"a2a3", "INT64", "UINT8", 3},
      {"a2a3", "INT16", "INT32", 0}, {"a2a3", "HF8", "FP32", 0},
      {"a5", "FP16", "INT4", 0},     {"a2a3", "FP16", "INT4", 1},
      {"a5", "HF8", "FP32", 1},      {"none", "FP32", "BF16", 0},
  };
  for (const Length& length : lengths) {
    EXPECT_EQ(CastChain(NativeCasts(length.architecture), TypeOf(length.from),
                        TypeOf(length.to))
                  .size(),
              length.casts)
        << length.architecture << ": " << length.from << " to " << length.to;
  }
  EXPECT_EQ(ChainText("a5", "FP4", "FP8E4M3FN"), "BF16, FP32, FP8E4M3FN");
  EXPECT_EQ(ChainText("a5", "INT32", "FP16"), "FP32, FP16");
  EXPECT_EQ(ChainText("a5", "FP16", "BF16"), "FP32, BF16");
}

TEST(NativeCastsTest, NamesAreFoundAgain) {
  for (const CastType type : AllTypes()) {
    EXPECT_EQ(CastTypeFromName(Name(type)), type);
  }
  EXPECT_EQ(CastTypeFromName("FP8E8M0"), std::nullopt);
}

TEST(NativeCastsTest, NoPairTwiceAndNoneOfATypeWithItself) {
  for (const absl::string_view architecture : kArchitectures) {
    const auto casts = NativeCasts(architecture);
    for (const NativeCast& cast : casts) {
      EXPECT_NE(cast.from, cast.to);
      EXPECT_EQ(std::count_if(casts.begin(), casts.end(),
                              [&](const NativeCast& other) {
                                return other.from == cast.from &&
                                       other.to == cast.to;
                              }),
                1)
          << Name(cast.from) << " to " << Name(cast.to);
    }
  }
}

// So that chains prefer it without looking for it.
TEST(NativeCastsTest, TheFloatOfItsWidthIsTheFirstOfAnInteger) {
  for (const absl::string_view architecture : kArchitectures) {
    const auto casts = NativeCasts(architecture);
    for (const NativeCast& cast : casts) {
      if (EdgeCost(cast.from, cast.to) != 0) continue;
      const auto first = std::find_if(
          casts.begin(), casts.end(),
          [&](const NativeCast& c) { return c.from == cast.from; });
      EXPECT_EQ(first->to, cast.to) << Name(cast.from);
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
