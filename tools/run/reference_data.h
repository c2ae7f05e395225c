#ifndef TOOLS_RUN_REFERENCE_DATA_H_
#define TOOLS_RUN_REFERENCE_DATA_H_

// An input as the reference interpreter takes it.
//
//   MX_ASSIGN_OR_RETURN(const ReferenceData data,
//                       ReferenceDataOf(input, *tensor_type, /*exact=*/false));
//   ReferenceBackend<float>::MakeTensor(data.shape, data.values);
//
// In logical order where the type has the input's rank, else, for a blocked MX
// tensor, in the physical order of its boxes. `exact`: the values before
// quantisation, where we quantised.
//
// Errors: those of exec::PackForType; Unimplemented for a blocked tensor
// whose elements are not one byte each.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/inputs.h"
#include "ir/type.h"

namespace mxtile {

struct ReferenceData {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

absl::StatusOr<ReferenceData> ReferenceDataOf(const exec::BoundInput& input,
                                              const ir::TensorType& type,
                                              bool exact);

}  // namespace mxtile

#endif  // TOOLS_RUN_REFERENCE_DATA_H_
