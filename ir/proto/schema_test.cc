// The schema never changes in a way that breaks files (docs/compatibility.md):
// names, numbers, types and labels of fields, and numbers of enumerators, are
// those of testdata/schema_v1.txt. What is new is appended there:
//
//   ./bazelw run //ir/proto:schema_test -- --print

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "ir/proto/ir.pb.h"

namespace mxtile::ir {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;

void AddEnum(const EnumDescriptor& type, std::vector<std::string>* lines) {
  for (int i = 0; i < type.value_count(); ++i) {
    lines->push_back(absl::StrCat("enum ", type.full_name(), " ",
                                  type.value(i)->name(), " = ",
                                  type.value(i)->number()));
  }
}

std::string FieldLine(const FieldDescriptor& field) {
  std::string type = field.type_name();
  if (field.message_type() != nullptr) type = field.message_type()->full_name();
  if (field.enum_type() != nullptr) type = field.enum_type()->full_name();
  return absl::StrCat(
      "field ", field.full_name(), " = ", field.number(), " ",
      field.is_repeated() ? "repeated " : "",
      field.is_packed() ? "packed " : "", type,
      field.containing_oneof() != nullptr
          ? absl::StrCat(" of ", field.containing_oneof()->name())
          : "");
}

std::vector<std::string> SchemaLines() {
  std::vector<std::string> lines;
  const auto* file = v1::ProgramProto::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) {
    const auto& message = *file->message_type(i);
    for (int j = 0; j < message.field_count(); ++j) {
      lines.push_back(FieldLine(*message.field(j)));
    }
    for (int j = 0; j < message.enum_type_count(); ++j) {
      AddEnum(*message.enum_type(j), &lines);
    }
  }
  for (int i = 0; i < file->enum_type_count(); ++i) {
    AddEnum(*file->enum_type(i), &lines);
  }
  return lines;
}

std::vector<std::string> FrozenLines() {
  const std::string text = *ReadFile("ir/proto/testdata/schema_v1.txt");
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(SchemaTest, FrozenFieldsAndEnumeratorsAreUnchanged) {
  EXPECT_THAT(SchemaLines(), IsSupersetOf(FrozenLines()))
      << "a file that was written with the frozen schema would be misread";
}

TEST(SchemaTest, WhatIsNewIsFrozenToo) {
  EXPECT_THAT(SchemaLines(), IsSubsetOf(FrozenLines()))
      << "append the new lines to ir/proto/testdata/schema_v1.txt";
}

}  // namespace
}  // namespace mxtile::ir

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--print") {
    for (const std::string& line : mxtile::ir::SchemaLines()) {
      std::cout << line << "\n";
    }
    return 0;
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
