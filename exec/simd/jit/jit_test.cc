#include "exec/simd/jit/jit.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/object_cache.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"
#endif

namespace mxtile::simd {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#ifndef MX_WITHOUT_LLVM

// void NAME(const float* a, const float* b, float* out), with the builder at
// its entry.
llvm::Function* AddKernel(EmittedModule* emitted, const std::string& name,
                          llvm::IRBuilder<>* builder) {
  llvm::Type* const pointer = builder->getPtrTy();
  llvm::Function* const function = llvm::Function::Create(
      llvm::FunctionType::get(builder->getVoidTy(), {pointer, pointer, pointer},
                              /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, name, &emitted->module());
  builder->SetInsertPoint(
      llvm::BasicBlock::Create(emitted->context(), "entry", function));
  return function;
}

// out[i] = a[i] + b[i] for i < 8: 5 instructions.
EmittedModule AddModule(const std::string& name = "add") {
  EmittedModule emitted("add_module");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, name, &builder);
  llvm::Type* const vector =
      llvm::FixedVectorType::get(builder.getFloatTy(), 8);
  const llvm::Align align(4);
  llvm::Value* const a =
      builder.CreateAlignedLoad(vector, function->getArg(0), align);
  llvm::Value* const b =
      builder.CreateAlignedLoad(vector, function->getArg(1), align);
  builder.CreateAlignedStore(builder.CreateFAdd(a, b), function->getArg(2),
                             align);
  builder.CreateRetVoid();
  return emitted;
}

using Kernel = void (*)(const float*, const float*, float*);

void ExpectAdds(const JitCode& code, const std::string& name = "add") {
  const auto add = reinterpret_cast<Kernel>(code.Find(name));
  ASSERT_NE(add, nullptr);
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> b = {10, 20, 30, 40, 50, 60, 70, 80};
  std::vector<float> out(10, -1);
  add(a.data(), b.data(), out.data());
  EXPECT_THAT(out, ElementsAre(11, 22, 33, 44, 55, 66, 77, 88, -1, -1));
}

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

TEST(JitCacheTest, HitsByContent) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> first,
                          Compile(AddModule(), options));
  EXPECT_FALSE(first->object().from_cache);
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> second,
                          Compile(AddModule(), options));
  EXPECT_TRUE(second->object().from_cache);
  EXPECT_EQ(second->object().bytes, first->object().bytes);
  EXPECT_EQ(second->object().sha256, first->object().sha256);
  EXPECT_EQ(second->object().instructions, 5);
  EXPECT_EQ(second->object().instructions_after, std::nullopt);
  ExpectAdds(*second);
  EXPECT_EQ(cache.counters().misses, 1);
  EXPECT_EQ(cache.counters().memory_hits, 1);
}

TEST(JitCacheTest, AnotherModuleLevelOrTargetIsAnotherObject) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  MX_EXPECT_OK(CompileObject(AddModule("another"), options));
  options.level = 1;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.level = 2;
  MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget("x86-64"));
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.target.features = "+avx";
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  EXPECT_EQ(cache.counters().misses, 5);
  EXPECT_EQ(cache.counters().memory_hits, 0);
}

TEST(JitCacheTest, ABudgetHoldsForCachedObjectsToo) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.max_instructions = 1;
  EXPECT_THAT(CompileObject(AddModule(), options),
              StatusIs(absl::StatusCode::kResourceExhausted, _));
}

absl::StatusOr<std::string> OnlyFileIn(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files.push_back(entry.path());
  }
  if (files.size() != 1) {
    return absl::InternalError(absl::StrCat(files.size(), " files"));
  }
  return files[0];
}

TEST(JitCacheTest, DamagedFilesAreCompiledAgain) {
  const std::string directory =
      absl::StrCat(::testing::TempDir(), "/jit_cache");
  JitOptions options;
  for (const int damage : {0, 1, 2}) {
    ObjectCache cache(directory);
    options.cache = &cache;
    MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                            Compile(AddModule(), options));
    ExpectAdds(*code);
    EXPECT_EQ(cache.counters().misses, 1) << damage;
    EXPECT_EQ(cache.counters().rejected_files, damage == 0 ? 0 : 1);
    {
      ObjectCache again(directory);
      options.cache = &again;
      MX_EXPECT_OK(Compile(AddModule(), options));
      EXPECT_EQ(again.counters().file_hits, 1);
    }
    MX_ASSERT_OK_AND_ASSIGN(const std::string path, OnlyFileIn(directory));
    MX_ASSERT_OK_AND_ASSIGN(std::string contents, ReadFile(path));
    if (damage == 0) {
      contents.resize(contents.size() / 2);
    } else {
      contents[contents.size() - 100] ^= 0x55;
    }
    MX_ASSERT_OK(WriteFileAtomically(path, contents));
  }
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
}  // namespace mxtile::simd
