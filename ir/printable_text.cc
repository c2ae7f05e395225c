#include "ir/printable_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace mxtile::ir {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15: the general categories Cc, Zl, Zp and those of Cf that text may
// be hidden or turned around with.
constexpr Range kInvisible[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x061c, 0x061c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

// Combining marks of the common scripts.
constexpr Range kCombining[] = {
    {0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

// Unicode 15, EastAsianWidth W and F, in whole blocks.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

template <size_t kSize>
bool Contains(const Range (&ranges)[kSize], char32_t code_point) {
  return std::any_of(
      std::begin(ranges), std::end(ranges), [code_point](const Range& range) {
        return range.first <= code_point && code_point <= range.last;
      });
}

void AppendEscape(const std::string& escape, PrintableText* result) {
  result->text += escape;
  result->columns += static_cast<int>(escape.size());
}

void AppendCharacter(absl::string_view bytes, char32_t code_point,
                     PrintableText* result) {
  if (code_point == '\t') {
    AppendEscape("    ", result);
  } else if (code_point < 0x80 && code_point >= 0x20 && code_point != 0x7f) {
    result->text += bytes[0];
    ++result->columns;
  } else if (Contains(kInvisible, code_point)) {
    const uint32_t number = code_point;
    AppendEscape(number < 0x80 ? absl::StrFormat("\\x%02x", number)
                               : absl::StrFormat("\\u%04x", number),
                 result);
  } else {
    result->text.append(bytes.data(), bytes.size());
    if (Contains(kCombining, code_point)) return;
    result->columns += Contains(kWide, code_point) ? 2 : 1;
  }
}

}  // namespace

PrintableText MakePrintable(absl::string_view bytes) {
  PrintableText result;
  while (!bytes.empty()) {
    const Utf8Character next = DecodeUtf8(bytes);
    if (next.size_bytes == 0) {
      const uint32_t byte = static_cast<uint8_t>(bytes[0]);
      AppendEscape(absl::StrFormat("\\x%02x", byte), &result);
      bytes.remove_prefix(1);
    } else {
      AppendCharacter(bytes.substr(0, next.size_bytes), next.code_point,
                      &result);
      bytes.remove_prefix(next.size_bytes);
    }
  }
  return result;
}

}  // namespace mxtile::ir
