#include "exec/simd/jit/jit.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/sha256.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/jit_test_util.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"
#endif

namespace mxtile::exec::simd {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#ifndef MX_WITHOUT_LLVM

TEST(JitTest, AddsAtEveryLevel) {
  for (int level = 0; level <= 3; ++level) {
    JitOptions options;
    options.level = level;
    MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                            Compile(AddModule(), options));
    ExpectAdds(*code);
    const CompiledObject& object = code->object();
    EXPECT_EQ(object.sha256, Sha256Hex(object.bytes));
    EXPECT_EQ(object.instructions, 5);
    ASSERT_EQ(object.functions.size(), 1);
    EXPECT_EQ(object.functions[0].name, "add");
    EXPECT_EQ(object.functions[0].instructions, 5);
    EXPECT_EQ(object.instructions_after, 5);
    EXPECT_FALSE(object.from_cache);
    EXPECT_THAT(object.ir_before, IsEmpty());
    EXPECT_GT(object.codegen_ms, 0);
    EXPECT_EQ(code->Find("sub"), nullptr);
    EXPECT_EQ(code->Find("memcpy"), nullptr);
  }
}

TEST(JitTest, CompilingTwiceGivesTheSameBytes) {
  MX_ASSERT_OK_AND_ASSIGN(const CompiledObject first,
                          CompileObject(AddModule(), JitOptions()));
  MX_ASSERT_OK_AND_ASSIGN(const CompiledObject second,
                          CompileObject(AddModule(), JitOptions()));
  EXPECT_EQ(first.bytes, second.bytes);
}

TEST(JitTest, AnObjectIsLinkedAgain) {
  MX_ASSERT_OK_AND_ASSIGN(const CompiledObject object,
                          CompileObject(AddModule(), JitOptions()));
  MX_ASSERT_OK_AND_ASSIGN(std::unique_ptr<LinkedObject> linked,
                          LinkObject(object.bytes));
  EXPECT_THAT(linked->Names(), ElementsAre("add"));
  ExpectAdds(JitCode(object, std::move(linked), 0));
}

TEST(JitTest, KeepsIr) {
  JitOptions options;
  options.keep_ir = true;
  MX_ASSERT_OK_AND_ASSIGN(const CompiledObject object,
                          CompileObject(AddModule(), options));
  EXPECT_THAT(object.ir_before, HasSubstr("fadd <8 x float>"));
  EXPECT_THAT(object.ir_before, Not(HasSubstr("noundef")));
  EXPECT_THAT(object.ir_after, HasSubstr("fadd <8 x float>"));
  EXPECT_NE(object.ir_before, object.ir_after);
}

// a[0] * b[0] + out[0]: (1 + e) (1 - e) - 1 is 0 with two roundings, e = 2^-23,
// and -2^-46 when they are contracted.
TEST(JitTest, ProductsAndSumsAreRoundedApart) {
  EmittedModule emitted("strict");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, "muladd", &builder);
  llvm::Type* const type = builder.getFloatTy();
  llvm::Value* const product =
      builder.CreateFMul(builder.CreateLoad(type, function->getArg(0)),
                         builder.CreateLoad(type, function->getArg(1)));
  builder.CreateStore(
      builder.CreateFAdd(product,
                         builder.CreateLoad(type, function->getArg(2))),
      function->getArg(2));
  builder.CreateRetVoid();
  JitOptions options;
  options.level = 3;
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                          Compile(std::move(emitted), options));
  const float a = 1 + 0x1p-23f;
  const float b = 1 - 0x1p-23f;
  float c = -1;
  reinterpret_cast<Kernel>(code->Find("muladd"))(&a, &b, &c);
  EXPECT_EQ(c, 0);
}

TEST(JitTest, FastMathFlagsAreRefused) {
  EmittedModule emitted("fast");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, "sloppy", &builder);
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  builder.setFastMathFlags(flags);
  llvm::Value* const a =
      builder.CreateLoad(builder.getFloatTy(), function->getArg(0));
  builder.CreateStore(builder.CreateFMul(a, a), function->getArg(2));
  builder.CreateRetVoid();
  EXPECT_THAT(
      Compile(std::move(emitted), JitOptions()),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("'sloppy'"), HasSubstr("fmul contract float"))));
}

// After each refusal the same process compiles a good module.
class JitErrorTest : public ::testing::Test {
 protected:
  void TearDown() override {
    MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                            Compile(AddModule(), JitOptions()));
    ExpectAdds(*code);
  }
};

TEST_F(JitErrorTest, InvalidModule) {
  EmittedModule emitted("broken");
  llvm::IRBuilder<> builder(emitted.context());
  AddKernel(&emitted, "unfinished", &builder);
  EXPECT_THAT(Compile(std::move(emitted), JitOptions()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'broken'"), HasSubstr("terminator"))));
}

TEST_F(JitErrorTest, UnknownSymbolsAreAllNamed) {
  EmittedModule emitted("calls");
  llvm::IRBuilder<> builder(emitted.context());
  AddKernel(&emitted, "caller", &builder);
  llvm::FunctionType* const type =
      llvm::FunctionType::get(builder.getVoidTy(), /*isVarArg=*/false);
  for (const char* const name : {"system", "abort"}) {
    builder.CreateCall(emitted.module().getOrInsertFunction(name, type));
  }
  builder.CreateRetVoid();
  EXPECT_THAT(
      Compile(std::move(emitted), JitOptions()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("abort, system")));
}

TEST_F(JitErrorTest, OverBudget) {
  JitOptions options;
  options.max_instructions = 5;
  MX_EXPECT_OK(Compile(AddModule(), options));
  options.max_instructions = 4;
  EXPECT_THAT(
      Compile(AddModule(), options),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("'add_module'"), HasSubstr("5 IR instructions"),
                     HasSubstr("max_instructions, 4"))));
}

TEST_F(JitErrorTest, UnknownProcessorAndLevel) {
  JitOptions options;
  options.target.cpu = "z80";
  EXPECT_THAT(Compile(AddModule(), options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'z80'")));
  options = JitOptions();
  options.level = 4;
  EXPECT_THAT(Compile(AddModule(), options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4")));
}

TEST_F(JitErrorTest, ForeignTargetsCompileButDoNotRun) {
  int num_foreign = 0;
  for (const char* const cpu : {"sapphirerapids", "bdver4"}) {
    JitOptions options;
    MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget(cpu));
    MX_EXPECT_OK(CompileObject(AddModule(), options));
    if (CheckRunsOnHost(options.target).ok()) continue;
    ++num_foreign;
    EXPECT_THAT(Compile(AddModule(), options),
                StatusIs(absl::StatusCode::kFailedPrecondition, _));
  }
  EXPECT_GT(num_foreign, 0);
}

// The code generator would end the process over both.
TEST_F(JitErrorTest, AssemblyAndForeignIntrinsics) {
  {
    EmittedModule emitted("assembly");
    llvm::IRBuilder<> builder(emitted.context());
    AddKernel(&emitted, "inline_assembly", &builder);
    llvm::FunctionType* const type =
        llvm::FunctionType::get(builder.getVoidTy(), /*isVarArg=*/false);
    builder.CreateCall(
        llvm::InlineAsm::get(type, "nop", "", /*hasSideEffects=*/true));
    builder.CreateRetVoid();
    EXPECT_THAT(
        Compile(std::move(emitted), JitOptions()),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("'inline_assembly'"), HasSubstr("asm"))));
  }
  EmittedModule emitted("intrinsic");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, "halves", &builder);
  llvm::Type* const vector =
      llvm::FixedVectorType::get(builder.getFloatTy(), 8);
  llvm::Value* const loaded =
      builder.CreateAlignedLoad(vector, function->getArg(0), llvm::Align(4));
  builder.CreateAlignedStore(
      builder.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_256,
                              {loaded, builder.getInt32(0)}),
      function->getArg(2), llvm::Align(4));
  builder.CreateRetVoid();
  JitOptions options;
  MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget("x86-64-v2"));
  EXPECT_THAT(Compile(std::move(emitted), options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'halves'"), HasSubstr("x86-64-v2"),
                             HasSubstr("vcvtps2ph"))));
}

// LLVM would lose the mask of a half of it.
TEST_F(JitErrorTest, MaskedLoadsWiderThanARegister) {
  for (const char* const cpu : {"haswell", "skylake-avx512"}) {
    SCOPED_TRACE(cpu);
    JitOptions options;
    if (!NamedTarget(cpu).ok()) GTEST_SKIP() << "not an x86-64";
    MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget(cpu));
    for (const int times : {1, 2}) {
      EmittedModule emitted("wide");
      llvm::IRBuilder<> builder(emitted.context());
      llvm::Function* const function = AddKernel(&emitted, "masked", &builder);
      const int lanes = times * options.target.vector_bytes / 8;
      llvm::Type* const vector =
          llvm::FixedVectorType::get(builder.getInt64Ty(), lanes);
      llvm::Value* const mask =
          builder.CreateVectorSplat(lanes, builder.getInt1(true));
      builder.CreateAlignedStore(
          builder.CreateMaskedLoad(vector, function->getArg(0), llvm::Align(8),
                                   mask, llvm::Constant::getNullValue(vector)),
          function->getArg(2), llvm::Align(8));
      builder.CreateRetVoid();
      const absl::Status status =
          CompileObject(std::move(emitted), options).status();
      if (times == 1) {
        EXPECT_THAT(status, IsOk());
      } else {
        EXPECT_THAT(status,
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             AllOf(HasSubstr("'masked'"),
                                   HasSubstr("masked load"), HasSubstr(cpu))));
      }
    }
  }
}

TEST_F(JitErrorTest, BytesThatAreNoObject) {
  MX_ASSERT_OK_AND_ASSIGN(const CompiledObject object,
                          CompileObject(AddModule(), JitOptions()));
  EXPECT_THAT(LinkObject(""), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(LinkObject("\x7F"
                         "ELF and no more"),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  // Whatever is cut off is missed: sections, or the table of them at the end.
  for (size_t size = 0; size < object.bytes.size(); size += 7) {
    EXPECT_THAT(LinkObject(object.bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument, _))
        << size;
  }
}

// memcpy of a size that is not known is a call.
TEST(JitTest, MayCallMemcpy) {
  EmittedModule emitted("copies");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, "copy", &builder);
  builder.CreateMemCpy(
      function->getArg(2), llvm::Align(4), function->getArg(0), llvm::Align(4),
      builder.CreateLoad(builder.getInt64Ty(), function->getArg(1)));
  builder.CreateRetVoid();
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                          Compile(std::move(emitted), JitOptions()));
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out = {0, 0, 0};
  const int64_t size = 2 * sizeof(float);
  using Copy = void (*)(const float*, const int64_t*, float*);
  reinterpret_cast<Copy>(code->Find("copy"))(in.data(), &size, out.data());
  EXPECT_THAT(out, ElementsAre(1, 2, 0));
}

#else

TEST(JitTest, WithoutLlvm) {
  EXPECT_THAT(Compile(EmittedModule(), JitOptions()),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("LLVM")));
  EXPECT_THAT(LinkObject(""),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("LLVM")));
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
