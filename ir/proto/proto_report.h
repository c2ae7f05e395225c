#ifndef IR_PROTO_PROTO_REPORT_H_
#define IR_PROTO_PROTO_REPORT_H_

// Where what is wrong with a protobuf file goes: errors, and warnings about
// fields that a reader may drop.
//
//   ProtoReport report("a.mxpb", /*drop_unknown_fields=*/false, &sink);
//   MX_RETURN_IF_ERROR(report.CheckKnown(memref, "nodes[17]: memref"));
//   report.Close();

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "ir/diagnostic.h"
#include "ir/source_span.h"

namespace mxtile::ir {

class ProtoReport {
 public:
  ProtoReport(absl::string_view file, bool drop_unknown_fields,
              DiagnosticSink* sink)
      : drop_unknown_fields_(drop_unknown_fields), sink_(*sink) {
    span_.file = file;
  }
  // Reports the error and returns the sink's status.
  absl::Status Refuse(absl::string_view rule, absl::string_view message);
  // An error or a warning for each field of the message that this version does
  // not know. `where`: "nodes[17]".
  absl::Status CheckKnown(const google::protobuf::Message& message,
                          absl::string_view where);
  // Says how many warnings were left out.
  void Close();

 private:
  static constexpr int kMaxWarnings = 20;

  SourceSpan span_;
  bool drop_unknown_fields_;
  DiagnosticSink& sink_;
  int dropped_ = 0;
};

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROTO_REPORT_H_
