#include "tools/bench/evidence.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {

absl::StatusOr<Evidence> Evidence::Create(const std::string& folder) {
  const std::string name(absl::StripSuffix(folder, "/"));
  std::error_code error;
  if (name.empty() || std::filesystem::exists(name, error)) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, ": exists; evidence is never overwritten, name a new folder"));
  }
  std::string temporary = absl::StrCat(name, ".tmp-", getpid());
  MX_RETURN_IF_ERROR(CreateDirectories(temporary));
  return Evidence(name, std::move(temporary));
}

Evidence::Evidence(Evidence&& other)
    : folder_(std::move(other.folder_)),
      temporary_(std::exchange(other.temporary_, "")),
      files_(std::move(other.files_)) {}

Evidence::~Evidence() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

absl::Status Evidence::Add(const std::string& path,
                           absl::string_view contents) {
  const std::string whole = absl::StrCat(temporary_, "/", path);
  MX_RETURN_IF_ERROR(
      CreateDirectories(std::filesystem::path(whole).parent_path().string()));
  MX_RETURN_IF_ERROR(WriteFileAtomically(whole, contents));
  files_[path] = {Sha256Hex(contents), static_cast<int64_t>(contents.size())};
  return absl::OkStatus();
}

absl::Status Evidence::Finish() {
  nlohmann::ordered_json manifest = {
      {"format", 1}, {"files", nlohmann::ordered_json::object()}};
  for (const auto& [path, file] : files_) {
    manifest["files"][path] = {{"sha256", file.sha256}, {"bytes", file.bytes}};
  }
  MX_RETURN_IF_ERROR(
      WriteFileAtomically(absl::StrCat(temporary_, "/manifest.json"),
                          absl::StrCat(manifest.dump(1), "\n")));
  std::error_code error;
  std::filesystem::rename(temporary_, folder_, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder_, ": ", error.message()));
  }
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace mxtile::bench
