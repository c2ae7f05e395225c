// Programs survive being written and read: the same program, the same bytes.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/ir_test_util.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/every_node_test_util.h"
#include "ir/proto/node_kind.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/proto/proto_enums.h"
#include "ir/text/printer.h"

namespace mxtile::ir {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::IsEmpty;

// Writes, reads and writes again, in both forms.
void ExpectRoundTrip(const Program& program) {
  const std::string bytes = SerializeProgram(program);
  Context context(&StandardOps());
  DiagnosticSink sink;
  const auto read = ReadProtoProgram(bytes, "a.mxpb", {}, &context, &sink);
  ASSERT_EQ(Summary(sink), "");
  EXPECT_EQ(DifferenceOf(program, **read), "equal");
  EXPECT_EQ((*read)->name, program.name);
  EXPECT_EQ(SerializeProgram(**read), bytes);

  const SourceFile file("a.textproto", PrintTextProto(program));
  const auto from_text = ReadTextProtoProgram(file, {}, &context, &sink);
  ASSERT_EQ(Summary(sink), "");
  EXPECT_EQ(SerializeProgram(**from_text), bytes);
}

class ProgramRoundTripTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProgramRoundTripTest, TextToProtoToText) {
  const std::string text =
      *ReadFile(absl::StrCat("testdata/programs/", GetParam(), ".py"));
  const TestProgram program(text);
  ASSERT_TRUE(program.has_value()) << program.errors();
  ExpectRoundTrip(*program);
  const ProtoOutcome outcome = ReadAndWrite(ToProto(*program));
  Context context(&StandardOps());
  DiagnosticSink sink;
  const auto read = FromProto(outcome.again, &context, &sink);
  ASSERT_TRUE(read.ok()) << Summary(sink);
  EXPECT_EQ(PrintProgram(**read), PrintProgram(*program));
}

INSTANTIATE_TEST_SUITE_P(Programs, ProgramRoundTripTest,
                         ::testing::Values("mxfp8_gemm", "mxfp8_gemm_bias",
                                           "mxfp8_gemm_tiled"));

TEST(RoundTripTest, EveryNode) {
  Context context(&StandardOps());
  ExpectRoundTrip(*EveryNodeProgram(&context));
}

// "Message.field" of what is set, and "Enum.NUMBER" of all values.
void Collect(const Message& message, std::set<std::string>* seen) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    seen->insert(field->full_name());
    const auto& reflection = *message.GetReflection();
    const int count =
        field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Collect(field->is_repeated()
                    ? reflection.GetRepeatedMessage(message, field, i)
                    : reflection.GetMessage(message, field),
                seen);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        seen->insert((field->is_repeated()
                          ? reflection.GetRepeatedEnum(message, field, i)
                          : reflection.GetEnum(message, field))
                         ->full_name());
      }
    }
  }
}

void CollectEnum(const google::protobuf::EnumDescriptor& type,
                 std::set<std::string>* names) {
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) {
      names->insert(type.value(i)->full_name());
    }
  }
}

// As the bytes come back the same, what stands in the program is written and
// read: so nothing is left out when everything stands in it.
TEST(RoundTripTest, EveryFieldAndEnumeratorStandsInEveryNode) {
  Context context(&StandardOps());
  std::set<std::string> seen;
  Collect(ToProto(*EveryNodeProgram(&context)), &seen);
  const auto* file = v1::ProgramProto::descriptor()->file();
  std::set<std::string> all;
  for (int i = 0; i < file->message_type_count(); ++i) {
    const auto* message = file->message_type(i);
    for (int j = 0; j < message->field_count(); ++j) {
      all.insert(message->field(j)->full_name());
    }
    for (int j = 0; j < message->enum_type_count(); ++j) {
      CollectEnum(*message->enum_type(j), &all);
    }
  }
  for (int i = 0; i < file->enum_type_count(); ++i) {
    CollectEnum(*file->enum_type(i), &all);
  }
  std::vector<std::string> missing;
  for (const std::string& name : all) {
    if (seen.count(name) == 0) missing.push_back(name);
  }
  EXPECT_THAT(missing, IsEmpty());
}

TEST(RoundTripTest, LongSumsAndDeepBlocks) {
  Context context(&StandardOps());
  const Var* n = context.NewVar("n", context.IndexType());
  Return stmt;
  stmt.kind = StmtKind::kReturn;
  stmt.values = context.ExprList({LongSum(&context, n, 100000)});
  Block block = context.List(std::vector<const Stmt*>{context.New(stmt)});
  for (int i = 0; i < kProtoMaxBlockNesting; ++i) {
    If branch;
    branch.kind = StmtKind::kIf;
    branch.condition = context.Bool(true);
    branch.then_body = block;
    block = context.List(std::vector<const Stmt*>{context.New(branch)});
  }
  Function function;
  function.name = context.Intern("f");
  function.params = context.List(std::vector<const Var*>{n});
  function.directions =
      context.List(std::vector<ParamDirection>{ParamDirection::kIn});
  function.body = block;
  Program program;
  program.functions =
      context.List(std::vector<const Function*>{context.New(function)});
  const std::string bytes = SerializeProgram(program);
  DiagnosticSink sink;
  const auto read = ReadProtoProgram(bytes, "a.mxpb", {}, &context, &sink);
  ASSERT_EQ(Summary(sink), "");
  EXPECT_EQ(DifferenceOf(program, **read), "equal");
}

// Sharing is not visible in the bytes: a term at two places, or two terms.
TEST(RoundTripTest, EqualProgramsHaveEqualBytes) {
  const auto bytes = [](bool share) {
    Context context(&StandardOps());
    const Var* n = context.NewVar("n", context.IndexType());
    const Expr* a = context.NewBinary(BinaryOp::kAdd, n, context.Index(1));
    const Expr* b =
        share ? a : context.NewBinary(BinaryOp::kAdd, n, context.Index(1));
    Return stmt;
    stmt.kind = StmtKind::kReturn;
    stmt.values = context.ExprList({a, b});
    Function function;
    function.name = context.Intern("f");
    function.body = context.List(std::vector<const Stmt*>{context.New(stmt)});
    Program program;
    program.functions =
        context.List(std::vector<const Function*>{context.New(function)});
    return SerializeProgram(program);
  };
  EXPECT_EQ(bytes(true), bytes(false));
}

TEST(RoundTripTest, TextFormatShowsTheNumbersOfNodes) {
  const TestProgram program(InFunction("y = n + 1", "n: pl.Scalar[pl.INDEX]"));
  const std::string text = PrintTextProto(*program);
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "nodes { kind: SCALAR_TYPE type_def { dtype: INDEX } }"
                        "  # 1\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("strings: \"n\"  # "));
}

// Of the schema's enumerators, all but 0 have a counterpart of their own.
template <typename P>
void ExpectMapped() {
  const auto* type = google::protobuf::GetEnumDescriptor<P>();
  std::set<int> counterparts;
  for (int i = 0; i < type->value_count(); ++i) {
    const P value = static_cast<P>(type->value(i)->number());
    const auto mapped = EnumFromProto(value);
    ASSERT_EQ(mapped.has_value(), value != 0) << type->value(i)->full_name();
    if (!mapped.has_value()) continue;
    EXPECT_EQ(EnumToProto(*mapped), value);
    EXPECT_TRUE(counterparts.insert(static_cast<int>(*mapped)).second);
  }
  EXPECT_EQ(EnumFromProto(static_cast<P>(99)), std::nullopt);
  EXPECT_EQ(EnumFromProto(static_cast<P>(-1)), std::nullopt);
}

TEST(ProtoEnumsTest, EveryEnumeratorIsMapped) {
  ExpectMapped<v1::DataType>();
  ExpectMapped<v1::MemorySpace>();
  ExpectMapped<v1::TensorLayout>();
  ExpectMapped<v1::TileLayout>();
  ExpectMapped<v1::PadValue>();
  ExpectMapped<v1::CompactMode>();
  ExpectMapped<v1::ParamDirection>();
  ExpectMapped<v1::FunctionType>();
  ExpectMapped<v1::Level>();
  ExpectMapped<v1::Role>();
  ExpectMapped<v1::LoopKind>();
  ExpectMapped<v1::ScopeKind>();
  ExpectMapped<v1::BinaryOp>();
  ExpectMapped<v1::UnaryOp>();
}

TEST(NodeKindTest, EveryKindIsInTheTable) {
  const auto* kinds = v1::Node::Kind_descriptor();
  for (int i = 0; i < kinds->value_count(); ++i) {
    const auto kind = static_cast<v1::Node::Kind>(kinds->value(i)->number());
    const NodeKind* found = FindNodeKind(kind);
    ASSERT_EQ(found != nullptr, kind != 0) << kinds->value(i)->name();
    if (found == nullptr) continue;
    EXPECT_EQ(found->kind, kind);
    EXPECT_EQ(found->required & ~found->allowed, 0);
  }
  EXPECT_EQ(FindNodeKind(static_cast<v1::Node::Kind>(-1)), nullptr);
  EXPECT_EQ(FindNodeKind(static_cast<v1::Node::Kind>(1000)), nullptr);
}

}  // namespace
}  // namespace mxtile::ir
