#include "exec/simd/jit/float_ops_test_util.h"

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "exec/simd/jit/float_ops.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

llvm::Type* ElementType(llvm::IRBuilderBase& builder, int bits, int lanes) {
  llvm::Type* const element =
      bits == 32 ? builder.getFloatTy()
                 : static_cast<llvm::Type*>(builder.getIntNTy(bits));
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

// run(a, b, out, count): for (i = 0; i < count; i += lanes) ...
EmittedModule EmitLoop(const ElementwiseKernel::Shape& shape,
                       ElementwiseKernel::Emit emit) {
  EmittedModule emitted("elementwise");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Type* const index_type = builder.getInt64Ty();
  llvm::Function* const function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {pointer, pointer, pointer, index_type},
                              /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, "run", &emitted.module());
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(emitted.context(), name, function);
  };
  llvm::BasicBlock* const entry = block("entry");
  llvm::BasicBlock* const head = block("head");
  llvm::BasicBlock* const body = block("body");
  llvm::BasicBlock* const done = block("done");
  builder.SetInsertPoint(entry);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode* const index = builder.CreatePHI(index_type, 2);
  index->addIncoming(builder.getInt64(0), entry);
  builder.CreateCondBr(builder.CreateICmpSLT(index, function->getArg(3)), body,
                       done);
  builder.SetInsertPoint(body);
  const auto address = [&](int argument, int bits) {
    return builder.CreateGEP(ElementType(builder, bits, 1),
                             function->getArg(argument), index);
  };
  std::vector<llvm::Value*> inputs;
  for (int i = 0; i < shape.num_inputs; ++i) {
    inputs.push_back(builder.CreateAlignedLoad(
        ElementType(builder, shape.input_bits, shape.lanes),
        address(i, shape.input_bits), llvm::Align(1)));
  }
  FloatOps ops(&builder, shape.target, shape.lanes);
  builder.CreateAlignedStore(emit(ops, inputs), address(2, shape.output_bits),
                             llvm::Align(1));
  index->addIncoming(builder.CreateAdd(index, builder.getInt64(shape.lanes)),
                     body);
  builder.CreateBr(head);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return emitted;
}

JitOptions OptionsFor(const ElementwiseKernel::Shape& shape) {
  JitOptions options;
  options.target = shape.target;
  return options;
}

}  // namespace

absl::StatusOr<ElementwiseKernel> ElementwiseKernel::Make(const Shape& shape,
                                                          Emit emit) {
  MX_ASSIGN_OR_RETURN(std::unique_ptr<JitCode> code,
                      Compile(EmitLoop(shape, emit), OptionsFor(shape)));
  return ElementwiseKernel(std::move(code));
}

absl::StatusOr<CompiledObject> ElementwiseKernel::MakeObject(const Shape& shape,
                                                             Emit emit) {
  return CompileObject(EmitLoop(shape, emit), OptionsFor(shape));
}

std::vector<TargetAndLanes> TestedTargets() {
  std::vector<SimdTarget> targets = {HostTarget()};
  const absl::StatusOr<SimdTarget> base = NamedTarget("x86-64");
  if (base.ok()) targets.push_back(*base);
  std::vector<TargetAndLanes> tested;
  for (const SimdTarget& target : targets) {
    for (const int lanes : {1, 2, 4, 8, 16}) tested.push_back({target, lanes});
  }
  return tested;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
