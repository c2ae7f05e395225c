#include "tools/quantize/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/int_math.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "tools/quantize/safetensors_json.h"

namespace mxtile {
namespace {

constexpr int kLengthBytes = 8;
constexpr int kDataAlignment = 64;

struct Dtype {
  absl::string_view name;
  int bits;
};

constexpr Dtype kDtypes[] = {
    {"BOOL", 8},        {"U8", 8},          {"I8", 8},   {"F8_E4M3", 8},
    {"F8_E5M2", 8},     {"F8_E8M0", 8},     {"F4", 4},   {"F6_E2M3", 6},
    {"F6_E3M2", 6},     {"I16", 16},        {"U16", 16}, {"F16", 16},
    {"BF16", 16},       {"I32", 32},        {"U32", 32}, {"F32", 32},
    {"I64", 64},        {"U64", 64},        {"F64", 64}, {"C64", 64},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
};

absl::Status Refuse(absl::string_view rule, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, " (", rule, ")"));
}

std::string ShapeText(absl::Span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

// A text of the file as it fits a message.
std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 100;
  return absl::StrCat("'", absl::CHexEscape(text.substr(0, kMost)),
                      text.size() > kMost ? "..." : "", "'");
}

absl::Status CheckTensor(const SafetensorsTensor& tensor) {
  MX_RETURN_IF_ERROR(CheckTensorName(tensor.name));
  const absl::StatusOr<int64_t> size =
      SafetensorsBytes(tensor.dtype, tensor.shape);
  if (!size.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor ", Quoted(tensor.name), ": ", size.status().message()));
  }
  if (tensor.begin > tensor.end || tensor.end - tensor.begin != *size) {
    return Refuse(
        "MX-SAFETENSORS-4",
        absl::StrCat("tensor ", Quoted(tensor.name), ": ", tensor.dtype, " ",
                     ShapeText(tensor.shape), " takes ", *size,
                     " bytes, its data_offsets are ", tensor.begin, " and ",
                     tensor.end));
  }
  return absl::OkStatus();
}

// The tensors are sorted by their offsets.
absl::Status CheckCover(absl::Span<const SafetensorsTensor> tensors,
                        int64_t data_size) {
  int64_t end = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    if (tensor.begin != end) {
      return Refuse(
          "MX-SAFETENSORS-5",
          absl::StrCat("tensor ", Quoted(tensor.name), " begins at byte ",
                       tensor.begin,
                       " of the data, but the one before it ends at ", end,
                       ": tensors must not overlap or leave "
                       "gaps"));
    }
    end = tensor.end;
    if (end > data_size) {
      return Refuse(
          "MX-SAFETENSORS-5",
          absl::StrCat("tensor ", Quoted(tensor.name), " ends at byte ", end,
                       " of the data, but the file has ", data_size,
                       " bytes of data: it is truncated"));
    }
  }
  if (end != data_size) {
    return Refuse("MX-SAFETENSORS-5",
                  absl::StrCat("the tensors end at byte ", end,
                               " of the data, but the file has ", data_size,
                               " bytes of data"));
  }
  return absl::OkStatus();
}

absl::Status Parse(absl::string_view json, int64_t data_size,
                   SafetensorsHeader* header) {
  absl::Status parsed =
      ParseSafetensorsJson(json, &header->tensors, &header->metadata);
  if (!parsed.ok()) return Refuse("MX-SAFETENSORS-2", parsed.message());
  for (const SafetensorsTensor& tensor : header->tensors) {
    MX_RETURN_IF_ERROR(CheckTensor(tensor));
  }
  std::sort(header->tensors.begin(), header->tensors.end(),
            [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
              // A tensor without bytes comes before what begins there.
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  return CheckCover(header->tensors, data_size);
}

absl::Status InFile(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(name, ": ", status.message()));
}

absl::Status TooLong(uint64_t size) {
  return Refuse("MX-SAFETENSORS-1",
                absl::StrCat("a header of ", size, " bytes: at most ",
                             kMaxSafetensorsHeaderBytes, " are read"));
}

std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json.push_back('\\');
      json.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&json, "\\u00", absl::Hex(c, absl::kZeroPad2));
    } else {
      json.push_back(c);
    }
  }
  json.push_back('"');
  return json;
}

}  // namespace

absl::optional<int> DtypeBits(absl::string_view dtype) {
  for (const Dtype& known : kDtypes) {
    if (known.name == dtype) return known.bits;
  }
  return absl::nullopt;
}

absl::StatusOr<int64_t> SafetensorsBytes(absl::string_view dtype,
                                         absl::Span<const int64_t> shape) {
  const absl::optional<int> bits = DtypeBits(dtype);
  if (!bits.has_value()) {
    return Refuse("MX-SAFETENSORS-3",
                  absl::StrCat("there is no dtype ", Quoted(dtype)));
  }
  // Without elements it is empty, whatever the other extents are.
  if (std::count(shape.begin(), shape.end(), 0) > 0) return 0;
  int64_t size_bits = *bits;
  for (const int64_t extent : shape) {
    if (extent < 0 ||
        size_bits > std::numeric_limits<int64_t>::max() / extent) {
      return Refuse(
          "MX-SAFETENSORS-4",
          absl::StrCat(dtype, " ", ShapeText(shape), " has 2^63 bits or more"));
    }
    size_bits *= extent;
  }
  if (size_bits % 8 != 0) {
    return Refuse("MX-SAFETENSORS-4",
                  absl::StrCat(dtype, " ", ShapeText(shape), " takes ",
                               size_bits, " bits, which are no whole bytes"));
  }
  return size_bits / 8;
}

absl::Status CheckTensorName(absl::string_view name) {
  const auto bad = [](char c) { return absl::ascii_iscntrl(c) || c == '\\'; };
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  if (name.empty() || name == "__metadata__" || name[0] == '/' ||
      std::any_of(name.begin(), name.end(), bad) ||
      std::count(parts.begin(), parts.end(), "..") > 0) {
    return Refuse("MX-SAFETENSORS-6",
                  absl::StrCat("tensor name ", Quoted(name),
                               ": it is empty, has control characters or "
                               "backslashes, or reads as a path"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(
    absl::string_view json, int64_t file_size, absl::string_view file_name) {
  const int64_t header_size = static_cast<int64_t>(json.size());
  if (header_size > kMaxSafetensorsHeaderBytes) {
    return InFile(file_name, TooLong(json.size()));
  }
  SafetensorsHeader header;
  header.data_offset = kLengthBytes + header_size;
  const absl::Status parsed =
      Parse(json, file_size - header.data_offset, &header);
  if (!parsed.ok()) return InFile(file_name, parsed);
  return header;
}

absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(const InputFile& file) {
  if (file.size() < kLengthBytes) {
    return InFile(
        file.path(),
        Refuse("MX-SAFETENSORS-1", absl::StrCat("no .safetensors file: it has ",
                                                file.size(), " bytes")));
  }
  uint8_t bytes[kLengthBytes];
  MX_RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes)));
  uint64_t length = 0;
  for (int i = kLengthBytes - 1; i >= 0; --i) length = length << 8 | bytes[i];
  if (length > static_cast<uint64_t>(kMaxSafetensorsHeaderBytes)) {
    return InFile(file.path(), TooLong(length));
  }
  const int64_t size = static_cast<int64_t>(length);
  if (size > file.size() - kLengthBytes) {
    return InFile(file.path(),
                  Refuse("MX-SAFETENSORS-1",
                         absl::StrCat("truncated header: ", size,
                                      " bytes are announced, ",
                                      file.size() - kLengthBytes, " follow")));
  }
  std::string json(length, '\0');
  MX_RETURN_IF_ERROR(file.ReadAt(
      kLengthBytes,
      absl::MakeSpan(reinterpret_cast<uint8_t*>(json.data()), json.size())));
  return ParseSafetensorsHeader(json, file.size(), file.path());
}

absl::StatusOr<std::string> SerializeSafetensorsHeader(
    absl::Span<const SafetensorsTensor> tensors,
    const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> members;
  if (!metadata.empty()) {
    members.push_back(absl::StrCat(
        "\"__metadata__\":{",
        absl::StrJoin(metadata, ",",
                      [](std::string* out, const auto& entry) {
                        absl::StrAppend(out, JsonString(entry.first), ":",
                                        JsonString(entry.second));
                      }),
        "}"));
  }
  for (const SafetensorsTensor& tensor : tensors) {
    MX_CHECK(CheckTensor(tensor).ok()) << CheckTensor(tensor);
    members.push_back(absl::StrCat(
        JsonString(tensor.name), ":{\"dtype\":", JsonString(tensor.dtype),
        ",\"shape\":[", absl::StrJoin(tensor.shape, ","),
        "],\"data_offsets\":[", tensor.begin, ",", tensor.end, "]}"));
  }
  std::string json = absl::StrCat("{", absl::StrJoin(members, ","), "}");
  const int64_t end = RoundUp(kLengthBytes + json.size(), kDataAlignment);
  json.resize(end - kLengthBytes, ' ');
  if (static_cast<int64_t>(json.size()) > kMaxSafetensorsHeaderBytes) {
    return TooLong(json.size());
  }
  std::string bytes;
  for (int i = 0; i < kLengthBytes; ++i) {
    bytes.push_back(static_cast<char>(json.size() >> (8 * i) & 0xFF));
  }
  return bytes + json;
}

}  // namespace mxtile
