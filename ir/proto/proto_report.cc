#include "ir/proto/proto_report.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"
#include "ir/proto/proto_rules.h"

namespace mxtile::ir {

absl::Status ProtoReport::Refuse(absl::string_view rule,
                                 absl::string_view message) {
  sink_.Error(rule, span_, message);
  return sink_.ToStatus();
}

absl::Status ProtoReport::CheckKnown(const google::protobuf::Message& message,
                                     absl::string_view where) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const std::string text =
        absl::StrCat(where, ": unknown field ", unknown.field(i).number(),
                     " of ", message.GetDescriptor()->name());
    if (!drop_unknown_fields_) {
      return Refuse(kProtoUnknownFieldRule,
                    absl::StrCat(text,
                                 "; a newer mxtile wrote it, or the file is "
                                 "damaged"));
    }
    if (++dropped_ <= kMaxWarnings) {
      sink_.Warning(kProtoUnknownFieldRule, span_,
                    absl::StrCat(text, " is dropped"));
    }
  }
  return absl::OkStatus();
}

void ProtoReport::Close() {
  if (dropped_ <= kMaxWarnings) return;
  sink_.Warning(kProtoUnknownFieldRule, span_,
                absl::StrCat(dropped_ - kMaxWarnings,
                             " more unknown fields are dropped"));
}

}  // namespace mxtile::ir
