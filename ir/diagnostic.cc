#include "ir/diagnostic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "ir/printable_text.h"

namespace mxtile::ir {
namespace {

constexpr size_t kExcerptBytes = 160;
constexpr size_t kMaxMessageBytes = 600;
constexpr absl::string_view kCut = "...";

absl::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
  }
  MX_CHECK(false) << "severity " << static_cast<int>(severity);
  return "";
}

bool IsUtf8Continuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

// The part of a line that is shown, [begin, end), with [mark, mark_end) in it
// underlined.
struct Excerpt {
  size_t begin;
  size_t mark;
  size_t mark_end;
  size_t end;
};

Excerpt ChooseExcerpt(absl::string_view line, size_t mark, size_t mark_end) {
  Excerpt result = {0, mark, mark_end, line.size()};
  if (line.size() > kExcerptBytes) {
    const size_t before = std::min(mark, kExcerptBytes / 2);
    result.begin = std::min(mark - before, line.size() - kExcerptBytes);
    result.end = result.begin + kExcerptBytes;
  }
  // Cut between characters.
  while (result.begin < mark && IsUtf8Continuation(line[result.begin])) {
    ++result.begin;
  }
  while (result.end < line.size() && result.end > mark &&
         IsUtf8Continuation(line[result.end])) {
    --result.end;
  }
  result.mark_end = std::min(mark_end, result.end);
  return result;
}

// The line that the span starts on and the caret line under it.
void AppendExcerpt(const SourceSpan& span, const SourceFile& file,
                   std::string* out) {
  if (span.line > file.line_count()) return;
  const absl::string_view line = file.Line(span.line);
  const size_t mark =
      std::min<size_t>(std::max(span.column - 1, 0), line.size());
  const size_t last =
      span.end_line == span.line
          ? std::min<size_t>(std::max(span.end_column - 1, 0), line.size())
          : line.size();
  const Excerpt excerpt = ChooseExcerpt(line, mark, std::max(mark, last));
  const auto part = [line](size_t begin, size_t end) {
    return MakePrintable(line.substr(begin, end - begin));
  };
  const PrintableText before = part(excerpt.begin, excerpt.mark);
  const PrintableText marked = part(excerpt.mark, excerpt.mark_end);
  const PrintableText after = part(excerpt.mark_end, excerpt.end);
  const absl::string_view cut_left = excerpt.begin > 0 ? kCut : "";
  const absl::string_view cut_right = excerpt.end < line.size() ? kCut : "";
  absl::StrAppend(out, cut_left, before.text, marked.text, after.text,
                  cut_right, "\n");
  out->append(cut_left.size() + before.columns, ' ');
  out->push_back('^');
  out->append(std::max(marked.columns - 1, 0), '~');
  out->push_back('\n');
}

// `FILE:LINE:COLUMN: `, as far as these are known.
std::string Place(const SourceSpan& span) {
  std::string place;
  if (!span.file.empty()) {
    absl::StrAppend(&place, MakePrintable(span.file).text, ":");
  }
  if (span.known()) absl::StrAppend(&place, span.line, ":", span.column, ":");
  if (!place.empty()) place.push_back(' ');
  return place;
}

// A message may quote a type or an expression of any size: of a long one the
// beginning and the end are shown.
std::string Shortened(absl::string_view message) {
  if (message.size() <= kMaxMessageBytes) return MakePrintable(message).text;
  const size_t tail = kMaxMessageBytes / 4;
  return absl::StrCat(
      MakePrintable(message.substr(0, kMaxMessageBytes - tail)).text, " ... ",
      MakePrintable(message.substr(message.size() - tail)).text);
}

void AppendMessage(const SourceSpan& span, absl::string_view kind,
                   absl::string_view message, absl::string_view rule_id,
                   SourceFileLookup find_file, std::string* out) {
  absl::StrAppend(out, Place(span), kind, ": ", Shortened(message));
  if (!rule_id.empty()) absl::StrAppend(out, " [", rule_id, "]");
  out->push_back('\n');
  if (!span.known()) return;
  const SourceFile* const file = find_file(span.file);
  if (file != nullptr) AppendExcerpt(span, *file, out);
}

}  // namespace

Diagnostic& Diagnostic::AddNote(SourceSpan note_span,
                                absl::string_view note_message) {
  notes.push_back({note_span, std::string(note_message)});
  return *this;
}

Diagnostic& DiagnosticSink::Error(absl::string_view rule_id, SourceSpan span,
                                  absl::string_view message) {
  ++error_count_;
  return Report(Severity::kError, rule_id, span, message);
}

Diagnostic& DiagnosticSink::Warning(absl::string_view rule_id, SourceSpan span,
                                    absl::string_view message) {
  return Report(Severity::kWarning, rule_id, span, message);
}

Diagnostic& DiagnosticSink::Report(Severity severity, absl::string_view rule_id,
                                   SourceSpan span, absl::string_view message) {
  diagnostics_.push_back(
      {severity, std::string(rule_id), span, std::string(message), {}});
  return diagnostics_.back();
}

absl::Status DiagnosticSink::ToStatus() const {
  if (!has_errors()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(error_count_, error_count_ == 1 ? " error" : " errors"));
}

std::string RenderDiagnostic(const Diagnostic& diagnostic,
                             SourceFileLookup find_file) {
  std::string out;
  AppendMessage(diagnostic.span, SeverityName(diagnostic.severity),
                diagnostic.message, diagnostic.rule_id, find_file, &out);
  for (const DiagnosticNote& note : diagnostic.notes) {
    AppendMessage(note.span, "note", note.message, "", find_file, &out);
  }
  return out;
}

}  // namespace mxtile::ir
