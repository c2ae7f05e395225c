#include "tools/quantize/safetensors.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/positioned_file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string LittleEndian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(value >> (8 * i) & 0xFF);
  return bytes;
}

absl::StatusOr<SafetensorsHeader> Read(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/x.safetensors";
  MX_EXPECT_OK(WriteFileAtomically(path, bytes));
  auto file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return ReadSafetensorsHeader(*file);
}

absl::StatusOr<SafetensorsHeader> ReadJson(const std::string& json,
                                           int64_t data_size) {
  return Read(LittleEndian(json.size()) + json + std::string(data_size, 'd'));
}

std::string Tensor(absl::string_view name, absl::string_view dtype,
                   absl::string_view shape, absl::string_view offsets) {
  return absl::StrCat("\"", name, "\":{\"dtype\":\"", dtype,
                      "\",\"shape\":", shape, ",\"data_offsets\":", offsets,
                      "}");
}

TEST(SafetensorsTest, TensorsMetadataAndSpaces) {
  const auto header = ReadJson(
      "{" + Tensor("b", "F32", "[1, 2]", "[6, 14]") +
          R"(,"__metadata__":{"format":"pt","x":""},)" +
          Tensor("a/0.w", "BF16", "[3]", "[0,6]") + "," +
          Tensor("none", "I64", "[0, 9223372036854775807, 5]", "[6,6]") + "," +
          Tensor("one", "U8", "[]", "[14,15]") + "}   ",
      15);
  MX_ASSERT_OK(header.status());
  std::vector<std::string> names;
  for (const SafetensorsTensor& t : header->tensors) names.push_back(t.name);
  EXPECT_THAT(names, ElementsAre("a/0.w", "none", "b", "one"));
  EXPECT_THAT(header->metadata,
              ElementsAre(Pair("format", "pt"), Pair("x", "")));
  EXPECT_THAT(header->tensors[2].shape, ElementsAre(1, 2));
  EXPECT_EQ(header->tensors[2].dtype, "F32");
  EXPECT_EQ(header->tensors[2].begin, 6);
  EXPECT_EQ(header->tensors[2].end, 14);
}

TEST(SafetensorsTest, NoTensors) {
  const auto header = ReadJson("{}", 0);
  MX_ASSERT_OK(header.status());
  EXPECT_TRUE(header->tensors.empty());
}

TEST(SafetensorsTest, PackedElementsEndOnABoundary) {
  MX_EXPECT_OK(
      ReadJson("{" + Tensor("a", "F4", "[3,2]", "[0,3]") + "}", 3).status());
  EXPECT_THAT(SafetensorsBytes("F6_E2M3", {4}), IsOkAndHolds(3));
  EXPECT_THAT(
      ReadJson("{" + Tensor("a", "F4", "[3]", "[0,2]") + "}", 2).status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("takes 12 bits, which are no whole bytes "
                         "(MX-SAFETENSORS-4)")));
}

struct Refused {
  std::string bytes;
  std::string message;
};

std::string WithJson(const std::string& json, int64_t data_size) {
  return LittleEndian(json.size()) + json + std::string(data_size, 'd');
}

TEST(SafetensorsTest, Refused) {
  const std::string a = Tensor("a", "U8", "[4]", "[0,4]");
  const std::vector<Refused> cases = {
      {"", "no .safetensors file: it has 0 bytes (MX-SAFETENSORS-1)"},
      {"1234567", "it has 7 bytes (MX-SAFETENSORS-1)"},
      {LittleEndian(1 << 30) + "{}",
       "a header of 1073741824 bytes: at most 100000000 are read "
       "(MX-SAFETENSORS-1)"},
      {LittleEndian(~uint64_t{0}) + "{}", "18446744073709551615"},
      {LittleEndian(3) + "{}", "truncated header: 3 bytes are announced, 2"},
      {LittleEndian(0), "does not start with '{' (MX-SAFETENSORS-2)"},
      {WithJson("[]", 0), "does not start with '{'"},
      {WithJson("{", 0), "the header is no JSON"},
      {WithJson("{} x", 0), "the header is no JSON"},
      {WithJson("{\"\xff\":1}", 0), "the header is no JSON"},
      {WithJson("{\"a\":1}", 0), "key 'a' has a number"},
      {WithJson("{" + a + "," + a + "}", 4), "key 'a' stands twice"},
      {WithJson(R"({"__metadata__":{},"__metadata__":{}})", 0),
       "key '__metadata__' stands twice"},
      {WithJson(R"({"__metadata__":{"k":"","k":""}})", 0),
       "key 'k' stands twice"},
      {WithJson(R"({"__metadata__":{"k":1}})", 0), "key 'k' has a number"},
      {WithJson(R"({"__metadata__":null})", 0),
       "key '__metadata__' has null, which does not belong there"},
      {WithJson(R"({"a":{"dtype":"U8","shape":[]}})", 1),
       "key 'a' lacks dtype, shape or data_offsets"},
      {WithJson(R"({"a":{"dtype":"U8","dtype":"U8"}})", 1),
       "key 'dtype' stands twice"},
      {WithJson(R"({"a":{"strides":[]}})", 1), "key 'strides' is no key"},
      {WithJson("{" + Tensor("a", "U8", "[-1]", "[0,4]") + "}", 4),
       "key 'shape' has a negative number"},
      {WithJson("{" + Tensor("a", "U8", "[4.0]", "[0,4]") + "}", 4),
       "no integer below 2^63"},
      {WithJson("{" + Tensor("a", "U8", "[9223372036854775808]", "[0,4]") + "}",
                4),
       "no integer below 2^63"},
      {WithJson("{" + Tensor("a", "U8", "[[4]]", "[0,4]") + "}", 4),
       "key 'shape' has an array"},
      {WithJson("{" + Tensor("a", "U8", "[4]", "[0]") + "}", 4),
       "key 'data_offsets' needs two numbers"},
      {WithJson("{" + Tensor("a", "U8", "[4]", "[0,4,4]") + "}", 4),
       "key 'data_offsets' has a third number"},
      {WithJson("{" + Tensor("a", "F3", "[4]", "[0,4]") + "}", 4),
       "tensor 'a': there is no dtype 'F3' (MX-SAFETENSORS-3)"},
      {WithJson("{" + Tensor("a", "F32", "[4]", "[0,4]") + "}", 4),
       "tensor 'a': F32 [4] takes 16 bytes, its data_offsets are 0 and 4 "
       "(MX-SAFETENSORS-4)"},
      {WithJson("{" + Tensor("a", "U8", "[4]", "[4,0]") + "}", 4),
       "(MX-SAFETENSORS-4)"},
      {WithJson(
           "{" + Tensor("a", "F32", "[4294967296,4294967296]", "[0,0]") + "}",
           0),
       "has 2^63 bits or more (MX-SAFETENSORS-4)"},
      {WithJson("{" + a + "}", 3),
       "tensor 'a' ends at byte 4 of the data, but the file has 3 bytes of "
       "data: it is truncated (MX-SAFETENSORS-5)"},
      {WithJson("{" + a + "}", 5),
       "the tensors end at byte 4 of the data, but the file has 5 bytes"},
      {WithJson("{" + a + "," + Tensor("b", "U8", "[4]", "[3,7]") + "}", 7),
       "tensor 'b' begins at byte 3 of the data, but the one before it ends at "
       "4: tensors must not overlap or leave gaps (MX-SAFETENSORS-5)"},
      {WithJson("{" + a + "," + Tensor("b", "U8", "[1]", "[5,6]") + "}", 6),
       "(MX-SAFETENSORS-5)"},
      {WithJson("{" + Tensor("../a", "U8", "[4]", "[0,4]") + "}", 4),
       "tensor name '../a'"},
      {WithJson("{" + Tensor("x/../a", "U8", "[4]", "[0,4]") + "}", 4),
       "(MX-SAFETENSORS-6)"},
      {WithJson("{" + Tensor("/a", "U8", "[4]", "[0,4]") + "}", 4),
       "(MX-SAFETENSORS-6)"},
      {WithJson("{" + Tensor("", "U8", "[4]", "[0,4]") + "}", 4),
       "(MX-SAFETENSORS-6)"},
      {WithJson("{" + Tensor("a\\u0000z", "U8", "[4]", "[0,4]") + "}", 4),
       "tensor name 'a\\x00z'"},
  };
  for (const Refused& refused : cases) {
    EXPECT_THAT(Read(refused.bytes).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("x.safetensors: "),
                               HasSubstr(refused.message))));
  }
}

TEST(SafetensorsTest, DeepJsonIsRefusedEarly) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string json = "{\"a\":";
    for (int i = 0; i < 10000; ++i) json += open;
    EXPECT_THAT(ReadJson(json, 0).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("(MX-SAFETENSORS-2)")));
  }
}

TEST(SafetensorsTest, EveryStartOfAFileIsRefused) {
  const std::string whole =
      WithJson("{" + Tensor("a", "U8", "[4]", "[0,4]") + "}", 4);
  MX_ASSERT_OK(Read(whole).status());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(
        Read(whole.substr(0, size)).status(),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-SAFE")));
  }
}

TEST(SafetensorsTest, WhatIsWrittenIsRead) {
  const std::vector<SafetensorsTensor> tensors = {
      {"quote\" and \xc3\xa9", "F16", {2, 3}, 0, 12},
      {"z", "F8_E8M0", {}, 12, 13},
      {"b", "F4", {0, 4}, 13, 13},
  };
  const std::map<std::string, std::string> metadata = {
      {"k", "{\"json\": [1]}\n\x01"}};
  const auto bytes = SerializeSafetensorsHeader(tensors, metadata);
  MX_ASSERT_OK(bytes.status());
  EXPECT_EQ(bytes->size() % 64, 0);
  const auto header = Read(*bytes + std::string(13, 'd'));
  MX_ASSERT_OK(header.status());
  EXPECT_EQ(header->data_offset, static_cast<int64_t>(bytes->size()));
  EXPECT_EQ(header->metadata, metadata);
  ASSERT_EQ(header->tensors.size(), tensors.size());
  for (int i = 0; i < 3; ++i) {
    const SafetensorsTensor& read = header->tensors[i];
    const SafetensorsTensor& written = tensors[i];
    EXPECT_EQ(read.name, written.name);
    EXPECT_EQ(read.dtype, written.dtype);
    EXPECT_EQ(read.shape, written.shape);
    EXPECT_EQ(read.begin, written.begin);
    EXPECT_EQ(read.end, written.end);
  }
}

}  // namespace
}  // namespace mxtile
