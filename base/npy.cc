#include "base/npy.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace mxtile {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr int kDataAlignment = 64;

struct ElementType {
  absl::string_view descr;
  int64_t size_bytes;
};

constexpr ElementType kElementTypes[] = {
    {"<f2", 2}, {"<f4", 4}, {"<f8", 8}, {"|i1", 1}, {"<i2", 2},
    {"<i4", 4}, {"<i8", 8}, {"|u1", 1}, {"<u2", 2}, {"<u4", 4},
};

std::optional<int64_t> ElementBytes(absl::string_view descr) {
  for (const ElementType& type : kElementTypes) {
    if (type.descr == descr) return type.size_bytes;
  }
  return std::nullopt;
}

// Bytes of an array, unless they exceed an int64_t. An empty array has none,
// whatever its other extents are.
std::optional<int64_t> ArrayBytes(absl::Span<const int64_t> shape,
                                  int64_t element_bytes) {
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  int64_t size = element_bytes;
  for (const int64_t extent : shape) {
    if (size > std::numeric_limits<int64_t>::max() / extent) {
      return std::nullopt;
    }
    size *= extent;
  }
  return size;
}

// Text of a file, fit for a message.
std::string Printable(absl::string_view text) {
  std::string printable(text);
  for (char& c : printable) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  return printable;
}

// A shape as Python prints it: "()", "(3,)", "(2, 3)".
std::string ShapeText(absl::Span<const int64_t> shape) {
  return absl::StrCat("(", absl::StrJoin(shape, ", "),
                      shape.size() == 1 ? ",)" : ")");
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Reads the header's text, a Python dictionary such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<Header> Parse() {
    MX_RETURN_IF_ERROR(Expect("{"));
    while (!Consume("}")) {
      MX_RETURN_IF_ERROR(ParseEntry());
      if (Consume(",")) continue;
      MX_RETURN_IF_ERROR(Expect("}"));
      break;
    }
    SkipSpace();
    if (!rest_.empty()) return Unexpected("the end of the header");
    if (!descr_.has_value()) return Missing("descr");
    if (!fortran_order_.has_value()) return Missing("fortran_order");
    if (!shape_.has_value()) return Missing("shape");
    return Header{*std::move(descr_), *fortran_order_, *std::move(shape_)};
  }

 private:
  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool Consume(absl::string_view token) {
    SkipSpace();
    return absl::ConsumePrefix(&rest_, token);
  }

  absl::Status Unexpected(absl::string_view expected) const {
    constexpr size_t kExcerpt = 20;
    return absl::InvalidArgumentError(
        absl::StrCat("malformed header: expected ", expected, ", found '",
                     Printable(rest_.substr(0, kExcerpt)), "'"));
  }

  static absl::Status Missing(absl::string_view key) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed header: no '", key, "'"));
  }

  absl::Status Expect(absl::string_view token) {
    if (Consume(token)) return absl::OkStatus();
    return Unexpected(absl::StrCat("'", token, "'"));
  }

  absl::Status ParseEntry() {
    MX_ASSIGN_OR_RETURN(const std::string key, ParseString("a key"));
    MX_RETURN_IF_ERROR(Expect(":"));
    if (key == "descr" && !descr_.has_value()) {
      MX_ASSIGN_OR_RETURN(descr_, ParseString("a plain data type"));
      return absl::OkStatus();
    }
    if (key == "fortran_order" && !fortran_order_.has_value()) {
      MX_ASSIGN_OR_RETURN(fortran_order_, ParseBool());
      return absl::OkStatus();
    }
    if (key == "shape" && !shape_.has_value()) {
      MX_ASSIGN_OR_RETURN(shape_, ParseShape());
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "malformed header: unknown or repeated key '", Printable(key), "'"));
  }

  // A quoted string without escapes, which no header needs.
  absl::StatusOr<std::string> ParseString(absl::string_view what) {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) {
      return Unexpected(what);
    }
    const size_t end = rest_.find(rest_[0], 1);
    if (end == absl::string_view::npos) return Unexpected("a closing quote");
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  absl::StatusOr<bool> ParseBool() {
    if (Consume("True")) return true;
    if (Consume("False")) return false;
    return Unexpected("True or False");
  }

  absl::StatusOr<std::vector<int64_t>> ParseShape() {
    std::vector<int64_t> shape;
    MX_RETURN_IF_ERROR(Expect("("));
    while (!Consume(")")) {
      MX_ASSIGN_OR_RETURN(const int64_t extent, ParseExtent());
      shape.push_back(extent);
      if (Consume(",")) continue;
      // (3) is a number in Python, not a shape.
      if (shape.size() == 1) return Unexpected("','");
      MX_RETURN_IF_ERROR(Expect(")"));
      break;
    }
    return shape;
  }

  absl::StatusOr<int64_t> ParseExtent() {
    SkipSpace();
    size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) {
      ++digits;
    }
    int64_t extent;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &extent)) {
      return Unexpected("an extent from 0 to 2^63-1");
    }
    rest_.remove_prefix(digits);
    return extent;
  }

  absl::string_view rest_;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

// Takes the little-endian number in the first `size` bytes.
absl::StatusOr<int64_t> TakeNumber(absl::string_view* bytes, int size) {
  if (bytes->size() < size) {
    return absl::InvalidArgumentError("truncated before the header's length");
  }
  int64_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value = value << 8 | static_cast<uint8_t>((*bytes)[i]);
  }
  bytes->remove_prefix(size);
  return value;
}

// Takes everything up to the data; returns the header's text.
absl::StatusOr<absl::string_view> TakeHeader(absl::string_view* bytes) {
  if (!absl::ConsumePrefix(bytes, kMagic)) {
    return absl::InvalidArgumentError(
        "not a .npy file: it does not start with \\x93NUMPY");
  }
  MX_ASSIGN_OR_RETURN(const int64_t major, TakeNumber(bytes, 1));
  MX_ASSIGN_OR_RETURN(const int64_t minor, TakeNumber(bytes, 1));
  if ((major != 1 && major != 2) || minor != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("format version ", major, ".", minor,
                     " is not supported, only 1.0 and 2.0"));
  }
  MX_ASSIGN_OR_RETURN(const int64_t length,
                      TakeNumber(bytes, major == 1 ? 2 : 4));
  if (bytes->size() < length) {
    return absl::InvalidArgumentError(absl::StrCat("truncated header: ", length,
                                                   " bytes are announced, ",
                                                   bytes->size(), " follow"));
  }
  const absl::string_view header = bytes->substr(0, length);
  bytes->remove_prefix(length);
  return header;
}

// Our spelling: a byte has no byte order.
std::string CanonicalDescr(std::string descr) {
  if (descr == "<i1" || descr == "<u1") descr[0] = '|';
  return descr;
}

absl::Status UnsupportedType(absl::string_view descr) {
  return absl::InvalidArgumentError(absl::StrCat(
      "data type '", Printable(descr), "' is not supported; convert to ",
      absl::StrJoin(kElementTypes, ", ",
                    [](std::string* out, const ElementType& type) {
                      absl::StrAppend(out, type.descr);
                    })));
}

absl::StatusOr<NpyHeader> Parse(absl::string_view bytes, int64_t file_size) {
  const size_t all = bytes.size();
  MX_ASSIGN_OR_RETURN(const absl::string_view text, TakeHeader(&bytes));
  MX_ASSIGN_OR_RETURN(Header header, HeaderParser(text).Parse());
  const std::string descr = CanonicalDescr(std::move(header.descr));
  const std::optional<int64_t> element_bytes = ElementBytes(descr);
  if (!element_bytes.has_value()) return UnsupportedType(descr);
  const std::string what =
      absl::StrCat("shape ", ShapeText(header.shape), " of ", descr);
  const std::optional<int64_t> size = ArrayBytes(header.shape, *element_bytes);
  if (!size.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is larger than 2^63-1 bytes"));
  }
  const int64_t data_offset = all - bytes.size();
  const int64_t rest = file_size - data_offset;
  if (rest != *size) {
    return absl::InvalidArgumentError(absl::StrCat(
        rest < *size ? "truncated data: " : "too many bytes: ", what, " takes ",
        *size, " bytes, the file has ", rest));
  }
  return NpyHeader{descr, header.fortran_order, std::move(header.shape),
                   data_offset, *size};
}

absl::Status InFile(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(name, ": ", status.message()));
}

std::string LittleEndian(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i, value >>= 8) {
    bytes.push_back(static_cast<char>(value & 0xFF));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view first_bytes,
                                         int64_t file_size,
                                         absl::string_view name) {
  absl::StatusOr<NpyHeader> header = Parse(first_bytes, file_size);
  if (!header.ok()) return InFile(name, header.status());
  return header;
}

absl::StatusOr<NpyArray> ParseNpy(absl::string_view bytes,
                                  absl::string_view name) {
  MX_ASSIGN_OR_RETURN(NpyHeader header,
                      ParseNpyHeader(bytes, bytes.size(), name));
  if (header.fortran_order) {
    return InFile(
        name, absl::InvalidArgumentError("the array is in Fortran order; save "
                                         "numpy.ascontiguousarray of it"));
  }
  return NpyArray{std::move(header.descr), std::move(header.shape),
                  std::string(bytes.substr(header.data_offset))};
}

std::string SerializeNpyHeader(absl::string_view descr,
                               absl::Span<const int64_t> shape) {
  std::string text = absl::StrCat(
      "{'descr': '", descr,
      "', 'fortran_order': False, 'shape': ", ShapeText(shape), ", }");
  // Spaces and a newline end the header where the data may start.
  const bool is_long = text.size() + kDataAlignment > 0xFFFF;
  const int length_bytes = is_long ? 4 : 2;
  const size_t before = kMagic.size() + 2 + length_bytes;
  const size_t end = before + text.size() + 1;
  text.append((kDataAlignment - end % kDataAlignment) % kDataAlignment, ' ');
  text.push_back('\n');
  return absl::StrCat(kMagic, LittleEndian(is_long ? 2 : 1, 1),
                      LittleEndian(0, 1),
                      LittleEndian(text.size(), length_bytes), text);
}

std::string SerializeNpy(const NpyArray& array) {
  const std::optional<int64_t> element_bytes = ElementBytes(array.descr);
  MX_CHECK(element_bytes.has_value()) << "type " << array.descr;
  MX_CHECK(ArrayBytes(array.shape, *element_bytes) == array.bytes.size())
      << ShapeText(array.shape) << " of " << array.descr << " with "
      << array.bytes.size() << " bytes";
  return absl::StrCat(SerializeNpyHeader(array.descr, array.shape),
                      array.bytes);
}

}  // namespace mxtile
