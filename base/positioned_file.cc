#include "base/positioned_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace mxtile {
namespace {

absl::Status ReadAll(int fd, const std::string& path, int64_t offset,
                     absl::Span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(errno, "cannot read", path);
    if (count == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot read ", path, ": it ends at byte ", offset, ", ",
                       bytes.size(), " bytes short"));
    }
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return absl::OkStatus();
}

// Opens and locks a file of this name, which is the one that the name still
// has: another run may rename it between the two steps.
absl::StatusOr<int> OpenLocked(const std::string& path, const std::string& name,
                               bool wait) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return SystemError(errno, "cannot create", name);
    absl::Cleanup close = [fd] { ::close(fd); };
    if (::flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return SystemError(errno, "cannot lock", path);
      return absl::FailedPreconditionError(absl::StrCat(
          "cannot create ", name, ": another run is writing ", path));
    }
    struct stat opened, named;
    if (::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
        opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
      std::move(close).Cancel();
      return fd;
    }
  }
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return SystemError(errno, "cannot open", folder);
  absl::Cleanup close = [fd] { ::close(fd); };
  // Some file systems do not sync folders.
  if (::fsync(fd) != 0 && errno != EINVAL) {
    return SystemError(errno, "cannot write", folder);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  // A pipe without a writer would block.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return SystemError(errno, "cannot open", path);
  absl::Cleanup close = [fd] { ::close(fd); };
  struct stat status;
  if (::fstat(fd, &status) != 0) {
    return SystemError(errno, "cannot open", path);
  }
  if (S_ISDIR(status.st_mode)) {
    return SystemError(EISDIR, "cannot read", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": it is no regular file"));
  }
  std::move(close).Cancel();
  return InputFile(fd, path, status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status InputFile::ReadAt(int64_t offset,
                               absl::Span<uint8_t> bytes) const {
  return ReadAll(fd_, path_, offset, bytes);
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path,
                                              WhenLocked when_locked) {
  std::error_code error;
  const std::filesystem::file_status status =
      std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return SystemError(EISDIR, "cannot create", path);
  }
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return SystemError(errno, "cannot open", path);
    return OutputFile(fd, path, path, "");
  }
  const std::filesystem::path canonical =
      std::filesystem::weakly_canonical(path, error);
  const std::string target = error ? path : canonical.string();
  const std::string temporary = absl::StrCat(target, ".part");
  MX_ASSIGN_OR_RETURN(
      const int fd,
      OpenLocked(temporary, path, when_locked == WhenLocked::kWait));
  OutputFile file(fd, path, target, temporary);
  if (::ftruncate(fd, 0) != 0) return SystemError(errno, "cannot write", path);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

absl::Status OutputFile::WriteAt(int64_t offset,
                                 absl::Span<const uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(errno, "cannot write", name_);
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return absl::OkStatus();
}

absl::Status OutputFile::ReadAt(int64_t offset,
                                absl::Span<uint8_t> bytes) const {
  return ReadAll(fd_, name_, offset, bytes);
}

absl::Status OutputFile::Commit() {
  if (temporary_.empty()) return absl::OkStatus();
  if (::fsync(fd_) != 0) return SystemError(errno, "cannot write", name_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return SystemError(errno, "cannot create", name_);
  }
  temporary_.clear();
  return SyncFolderOf(target_);
}

}  // namespace mxtile
