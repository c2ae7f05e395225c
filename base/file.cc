#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace mxtile {
namespace {

absl::Status WriteAll(int fd, absl::string_view contents,
                      absl::string_view path) {
  while (!contents.empty()) {
    const ssize_t count = ::write(fd, contents.data(), contents.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(errno, "cannot write", path);
    contents.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// A device or pipe is written to; it cannot be replaced by a file.
absl::Status WriteThrough(const std::string& path, absl::string_view contents) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(errno, "cannot open", path);
  absl::Status written = WriteAll(fd, contents, path);
  if (::close(fd) != 0 && written.ok()) {
    written = SystemError(errno, "cannot write", path);
  }
  return written;
}

// `name`: what the user called the file.
absl::Status ReplaceFile(const std::string& path, const std::string& name,
                         absl::string_view contents) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return SystemError(errno, "cannot create", name);
  absl::Cleanup remove = [&temporary] { ::unlink(temporary.c_str()); };
  absl::Status written = WriteAll(fd, contents, name);
  // mkostemp makes the file private; give it the rights that open() would have.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (written.ok() && ::fchmod(fd, 0666 & ~mask) != 0) {
    written = SystemError(errno, "cannot write", name);
  }
  if (::close(fd) != 0 && written.ok()) {
    written = SystemError(errno, "cannot write", name);
  }
  MX_RETURN_IF_ERROR(written);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return SystemError(errno, "cannot create", name);
  }
  std::move(remove).Cancel();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int fd =
      path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(errno, "cannot open", path);
  absl::Cleanup close = [fd] {
    if (fd != STDIN_FILENO) ::close(fd);
  };
  std::string contents;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(errno, "cannot read", path);
    if (count == 0) return contents;
    contents.append(buffer, static_cast<size_t>(count));
  }
}

absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view contents) {
  if (path == "-") return WriteAll(STDOUT_FILENO, contents, "standard output");
  std::error_code error;
  const std::filesystem::file_status status =
      std::filesystem::status(path, error);
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    return WriteThrough(path, contents);
  }
  // A link stays a link: what it names is replaced.
  const std::filesystem::path target =
      std::filesystem::weakly_canonical(path, error);
  return ReplaceFile(error ? path : target.string(), path, contents);
}

absl::Status CreateDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemError(error.value(), "cannot create folder", path);
  if (!std::filesystem::is_directory(path, error))
    return SystemError(ENOTDIR, "cannot create folder", path);
  return absl::OkStatus();
}

}  // namespace mxtile
