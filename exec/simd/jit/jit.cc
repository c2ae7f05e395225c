#include "exec/simd/jit/jit.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "base/stopwatch.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/object_cache.h"
#include "exec/simd/jit/target.h"

#ifndef MX_WITHOUT_LLVM
#include "exec/simd/jit/emit_object.h"
#include "exec/simd/jit/fatal_error.h"
#include "exec/simd/jit/llvm_target.h"
#include "exec/simd/jit/optimize.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#endif

namespace mxtile::exec::simd {

#ifdef MX_WITHOUT_LLVM

absl::StatusOr<CompiledObject> CompileObject(EmittedModule module,
                                             const JitOptions& options) {
  return absl::UnimplementedError(
      "this build has no LLVM, which compiles for the host");
}

#else

namespace {

void KeepErrors(const llvm::DiagnosticInfo* info, void* errors) {
  if (info->getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(*static_cast<std::string*>(errors));
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  stream << "; ";
}

template <typename Printable>
std::string Text(const Printable& printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << printable;
  return text;
}

absl::Status Verify(const llvm::Module& module) {
  std::string words;
  llvm::raw_string_ostream stream(words);
  if (!llvm::verifyModule(module, &stream)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "module '", module.getName().str(), "' breaks LLVM's rules: ", words));
}

// What the rules of LLVM allow and we do not: operations that change results,
// and those over which the code generator ends the process.
absl::Status CheckInstruction(const llvm::Instruction& instruction,
                              const SimdTarget& target) {
  if (llvm::isa<llvm::FPMathOperator>(instruction) &&
      instruction.getFastMathFlags().any()) {
    return absl::InvalidArgumentError("fast-math flags change results");
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return absl::OkStatus();
  if (call->isInlineAsm()) {
    return absl::InvalidArgumentError("assembly is not supported");
  }
  const llvm::Function* const callee = call->getCalledFunction();
  if (call->getIntrinsicID() == llvm::Intrinsic::masked_load &&
      call->getType()->getPrimitiveSizeInBits().getKnownMinValue() >
          static_cast<uint64_t>(8 * target.vector_bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a masked load of more than a register, ",
                     target.vector_bytes, " bytes on ", target.cpu));
  }
  if (callee == nullptr || !callee->isTargetIntrinsic()) {
    return absl::OkStatus();
  }
  const llvm::Intrinsic::ID id = callee->getIntrinsicID();
  const bool is_f16c = id == llvm::Intrinsic::x86_vcvtps2ph_128 ||
                       id == llvm::Intrinsic::x86_vcvtps2ph_256;
  if (is_f16c && target.has_f16c) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the intrinsic is not known to exist on ", target.cpu));
}

absl::Status CheckInstructions(const llvm::Module& module,
                               const SimdTarget& target) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const absl::Status status = CheckInstruction(instruction, target);
      if (status.ok()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("function '", function.getName().str(),
                       "': ", status.message(), ":", Text(instruction)));
    }
  }
  if (module.getModuleInlineAsm().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "module '", module.getName().str(), "': assembly is not supported"));
}

void Measure(const llvm::Module& module, CompiledObject* object) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const int64_t instructions = function.getInstructionCount();
    object->functions.push_back({function.getName().str(), instructions});
    object->instructions += instructions;
  }
}

absl::Status CheckBudget(const llvm::Module& module,
                         const CompiledObject& object, int64_t budget) {
  if (budget == 0 || object.instructions <= budget) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "module '", module.getName().str(), "' has ", object.instructions,
      " IR instructions, more than max_instructions, ", budget));
}

void SetTarget(const SimdTarget& target, const llvm::TargetMachine& machine,
               llvm::Module* module) {
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  const std::string width = absl::StrCat(8 * target.vector_bytes);
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    function.setDoesNotThrow();
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    // Some processors are tuned for half of their registers' width, into which
    // wider operations would be split.
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
  }
}

// Counts changes of what is done to a module between here and its object, so
// that objects of another mxtile are not found.
constexpr int kPipelineVersion = 2;

// All that the object depends on; the target is in the module.
std::string KeyOf(const llvm::Module& module, int level) {
  std::string text = absl::StrCat("LLVM ", LLVM_VERSION_STRING, "\npipeline ",
                                  kPipelineVersion, "\nlevel ", level, "\n");
  llvm::raw_string_ostream stream(text);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return Sha256Hex(text);
}

absl::Status Generate(llvm::Module* module, llvm::TargetMachine* machine,
                      const JitOptions& options, CompiledObject* object) {
  const NamedCompilation named(
      absl::StrCat("module '", module->getName().str(), "' for processor ",
                   options.target.cpu, " at level ", options.level));
  std::string errors;
  module->getContext().setDiagnosticHandlerCallBack(&KeepErrors, &errors);
  Stopwatch watch;
  Optimize(module, machine, options.level);
  object->optimize_ms = watch.Lap();
  object->instructions_after = module->getInstructionCount();
  if (options.keep_ir) object->ir_after = Text(*module);
  watch.Lap();
  MX_ASSIGN_OR_RETURN(object->bytes, EmitObject(module, machine));
  object->codegen_ms = watch.Lap();
  if (errors.empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("module '", module->getName().str(),
                                          "' has no code: ", errors));
}

}  // namespace

absl::StatusOr<CompiledObject> CompileObject(EmittedModule emitted,
                                             const JitOptions& options) {
  Stopwatch watch;
  CompiledObject object;
  llvm::Module& module = emitted.module();
  MX_ASSIGN_OR_RETURN(
      const std::unique_ptr<llvm::TargetMachine> machine,
      CreateTargetMachine(options.target.triple, options.target.cpu,
                          options.target.features, options.level));
  SetTarget(options.target, *machine, &module);
  MX_RETURN_IF_ERROR(Verify(module));
  MX_RETURN_IF_ERROR(CheckInstructions(module, options.target));
  Measure(module, &object);
  MX_RETURN_IF_ERROR(CheckBudget(module, object, options.max_instructions));
  if (options.keep_ir) object.ir_before = Text(module);
  std::string key;
  if (options.cache != nullptr) {
    key = KeyOf(module, options.level);
    std::optional<std::string> found;
    if (!options.keep_ir) found = options.cache->Find(key);
    if (found.has_value()) {
      object.from_cache = true;
      object.bytes = *std::move(found);
    }
  }
  object.prepare_ms = watch.Lap();
  if (!object.from_cache) {
    MX_RETURN_IF_ERROR(Generate(&module, machine.get(), options, &object));
    if (options.cache != nullptr) options.cache->Store(key, object.bytes);
  }
  object.sha256 = Sha256Hex(object.bytes);
  return object;
}

#endif  // MX_WITHOUT_LLVM

absl::StatusOr<std::unique_ptr<JitCode>> Compile(EmittedModule module,
                                                 const JitOptions& options) {
  MX_RETURN_IF_ERROR(CheckRunsOnHost(options.target));
  MX_ASSIGN_OR_RETURN(CompiledObject object,
                      CompileObject(std::move(module), options));
  const auto start = std::chrono::steady_clock::now();
  MX_ASSIGN_OR_RETURN(std::unique_ptr<LinkedObject> linked,
                      LinkObject(object.bytes));
  const std::chrono::duration<double, std::milli> link_time =
      std::chrono::steady_clock::now() - start;
  return std::make_unique<JitCode>(std::move(object), std::move(linked),
                                   link_time.count());
}

}  // namespace mxtile::exec::simd
