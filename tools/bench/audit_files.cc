#include "tools/bench/audit_files.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "nlohmann/json.hpp"
#include "tools/bench/strict_json.h"

namespace mxtile::bench {
namespace {

template <typename T>
std::vector<T> Numbers(AuditFiles& files, const std::string& path,
                       int64_t count) {
  const std::string& bytes = files.Bytes(path);
  if (!files.Has(path)) return {};
  if (bytes.size() != count * sizeof(T)) {
    files.Fault(path, absl::StrCat(bytes.size(), " bytes, not ", count,
                                   " numbers of ", sizeof(T)));
    return {};
  }
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) {
      files.Fault(path, absl::StrCat("number ", i, " is not finite"));
      return {};
    }
  }
  return values;
}

}  // namespace

void AuditFiles::Begin(std::string subject) {
  report_.verdicts.push_back({std::move(subject), "", {}});
}

void AuditFiles::Fault(absl::string_view place, absl::string_view message) {
  report_.verdicts.back().faults.push_back(
      absl::StrCat(place, place.empty() ? "" : ": ", message));
}

absl::Status AuditFiles::ReadAll() {
  namespace fs = std::filesystem;
  std::error_code error;
  // The folder itself may be behind a link, nothing in it.
  fs::recursive_directory_iterator it(folder_, fs::directory_options::none,
                                      error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder_, ": ", error.message()));
  }
  while (it != fs::recursive_directory_iterator()) {
    const fs::path relative = it->path().lexically_relative(folder_);
    const fs::file_status status = it->symlink_status(error);
    if (fs::is_symlink(status)) {
      Fault(relative.string(), "a symbolic link");
    } else if (fs::is_regular_file(status)) {
      absl::StatusOr<std::string> bytes = ReadFile(it->path().string());
      if (!bytes.ok()) return bytes.status();
      contents_[relative.string()] = *std::move(bytes);
    } else if (!fs::is_directory(status)) {
      Fault(relative.string(), "no file and no folder");
    }
    it.increment(error);
    if (error) {
      return absl::NotFoundError(absl::StrCat(folder_, ": ", error.message()));
    }
  }
  return absl::OkStatus();
}

const std::string& AuditFiles::Bytes(const std::string& path) {
  static const auto* const empty = new std::string;
  const auto it = contents_.find(path);
  if (it != contents_.end()) return it->second;
  Fault(path, "missing");
  return *empty;
}

nlohmann::ordered_json AuditFiles::Json(const std::string& path) {
  const std::string& text = Bytes(path);
  if (!Has(path)) return nullptr;
  absl::StatusOr<nlohmann::ordered_json> json = ParseStrictJson(text);
  if (json.ok()) return *std::move(json);
  Fault(path, json.status().message());
  return nullptr;
}

std::vector<float> AuditFiles::Floats(const std::string& path, int64_t count) {
  return Numbers<float>(*this, path, count);
}

std::vector<double> AuditFiles::Doubles(const std::string& path,
                                        int64_t count) {
  return Numbers<double>(*this, path, count);
}

}  // namespace mxtile::bench
