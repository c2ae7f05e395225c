#include "tools/cli/program_form.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/proto/program_writer.h"
#include "ir/text/printer.h"

namespace mxtile {
namespace {

struct Row {
  ProgramForm form;
  absl::string_view name;
  absl::string_view ending;
};

constexpr Row kRows[] = {
    {ProgramForm::kText, "text", ".py"},
    {ProgramForm::kBinary, "pb", ".mxpb"},
    {ProgramForm::kTextProto, "textproto", ".textproto"},
};

// The tag of ProgramProto.format_version.
constexpr char kBinaryStart = 0x08;

// Behind blank and comment lines.
absl::string_view SkipComments(absl::string_view text) {
  while (!text.empty()) {
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos) return {};
    text.remove_prefix(start);
    if (text[0] != '#') return text;
    const size_t end = text.find('\n');
    text.remove_prefix(end == text.npos ? text.size() : end);
  }
  return text;
}

}  // namespace

std::vector<std::string> ProgramFormNames() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

std::optional<ProgramForm> ProgramFormFromName(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.form;
  }
  return std::nullopt;
}

std::optional<ProgramForm> FormOfName(absl::string_view path) {
  for (const Row& row : kRows) {
    if (absl::EndsWith(path, row.ending)) return row.form;
  }
  return std::nullopt;
}

ProgramForm FormOfFile(absl::string_view path, absl::string_view contents) {
  if (const auto form = FormOfName(path)) return *form;
  if (!contents.empty() && contents[0] == kBinaryStart) {
    return ProgramForm::kBinary;
  }
  return absl::StartsWith(SkipComments(contents), "format_version")
             ? ProgramForm::kTextProto
             : ProgramForm::kText;
}

std::string PrintInForm(const ir::Program& program, ProgramForm form) {
  switch (form) {
    case ProgramForm::kText:
      return ir::PrintProgram(program);
    case ProgramForm::kBinary:
      return ir::SerializeProgram(program);
    case ProgramForm::kTextProto:
      return ir::PrintTextProto(program);
  }
  return "";
}

}  // namespace mxtile
