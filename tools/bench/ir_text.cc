#include "tools/bench/ir_text.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace mxtile::bench {
namespace {

bool IsNameChar(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '$' || c == '-';
}

// Whether `token`, as a whole, stands in the line.
bool HasToken(absl::string_view line, absl::string_view token) {
  for (size_t at = line.find(token); at != absl::string_view::npos;
       at = line.find(token, at + 1)) {
    const size_t end = at + token.size();
    if (end == line.size() || !IsNameChar(line[end])) return true;
  }
  return false;
}

// "define internal void @f(ptr noalias %0, i64 %1) #0 {"
IrFunction ParseHead(absl::string_view line) {
  IrFunction function;
  function.is_internal = absl::StrContains(line, " internal ");
  const size_t at = line.find('@');
  const size_t open = line.find('(', at);
  if (at == absl::string_view::npos || open == absl::string_view::npos) {
    return function;
  }
  function.name = std::string(line.substr(at + 1, open - at - 1));
  if (function.name.size() >= 2 && function.name.front() == '"') {
    function.name = function.name.substr(1, function.name.size() - 2);
  }
  // Attributes of parameters may have parentheses of their own.
  int depth = 1;
  size_t close = open + 1;
  for (; close < line.size() && depth > 0; ++close) {
    depth += line[close] == '(' ? 1 : line[close] == ')' ? -1 : 0;
  }
  const absl::string_view list = line.substr(open + 1, close - open - 2);
  for (const absl::string_view param : absl::StrSplit(list, ',')) {
    const size_t percent = param.rfind('%');
    if (percent != absl::string_view::npos) {
      function.params.push_back(
          std::string(absl::StripAsciiWhitespace(param.substr(percent))));
    }
  }
  return function;
}

// Instructions are indented by two; what goes on over several lines is
// indented more, or closes a list.
bool IsInstruction(absl::string_view line) {
  return line.size() > 2 && line[0] == ' ' && line[1] == ' ' &&
         line[2] != ' ' && line[2] != ']' && line[2] != '#' && line[2] != ';';
}

}  // namespace

bool IrFunction::Calls(absl::string_view function) const {
  for (const std::string& line : lines) {
    if (absl::StrContains(line, "call ") &&
        (HasToken(line, absl::StrCat("@", function)) ||
         absl::StrContains(line, absl::StrCat("@\"", function, "\"")))) {
      return true;
    }
  }
  return false;
}

bool IrFunction::Uses(absl::string_view value) const {
  for (const std::string& line : lines) {
    if (HasToken(line, value)) return true;
  }
  return false;
}

IrText::IrText(absl::string_view text) {
  bool inside = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!inside && absl::StartsWith(line, "define ")) {
      functions_.push_back(ParseHead(line));
      inside = true;
    } else if (inside && line == "}") {
      inside = false;
    } else if (inside) {
      functions_.back().lines.push_back(std::string(line));
      if (IsInstruction(line)) ++functions_.back().instructions;
    }
  }
}

const IrFunction* IrText::Find(absl::string_view name) const {
  for (const IrFunction& function : functions_) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace mxtile::bench
