#include "ir/text/parser.h"

#include "ir/text/statement_parser.h"
#include "ir/text/token_stream.h"

namespace mxtile::ir::text {

absl::StatusOr<const Module*> ParseModule(const SourceFile& file,
                                          SyntaxTree* tree,
                                          DiagnosticSink* sink) {
  TokenStream tokens(file, sink);
  const Module* const module = StatementParser(&tokens, tree).ParseModule();
  if (module == nullptr) return sink->ToStatus();
  return module;
}

}  // namespace mxtile::ir::text
