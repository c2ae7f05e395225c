#include "exec/element_type.h"

#include <optional>
#include <string>
#include <vector>

namespace mxtile::exec {

std::optional<ElementFormat> FormatOf(ir::DataType type) {
  switch (type) {
    case ir::DataType::kFP8E4M3FN:
      return ElementFormat::kF8E4M3FN;
    case ir::DataType::kFP8E5M2:
      return ElementFormat::kF8E5M2;
    case ir::DataType::kFP4:
      return ElementFormat::kF4E2M1FN;
    case ir::DataType::kFP8E8M0:
      return ElementFormat::kF8E8M0FNU;
    case ir::DataType::kBF16:
      return ElementFormat::kBF16;
    case ir::DataType::kFP16:
      return ElementFormat::kF16;
    case ir::DataType::kFP32:
      return ElementFormat::kF32;
    default:
      return std::nullopt;
  }
}

std::vector<std::string> AcceptedDescrs(ir::DataType type) {
  switch (type) {
    case ir::DataType::kFP8E4M3FN:
    case ir::DataType::kFP8E5M2:
    case ir::DataType::kFP8E8M0:
      return {"|u1"};
    case ir::DataType::kBF16:
      return {"<u2"};
    case ir::DataType::kFP16:
      return {"<f2", "<u2"};
    case ir::DataType::kFP32:
      return {"<f4"};
    default:
      return {};
  }
}

}  // namespace mxtile::exec
