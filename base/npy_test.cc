#include "base/npy.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

auto IsArray(const std::string& descr, const std::vector<int64_t>& shape,
             const std::string& bytes) {
  return AllOf(Field("descr", &NpyArray::descr, Eq(descr)),
               Field("shape", &NpyArray::shape, Eq(shape)),
               Field("bytes", &NpyArray::bytes, Eq(bytes)));
}

// A version 1.0 file by the description of the format, without padding.
std::string File(absl::string_view header, absl::string_view data) {
  const char length[] = {static_cast<char>(header.size() & 0xFF),
                         static_cast<char>(header.size() >> 8)};
  return absl::StrCat(absl::string_view("\x93NUMPY\x01\x00", 8),
                      absl::string_view(length, 2), header, data);
}

std::string Dict(absl::string_view descr, absl::string_view shape) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': False, 'shape': ", shape, ", }\n");
}

void ExpectRefused(absl::string_view bytes, const std::string& message) {
  EXPECT_THAT(ParseNpy(bytes, "x.npy"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("x.npy: "), HasSubstr(message))));
}

// Written byte by byte: magic, version, 118 = 0x76 bytes of header, so that
// data start at 128, then 1.0f and -2.0f.
std::string HandWritten() {
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  file += std::string(127 - file.size(), ' ') + "\n";
  file += std::string("\x00\x00\x80\x3F\x00\x00\x00\xC0", 8);
  return file;
}

const NpyArray& HandWrittenArray() {
  static const auto* const array = new NpyArray{
      "<f4", {2}, std::string("\x00\x00\x80\x3F\x00\x00\x00\xC0", 8)};
  return *array;
}

TEST(NpyTest, ParsesAHandWrittenFile) {
  EXPECT_THAT(ParseNpy(HandWritten(), "x.npy"),
              IsOkAndHolds(IsArray("<f4", {2}, HandWrittenArray().bytes)));
}

TEST(NpyTest, SerializesTheHandWrittenFile) {
  EXPECT_EQ(SerializeNpy(HandWrittenArray()), HandWritten());
}

TEST(NpyTest, ParsesVersion2) {
  std::string file("\x93NUMPY\x02\x00", 8);
  const std::string header = Dict("|u1", "(1, 3)");
  file += std::string({static_cast<char>(header.size()), 0, 0, 0});
  EXPECT_THAT(ParseNpy(file + header + "abc", "x.npy"),
              IsOkAndHolds(IsArray("|u1", {1, 3}, "abc")));
}

TEST(NpyTest, ParsesEveryTypeAndShape) {
  const std::string bytes = "0123456789abcdefghijklmn";  // 24
  EXPECT_THAT(ParseNpy(File(Dict("<f2", "(2, 6)"), bytes), "x"),
              IsOkAndHolds(IsArray("<f2", {2, 6}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<f4", "(2, 3)"), bytes), "x"),
              IsOkAndHolds(IsArray("<f4", {2, 3}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<f8", "(3,)"), bytes), "x"),
              IsOkAndHolds(IsArray("<f8", {3}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("|i1", "(2, 3, 4)"), bytes), "x"),
              IsOkAndHolds(IsArray("|i1", {2, 3, 4}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<i2", "(12,)"), bytes), "x"),
              IsOkAndHolds(IsArray("<i2", {12}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<i4", "(1, 6)"), bytes), "x"),
              IsOkAndHolds(IsArray("<i4", {1, 6}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<i8", "(3, 1)"), bytes), "x"),
              IsOkAndHolds(IsArray("<i8", {3, 1}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("|u1", "(24,)"), bytes), "x"),
              IsOkAndHolds(IsArray("|u1", {24}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<u2", "(4, 3)"), bytes), "x"),
              IsOkAndHolds(IsArray("<u2", {4, 3}, bytes)));
  EXPECT_THAT(ParseNpy(File(Dict("<u4", "(6,)"), bytes), "x"),
              IsOkAndHolds(IsArray("<u4", {6}, bytes)));
}

TEST(NpyTest, ParsesScalarsAndEmptyArrays) {
  EXPECT_THAT(ParseNpy(File(Dict("<u2", "()"), "ab"), "x"),
              IsOkAndHolds(IsArray("<u2", {}, "ab")));
  EXPECT_THAT(
      ParseNpy(File(Dict("<f4", "(0, 4611686018427387904, 8)"), ""), "x"),
      IsOkAndHolds(IsArray("<f4", {0, int64_t{1} << 62, 8}, "")));
}

TEST(NpyTest, AcceptsWhatPythonAccepts) {
  EXPECT_THAT(ParseNpy(File("{\"shape\":(1,2),'fortran_order' : False\n,"
                            "'descr':'<u1'}",
                            "ab"),
                       "x"),
              IsOkAndHolds(IsArray("|u1", {1, 2}, "ab")));
}

TEST(NpyTest, RoundTripsThroughBytes) {
  const NpyArray arrays[] = {
      {"<f2", {}, "ab"},
      {"|u1", {5}, "abcde"},
      {"<i4", {2, 1, 1}, "abcdefgh"},
      {"<f8", {3, 0}, ""},
      {"|i1", std::vector<int64_t>(40, 1), "a"},
      // Too long for the two length bytes of version 1.0.
      {"|i1", std::vector<int64_t>(30000, 1), "a"},
  };
  for (const NpyArray& array : arrays) {
    const std::string file = SerializeNpy(array);
    EXPECT_EQ((file.size() - array.bytes.size()) % 64, 0);
    EXPECT_THAT(ParseNpy(file, "x"),
                IsOkAndHolds(IsArray(array.descr, array.shape, array.bytes)));
  }
}

TEST(NpyErrorTest, Magic) {
  ExpectRefused("", "not a .npy file");
  ExpectRefused("PK\x03\x04", "not a .npy file");
  ExpectRefused("\x93NUMP", "not a .npy file");
}

// Every proper beginning of a file is an error.
TEST(NpyErrorTest, EveryTruncation) {
  const std::string file = HandWritten();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THAT(ParseNpy(file.substr(0, size), "x.npy"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(size < 6     ? "not a .npy file"
                                   : size < 10  ? "before the header's length"
                                   : size < 128 ? "truncated header: 118 bytes"
                                                : "truncated data")))
        << size;
  }
}

TEST(NpyErrorTest, Version) {
  std::string file = HandWritten();
  file[6] = 3;
  ExpectRefused(file, "format version 3.0 is not supported");
  file[6] = 1;
  file[7] = 1;
  ExpectRefused(file, "format version 1.1 is not supported");
}

TEST(NpyErrorTest, SizeOfTheData) {
  ExpectRefused(File(Dict("<f4", "(2, 3)"), "12345678"),
                "truncated data: shape (2, 3) of <f4 takes 24 bytes, the file "
                "has 8");
  ExpectRefused(File(Dict("|u1", "(2,)"), "123"),
                "too many bytes: shape (2,) of |u1 takes 2 bytes, the file "
                "has 3");
}

TEST(NpyErrorTest, HugeShapes) {
  ExpectRefused(File(Dict("|u1", "(4294967296, 2147483648)"), ""),
                "(4294967296, 2147483648) of |u1 is larger than 2^63-1 bytes");
  ExpectRefused(File(Dict("<f8", "(1152921504606846976,)"), ""),
                "larger than 2^63-1 bytes");
  ExpectRefused(File(Dict("|u1", "(9223372036854775808,)"), ""),
                "expected an extent from 0 to 2^63-1, found "
                "'9223372036854775808,'");
}

TEST(NpyErrorTest, FortranOrder) {
  ExpectRefused(
      File("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd"),
      "Fortran order; save numpy.ascontiguousarray");
}

TEST(NpyErrorTest, Types) {
  for (const std::string descr :
       {">f4", "<c8", "|b1", "<u8", "|O", "<U3", "f4", ""}) {
    ExpectRefused(File(Dict(descr, "(1,)"), "abcdefgh"),
                  absl::StrCat("data type '", descr, "' is not supported"));
  }
  ExpectRefused(File("{'descr': [('a', '<f4')], 'fortran_order': False, "
                     "'shape': (1,), }",
                     "abcd"),
                "expected a plain data type, found '[('a', '<f4')], 'for'");
}

TEST(NpyErrorTest, MalformedHeaders) {
  ExpectRefused(File("", ""), "expected '{'");
  ExpectRefused(File("{", ""), "expected a key");
  ExpectRefused(File("{}", ""), "no 'descr'");
  ExpectRefused(File("{'descr': '<f4'}", ""), "no 'fortran_order'");
  ExpectRefused(File("{'descr': '<f4', 'fortran_order': False}", ""),
                "no 'shape'");
  ExpectRefused(File("{'descr' '<f4'}", ""), "expected ':'");
  ExpectRefused(File("{'descr: <f4}", ""), "expected a closing quote");
  ExpectRefused(File("{'descr': '<f4' 'shape': ()}", ""), "expected '}'");
  ExpectRefused(File("{'descr': '<f4', 'descr': '<f4'}", ""),
                "repeated key 'descr'");
  ExpectRefused(File("\x01", ""), "expected '{', found '?'");
  ExpectRefused(File("{'extra': 1}", ""), "unknown or repeated key 'extra'");
  ExpectRefused(File("{'fortran_order': 0}", ""), "expected True or False");
  ExpectRefused(File("{'shape': 3}", ""), "expected '('");
  ExpectRefused(File("{'shape': (3)}", ""), "expected ','");
  ExpectRefused(File("{'shape': (-3,)}", ""), "expected an extent");
  ExpectRefused(File("{'shape': (3, 4", ""), "expected ')'");
  ExpectRefused(File(Dict("<f4", "(1,)") + "x", "abcd"),
                "expected the end of the header, found 'x'");
}

TEST(NpyDeathTest, SerializingAnInconsistentArrayIsABug) {
  EXPECT_DEATH(SerializeNpy({"<f4", {2}, "abcd"}), "with 4 bytes");
  EXPECT_DEATH(SerializeNpy({">f4", {1}, "abcd"}), "type >f4");
}

TEST(NpyTest, HeaderOfAFileThatIsReadInParts) {
  const std::string header = File(
      "{'descr': '<f4', 'fortran_order': True, 'shape': (1000, 2000), }\n", "");
  const int64_t size = header.size();
  const auto parsed = ParseNpyHeader(header, size + 8000000, "a.npy");
  MX_ASSERT_OK(parsed.status());
  EXPECT_EQ(parsed->descr, "<f4");
  EXPECT_TRUE(parsed->fortran_order);
  EXPECT_EQ(parsed->shape, (std::vector<int64_t>{1000, 2000}));
  EXPECT_EQ(parsed->data_offset, size);
  EXPECT_EQ(parsed->data_size_bytes, 8000000);
  EXPECT_THAT(ParseNpyHeader(header, size + 7999999, "a.npy").status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a.npy: truncated data")));
}

}  // namespace
}  // namespace mxtile
