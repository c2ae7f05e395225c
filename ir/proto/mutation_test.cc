// Files of any kind give an error or a program. Every field of a program with
// everything in it gets every hostile value; bytes are changed at random.
//
//   ./bazelw run //ir/proto:mutation_test -- --seed=7 --rounds=100000

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

namespace mxtile::ir {

uint32_t seed = 1;
int rounds = 1000;

namespace {

constexpr uint16_t kAnySpan = kFieldSpan | kFieldVarSpan | kFieldValueSpan;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class MutationTest : public ::testing::Test {
 protected:
  MutationTest()
      : context_(&StandardOps()), original_(EveryNodeProgram(&context_)) {}

  // An error that names rule and table; or a program that is written and read
  // without change. Comparing tells it from the original exactly when their
  // bytes differ, unless what was changed is `cosmetic`: then it never does.
  void ExpectErrorOrProgram(const v1::ProgramProto& mutant,
                            bool cosmetic = false) {
    Context context(&StandardOps());
    DiagnosticSink sink;
    const auto program = FromProto(mutant, &context, &sink);
    if (!program.ok()) {
      ++refused_;
      ASSERT_EQ(sink.diagnostics().size(), 1);
      const Diagnostic& error = sink.diagnostics()[0];
      EXPECT_TRUE(absl::StartsWith(error.rule_id, "MX-PROTO-"));
      bool names_table = false;
      for (const char* table :
           {"nodes", "functions[", "strings[", "spans",
            "format_version: ", "name: ", "dynamic_dims: ", "the program: "}) {
        names_table |= absl::StartsWith(error.message, table);
      }
      EXPECT_TRUE(names_table) << error.message;
      return;
    }
    ++accepted_;
    const v1::ProgramProto again = ToProto(**program);
    const bool same_bytes =
        again.SerializeAsString() == ToProto(*original_).SerializeAsString();
    const std::string difference = DifferenceOf(*original_, **program);
    if (check_difference_) {
      EXPECT_EQ(difference == "equal", cosmetic || same_bytes) << difference;
    }
    const ProtoOutcome outcome = ReadAndWrite(again);
    EXPECT_EQ(outcome.errors, "");
    EXPECT_TRUE(outcome.again.SerializeAsString() == again.SerializeAsString());
  }

  Context context_;
  const Program* original_;
  bool check_difference_ = true;
  int refused_ = 0;
  int accepted_ = 0;
};

using Set = std::function<void()>;

// The setters of hostile values for one number, string ... ; `number` is that
// of the node around it. `add` instead of `set` for another element of a list.
template <typename T, typename Fn>
void Values(const std::vector<T>& values, Fn set, std::vector<Set>* out) {
  for (const T& value : values) {
    out->push_back([set, value] { set(value); });
  }
}

std::vector<Set> Mutations(Message* m, const FieldDescriptor* f, int index,
                           uint32_t number, uint32_t count) {
  const Reflection* r = m->GetReflection();
  std::vector<Set> out;
  const bool list = index >= 0;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32: {
      const uint32_t now =
          list ? r->GetRepeatedUInt32(*m, f, index) : r->GetUInt32(*m, f);
      Values<uint32_t>(
          {1, 0, now + 1, number, count - 1,
           std::numeric_limits<uint32_t>::max()},
          [=](uint32_t v) {
            list ? r->SetRepeatedUInt32(m, f, index, v) : r->SetUInt32(m, f, v);
          },
          &out);
      break;
    }
    case FieldDescriptor::CPPTYPE_INT32:
      Values<int32_t>(
          {-1, std::numeric_limits<int32_t>::min(),
           std::numeric_limits<int32_t>::max()},
          [=](int32_t v) { r->SetRepeatedInt32(m, f, index, v); }, &out);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      Values<int64_t>(
          {0, -1, 1, std::numeric_limits<int64_t>::min(),
           std::numeric_limits<int64_t>::max()},
          [=](int64_t v) { r->SetInt64(m, f, v); }, &out);
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      Values<uint64_t>(
          {0, 1, std::numeric_limits<uint64_t>::max()},
          [=](uint64_t v) { r->SetUInt64(m, f, v); }, &out);
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      Values<double>(
          {0, -0.0, std::numeric_limits<double>::infinity(),
           std::numeric_limits<double>::quiet_NaN()},
          [=](double v) { r->SetDouble(m, f, v); }, &out);
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      out.push_back([=] { r->SetBool(m, f, !r->GetBool(*m, f)); });
      break;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = f->enum_type();
      const std::vector<int> values = {
          0,
          99,
          -1,
          std::numeric_limits<int>::max(),
          type->value(1)->number(),
          type->value(type->value_count() - 1)->number()};
      Values<int>(
          values,
          [=](int v) {
            list ? r->SetRepeatedEnumValue(m, f, index, v)
                 : r->SetEnumValue(m, f, v);
          },
          &out);
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING:
      Values<std::string>(
          {"", "x", "a b", "a\nb", "9", "a.b", std::string(3, 0)},
          [=](const std::string& v) {
            list ? r->SetRepeatedString(m, f, index, v) : r->SetString(m, f, v);
          },
          &out);
      break;
    default:
      break;
  }
  return out;
}

// Calls fn after each change of the message or what is inside, and undoes it.
void ForEachMutation(Message* m, uint32_t number, uint32_t count,
                     const std::function<void(const std::string&)>& fn) {
  const Reflection* r = m->GetReflection();
  std::unique_ptr<Message> saved(m->New());
  saved->CopyFrom(*m);
  const auto restore = [&] { m->CopyFrom(*saved); };
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < m->GetDescriptor()->field_count(); ++i) {
    fields.push_back(m->GetDescriptor()->field(i));
  }
  for (const FieldDescriptor* f : fields) {
    const bool message = f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (message && f->is_repeated()) continue;
    // Of a list, its ends. A field that was not there gets one value.
    const int size = f->is_repeated() ? r->FieldSize(*m, f) : 1;
    const bool absent = !f->is_repeated() && !r->HasField(*m, f);
    for (int i = 0; i < size; i += std::max(1, size - 1)) {
      const int index = f->is_repeated() ? i : -1;
      size_t ways = Mutations(m, f, index, number, count).size();
      if (absent) ways = std::min<size_t>(ways, 1);
      for (size_t way = 0; way < ways; ++way) {
        Mutations(m, f, index, number, count)[way]();
        fn(absl::StrCat(f->full_name(), " ", i, " way ", way));
        restore();
      }
    }
    if (message) {
      r->MutableMessage(m, f);
      fn(absl::StrCat(f->full_name(), " is there"));
      restore();
    }
    if (f->is_repeated() && size > 0) {
      r->RemoveLast(m, f);
      fn(absl::StrCat(f->full_name(), " without its last"));
      restore();
      if (size > 1) {
        r->SwapElements(m, f, 0, size - 1);
        fn(absl::StrCat(f->full_name(), " swapped"));
        restore();
      }
    }
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_UINT32 && f->is_repeated()) {
      for (const uint32_t more : {0u, 1u, number - 1, number, count}) {
        r->AddUInt32(m, f, more);
        fn(absl::StrCat(f->full_name(), " and ", more));
        restore();
      }
    }
    r->ClearField(m, f);
    fn(absl::StrCat(f->full_name(), " is missing"));
    restore();
    if (message && r->HasField(*m, f)) {
      ForEachMutation(r->MutableMessage(m, f), number, count, fn);
    }
  }
}

// Names of variables, places and comments do not count in comparisons.
bool IsCosmetic(const std::string& what, v1::Node::Kind kind) {
  const bool defines_variable = kind == v1::Node::VAR ||
                                kind == v1::Node::ITER_ARG ||
                                kind == v1::Node::ASSIGN;
  return (defines_variable &&
          absl::StartsWith(what, "mxtile.ir.v1.Node.name ")) ||
         absl::StrContains(what, "omments") || absl::StrContains(what, "span");
}

// Nodes of one kind with the same fields are tried once.
std::string Shape(const v1::Node& node) {
  return absl::StrCat(node.kind(), ":", PresentFields(node) & ~kAnySpan, ":",
                      node.detail_case());
}

TEST_F(MutationTest, EveryField) {
  v1::ProgramProto proto = ToProto(*original_);
  std::set<std::string> shapes;
  for (int i = 0; i < proto.nodes_size(); ++i) {
    if (!shapes.insert(Shape(proto.nodes(i))).second) continue;
    ForEachMutation(proto.mutable_nodes(i), i, proto.nodes_size(),
                    [&](const std::string& what) {
                      SCOPED_TRACE(absl::StrCat("nodes[", i, "] ", what));
                      ExpectErrorOrProgram(
                          proto, IsCosmetic(what, proto.nodes(i).kind()));
                    });
    if (HasFailure()) return;  // One node's failures are enough to read.
  }
  for (int i = 0; i < 2; ++i) {
    ForEachMutation(proto.mutable_functions(i), proto.nodes_size(),
                    proto.nodes_size(), [&](const std::string& what) {
                      SCOPED_TRACE(absl::StrCat("functions[", i, "] ", what));
                      // Another variable of the type that nobody uses is the
                      // same parameter.
                      check_difference_ = !absl::StrContains(what, ".params");
                      ExpectErrorOrProgram(proto, IsCosmetic(what, {}));
                    });
  }
  check_difference_ = true;
  v1::SpanTable* spans = proto.mutable_spans();
  for (auto* column : {spans->mutable_file(), spans->mutable_line(),
                       spans->mutable_column(), spans->mutable_end_column()}) {
    for (const uint32_t value : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
      const uint32_t before = column->Get(1);
      column->Set(1, value);
      ExpectErrorOrProgram(proto, /*cosmetic=*/true);
      column->Set(1, before);
    }
  }
  std::cout << refused_ << " refused, " << accepted_ << " read\n";
  EXPECT_GT(refused_, 1000);
  EXPECT_GT(accepted_, 50);
}

// Any bytes: no crash, and what can be read can be written.
TEST_F(MutationTest, RandomBytes) {
  std::cout << "--seed=" << seed << "\n";
  std::mt19937 random(seed);
  const std::string good = SerializeProgram(*original_);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(absl::StrCat("seed ", seed, ", round ", round));
    std::string bytes = good;
    const int changes = 1 + random() % 3;
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] ^= 1 << random() % 8;
          break;
        case 2:
          bytes.erase(at, 1 + random() % 4);
          break;
        default:
          bytes.insert(at, 1, static_cast<char>(random()));
          break;
      }
    }
    Context context(&StandardOps());
    DiagnosticSink sink;
    ProtoReadOptions options;
    options.drop_unknown_fields = round % 2 == 0;
    const auto program =
        ReadProtoProgram(bytes, "a.mxpb", options, &context, &sink);
    ASSERT_EQ(program.ok(), !sink.has_errors());
    ++(program.ok() ? accepted_ : refused_);
    if (!program.ok()) continue;
    ASSERT_EQ(ReadAndWrite(ToProto(**program)).errors, "");
  }
  std::cout << refused_ << " refused, " << accepted_ << " read\n";
  EXPECT_GT(refused_, rounds / 4);
  EXPECT_GT(accepted_, 0);
}

}  // namespace
}  // namespace mxtile::ir

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.rfind("--seed=", 0) == 0) {
      mxtile::ir::seed = std::stoul(arg.substr(7));
    }
    if (arg.rfind("--rounds=", 0) == 0) {
      mxtile::ir::rounds = std::stoi(arg.substr(9));
    }
  }
  return RUN_ALL_TESTS();
}
