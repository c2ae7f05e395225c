#ifndef EXEC_SIMD_IMPORT_INSTANCE_PARAMS_H_
#define EXEC_SIMD_IMPORT_INSTANCE_PARAMS_H_

// What a request says about an instance, as values of its tile program.
//
//   InstanceParams params(request, &builder, &scalars);
//   Scalar row = params.Make(request.params[2].scalar, "row");

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "exec/simd/import/importer.h"
#include "exec/simd/import/scalars.h"
#include "exec/simd/tile_program_builder.h"
#include "ir/program.h"

namespace mxtile::exec::simd {

// MX-SIMD-7 unless the request fits: one entry a parameter, buffers for
// tensors, digits of 1 and more, tables of one entry an instance, at most 2^31
// instances.
absl::Status CheckRequest(const ir::Function& function,
                          const ImportRequest& request);
// Of a request that fits.
int64_t InstanceCount(const ImportRequest& request);

class InstanceParams {
 public:
  // All must outlive the object; the request fits.
  InstanceParams(const ImportRequest& request, TileProgramBuilder* builder,
                 Scalars* scalars);

  // Defined at the builder's current place.
  Scalar Make(const InstanceScalar& scalar, absl::string_view name);

  std::vector<TableBuffer> TakeTables() { return std::move(tables_); }

 private:
  Scalar Digit(size_t digit);
  Scalar FromTable(const InstanceScalar& scalar, absl::string_view name);

  const ImportRequest& request_;
  TileProgramBuilder& b_;
  Scalars& scalars_;
  ValueId program_index_;
  std::vector<TableBuffer> tables_;
  int next_buffer_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_INSTANCE_PARAMS_H_
