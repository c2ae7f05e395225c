#ifndef BASE_POSITIONED_FILE_H_
#define BASE_POSITIONED_FILE_H_

// Files that are larger than memory: parts are read and written at their
// offsets, from any thread.
//
//   MX_ASSIGN_OR_RETURN(const InputFile in, InputFile::Open("model.bin"));
//   MX_RETURN_IF_ERROR(in.ReadAt(8, absl::MakeSpan(header)));
//
//   MX_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create("out.bin"));
//   MX_RETURN_IF_ERROR(out.WriteAt(0, header));
//   MX_RETURN_IF_ERROR(out.Commit());   // only now out.bin is the new file
//
// Errors are the system's: NotFound, PermissionDenied or FailedPrecondition
// with the path and the system's words. A limit on the size of files is one
// only where SIGXFSZ is ignored; else the system ends the process.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace mxtile {

class InputFile {
 public:
  // A regular file; anything else, whose size is not known, is an error.
  static absl::StatusOr<InputFile> Open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::string& path() const { return path_; }
  // When it was opened.
  int64_t size() const { return size_; }

  // Fills `bytes`. A file that has become shorter is an error.
  absl::Status ReadAt(int64_t offset, absl::Span<uint8_t> bytes) const;

 private:
  InputFile(int fd, std::string path, int64_t size)
      : fd_(fd), path_(std::move(path)), size_(size) {}

  int fd_;
  std::string path_;
  int64_t size_;
};

// Written under the name PATH.part in the same folder, which Commit renames;
// so a reader of PATH sees the old file or the whole new one. A run that was
// killed leaves a PATH.part, which the next one overwrites; of two runs at once
// a lock on it refuses the second, or lets it wait. A link is followed; a
// device is written to as it is.
class OutputFile {
 public:
  enum class WhenLocked { kFail, kWait };

  // kWait is for small files that several runs may write at once.
  static absl::StatusOr<OutputFile> Create(
      const std::string& path, WhenLocked when_locked = WhenLocked::kFail);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Removes what was not committed.
  ~OutputFile();

  const std::string& path() const { return name_; }

  // Bytes that are never written are 0.
  absl::Status WriteAt(int64_t offset, absl::Span<const uint8_t> bytes) const;
  // What WriteAt wrote.
  absl::Status ReadAt(int64_t offset, absl::Span<uint8_t> bytes) const;

  // Brings the bytes to the disk, then the name. Once.
  absl::Status Commit();

 private:
  OutputFile(int fd, std::string name, std::string target,
             std::string temporary)
      : fd_(fd),
        name_(std::move(name)),
        target_(std::move(target)),
        temporary_(std::move(temporary)) {}

  int fd_;
  std::string name_;  // what the user called the file
  std::string target_;
  std::string temporary_;  // empty: a device, or committed
};

}  // namespace mxtile

#endif  // BASE_POSITIONED_FILE_H_
