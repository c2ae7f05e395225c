#include "base/sha256.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

// FIPS 180-2, appendix B.1, and the digest of nothing.
TEST(Sha256Test, KnownDigests) {
  EXPECT_EQ(Sha256Hex(std::vector<uint8_t>{'a', 'b', 'c'}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PartsAreTheWhole) {
  const std::string text(1000, 'x');
  const auto bytes = absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(text.data()), text.size());
  for (const size_t cut : {0, 1, 63, 64, 65, 1000}) {
    Sha256 sha;
    sha.Update(bytes.subspan(0, cut));
    sha.Update(bytes.subspan(cut));
    EXPECT_EQ(sha.FinishHex(), Sha256Hex(text)) << cut;
  }
}

}  // namespace
}  // namespace mxtile
