#include "exec/simd/jit/linked_object.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#ifndef MX_WITHOUT_LLVM
#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "exec/simd/jit/llvm_target.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#endif

namespace mxtile::exec::simd {

#ifdef MX_WITHOUT_LLVM

absl::StatusOr<std::unique_ptr<LinkedObject>> LinkObject(
    absl::string_view bytes) {
  return absl::UnimplementedError(
      "this build has no LLVM, which links and runs compiled code");
}

#else

namespace {

struct Symbols {
  std::vector<std::string> exported;
  absl::btree_set<std::string> undefined;
};

struct Provided {
  const char* name;
  void* address;
};

// What generated code may call: LLVM makes calls of these by itself.
const Provided kProvided[] = {
    {"memcpy", reinterpret_cast<void*>(&std::memcpy)},
    {"memmove", reinterpret_cast<void*>(&std::memmove)},
    {"memset", reinterpret_cast<void*>(&std::memset)},
};

absl::Status Invalid(absl::string_view what, llvm::Error error) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": ", llvm::toString(std::move(error))));
}

absl::StatusOr<Symbols> ReadSymbols(const llvm::MemoryBuffer& buffer) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef());
  if (!file) return Invalid("not an object", file.takeError());
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if ((*file)->getArch() != host.getArch() || !(*file)->isRelocatableObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a relocatable object for ", host.str()));
  }
  Symbols symbols;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) return Invalid("damaged object", flags.takeError());
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) return Invalid("damaged object", name.takeError());
    if (*flags & llvm::object::SymbolRef::SF_Undefined) {
      if (!name->empty()) symbols.undefined.insert(name->str());
    } else if (*flags & llvm::object::SymbolRef::SF_Global) {
      symbols.exported.push_back(name->str());
    }
  }
  for (const Provided& provided : kProvided) {
    symbols.undefined.erase(provided.name);
  }
  return symbols;
}

class JitLinkedObject : public LinkedObject {
 public:
  explicit JitLinkedObject(std::unique_ptr<llvm::orc::LLJIT> jit)
      : jit_(std::move(jit)) {}

  absl::Status Add(std::unique_ptr<llvm::MemoryBuffer> buffer,
                   const Symbols& symbols);

  void* Find(absl::string_view name) const override {
    const auto found = addresses_.find(name);
    return found == addresses_.end() ? nullptr : found->second;
  }

  std::vector<std::string> Names() const override {
    std::vector<std::string> names;
    for (const auto& entry : addresses_) names.push_back(entry.first);
    return names;
  }

 private:
  // What ORC has to say on its own; it would go to stderr.
  std::string reports_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  absl::btree_map<std::string, void*> addresses_;
};

absl::Status JitLinkedObject::Add(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  const Symbols& symbols) {
  jit_->getExecutionSession().setErrorReporter([this](llvm::Error error) {
    absl::StrAppend(&reports_, " ", llvm::toString(std::move(error)));
  });
  llvm::orc::SymbolMap provided;
  for (const Provided& entry : kProvided) {
    provided[jit_->mangleAndIntern(entry.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(entry.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  if (llvm::Error error = jit_->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(provided)))) {
    return Invalid("linking", std::move(error));
  }
  if (llvm::Error error = jit_->addObjectFile(std::move(buffer))) {
    return Invalid("linking", std::move(error));
  }
  for (const std::string& name : symbols.exported) {
    llvm::Expected<llvm::orc::ExecutorAddr> address =
        jit_->lookupLinkerMangled(name);
    if (!address) {
      absl::Status status = Invalid("linking", address.takeError());
      return absl::InvalidArgumentError(
          absl::StrCat(status.message(), reports_));
    }
    addresses_[name] = address->toPtr<void*>();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<LinkedObject>> LinkObject(
    absl::string_view bytes) {
  MX_RETURN_IF_ERROR(InitializeHostTarget());
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(
          llvm::StringRef(bytes.data(), bytes.size()), "object");
  MX_ASSIGN_OR_RETURN(const Symbols symbols, ReadSymbols(*buffer));
  if (!symbols.undefined.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("compiled code calls what it may not: ",
                     absl::StrJoin(symbols.undefined, ", "),
                     " (only memcpy, memmove and memset are provided)"));
  }
  // One JIT an object: about a millisecond, and its memory goes with it. The
  // process's own symbols stay out of reach.
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder()
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .create();
  if (!jit) return Invalid("starting the JIT", jit.takeError());
  auto linked = std::make_unique<JitLinkedObject>(std::move(*jit));
  MX_RETURN_IF_ERROR(linked->Add(std::move(buffer), symbols));
  return linked;
}

#endif  // MX_WITHOUT_LLVM

}  // namespace mxtile::exec::simd
