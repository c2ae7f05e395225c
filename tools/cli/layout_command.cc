#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "layouts/index_map.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"
#include "tools/layout/layout_pair.h"
#include "tools/layout/layout_picture.h"
#include "tools/layout/layout_text.h"

namespace mxtile {
namespace {

struct LayoutOptions {
  LayoutRequest request;
  std::string shape;
  std::string element;
  std::string input;
  std::string output;
  std::string picture;
  bool map = false;
  bool json = false;
};

// "128x64" or "3,5" as two integers.
absl::StatusOr<IndexMap::Index> ParsePair(absl::string_view option,
                                          absl::string_view text,
                                          char separator) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, separator);
  IndexMap::Index pair;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &pair.row) ||
      !absl::SimpleAtoi(parts[1], &pair.col)) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " ", text, ": expected two integers, as in ",
                     separator == 'x' ? "128x64" : "3,5"));
  }
  return pair;
}

// What is asked for beside a file; each wants standard output for itself.
absl::Status CheckOutputs(const LayoutOptions& options) {
  if (options.input.empty() != options.output.empty()) {
    return absl::InvalidArgumentError(
        "--in and --out go together: the bytes of the one layout become those "
        "of the other");
  }
  std::vector<std::string> on_stdout;
  if (options.map) on_stdout.push_back("--map");
  if (options.json) on_stdout.push_back("--json");
  if (options.output == "-") on_stdout.push_back("--out -");
  if (options.picture == "-") on_stdout.push_back("--svg -");
  if (on_stdout.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        absl::StrJoin(on_stdout, " and "), " both write to standard output"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<IndexMap::Index>> ChosenElement(
    const LayoutOptions& options, const LayoutPair& pair) {
  if (options.element.empty()) return std::optional<IndexMap::Index>();
  absl::StatusOr<IndexMap::Index> index =
      ParsePair("--element", options.element, ',');
  if (!index.ok()) return index.status();
  if (index->row < 0 || index->row >= pair.from.map.rows() || index->col < 0 ||
      index->col >= pair.from.map.cols()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--element ", options.element, " is outside of ",
                     ShapeText(pair.from)));
  }
  return std::optional<IndexMap::Index>(*index);
}

ExitCode ConvertFile(const LayoutOptions& options, const LayoutPair& pair,
                     Session* session) {
  const absl::StatusOr<std::string> bytes = ReadFile(options.input);
  if (!bytes.ok()) return session->FailOnFile(bytes.status());
  const absl::StatusOr<std::string> converted = ConvertBytes(pair, *bytes);
  if (!converted.ok()) {
    return session->Fail(absl::Status(
        converted.status().code(),
        absl::StrCat(options.input, ": ", converted.status().message())));
  }
  const absl::Status written = WriteFileAtomically(options.output, *converted);
  return written.ok() ? kExitDone : session->FailOnFile(written);
}

void Print(const LayoutOptions& options, const LayoutPair& pair,
           std::optional<IndexMap::Index> element) {
  if (options.json) {
    std::cout << LayoutJson(pair, element);
  } else if (options.map) {
    WriteMap(pair, std::cout);
  } else if (options.output.empty() && options.picture.empty()) {
    std::cout << (element.has_value() ? ElementText(pair, *element)
                                      : SummaryText(pair));
  }
}

ExitCode Layout(LayoutOptions options) {
  Session session;
  LayoutRequest& request = options.request;
  request.from = NormalizedLayoutName(request.from);
  request.to = NormalizedLayoutName(request.to);
  absl::Status usage = CheckLayoutNames(request);
  if (usage.ok()) usage = CheckOutputs(options);
  if (!usage.ok()) return session.FailOnFile(usage);
  const absl::StatusOr<IndexMap::Index> shape =
      ParsePair("--shape", options.shape, 'x');
  if (!shape.ok()) return session.FailOnFile(shape.status());
  request.rows = shape->row;
  request.cols = shape->col;

  const absl::StatusOr<LayoutPair> pair = MakeLayoutPair(request);
  if (!pair.ok()) return session.Fail(pair.status());
  const auto element = ChosenElement(options, *pair);
  if (!element.ok()) return session.FailOnFile(element.status());
  if (!options.input.empty()) {
    const ExitCode converted = ConvertFile(options, *pair, &session);
    if (converted != kExitDone) return converted;
  }
  if (!options.picture.empty()) {
    const absl::Status drawn =
        WriteFileAtomically(options.picture, LayoutPicture(*pair, *element));
    if (!drawn.ok()) return session.FailOnFile(drawn);
  }
  Print(options, *pair, *element);
  return kExitDone;
}

}  // namespace

void AddLayoutCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<LayoutOptions>();
  LayoutRequest& request = options->request;
  CLI::App* command = app.add_subcommand(
      "layout",
      "Where the elements of a matrix lie in two layouts: formulas, maps, a "
      "picture; bytes from the one into the other");
  command
      ->add_option("--from", request.from,
                   "Layout; of scales nd, dn, zz, nn, mx-a-nd, mx-a-dn, "
                   "mx-b-nd, mx-b-dn; of data nd, nz, nz-row-plus-one, zn, l0c")
      ->required();
  command->add_option("--to", request.to, "Layout, likewise")->required();
  command
      ->add_option("--shape", options->shape,
                   "ROWSxCOLS of the matrix as --from has it, in elements; "
                   "scales [lines, groups] in nd, zz, mx-a-*, [groups, lines] "
                   "in dn, nn, mx-b-*")
      ->required();
  command->add_option("--element-bits", request.element_bits,
                      "Bits of an element of data: 4, 8 (default), 16 or 32 "
                      "(l0c)");
  command->add_option(
      "--from-pitch", request.from_pitch,
      "From a row of memory to the next, where more than dense: "
      "bytes; of nz, zn and l0c lines of a strip of boxes");
  command->add_option("--to-pitch", request.to_pitch, "Likewise");
  command->add_flag("--map", options->map,
                    "Each place of --to, one a line, with what comes there");
  command->add_option("--element", options->element,
                      "ROW,COL of --from: where this element lies in both, or "
                      "the one that the picture follows");
  command->add_option("--in", options->input,
                      "Bytes in the layout --from; - is standard input");
  command->add_option("--out", options->output,
                      "The same matrix in the layout --to, padding 0; - is "
                      "standard output");
  command->add_option("--svg", options->picture,
                      "A picture of both; - is standard output");
  command->add_flag("--json", options->json,
                    "Both layouts for machines (docs/layouts.md)");
  command->footer(
      "docs/layouts.md explains the layouts.\n\n"
      "Exit code 0 when done, 1 when a shape, a pitch or the size of a file "
      "does not fit a layout, 2 for wrong options or a file that cannot be "
      "read or written.\n\n"
      "Examples, the exponents of a quantiser along axis 0 for the cube, and "
      "FP4 data as fractals:\n"
      "  mxtile layout --from dn --to zz --shape 4x32 --svg dn_to_zz.svg\n"
      "  mxtile layout --from nd --to nz --shape 32x128 --element-bits 4 "
      "--map\n");
  command->callback([options, exit_code] { *exit_code = Layout(*options); });
}

}  // namespace mxtile
