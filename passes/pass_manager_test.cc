#include "passes/pass_manager.h"

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/text_program_test_util.h"
#include "passes/function_attrs.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StrEq;

using Transform = std::function<absl::StatusOr<const ir::Program*>(
    const ir::Program*, PassContext&)>;

// A pass that does and says what it is told to.
class FakePass : public Pass {
 public:
  explicit FakePass(absl::string_view name, Transform transform = nullptr)
      : name_(name), transform_(std::move(transform)) {}

  absl::string_view name() const override { return name_; }
  absl::string_view pypto_name() const override { return name_; }
  PropertySet required() const override { return requires_; }
  PropertySet produced() const override { return produces_; }
  PropertySet invalidated() const override { return invalidates_; }

  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override {
    ++runs_;
    return transform_ ? transform_(program, context) : program;
  }

  FakePass& Requires(PropertySet p) { return requires_ = p, *this; }
  FakePass& Produces(PropertySet p) { return produces_ = p, *this; }
  FakePass& Invalidates(PropertySet p) { return invalidates_ = p, *this; }
  int runs() const { return runs_; }

 private:
  std::string name_;
  Transform transform_;
  PropertySet requires_, produces_, invalidates_;
  mutable int runs_ = 0;
};

// Sets or removes the mark that says that MX views are blocked.
absl::StatusOr<const ir::Program*> SetMark(const ir::Program* program,
                                           PassContext& context, bool marked) {
  std::vector<const ir::Function*> functions;
  for (const ir::Function* function : program->functions) {
    if (marked) {
      functions.push_back(
          WithMark(*function, kMxTensorViewsBlocked, context.ir));
    } else {
      ir::Function copy = *function;
      copy.attrs = {};
      functions.push_back(context.ir->New(copy));
    }
  }
  ir::Program copy = *program;
  copy.functions = context.ir->List(functions);
  return context.ir->New(copy);
}
absl::StatusOr<const ir::Program*> Mark(const ir::Program* program,
                                        PassContext& context) {
  return SetMark(program, context, true);
}
absl::StatusOr<const ir::Program*> Unmark(const ir::Program* program,
                                          PassContext& context) {
  return SetMark(program, context, false);
}
// Uses a variable that nobody defines.
absl::StatusOr<const ir::Program*> UseBeforeDef(const ir::Program* program,
                                                PassContext& context) {
  ir::Eval eval;
  eval.kind = ir::StmtKind::kEval;
  eval.expr = context.ir->NewVar("ghost", context.ir->IndexType());
  ir::Function function = *program->functions[0];
  function.body =
      context.ir->List(std::vector<const ir::Stmt*>{context.ir->New(eval)});
  ir::Program copy = *program;
  copy.functions = context.ir->List(
      std::vector<const ir::Function*>{context.ir->New(function)});
  return context.ir->New(copy);
}

// Writes down what it sees.
class Recorder : public PassHook {
 public:
  Recorder(absl::string_view name, std::vector<std::string>* log)
      : name_(name), log_(log) {}

  absl::Status BeforePass(const Pass& pass,
                          const ir::Program& program) override {
    log_->push_back(absl::StrCat(name_, " before ", pass.name()));
    before_ = &program;
    return before_status;
  }
  absl::Status AfterPass(const Pass& pass, const ir::Program& before,
                         const ir::Program& after) override {
    EXPECT_EQ(&before, before_);
    log_->push_back(absl::StrCat(name_, " after ", pass.name(),
                                 &before == &after ? "" : ", changed"));
    last = &after;
    return after_status;
  }

  absl::Status before_status;
  absl::Status after_status;
  const ir::Program* last = nullptr;

 private:
  std::string name_;
  std::vector<std::string>* log_;
  const ir::Program* before_ = nullptr;
};

class PassManagerTest : public ::testing::Test {
 protected:
  PassManagerTest() {
    context_.ir = &program_.context();
    context_.sink = &sink_;
  }

  absl::StatusOr<const ir::Program*> Run(std::vector<const Pass*> passes) {
    return PassManager(std::move(passes)).Run(program_.get(), context_);
  }

  const TextProgram program_{ProgramText(
      {FunctionText("InCore", "f", "n: pl.Scalar[pl.INDEX]", "a = n")})};
  ir::DiagnosticSink sink_;
  PassContext context_;
};

TEST_F(PassManagerTest, RunsPassesInOrder) {
  std::vector<std::string> log;
  const auto note = [&log](absl::string_view name) {
    return Transform([&log, name](const ir::Program* program, PassContext&) {
      log.push_back(std::string(name));
      return absl::StatusOr<const ir::Program*>(program);
    });
  };
  const FakePass a("a", note("a"));
  const FakePass b("b", note("b"));
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* result, Run({&a, &b, &a}));
  EXPECT_EQ(result, program_.get());
  EXPECT_THAT(log, ElementsAre("a", "b", "a"));
}

TEST_F(PassManagerTest, NoPasses) {
  EXPECT_THAT(Run({}), IsOkAndHolds(program_.get()));
}

TEST_F(PassManagerTest, MissingPropertyRefusesAndNamesThePassToRun) {
  FakePass needs("needs_blocked");
  needs.Requires({Property::kMxViewsBlocked});
  EXPECT_THAT(Run({&needs}),
              StatusIs(absl::StatusCode::kInvalidArgument, StrEq("1 error")));
  EXPECT_EQ(needs.runs(), 0);
  ASSERT_EQ(sink_.diagnostics().size(), 1);
  const ir::Diagnostic& error = sink_.diagnostics()[0];
  EXPECT_EQ(error.rule_id, "MX-PROP-3");
  EXPECT_EQ(error.span.line, program_.LineOf("def f"));
  ASSERT_EQ(error.notes.size(), 1);
  EXPECT_EQ(error.notes[0].message,
            "pass needs_blocked requires mx_views_blocked; run "
            "block_mx_scale_tensor_views first");
}

// The advice for every property; none where no pass of ours produces it.
TEST_F(PassManagerTest, AdviceForEachProperty) {
  const struct {
    Property property;
    std::string body;
    std::string params;
    std::string note;
  } kCases[] = {
      {Property::kSsaForm, "a = 1\na = 2", "",
       "pass p requires ssa_form; run convert_to_ssa first"},
      {Property::kIncoreTileOps, "c = pl.tensor.create([16], dtype=pl.FP16)",
       "", "pass p requires incore_tile_ops"},
      {Property::kTileOps2D,
       "t: pl.Tile[[2, 16, 16], pl.FP16, pl.Mem.Vec] = pl.test.make()", "",
       "pass p requires tile_ops_2d; run flatten_tile_nd_to_2d first"},
      {Property::kTileMemoryInferred,
       "t: pl.Tile[[16, 16], pl.FP16] = pl.test.make()", "",
       "pass p requires tile_memory_inferred; run infer_tile_memory_space "
       "first"},
      {Property::kTensorViewCanonical, "",
       "s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ]",
       "pass p requires tensor_view_canonical; run materialize_tensor_strides "
       "first"},
      {Property::kAllocatedMemoryAddr,
       "t: pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec] = pl.test.make()", "",
       "pass p requires allocated_memory_addr; run allocate_addresses first"},
  };
  for (const auto& c : kCases) {
    const TextProgram program(
        ProgramText({FunctionText("InCore", "f", c.params, c.body)}));
    ir::DiagnosticSink sink;
    PassContext context;
    context.ir = &program.context();
    context.sink = &sink;
    FakePass pass("p");
    pass.Requires({c.property});
    EXPECT_THAT(PassManager({&pass}).Run(program.get(), context),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1")));
    ASSERT_EQ(sink.diagnostics().size(), 1) << c.note;
    // Behind the notes of the property's own check.
    ASSERT_FALSE(sink.diagnostics()[0].notes.empty()) << c.note;
    EXPECT_EQ(sink.diagnostics()[0].notes.back().message, c.note);
  }
}

TEST_F(PassManagerTest, WhatOnePassProducesTheNextMayRequire) {
  FakePass marks("marks", Mark);
  marks.Produces({Property::kMxViewsBlocked});
  FakePass needs("needs");
  needs.Requires({Property::kMxViewsBlocked});
  EXPECT_THAT(Run({&marks, &needs}), IsOk());
  EXPECT_EQ(needs.runs(), 1);
  EXPECT_THAT(sink_.diagnostics(), IsEmpty());
}

TEST_F(PassManagerTest, InvalidatedPropertyIsVerifiedAgain) {
  FakePass marks("marks", Mark);
  marks.Produces({Property::kMxViewsBlocked});
  FakePass unmarks("unmarks", Unmark);
  unmarks.Invalidates({Property::kMxViewsBlocked});
  FakePass needs("needs");
  needs.Requires({Property::kMxViewsBlocked});
  EXPECT_THAT(Run({&marks, &unmarks, &needs}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1")));
  EXPECT_EQ(needs.runs(), 0);

  // A pass that changed nothing has invalidated nothing.
  FakePass harmless("harmless");
  harmless.Invalidates({Property::kMxViewsBlocked});
  FakePass other_needs("other_needs");
  other_needs.Requires({Property::kMxViewsBlocked});
  ir::DiagnosticSink sink;
  context_.sink = &sink;
  EXPECT_THAT(Run({&marks, &harmless, &other_needs}), IsOk());
}

TEST_F(PassManagerTest, BrokenPromiseIsInternal) {
  const Transform transforms[] = {
      nullptr,
      [](const ir::Program* p, PassContext& c) { return Unmark(p, c); }};
  for (const Transform& transform : transforms) {
    FakePass liar("liar", transform);
    liar.Produces({Property::kMxViewsBlocked});
    EXPECT_THAT(Run({&liar}),
                StatusIs(absl::StatusCode::kInternal,
                         AllOf(HasSubstr("pass liar broke mx_views_blocked"),
                               HasSubstr("please report"))));
    // Nothing that a user could mend.
    EXPECT_THAT(sink_.diagnostics(), IsEmpty());
  }
}

TEST_F(PassManagerTest, StructuralPropertyIsWatchedUnasked) {
  FakePass breaks("breaks", UseBeforeDef);
  EXPECT_THAT(Run({&breaks}),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("pass breaks broke use_after_def")));
}

// A program that comes in broken is the user's affair, not the first pass's.
TEST_F(PassManagerTest, StructuralPropertyOfTheInput) {
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* broken,
                          UseBeforeDef(program_.get(), context_));
  const FakePass pass("innocent");
  EXPECT_THAT(PassManager({&pass}).Run(broken, context_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1")));
  EXPECT_EQ(pass.runs(), 0);
  ASSERT_EQ(sink_.diagnostics().size(), 1);
  EXPECT_EQ(sink_.diagnostics()[0].rule_id, "MX-DEF-1");
}

TEST_F(PassManagerTest, InjectedFaultMayBreakPromises) {
  context_.options.fault = InjectedFault::kDropBinding;
  FakePass liar("liar");
  liar.Produces({Property::kMxViewsBlocked});
  EXPECT_THAT(Run({&liar}), IsOkAndHolds(program_.get()));
}

TEST_F(PassManagerTest, PassErrorsComeThroughUnchanged) {
  const FakePass fails("fails", [](const ir::Program*, PassContext& context) {
    context.sink->Error("MX-TEST-1", {}, "no");
    return absl::StatusOr<const ir::Program*>(context.sink->ToStatus());
  });
  const FakePass later("later");
  EXPECT_THAT(Run({&fails, &later}),
              StatusIs(absl::StatusCode::kInvalidArgument, StrEq("1 error")));
  EXPECT_EQ(later.runs(), 0);
}

TEST_F(PassManagerTest, HooksSeeEachPassBeforeAndAfter) {
  std::vector<std::string> log;
  Recorder first("first", &log);
  Recorder second("second", &log);
  const FakePass changes("changes", Mark);
  const FakePass keeps("keeps");
  PassManager manager({&changes, &keeps});
  manager.AddHook(&first);
  manager.AddHook(&second);
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* result,
                          manager.Run(program_.get(), context_));
  EXPECT_THAT(log, ElementsAre("first before changes", "second before changes",
                               "first after changes, changed",
                               "second after changes, changed",
                               "first before keeps", "second before keeps",
                               "first after keeps", "second after keeps"));
  EXPECT_NE(result, program_.get());
  EXPECT_EQ(first.last, result);
}

TEST_F(PassManagerTest, HookStopsThePipeline) {
  for (const bool before : {true, false}) {
    std::vector<std::string> log;
    Recorder hook("hook", &log);
    (before ? hook.before_status : hook.after_status) =
        absl::AbortedError("enough");
    const FakePass first("first");
    const FakePass second("second");
    PassManager manager({&first, &second});
    manager.AddHook(&hook);
    EXPECT_THAT(manager.Run(program_.get(), context_),
                StatusIs(absl::StatusCode::kAborted, StrEq("enough")));
    EXPECT_EQ(first.runs(), before ? 0 : 1);
    EXPECT_EQ(second.runs(), 0);
  }
}

// What a pass has broken is told before anyone looks at its result.
TEST_F(PassManagerTest, HooksDoNotSeeABrokenResult) {
  std::vector<std::string> log;
  Recorder hook("hook", &log);
  const FakePass breaks("breaks", UseBeforeDef);
  PassManager manager({&breaks});
  manager.AddHook(&hook);
  EXPECT_THAT(manager.Run(program_.get(), context_),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("breaks")));
  EXPECT_THAT(log, ElementsAre("hook before breaks"));
}

}  // namespace
}  // namespace mxtile
