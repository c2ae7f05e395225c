// What the reader refuses, rule by rule, and what it says.

#include "ir/proto/program_reader.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/every_node_test_util.h"
#include "ir/proto/ir.pb.h"
#include "ir/proto/program_writer.h"

namespace mxtile::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A program whose rows have one of everything that the cases break.
constexpr char kProgram[] = R"(
format_version: 1
name: "P"
strings: ["", "x", "some.op", "k", "f", "pipeline_stages", "two\nlines", "a b"]
nodes {}
nodes { kind: SCALAR_TYPE type_def { dtype: INDEX } }                   # 1
nodes { kind: SCALAR_TYPE type_def { dtype: BOOL } }                    # 2
nodes { kind: SCALAR_TYPE type_def { dtype: FP32 } }                    # 3
nodes { kind: VAR type: 1 name: 1 span: 1 }                             # 4
nodes { kind: CONST_INT type: 1 int_value: 3 }                          # 5
nodes { kind: CONST_FLOAT type: 3 float_value: 1 }                      # 6
nodes { kind: CONST_BOOL type: 2 bool_value: true }                     # 7
nodes { kind: BINARY type: 1 args: [4, 5] binary_op: ADD }              # 8
nodes { kind: TUPLE_TYPE type_def { elements: [1, 3] } }                # 9
nodes { kind: TUPLE type: 9 args: [5, 6] }                              # 10
nodes { kind: TUPLE_ITEM type: 3 args: 10 int_value: 1 }                # 11
nodes { kind: ATTR_INT int_value: 2 }                                   # 12
nodes { kind: ATTRS attr_list { names: 5 values: 12 } }                 # 13
nodes { kind: TENSOR_TYPE type_def { dtype: FP32 shape: [4, 5]
  tensor_view { stride: [5, 5] layout: ND pad: PAD_NULL } } }           # 14
nodes { kind: TILE_TYPE type_def { dtype: FP32 shape: 5 memory_space: VEC
  memref { base: 4 size_bytes: 4 }
  tile_view { blayout: ROW_MAJOR slayout: NONE_BOX pad: PAD_NULL
              compact: COMPACT_NULL fractal: 512 } } }                  # 15
nodes { kind: ASSIGN type: 15 name: 1 op: 2 args: [4, 10] kwargs: 13 }  # 16
nodes { kind: ITER_ARG type: 1 name: 1 value: 4 }                       # 17
nodes { kind: VAR type: 1 name: 1 }                                     # 18
nodes { kind: YIELD args: 17 }                                          # 19
nodes { kind: FOR for_stmt { kind: PIPELINE loop_var: 18 start: 5 stop: 4
  step: 5 iter_args: 17 body: 19 return_vars: 18 attrs: 13 } }          # 20
nodes { kind: ASSIGN var: 16 value: 16 }                                # 21
nodes { kind: EVAL type: 1 function: 4 args: 8 }                        # 22
nodes { kind: BREAK }                                                   # 23
nodes { kind: IF if_stmt { condition: 7 then_body: 23 } }               # 24
functions { name: "f" type: IN_CORE params: 4 directions: IN
            return_types: 14 body: [16, 20, 21, 22, 24] }
functions { name: "g" type: OPAQUE }
spans { file: [0, 1] line: [0, 1] column: [0, 1] more_lines: [0, 0]
        end_column: [0, 2] }
)";

v1::ProgramProto Parse(const std::string& text) {
  v1::ProgramProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto))
      << text;
  return proto;
}

TEST(ProgramReaderTest, TheProgramOfTheCasesIsGood) {
  EXPECT_EQ(ReadAndWrite(Parse(kProgram)).errors, "");
}

struct Case {
  const char* name;
  const char* from;
  const char* to;
  const char* error;  // How it begins.
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RefusedTest : public ::testing::TestWithParam<Case> {};

TEST_P(RefusedTest, NamesRuleTableAndRow) {
  const Case& c = GetParam();
  const std::string text = kProgram;
  ASSERT_TRUE(absl::StrContains(text, c.from));
  EXPECT_THAT(
      ReadAndWrite(Parse(absl::StrReplaceAll(text, {{c.from, c.to}}))).errors,
      StartsWith(c.error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedTest,
    ::testing::Values(
        Case{"NoVersion", "format_version: 1", "",
             "MX-PROTO-2: format_version: it is missing"},
        Case{"NewerVersion", "format_version: 1", "format_version: 2",
             "MX-PROTO-2: format_version: the file has version 2, this mxtile "
             "reads up to version 1"},
        Case{"FirstString", "[\"\",", "[\"q\",",
             "MX-PROTO-7: strings[0]: it must be there and be empty"},
        Case{"FirstNode", "nodes {}", "nodes { name: 1 }",
             "MX-PROTO-7: nodes[0] (KIND_UNSPECIFIED): it stands for"},
        Case{"ForwardReference", "args: [4, 5] binary_op",
             "args: [4, 9] binary_op",
             "MX-PROTO-4: nodes[8] (BINARY): args[1] is 9; a node refers to "
             "nodes before it only"},
        Case{"SelfReference", "args: [4, 5] binary_op",
             "args: [8, 5] binary_op",
             "MX-PROTO-4: nodes[8] (BINARY): args[0] is 8; a node refers"},
        Case{"NoSuchNode", "type: 3 args: 10", "type: 4000000000 args: 10",
             "MX-PROTO-4: nodes[11] (TUPLE_ITEM): type is 4000000000; there "
             "are 25 nodes"},
        Case{"ZeroReference", "args: [4, 5] binary_op",
             "args: [4, 0] binary_op",
             "MX-PROTO-7: nodes[8] (BINARY): args[1] is missing; it is an "
             "expression"},
        Case{"NoSuchString", "type: 1 name: 1 span: 1", "type: 1 name: 8",
             "MX-PROTO-4: nodes[4] (VAR): name is 8; there are 8 strings"},
        Case{"NoSuchSpan", "name: 1 span: 1", "name: 1 span: 2",
             "MX-PROTO-4: nodes[4] (VAR): span is 2; there are 2 spans"},
        Case{"NoSuchFile", "file: [0, 1]", "file: [0, 8]",
             "MX-PROTO-4: spans[1]: file is 8; there are 8 strings"},
        Case{"TypeIsNoType", "VAR type: 1 name: 1 span",
             "VAR type: 0 name: 1 span",
             "MX-PROTO-7: nodes[4] (VAR): type is missing"},
        Case{"ExprIsNoExpr", "args: [4, 5] binary_op", "args: [4, 1] binary_op",
             "MX-PROTO-5: nodes[8] (BINARY): args[1] is 1, which is not an "
             "expression"},
        Case{"OperandIsNoScalar", "args: 17 }  ", "args: 1 }  ",
             "MX-PROTO-5: nodes[19] (YIELD): args[0] is 1"},
        Case{"StatementIsNoStatement", "body: [16, 20", "body: [18, 20",
             "MX-PROTO-5: functions[0]: body[0] is 18, which is not a "
             "statement"},
        Case{"VarIsNoVar", "ASSIGN var: 16", "ASSIGN var: 10",
             "MX-PROTO-5: nodes[21] (ASSIGN): var is 10, which is not a "
             "variable"},
        Case{"ParamIsIterArg", "params: 4", "params: 17",
             "MX-PROTO-5: functions[0]: params[0] is 17, which is an ITER_ARG"},
        Case{"IterArgIsVar", "iter_args: 17", "iter_args: 4",
             "MX-PROTO-5: nodes[20] (FOR): iter_args[0] is 4, which is not an "
             "ITER_ARG"},
        Case{"DimIsFloat", "FP32 shape: [4, 5]", "FP32 shape: [4, 6]",
             "MX-PROTO-5: nodes[14] (TENSOR_TYPE): type_def.shape[1] is 6, "
             "which is not an expression of an integer type"},
        Case{"KeywordIsNoName",
             "strings: [\"\", \"x\", \"some.op\", \"k\", \"f\", "
             "\"pipeline_stages\"",
             "strings: [\"\", \"x\", \"some.op\", \"k\", \"f\", \"a b\"",
             "MX-PROTO-5: nodes[16] (ASSIGN): kwargs is 13, which is not an "
             "ATTRS whose names are identifiers"},
        Case{"NoKind", "kind: BREAK", "",
             "MX-PROTO-6: nodes[23] (KIND_UNSPECIFIED): kind is missing"},
        Case{"UnknownKind", "kind: BREAK", "kind: 99",
             "MX-PROTO-6: nodes[23] (kind 99): this version does not know"},
        Case{"UnknownOperator", "binary_op: ADD", "binary_op: 99",
             "MX-PROTO-6: nodes[8] (BINARY): binary_op is 99, which this"},
        Case{"NoDataType", "shape: 5 memory_space: VEC",
             "shape: 5 memory_space: 77",
             "MX-PROTO-6: nodes[15] (TILE_TYPE): type_def.memory_space is 77"},
        Case{"NoDirection", "directions: IN", "directions: 0",
             "MX-PROTO-6: functions[0]: directions[0] is missing"},
        Case{"FieldOfAnotherKind", "kind: BREAK", "kind: BREAK op: 2",
             "MX-PROTO-7: nodes[23] (BREAK): such a node has no op"},
        Case{"DetailOfAnotherKind", "binary_op: ADD", "unary_op: NEG",
             "MX-PROTO-7: nodes[8] (BINARY): such a node has binary_op, this "
             "one has unary_op"},
        Case{"NoDetail", "binary_op: ADD", "",
             "MX-PROTO-7: nodes[8] (BINARY): such a node has binary_op, this "
             "one has no detail"},
        Case{"TwoCallees", "EVAL type: 1 function: 4",
             "EVAL type: 1 op: 2 function: 4",
             "MX-PROTO-7: nodes[22] (EVAL): a call has either op or function"},
        Case{"CallAndValue", "op: 2 args: [4, 10]",
             "op: 2 value: 4 args: [4, 10]",
             "MX-PROTO-7: nodes[16] (ASSIGN): such an assignment has no value"},
        Case{"NeitherCallNorValue", "var: 16 value: 16", "var: 16",
             "MX-PROTO-7: nodes[21] (ASSIGN): value is missing"},
        Case{"TypeField", "type_def { dtype: BOOL }",
             "type_def { dtype: BOOL extent: 3 }",
             "MX-PROTO-7: nodes[2] (SCALAR_TYPE): type_def.extent does not "
             "belong to such a type"},
        Case{"OperandCount", "args: [4, 5] binary_op", "args: [4] binary_op",
             "MX-PROTO-8: nodes[8] (BINARY): args has 1 numbers; such a node "
             "takes 2"},
        Case{"TupleCount", "type: 9 args: [5, 6]", "type: 9 args: [5]",
             "MX-PROTO-8: nodes[10] (TUPLE): 1 args for a tuple type of 2"},
        Case{"NamesAndValues", "names: 5 values: 12",
             "names: [5, 3] values: 12",
             "MX-PROTO-8: nodes[13] (ATTRS): attr_list has 2 names and 1"},
        Case{"ViewRank", "stride: [5, 5]", "stride: [5]",
             "MX-PROTO-8: nodes[14] (TENSOR_TYPE): tensor_view.stride has 1 "
             "dims, shape has 2"},
        Case{"CarriedCount", "return_vars: 18", "return_vars: [18, 18]",
             "MX-PROTO-8: nodes[20] (FOR): 1 iter_args, 2 return_vars"},
        Case{"YieldCount", "YIELD args: 17", "YIELD args: [17, 17]",
             "MX-PROTO-8: nodes[20] (FOR): for_stmt.body does not end in a "
             "YIELD of 1 values"},
        Case{"Directions", "directions: IN", "directions: [IN, IN]",
             "MX-PROTO-8: functions[0]: 1 params, 2 directions"},
        Case{"SpanColumns", "end_column: [0, 2]", "end_column: [0]",
             "MX-PROTO-8: spans: columns of 2 and 1 rows"},
        Case{"StatementTwice", "body: [16, 20", "body: [16, 16, 20",
             "MX-PROTO-10: functions[0]: body[1] is the statement 16, which "
             "stands in a block already"},
        Case{"StatementInTwoBlocks", "body: [16, 20", "body: [16, 23, 20",
             "MX-PROTO-10: functions[0]: body[1] is the statement 23"},
        Case{"IterArgTwice", "iter_args: 17 body: 19 return_vars: 18",
             "iter_args: [17, 17] body: 19 return_vars: [18, 18]",
             "MX-PROTO-10: nodes[20] (FOR): the ITER_ARG 17 belongs to a loop"},
        Case{"IntegerOfFloatType", "CONST_INT type: 1", "CONST_INT type: 3",
             "MX-PROTO-11: nodes[5] (CONST_INT): type is 3, which is not an "
             "integer scalar"},
        Case{"FloatOfIntegerType", "CONST_FLOAT type: 3", "CONST_FLOAT type: 1",
             "MX-PROTO-11: nodes[6] (CONST_FLOAT): type is 1"},
        Case{"TupleIndex", "args: 10 int_value: 1", "args: 10 int_value: 2",
             "MX-PROTO-11: nodes[11] (TUPLE_ITEM): int_value is 2; the tuple "
             "has 2 elements"},
        Case{"NegativeIndex", "args: 10 int_value: 1", "args: 10 int_value: -1",
             "MX-PROTO-11: nodes[11] (TUPLE_ITEM): int_value is -1"},
        Case{"NegativeDim", "type: 1 int_value: 3", "type: 1 int_value: -3",
             "MX-PROTO-11: nodes[14] (TENSOR_TYPE): type_def.shape has the dim "
             "5, which is negative"},
        Case{"HugeSize", "size_bytes: 4", "size_bytes: 9223372036854775808",
             "MX-PROTO-11: nodes[15] (TILE_TYPE): memref has the size or"},
        Case{"NoStages", "return_vars: 18 attrs: 13", "return_vars: 18",
             "MX-PROTO-11: nodes[20] (FOR): a PIPELINE needs"},
        Case{"StagesElsewhere", "kind: PIPELINE", "kind: PARALLEL",
             "MX-PROTO-11: nodes[20] (FOR): pipeline_stages belongs to a"},
        Case{"NoPositiveStages", "ATTR_INT int_value: 2",
             "ATTR_INT int_value: 0",
             "MX-PROTO-11: nodes[13] (ATTRS): pipeline_stages is not a"},
        Case{"Level", "type: IN_CORE", "type: IN_CORE level: LEVEL_HOST",
             "MX-PROTO-11: functions[0]: level contradicts the type"},
        Case{"ScalarInOut", "directions: IN", "directions: IN_OUT",
             "MX-PROTO-11: functions[0]: directions[0] is IN_OUT, of a scalar"},
        Case{"SpanRange", "line: [0, 1]", "line: [0, 2147483648]",
             "MX-PROTO-11: spans[1]: a number is out of range"},
        Case{"VariableName", "type: 1 name: 1 span: 1", "type: 1 name: 7",
             "MX-PROTO-12: nodes[4] (VAR): name is strings[7], which is not a "
             "name of letters, digits and _"},
        Case{"OperatorName", "name: 1 op: 2", "name: 1 op: 7",
             "MX-PROTO-12: nodes[16] (ASSIGN): op is strings[7], which is not"},
        Case{"FunctionName", "name: \"g\"", "name: \"g()\"",
             "MX-PROTO-12: functions[1]: name is not a name of letters"},
        Case{"CommentLines", "kind: BREAK",
             "kind: BREAK comments { lines: 'a\\nb' }",
             "MX-PROTO-12: nodes[23] (BREAK): comments.lines[0] has line"},
        Case{"FileName", "file: [0, 1]", "file: [0, 6]",
             "MX-PROTO-12: spans[1]: file has line breaks"},
        Case{"ProgramName", "name: \"P\"", "name: \"P\\nQ\"",
             "MX-PROTO-12: name: it has line breaks"},
        Case{"FunctionOrder", "name: \"g\"", "name: \"e\"",
             "MX-PROTO-13: functions[1]: name must come behind that of"},
        Case{"FunctionTwice", "name: \"g\"", "name: \"f\"",
             "MX-PROTO-13: functions[1]: name must come behind that of"},
        Case{"NoSuchFunction", "type: 1 function: 4", "type: 1 function: 1",
             "MX-PROTO-13: nodes[22] (EVAL): function is strings[1]; the "
             "program has no function of that name"},
        Case{"AttributeTwice", "names: 5 values: 12",
             "names: [5, 5] values: [12, 12]",
             "MX-PROTO-13: nodes[13] (ATTRS): attr_list.names[1] is "
             "strings[5], a name that stands there already"}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- Files

std::string Refusal(const std::string& bytes, bool drop = false) {
  Context context(&StandardOps());
  DiagnosticSink sink;
  ProtoReadOptions options;
  options.drop_unknown_fields = drop;
  const auto program =
      ReadProtoProgram(bytes, "a.mxpb", options, &context, &sink);
  EXPECT_EQ(program.ok(), !sink.has_errors());
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) {
    absl::StrAppend(&text,
                    d.severity == Severity::kError ? "error " : "warning ",
                    d.rule_id, " ", d.span.file, ": ", d.message, "\n");
  }
  return text;
}

TEST(ProgramReaderTest, BytesThatAreNoMessage) {
  EXPECT_EQ(Refusal(""),
            "error MX-PROTO-2 a.mxpb: format_version: it is missing, so that "
            "this is no program of mxtile\n");
  EXPECT_EQ(Refusal("class P:"),
            "error MX-PROTO-1 a.mxpb: there is no protobuf field at byte 0 of "
            "8; the file is damaged, cut short, or something else\n");
  const std::string bytes = Parse(kProgram).SerializeAsString();
  EXPECT_THAT(Refusal(bytes.substr(0, bytes.size() - 3)),
              StartsWith("error MX-PROTO-1 a.mxpb: there is no protobuf"));
}

TEST(ProgramReaderTest, DamagedNodesAndStrings) {
  v1::ProgramProto good = Parse(kProgram);
  // A node of one byte, which begins a varint that does not end.
  EXPECT_THAT(Refusal(good.SerializeAsString() + "\x22\x01\x80"),
              HasSubstr("MX-PROTO-1 a.mxpb: a node from nodes[25] on is"));
  EXPECT_THAT(Refusal(good.SerializeAsString() + "\x1a\x01\xff"),
              HasSubstr("MX-PROTO-1 a.mxpb: strings[8]: it is not UTF-8"));
  EXPECT_THAT(Refusal(good.SerializeAsString() + "\x2a\x01\x80"),
              HasSubstr("MX-PROTO-1 a.mxpb: a field beside strings and nodes"));
}

TEST(ProgramReaderTest, UnknownFieldsAreNamed) {
  v1::ProgramProto proto = Parse(kProgram);
  auto* node = proto.mutable_nodes(14);
  node->GetReflection()->MutableUnknownFields(node)->AddVarint(99, 1);
  EXPECT_EQ(Refusal(proto.SerializeAsString()),
            "error MX-PROTO-3 a.mxpb: nodes[14]: unknown field 99 of Node; a "
            "newer mxtile wrote it, or the file is damaged\n");
  auto* view = node->mutable_type_def()->mutable_tensor_view();
  view->GetReflection()->MutableUnknownFields(view)->AddVarint(77, 1);
  proto.GetReflection()->MutableUnknownFields(&proto)->AddLengthDelimited(50);
  EXPECT_EQ(Refusal(proto.SerializeAsString(), /*drop=*/true),
            "warning MX-PROTO-3 a.mxpb: the program: unknown field 50 of "
            "ProgramProto is dropped\n"
            "warning MX-PROTO-3 a.mxpb: nodes[14]: unknown field 99 of Node is "
            "dropped\n"
            "warning MX-PROTO-3 a.mxpb: tensor_view: unknown field 77 of "
            "TensorView is dropped\n");
}

// Each message of the schema is looked at.
TEST(ProgramReaderTest, UnknownFieldsOfEveryMessage) {
  Context context(&StandardOps());
  const v1::ProgramProto good = ToProto(*EveryNodeProgram(&context));
  int tried = 0;
  const std::function<void(google::protobuf::Message*, v1::ProgramProto*)>
      visit = [&](google::protobuf::Message* message, v1::ProgramProto* root) {
        const auto* reflection = message->GetReflection();
        auto* unknown = reflection->MutableUnknownFields(message);
        unknown->AddVarint(12345, 1);
        EXPECT_THAT(ReadAndWrite(*root).errors,
                    HasSubstr("unknown field 12345 of " +
                              message->GetDescriptor()->name()));
        unknown->Clear();
        ++tried;
        std::vector<const google::protobuf::FieldDescriptor*> fields;
        reflection->ListFields(*message, &fields);
        for (const auto* field : fields) {
          if (field->message_type() == nullptr) continue;
          // Of the many nodes one of each kind is enough.
          if (!field->is_repeated()) {
            visit(reflection->MutableMessage(message, field), root);
            continue;
          }
          int last_kind = -1;
          for (int i = 1; i < reflection->FieldSize(*message, field); ++i) {
            auto* item = reflection->MutableRepeatedMessage(message, field, i);
            const auto* node = dynamic_cast<v1::Node*>(item);
            if (node != nullptr && node->kind() == last_kind) continue;
            if (node != nullptr) last_kind = node->kind();
            visit(item, root);
          }
        }
      };
  v1::ProgramProto proto = good;
  visit(&proto, &proto);
  EXPECT_GT(tried, 100);
}

TEST(ProgramReaderTest, ManyUnknownFieldsGiveFewWarnings) {
  v1::ProgramProto proto = Parse(kProgram);
  auto* unknown = proto.GetReflection()->MutableUnknownFields(&proto);
  for (int i = 0; i < 1000; ++i) unknown->AddVarint(99, 1);
  EXPECT_THAT(Refusal(proto.SerializeAsString(), /*drop=*/true),
              HasSubstr("980 more unknown fields are dropped"));
}

TEST(ProgramReaderTest, TextFormatErrorsStandAtTheirPlace) {
  const auto read = [](const std::string& text, bool drop) {
    const SourceFile file("a.textproto", text);
    Context context(&StandardOps());
    DiagnosticSink sink;
    ProtoReadOptions options;
    options.drop_unknown_fields = drop;
    const auto program = ReadTextProtoProgram(file, options, &context, &sink);
    EXPECT_EQ(program.ok(), !sink.has_errors());
    if (sink.diagnostics().empty()) return std::string();
    const Diagnostic& d = sink.diagnostics()[0];
    return absl::StrCat(d.rule_id, " ", d.span.line, ":", d.span.column, " ",
                        d.message);
  };
  EXPECT_EQ(read(kProgram, false), "");
  EXPECT_THAT(read("format_version: 1\nnodes { kind: NOTHING }", false),
              StartsWith("MX-PROTO-1 2:23 Unknown enumeration value"));
  const std::string unknown =
      absl::StrReplaceAll(kProgram, {{"kind: BREAK", "kind: BREAK new: 1"}});
  EXPECT_THAT(read(unknown, false),
              StartsWith("MX-PROTO-3 33:24 Message type \"mxtile.ir.v1.Node\" "
                         "has no field named \"new\""));
  EXPECT_THAT(read(unknown, true),
              StartsWith("MX-PROTO-3 33:24 Message type \"mxtile.ir.v1.Node\" "
                         "has no field named \"new\""));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "a { ";
  EXPECT_THAT(read(deep, false), StartsWith("MX-PROTO-3 1:3 Message type"));
  EXPECT_THAT(read(deep, true), StartsWith("MX-PROTO-"));
}

// ---- Limits

// Appends a node and returns its number.
uint32_t Add(v1::ProgramProto* proto, const std::string& text) {
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString(text, proto->add_nodes()))
      << text;
  return proto->nodes_size() - 1;
}

TEST(ProgramReaderTest, NestingIsLimited) {
  v1::ProgramProto proto = Parse(kProgram);
  uint32_t top = 4;
  const auto wrap = [&](int count) {
    for (int i = 0; i < count; ++i) {
      top = Add(&proto, absl::StrCat("kind: UNARY type: 1 args: ", top,
                                     " unary_op: ABS"));
    }
  };
  wrap(kProtoMaxNesting);
  EXPECT_EQ(ReadAndWrite(proto).errors, "");
  wrap(1);
  EXPECT_THAT(ReadAndWrite(proto).errors,
              StartsWith("MX-PROTO-9: nodes[275] (UNARY): more than 250 nodes "
                         "stand inside each other"));
}

TEST(ProgramReaderTest, ChainsToTheLeftAreNotNesting) {
  v1::ProgramProto proto = Parse(kProgram);
  uint32_t left = 4;
  for (int i = 0; i < 1000; ++i) {
    left = Add(&proto, absl::StrCat("kind: BINARY type: 1 args: [", left,
                                    ", 5] binary_op: ", i % 2 ? "ADD" : "SUB"));
  }
  EXPECT_EQ(ReadAndWrite(proto).errors, "");
  uint32_t right = 4;
  for (int i = 0; i < 1000; ++i) {
    right = Add(&proto, absl::StrCat("kind: BINARY type: 1 args: [5, ", right,
                                     "] binary_op: ADD"));
  }
  EXPECT_THAT(ReadAndWrite(proto).errors,
              StartsWith("MX-PROTO-9: nodes[1275]"));
}

TEST(ProgramReaderTest, TypesInsideTypesAreLimited) {
  for (const bool through_variables : {false, true}) {
    v1::ProgramProto proto = Parse(kProgram);
    uint32_t type = 1;
    for (int i = 0; i < 300; ++i) {
      if (through_variables) {
        const uint32_t var =
            Add(&proto, absl::StrCat("kind: VAR name: 1 type: ", type));
        type =
            Add(&proto, absl::StrCat("kind: TENSOR_TYPE type_def { dtype: FP32 "
                                     "memref { base: ",
                                     var, " } }"));
      } else {
        type = Add(
            &proto,
            absl::StrCat("kind: TUPLE_TYPE type_def { elements: ", type, " }"));
      }
    }
    EXPECT_THAT(ReadAndWrite(proto).errors, StartsWith("MX-PROTO-9: nodes["));
  }
}

TEST(ProgramReaderTest, BlocksInsideBlocksAreLimited) {
  v1::ProgramProto proto = Parse(kProgram);
  uint32_t stmt = Add(&proto, "kind: CONTINUE");
  const auto wrap = [&](int count) {
    for (int i = 0; i < count; ++i) {
      stmt =
          Add(&proto,
              absl::StrCat("kind: IF if_stmt { condition: 7 then_body: ", stmt,
                           " }"));
    }
  };
  wrap(kProtoMaxBlockNesting);
  EXPECT_EQ(ReadAndWrite(proto).errors, "");
  wrap(1);
  EXPECT_THAT(ReadAndWrite(proto).errors,
              StartsWith("MX-PROTO-9: nodes[126] (IF): more than 100 blocks"));
}

// 60 rows that would be 2^60 nodes, of terms, types and attributes.
TEST(ProgramReaderTest, SharingDoesNotMultiply) {
  for (const char* row : {"kind: BINARY type: 1 args: [$, $] binary_op: MUL",
                          "kind: TUPLE_TYPE type_def { elements: [$, $] }",
                          "kind: ATTR_LIST args: [$, $]"}) {
    v1::ProgramProto proto = Parse(kProgram);
    const std::string text = row;
    const bool type = absl::StrContains(text, "TYPE");
    const bool attr = absl::StrContains(text, "ATTR");
    uint32_t top = type ? 1 : attr ? 12 : 4;
    for (int i = 0; i < 60; ++i) {
      top = Add(&proto, absl::StrReplaceAll(text, {{"$", absl::StrCat(top)}}));
    }
    // A use, as what is not used costs nothing.
    const uint32_t list =
        attr ? Add(&proto, absl::StrCat("kind: ATTRS attr_list { names: 3 "
                                        "values: ",
                                        top, " }"))
             : 0;
    Add(&proto, type   ? absl::StrCat("kind: VAR name: 1 type: ", top)
                : attr ? absl::StrCat("kind: EVAL type: 1 op: 2 kwargs: ", list)
                       : absl::StrCat("kind: EVAL value: ", top));
    EXPECT_THAT(ReadAndWrite(proto).errors,
                StartsWith("MX-PROTO-9: nodes: with its shared nodes written "
                           "out the program has "))
        << row;
  }
}

// The smallest rows there are: 16 MB of them need no memory as messages.
TEST(ProgramReaderTest, ManyEmptyRows) {
  std::string bytes = Parse(kProgram).SerializeAsString();
  for (int i = 0; i < 8 << 20; ++i) bytes.append("\x22\x00", 2);
  EXPECT_THAT(Refusal(bytes), HasSubstr("MX-PROTO-6 a.mxpb: nodes[25] "));
}

}  // namespace
}  // namespace mxtile::ir
