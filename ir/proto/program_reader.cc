#include "ir/proto/program_reader.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "ir/proto/node_builder.h"
#include "ir/proto/node_checker.h"
#include "ir/proto/program_source.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {
namespace {

// Protobuf counts bytes of a message with an int.
constexpr size_t kMaxBytes = std::numeric_limits<int32_t>::max();
// Of messages in the text format; ours need 4.
constexpr int kMaxTextDepth = 16;

absl::StatusOr<const Program*> Read(ProgramSource* source, ProtoReport* report,
                                    Context* context) {
  NodeChecker checker(*source, report);
  MX_RETURN_IF_ERROR(checker.CheckTables());
  MX_RETURN_IF_ERROR(
      source->ForEachNode([&](uint32_t number, const v1::Node& node) {
        return checker.CheckNode(number, node);
      }));
  MX_RETURN_IF_ERROR(checker.CheckRest());
  report->Close();
  NodeBuilder builder(*source, context);
  MX_RETURN_IF_ERROR(
      source->ForEachNode([&](uint32_t number, const v1::Node& node) {
        builder.AddNode(number, node);
        return absl::OkStatus();
      }));
  return builder.Finish();
}

// Where protobuf's parser finds errors, in diagnostics. Only the first counts.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  TextErrors(const SourceFile& file, DiagnosticSink* sink)
      : file_(file), sink_(*sink) {}

  // Lines and columns count from 0; -1: unknown.
  void AddError(int line, int column, const std::string& message) override {
    if (!sink_.has_errors()) {
      sink_.Error(RuleFor(message), At(line, column), message);
    }
  }
  void AddWarning(int line, int column, const std::string& message) override {
    constexpr size_t kMaxWarnings = 20;
    if (sink_.diagnostics().size() >= kMaxWarnings) return;
    sink_.Warning(RuleFor(message), At(line, column), message);
  }

 private:
  static absl::string_view RuleFor(absl::string_view message) {
    const bool unknown = message.find("no field named") != message.npos;
    return unknown ? kProtoUnknownFieldRule : kProtoFormRule;
  }

  SourceSpan At(int line, int column) const {
    SourceSpan span;
    span.file = file_.name();
    if (line < 0 || line >= file_.line_count()) return span;
    span.line = span.end_line = line + 1;
    span.column = column + 1;
    span.end_column = column + 2;
    return span;
  }

  const SourceFile& file_;
  DiagnosticSink& sink_;
};

}  // namespace

absl::StatusOr<const Program*> ReadProtoProgram(absl::string_view bytes,
                                                absl::string_view file,
                                                const ProtoReadOptions& options,
                                                Context* context,
                                                DiagnosticSink* sink) {
  const google::protobuf::LogSilencer silencer;  // Errors go to the sink.
  ProtoReport report(file, options.drop_unknown_fields, sink);
  if (bytes.size() > kMaxBytes) {
    return report.Refuse(kProtoFormRule, "the file has 2 GiB or more");
  }
  WireSource source;
  absl::Status status = source.Scan(bytes);
  if (status.ok()) {
    absl::StatusOr<const Program*> program = Read(&source, &report, context);
    if (program.ok() || sink->has_errors()) return program;
    status = program.status();  // A node that does not parse.
  }
  return report.Refuse(kProtoFormRule, status.message());
}

absl::StatusOr<const Program*> ReadTextProtoProgram(
    const SourceFile& file, const ProtoReadOptions& options, Context* context,
    DiagnosticSink* sink) {
  const google::protobuf::LogSilencer silencer;
  ProtoReport report(file.name(), options.drop_unknown_fields, sink);
  const absl::string_view text = file.contents();
  if (text.size() > kMaxBytes) {
    return report.Refuse(kProtoFormRule, "the file has 2 GiB or more");
  }
  TextErrors errors(file, sink);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMaxTextDepth);
  parser.AllowUnknownField(options.drop_unknown_fields);
  google::protobuf::io::ArrayInputStream stream(text.data(), text.size());
  v1::ProgramProto proto;
  if (!parser.Parse(&stream, &proto)) {
    if (sink->has_errors()) return sink->ToStatus();
    return report.Refuse(kProtoFormRule, "this is no program in text format");
  }
  return FromProto(proto, context, sink, options, file.name());
}

absl::StatusOr<const Program*> FromProto(const v1::ProgramProto& proto,
                                         Context* context, DiagnosticSink* sink,
                                         const ProtoReadOptions& options,
                                         absl::string_view file) {
  ProtoReport report(file, options.drop_unknown_fields, sink);
  MessageSource source(proto);
  return Read(&source, &report, context);
}

}  // namespace mxtile::ir
