#ifndef TOOLS_CLI_PROGRAM_FORM_H_
#define TOOLS_CLI_PROGRAM_FORM_H_

// The forms in which programs are files, and which one a file has.
//
//   FormOfFile("a.mxpb", contents)  ->  ProgramForm::kBinary
//   FormOfFile("-", contents)       ->  what the contents look like
//   PrintInForm(*program, ProgramForm::kTextProto)
//
// A name that ends in .py, .mxpb or .textproto decides. Of others the contents
// do: a binary file opens with the tag of format_version, a byte that no text
// opens with, and protobuf's text format with that field's name, after
// comments.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/program.h"

namespace mxtile {

enum class ProgramForm {
  kText,       // .py, what PyPTO prints
  kBinary,     // .mxpb, ir/proto/ir.proto
  kTextProto,  // .textproto, the same in protobuf's text format
};

// "text", "pb", "textproto": as options name them.
std::vector<std::string> ProgramFormNames();
std::optional<ProgramForm> ProgramFormFromName(absl::string_view name);

// By the ending of the name; nullopt for others.
std::optional<ProgramForm> FormOfName(absl::string_view path);

ProgramForm FormOfFile(absl::string_view path, absl::string_view contents);

std::string PrintInForm(const ir::Program& program, ProgramForm form);

}  // namespace mxtile

#endif  // TOOLS_CLI_PROGRAM_FORM_H_
