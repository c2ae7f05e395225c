#include "exec/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/npy.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/mx_partners.h"
#include "ir/data_type.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "kernels/group_axis.h"
#include "kernels/reference/quantize.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/mx/scale_pack.h"
#include "numerics/element_format.h"

namespace mxtile::exec {
namespace {

using ir::DataType;
using ir::RuleError;

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

// The runs keep several doubles for each.
constexpr int64_t kMaxElements = int64_t{1} << 28;

int64_t Product(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (const int64_t dim : shape) product *= dim;
  return product;
}

bool CanQuantiseTo(DataType dtype) {
  return dtype == DataType::kFP8E4M3FN || dtype == DataType::kFP8E5M2;
}

// Little-endian codes to values.
std::vector<double> DecodeAll(ElementFormat format,
                              const std::vector<uint8_t>& codes) {
  const int64_t bytes = BitWidth(format) / 8;
  std::vector<double> values(codes.size() / bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t code = 0;
    for (int64_t b = 0; b < bytes; ++b) {
      code |= uint32_t{codes[i * bytes + b]} << (8 * b);
    }
    values[i] = Decode(format, code);
  }
  return values;
}

std::vector<uint8_t> BytesOf(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> FloatsOf(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Binder {
 public:
  Binder(const ir::Program& program, const ir::Function& entry,
         const InputOptions& options)
      : program_(program),
        entry_(entry),
        options_(options),
        partners_(FindMxPartners(program, entry)) {}

  absl::StatusOr<std::vector<BoundInput>> Bind();

 private:
  absl::Status CheckNames();
  absl::Status BindOne(size_t index);
  absl::Status BindScalar(BoundInput& input);
  absl::Status BindTensor(const ir::TensorType& type, BoundInput& input);
  absl::Status BindFile(const ir::TensorType& type, const InputFile& file,
                        BoundInput& input);
  absl::Status BindCodes(const ir::TensorType& type, std::string bytes,
                         BoundInput& input);
  absl::Status Generate(const ir::TensorType& type, BoundInput& input);
  absl::Status QuantiseInto(const std::vector<float>& values, BoundInput& data);
  // The values of a parameter without a file, the same for the same seed, name
  // and shape.
  std::vector<float> RandomValues(const BoundInput& input) const;
  const InputFile* FileOf(const ir::Var* param) const;
  BoundInput& InputOf(const ir::Var* param);

  const ir::Program& program_;
  const ir::Function& entry_;
  const InputOptions& options_;
  MxPartners partners_;
  std::vector<BoundInput> inputs_;
};

const InputFile* Binder::FileOf(const ir::Var* param) const {
  const auto it = options_.files.find(std::string(param->name));
  return it == options_.files.end() ? nullptr : &it->second;
}

BoundInput& Binder::InputOf(const ir::Var* param) {
  for (BoundInput& input : inputs_) {
    if (input.param == param) return input;
  }
  MX_CHECK(false) << "no parameter '" << param->name << "'";
  return inputs_[0];
}

absl::Status Binder::CheckNames() {
  std::vector<std::string> tensors;
  std::vector<std::string> scalars;
  for (const ir::Var* dim : program_.dynamic_dims) {
    scalars.emplace_back(dim->name);
  }
  for (size_t i = 0; i < entry_.params.size(); ++i) {
    const ir::Var* param = entry_.params[i];
    if (param->type->kind == ir::TypeKind::kScalar) {
      scalars.emplace_back(param->name);
    } else if (entry_.directions[i] != ir::ParamDirection::kOut) {
      tensors.emplace_back(param->name);
    }
  }
  const auto known = [](const std::vector<std::string>& names,
                        const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, file] : options_.files) {
    if (known(tensors, name)) continue;
    return RuleError("MX-INPUT-1",
                     absl::StrCat("--in ", name, "=", file.name, ": '",
                                  entry_.name, "' has no input tensor '", name,
                                  "'; it has ", absl::StrJoin(tensors, ", ")));
  }
  for (const auto& [name, value] : options_.scalars) {
    if (known(scalars, name)) continue;
    return RuleError(
        "MX-INPUT-6",
        absl::StrCat("--set ", name, "=", value, ": '", entry_.name,
                     "' has no scalar parameter or dynamic "
                     "dimension '",
                     name, "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<BoundInput>> Binder::Bind() {
  MX_RETURN_IF_ERROR(CheckNames());
  for (size_t i = 0; i < entry_.params.size(); ++i) {
    BoundInput input;
    input.param = entry_.params[i];
    input.is_output = entry_.directions[i] == ir::ParamDirection::kOut;
    inputs_.push_back(input);
  }
  // Data before scales: what is wrong with a file is told before what is
  // missing beside it.
  for (const bool scales : {false, true}) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_scale = partners_.OfScale(inputs_[i].param) != nullptr;
      if (is_scale == scales) MX_RETURN_IF_ERROR(BindOne(i));
    }
  }
  for (const ir::Var* dim : program_.dynamic_dims) {
    if (options_.scalars.count(std::string(dim->name)) != 0) continue;
    return RuleError(
        "MX-INPUT-6",
        absl::StrCat("dynamic dimension '", dim->name,
                     "' has no value; give --set ", dim->name, "=INT"));
  }
  return std::move(inputs_);
}

absl::Status Binder::BindOne(size_t index) {
  BoundInput& input = inputs_[index];
  if (input.param->type->kind == ir::TypeKind::kScalar) {
    return BindScalar(input);
  }
  const auto* tensor = ir::DynCast<ir::TensorType>(input.param->type);
  if (tensor == nullptr) {
    return RuleError("MX-INPUT-8",
                     absl::StrCat("parameter '", input.param->name,
                                  "' is no tensor or scalar"));
  }
  return BindTensor(*tensor, input);
}

absl::Status Binder::BindScalar(BoundInput& input) {
  const DataType dtype =
      ir::CheckedCast<ir::ScalarType>(input.param->type)->dtype;
  if (!ir::IsInteger(dtype) && dtype != DataType::kBool) {
    return RuleError("MX-INPUT-8",
                     absl::StrCat("scalar parameter '", input.param->name,
                                  "' is ", ir::DataTypeName(dtype),
                                  "; only integers and BOOL can be set"));
  }
  const auto it = options_.scalars.find(std::string(input.param->name));
  if (it == options_.scalars.end()) {
    return RuleError(
        "MX-INPUT-6",
        absl::StrCat("scalar parameter '", input.param->name,
                     "' has no value; give --set ", input.param->name, "=INT"));
  }
  input.scalar = it->second;
  input.origin = "--set";
  return absl::OkStatus();
}

absl::Status Binder::BindTensor(const ir::TensorType& type, BoundInput& input) {
  const std::string name(input.param->name);
  MX_ASSIGN_OR_RETURN(input.shape, LogicalShape(type, name));
  if (input.is_output) {
    input.origin = "output";
    return absl::OkStatus();
  }
  if (options_.shapes_only) return absl::OkStatus();
  const InputFile* file = FileOf(input.param);
  if (file != nullptr) return BindFile(type, *file, input);
  const MxPartner* as_scale = partners_.OfScale(input.param);
  if (as_scale == nullptr) return Generate(type, input);
  // Its data, when bound, brings it along.
  const InputFile* data_file = FileOf(as_scale->data);
  if (data_file == nullptr) return absl::OkStatus();
  MX_ASSIGN_OR_RETURN(const NpyArray data,
                      ParseNpy(data_file->bytes, data_file->name));
  if (data.descr == "<f4") return absl::OkStatus();
  return RuleError(
      "MX-INPUT-5",
      absl::StrCat(
          "'", as_scale->data->name, "' is given as codes (", data_file->name,
          "), its scales '", name, "' are missing; give --in ", name,
          "=FILE.npy, or float32 values for '", as_scale->data->name, "'"));
}

absl::Status Binder::BindFile(const ir::TensorType& type, const InputFile& file,
                              BoundInput& input) {
  const std::string name(input.param->name);
  MX_ASSIGN_OR_RETURN(NpyArray array, ParseNpy(file.bytes, file.name));
  if (array.shape != input.shape) {
    return RuleError(
        "MX-INPUT-3",
        absl::StrCat(file.name, " has shape ", ShapeText(array.shape),
                     ", parameter '", name, "' has ", ShapeText(input.shape)));
  }
  input.origin = file.name;
  const MxPartner* as_data = partners_.OfData(input.param);
  const MxPartner* as_scale = partners_.OfScale(input.param);
  if (array.descr == "<f4" && CanQuantiseTo(type.dtype)) {
    if (as_data == nullptr) {
      return RuleError(
          "MX-INPUT-4",
          absl::StrCat(file.name, " is float32, but the scale parameter of '",
                       name, "' is ",
                       partners_.IsAmbiguous(input.param) ? "ambiguous"
                                                          : "not to be found",
                       "; give codes and scales as uint8"));
    }
    if (const InputFile* scales = FileOf(as_data->scale)) {
      return RuleError("MX-INPUT-5",
                       absl::StrCat(file.name,
                                    " is float32 and brings its own "
                                    "scales; drop ",
                                    scales->name));
    }
    return QuantiseInto(FloatsOf(array.bytes), input);
  }
  const std::vector<std::string> accepted = AcceptedDescrs(type.dtype);
  if (std::find(accepted.begin(), accepted.end(), array.descr) ==
      accepted.end()) {
    std::vector<std::string> fitting = accepted;
    if (as_data != nullptr) fitting.push_back("<f4 (to be quantised)");
    return RuleError(
        "MX-INPUT-2",
        absl::StrCat(
            file.name, " has elements of type '", array.descr, "', parameter '",
            name, "' is ", ir::DataTypeName(type.dtype), " and takes ",
            fitting.empty() ? "no file yet" : absl::StrJoin(fitting, " or ")));
  }
  if (as_scale != nullptr && FileOf(as_scale->data) == nullptr) {
    return RuleError(
        "MX-INPUT-5",
        absl::StrCat("scales ", file.name,
                     " are given, their "
                     "codes '",
                     as_scale->data->name, "' are missing; give --in ",
                     as_scale->data->name, "=FILE.npy"));
  }
  return BindCodes(type, std::move(array.bytes), input);
}

absl::Status Binder::BindCodes(const ir::TensorType& type, std::string bytes,
                               BoundInput& input) {
  const std::optional<ElementFormat> format = FormatOf(type.dtype);
  MX_CHECK(format.has_value()) << "a type that takes files has a format";
  input.codes.assign(bytes.begin(), bytes.end());
  input.values = DecodeAll(*format, input.codes);
  input.exact_values = input.values;
  return absl::OkStatus();
}

// Uniform in [-1, 1).
std::vector<float> Binder::RandomValues(const BoundInput& input) const {
  uint64_t mixed = options_.seed;
  for (const char c : input.param->name) {
    mixed = (mixed ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  }
  std::mt19937_64 random(mixed);
  std::vector<float> values(Product(input.shape));
  for (float& value : values) {
    value =
        static_cast<float>(static_cast<double>(random() >> 40) * 0x1p-23 - 1.0);
  }
  return values;
}

// Multiplies each group of 32 along K by a power of two that differs from those
// of its neighbours in both directions, so that a scale at the wrong place
// shows.
void SpreadScales(const std::vector<int64_t>& shape, MxSide side,
                  std::vector<float>& values) {
  const int64_t cols = shape.empty() ? 1 : shape.back();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t row = i / cols;
    const int64_t col = i % cols;
    const int64_t line = side == MxSide::kLeft ? row : col;
    const int64_t group = (side == MxSide::kLeft ? col : row) / kScaleGroupSize;
    const int exponent = static_cast<int>((3 * line + 5 * group) % 9) - 4;
    values[i] = std::ldexp(values[i], exponent);
  }
}

absl::Status Binder::Generate(const ir::TensorType& type, BoundInput& input) {
  const std::string name(input.param->name);
  input.origin = absl::StrCat("seed ", options_.seed);
  if (CanQuantiseTo(type.dtype) && partners_.OfData(input.param) != nullptr) {
    const MxPartner* pair = partners_.OfData(input.param);
    if (const InputFile* scales = FileOf(pair->scale)) {
      return RuleError(
          "MX-INPUT-5",
          absl::StrCat("scales ", scales->name, " are given, their codes '",
                       name, "' are missing; give --in ", name, "=FILE.npy"));
    }
    std::vector<float> values = RandomValues(input);
    SpreadScales(input.shape, pair->side, values);
    return QuantiseInto(values, input);
  }
  if (type.dtype == DataType::kFP32) {
    std::vector<float> values = RandomValues(input);
    if (const QuantisedParam* quantised =
            partners_.QuantisedByProgram(input.param)) {
      SpreadScales(input.shape, quantised->side, values);
    }
    input.codes = BytesOf(values);
    input.values.assign(values.begin(), values.end());
    input.exact_values = input.values;
    return absl::OkStatus();
  }
  return RuleError(
      "MX-INPUT-8",
      absl::StrCat("parameter '", name, "' of ", ir::DataTypeName(type.dtype),
                   " cannot be generated; give --in ", name, "=FILE.npy"));
}

absl::Status Binder::QuantiseInto(const std::vector<float>& values,
                                  BoundInput& data) {
  const MxPartner& pair = *partners_.OfData(data.param);
  const auto& type = *ir::CheckedCast<ir::TensorType>(data.param->type);
  BoundInput& scale = InputOf(pair.scale);
  const int k_axis = pair.side == MxSide::kLeft ? 1 : 0;
  if (data.shape.size() != 2 || data.shape[k_axis] % kScaleGroupSize != 0) {
    return RuleError(
        "MX-INPUT-7",
        absl::StrCat("'", data.param->name, "' ", ShapeText(data.shape),
                     " cannot be quantised along axis ", k_axis,
                     ": K must be a multiple of ", kScaleGroupSize));
  }
  MX_ASSIGN_OR_RETURN(
      const QuantizedMatrix q,
      Quantize(values, data.shape[0], data.shape[1],
               k_axis == 1 ? GroupAxis::kAxis1 : GroupAxis::kAxis0,
               *FormatOf(type.dtype), options_.scale_rule));
  MX_ASSIGN_OR_RETURN(
      scale.shape,
      LogicalShape(*ir::CheckedCast<ir::TensorType>(pair.scale->type),
                   std::string(pair.scale->name)));
  // MX tensors hold whole boxes: their lines (rows of A, columns of B) may be
  // padded up.
  std::vector<int64_t> padded = {q.scale_rows, q.scale_cols};
  int64_t& lines = padded[1 - k_axis];
  lines = (lines + kScaleBoxLines - 1) / kScaleBoxLines * kScaleBoxLines;
  if (scale.shape != std::vector<int64_t>{q.scale_rows, q.scale_cols} &&
      scale.shape != padded) {
    return RuleError(
        "MX-INPUT-3",
        absl::StrCat("scale parameter '", pair.scale->name, "' has shape ",
                     ShapeText(scale.shape), ", the scales of '",
                     data.param->name, "' have ",
                     ShapeText({q.scale_rows, q.scale_cols})));
  }
  data.codes = q.codes;
  data.values = DecodeAll(q.format, q.codes);
  data.exact_values.assign(values.begin(), values.end());
  data.quantised = true;
  scale.codes.assign(Product(scale.shape), 0);
  for (int64_t r = 0; r < q.scale_rows; ++r) {
    std::copy_n(q.scales.begin() + r * q.scale_cols, q.scale_cols,
                scale.codes.begin() + r * scale.shape[1]);
  }
  scale.values = DecodeAll(ElementFormat::kF8E8M0FNU, scale.codes);
  scale.exact_values.assign(scale.values.size(), 1.0);
  scale.quantised = true;
  scale.origin = absl::StrCat("quantised with ", data.param->name);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> LogicalShape(const ir::TensorType& type,
                                                  const std::string& name) {
  std::vector<int64_t> shape;
  for (const ir::Expr* dim : type.shape) {
    const ir::ConstInt* size = ir::AsConstInt(dim);
    if (size == nullptr) {
      return RuleError("MX-INPUT-8", absl::StrCat("tensor '", name,
                                                  "' has a dimension that "
                                                  "is known at run time only"));
    }
    shape.push_back(size->value);
  }
  int64_t elements = 1;
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements) ||
        elements > kMaxElements) {
      return RuleError(
          "MX-INPUT-8",
          absl::StrCat("tensor '", name, "' of shape ", ShapeText(shape),
                       " has more than ", kMaxElements, " elements"));
    }
  }
  if (!ir::IsMx(type.layout()) || shape.size() != 5) return shape;
  const int64_t lines = shape[1] * shape[3];
  const int64_t groups = shape[2] * shape[4];
  return type.layout() == ir::TensorLayout::kMxAZZ
             ? std::vector<int64_t>{lines, groups}
             : std::vector<int64_t>{groups, lines};
}

absl::StatusOr<std::vector<uint8_t>> PackForType(
    const ir::TensorType& type, const std::vector<int64_t>& shape,
    const std::vector<uint8_t>& codes) {
  if (!ir::IsMx(type.layout())) return codes;
  MX_ASSIGN_OR_RETURN(
      const ScaleLayout layout,
      ScaleLayout::Create(type.layout() == ir::TensorLayout::kMxAZZ
                              ? ScaleOrder::kZZ
                              : ScaleOrder::kNN,
                          shape[0], shape[1]));
  return PackScale(layout, codes);
}

absl::StatusOr<std::vector<BoundInput>> BindInputs(
    const ir::Program& program, const ir::Function& entry,
    const InputOptions& options) {
  return Binder(program, entry, options).Bind();
}

}  // namespace mxtile::exec
