// Files of every version load for ever (docs/compatibility.md): those of
// testdata/compat/v1/ give the program that stands beside them, and are written
// as they are.

#include <string>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/ir_test_util.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/operator_check.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/text/printer.h"

namespace mxtile::ir {
namespace {

std::string Frozen(const std::string& name) {
  return *ReadFile(absl::StrCat("testdata/compat/v1/", name));
}

const Program* Load(const std::string& bytes, Context* context) {
  DiagnosticSink sink;
  const auto program = ReadProtoProgram(bytes, "a.mxpb", {}, context, &sink);
  EXPECT_EQ(Summary(sink), "");
  return program.ok() ? *program : nullptr;
}

class CompatTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CompatTest, LoadsAndPrintsAsItDid) {
  const std::string bytes = Frozen(absl::StrCat(GetParam(), ".mxpb"));
  Context context(&StandardOps());
  const Program* program = Load(bytes, &context);
  ASSERT_NE(program, nullptr);
  DiagnosticSink sink;
  CheckOperators(*program, &context, &sink);
  EXPECT_EQ(Summary(sink), "");
  EXPECT_EQ(PrintProgram(*program), Frozen(absl::StrCat(GetParam(), ".py")));
}

TEST_P(CompatTest, IsWrittenAsItWas) {
  const std::string bytes = Frozen(absl::StrCat(GetParam(), ".mxpb"));
  Context context(&StandardOps());
  const Program* program = Load(bytes, &context);
  ASSERT_NE(program, nullptr);
  EXPECT_TRUE(SerializeProgram(*program) == bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, CompatTest,
                         ::testing::Values("mxfp8_gemm", "mxfp8_gemm_lowered"),
                         [](const auto& info) { return info.param; });

// Every node, field and enumerator; some have no text form, so that protobuf's
// stands beside the file.
TEST(CompatEveryNodeTest, LoadsAndIsWrittenAsItWas) {
  const std::string bytes = Frozen("every_node.mxpb");
  const SourceFile text("every_node.textproto", Frozen("every_node.textproto"));
  Context context(&StandardOps());
  const Program* program = Load(bytes, &context);
  ASSERT_NE(program, nullptr);
  EXPECT_TRUE(SerializeProgram(*program) == bytes);
  DiagnosticSink sink;
  const auto from_text = ReadTextProtoProgram(text, {}, &context, &sink);
  ASSERT_EQ(Summary(sink), "");
  EXPECT_EQ(DifferenceOf(*program, **from_text), "equal");
  EXPECT_TRUE(SerializeProgram(**from_text) == bytes);
}

}  // namespace
}  // namespace mxtile::ir
