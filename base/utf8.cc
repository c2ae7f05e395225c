#include "base/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace mxtile {
namespace {

// The smallest code point that needs a sequence of this many bytes.
constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};

int SequenceBytes(uint8_t lead) {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) == 0xc0) return 2;
  if ((lead & 0xf0) == 0xe0) return 3;
  if ((lead & 0xf8) == 0xf0) return 4;
  return 0;
}

}  // namespace

Utf8Character DecodeUtf8(absl::string_view text) {
  if (text.empty()) return {};
  const uint8_t lead = static_cast<uint8_t>(text[0]);
  const int size_bytes = SequenceBytes(lead);
  if (size_bytes == 1) return {lead, 1};
  if (size_bytes == 0 || text.size() < static_cast<size_t>(size_bytes)) {
    return {};
  }
  char32_t code_point = lead & (0x7f >> size_bytes);
  for (int i = 1; i < size_bytes; ++i) {
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    code_point = code_point << 6 | (byte & 0x3f);
  }
  if (code_point < kSmallest[size_bytes] || !IsUnicodeScalar(code_point)) {
    return {};
  }
  return {code_point, size_bytes};
}

size_t ValidUtf8Prefix(absl::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Programs are ASCII nearly everywhere: eight bytes at a time.
    uint64_t word = 0;
    if (at + sizeof(word) <= text.size()) {
      std::memcpy(&word, text.data() + at, sizeof(word));
      if ((word & 0x8080808080808080) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const int size_bytes = DecodeUtf8(text.substr(at)).size_bytes;
    if (size_bytes == 0) return at;
    at += size_bytes;
  }
  return at;
}

bool IsUnicodeScalar(char32_t code_point) {
  return code_point <= 0x10ffff &&
         !(code_point >= 0xd800 && code_point <= 0xdfff);
}

void AppendUtf8(char32_t code_point, std::string* text) {
  MX_CHECK(IsUnicodeScalar(code_point))
      << "code point " << static_cast<uint32_t>(code_point);
  const auto append = [text](char32_t byte) {
    text->push_back(static_cast<char>(byte));
  };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xc0 | code_point >> 6);
    append(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    append(0xe0 | code_point >> 12);
    append(0x80 | (code_point >> 6 & 0x3f));
    append(0x80 | (code_point & 0x3f));
  } else {
    append(0xf0 | code_point >> 18);
    append(0x80 | (code_point >> 12 & 0x3f));
    append(0x80 | (code_point >> 6 & 0x3f));
    append(0x80 | (code_point & 0x3f));
  }
}

}  // namespace mxtile
