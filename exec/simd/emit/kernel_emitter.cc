#include "exec/simd/emit/kernel_emitter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/simd/candidate.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

#ifndef MX_WITHOUT_LLVM
#include "exec/simd/emit/body_emitter.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#endif

namespace mxtile::exec::simd {

#ifndef MX_WITHOUT_LLVM

namespace {

class KernelEmitter {
 public:
  KernelEmitter(const TileProgram& program, const Candidate& candidate,
                const SimdTarget& target)
      : program_(program),
        candidate_(candidate),
        target_(target),
        kernel_{EmittedModule(program.name), program.name},
        builder_(kernel_.module.context()) {
    for (const View& view : program.views) {
      buffers_ = std::max(buffers_, view.buffer + 1);
    }
  }

  EmittedKernel Emit() && {
    const int64_t team = candidate_.team();
    const bool programs = candidate_.lanes == LaneMode::kPrograms;
    const bool has_rest = program_.program_count % team != 0;
    const bool has_team = program_.program_count >= team &&
                          (programs ? candidate_.full_packet : team > 1);
    llvm::Function* body = nullptr;
    llvm::Function* whole = nullptr;
    if (!has_team || has_rest || (programs && candidate_.masked_lanes)) {
      Candidate single = candidate_;
      single.group = 1;
      body = EmitBody("body", single, /*partial=*/programs);
      kernel_.body_instructions = body->getInstructionCount();
    }
    if (has_team) {
      whole = EmitBody("team", candidate_, /*partial=*/false);
      kernel_.team_instructions = whole->getInstructionCount();
    }
    const int64_t teams = program_.program_count / team;
    const int64_t rest = program_.program_count % team;
    if (programs) {
      const double packet = whole != nullptr ? team_cycles_ : body_cycles_;
      kernel_.cycles =
          static_cast<double>(teams) * packet + (rest > 0 ? body_cycles_ : 0);
    } else {
      kernel_.cycles =
          whole != nullptr
              ? static_cast<double>(teams) * team_cycles_ +
                    static_cast<double>(rest) * body_cycles_
              : static_cast<double>(program_.program_count) * body_cycles_;
    }
    EmitEntry(body, whole);
    return std::move(kernel_);
  }

 private:
  // Parameters of a body: buffers, first, active, workspace, error.
  llvm::Function* EmitBody(const std::string& name, const Candidate& candidate,
                           bool partial) {
    const LaneAnalysis lanes(program_, candidate.team());
    const Realization plan(program_, candidate, lanes);
    llvm::Type* pointer = builder_.getPtrTy();
    std::vector<llvm::Type*> types(buffers_, pointer);
    types.push_back(builder_.getInt64Ty());
    types.push_back(builder_.getInt64Ty());
    types.push_back(pointer);
    types.push_back(pointer);
    llvm::Function* function = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(), types, false),
        llvm::Function::InternalLinkage, absl::StrCat(kernel_.entry, ".", name),
        kernel_.module.module());
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    BodyArgs args;
    for (llvm::Argument& arg : function->args()) {
      if (arg.getType()->isPointerTy()) arg.addAttr(llvm::Attribute::NoAlias);
    }
    for (int i = 0; i < buffers_; ++i) {
      args.buffers.push_back(function->getArg(i));
    }
    args.first = function->getArg(buffers_);
    if (partial) args.active = function->getArg(buffers_ + 1);
    args.workspace = function->getArg(buffers_ + 2);
    args.error = function->getArg(buffers_ + 3);
    builder_.SetInsertPoint(
        llvm::BasicBlock::Create(kernel_.module.context(), "entry", function));
    BodyEmitter emitter(program_, candidate, target_, lanes, plan, builder_,
                        function, args);
    emitter.Emit();
    builder_.CreateRetVoid();
    MX_CHECK(emitter.emitted() == plan.resources())
        << "predicted " << plan.resources().bytes << " bytes in "
        << plan.resources().allocations << " arrays, emitted "
        << emitter.emitted().bytes << " in " << emitter.emitted().allocations;
    // Fewer where a loop without trips is left out.
    MX_CHECK(emitter.blocked_mmas() <= plan.blocked_mmas());
    // Of the body that does the most.
    const int64_t workspace =
        std::max(kernel_.resources.workspace, plan.resources().workspace);
    kernel_.resources = plan.resources();
    kernel_.resources.workspace = workspace;
    (name == "team" ? team_cycles_ : body_cycles_) = emitter.cycles();
    kernel_.blocked_mmas = emitter.blocked_mmas();
    return function;
  }

  // Whole teams, then what is left.
  void EmitEntry(llvm::Function* body, llvm::Function* whole) {
    llvm::Type* i64 = builder_.getInt64Ty();
    llvm::Type* pointer = builder_.getPtrTy();
    llvm::Function* entry = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(),
                                {pointer, i64, i64, pointer, pointer}, false),
        llvm::Function::ExternalLinkage, kernel_.entry,
        kernel_.module.module());
    entry->addFnAttr(llvm::Attribute::NoUnwind);
    builder_.SetInsertPoint(
        llvm::BasicBlock::Create(kernel_.module.context(), "entry", entry));
    std::vector<llvm::Value*> buffers;
    for (int i = 0; i < buffers_; ++i) {
      buffers.push_back(builder_.CreateLoad(
          pointer, builder_.CreateConstGEP1_64(pointer, entry->getArg(0), i)));
    }
    llvm::Value* first = entry->getArg(1);
    llvm::Value* end = builder_.CreateAdd(first, entry->getArg(2));
    const auto call = [&](llvm::Function* function, llvm::Value* at,
                          llvm::Value* active) {
      std::vector<llvm::Value*> args = buffers;
      args.insert(args.end(), {at, active, entry->getArg(3), entry->getArg(4)});
      builder_.CreateCall(function, args);
    };
    // Calls function at `from`, from + step ... while a whole step is left.
    const auto loop = [&](llvm::Function* function, llvm::Value* from,
                          int64_t step) -> llvm::Value* {
      llvm::LLVMContext& context = kernel_.module.context();
      llvm::BasicBlock* before = builder_.GetInsertBlock();
      llvm::BasicBlock* test = llvm::BasicBlock::Create(context, "test", entry);
      llvm::BasicBlock* round =
          llvm::BasicBlock::Create(context, "round", entry);
      llvm::BasicBlock* after =
          llvm::BasicBlock::Create(context, "after", entry);
      builder_.CreateBr(test);
      builder_.SetInsertPoint(test);
      llvm::PHINode* at = builder_.CreatePHI(i64, 2);
      at->addIncoming(from, before);
      llvm::Value* next = builder_.CreateAdd(
          at, builder_.getInt64(static_cast<uint64_t>(step)));
      builder_.CreateCondBr(builder_.CreateICmpSLE(next, end), round, after);
      builder_.SetInsertPoint(round);
      call(function, at, builder_.getInt64(static_cast<uint64_t>(step)));
      at->addIncoming(next, round);
      builder_.CreateBr(test);
      builder_.SetInsertPoint(after);
      return at;
    };
    const bool programs = candidate_.lanes == LaneMode::kPrograms;
    llvm::Value* at = first;
    if (whole != nullptr) at = loop(whole, at, candidate_.team());
    if (body != nullptr) {
      if (!programs) {
        loop(body, at, 1);
      } else {
        if (whole == nullptr) at = loop(body, at, candidate_.width);
        EmitRest(body, at, end, call);
      }
    }
    builder_.CreateRetVoid();
  }

  // The lanes of the last packet.
  template <typename Call>
  void EmitRest(llvm::Function* body, llvm::Value* at, llvm::Value* end,
                const Call& call) {
    llvm::LLVMContext& context = kernel_.module.context();
    llvm::Function* entry = builder_.GetInsertBlock()->getParent();
    llvm::BasicBlock* rest = llvm::BasicBlock::Create(context, "rest", entry);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", entry);
    builder_.CreateCondBr(builder_.CreateICmpSLT(at, end), rest, done);
    builder_.SetInsertPoint(rest);
    call(body, at, builder_.CreateSub(end, at));
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
  }

  const TileProgram& program_;
  const Candidate& candidate_;
  const SimdTarget& target_;
  EmittedKernel kernel_;
  llvm::IRBuilder<> builder_;
  int buffers_ = 0;
  double body_cycles_ = 0;  // of one execution
  double team_cycles_ = 0;
};

}  // namespace

#endif  // MX_WITHOUT_LLVM

absl::Status CheckCandidate(const TileProgram& program,
                            const Candidate& candidate) {
  const bool power_of_two =
      candidate.width > 0 && (candidate.width & (candidate.width - 1)) == 0;
  if (!power_of_two || candidate.width > 16 || candidate.group < 1 ||
      candidate.block_rows < 1 || candidate.block_cols < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("candidate ", ToString(candidate),
                     ": the width is 1, 2, 4, 8 or 16, counts are above 0"));
  }
  if (candidate.team() == 1) return absl::OkStatus();
  const LaneAnalysis lanes(program, candidate.team());
  if (!lanes.loops_are_uniform() || !lanes.ifs_are_uniform()) {
    return absl::InvalidArgumentError(
        absl::StrCat("candidate ", ToString(candidate), ": ",
                     lanes.loops_are_uniform() ? "a condition differs"
                                               : "the bounds of a loop differ",
                     " between ", candidate.team(), " neighbouring instances"));
  }
  return absl::OkStatus();
}

absl::StatusOr<EmittedKernel> EmitKernel(const TileProgram& program,
                                         const Candidate& candidate,
                                         const SimdTarget& target) {
#ifdef MX_WITHOUT_LLVM
  return absl::UnimplementedError("this build has no LLVM, which is emitted");
#else
  MX_RETURN_IF_ERROR(CheckCandidate(program, candidate));
  return KernelEmitter(program, candidate, target).Emit();
#endif
}

}  // namespace mxtile::exec::simd
