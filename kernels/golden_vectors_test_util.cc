#include "kernels/golden_vectors_test_util.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/file.h"
#include "kernels/mx_quant_alg.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

nlohmann::json ReadCases() {
  return nlohmann::json::parse(*ReadFile("testdata/golden/cases.json"))
      .at("cases");
}

}  // namespace

GoldenCase::GoldenCase(nlohmann::json fields,
                       std::shared_ptr<const std::string> vectors)
    : fields_(std::move(fields)), vectors_(std::move(vectors)) {}

std::string GoldenCase::Text(const char* field) const {
  return fields_.at(field).get<std::string>();
}

int64_t GoldenCase::Number(const char* field) const {
  return fields_.at(field).get<int64_t>();
}

std::vector<int64_t> GoldenCase::Extents(const char* field) const {
  return fields_.at(field).get<std::vector<int64_t>>();
}

bool GoldenCase::HasBytes(const char* role) const {
  return fields_.at("files").contains(role);
}

absl::Span<const uint8_t> GoldenCase::Bytes(const char* role) const {
  const nlohmann::json& place = fields_.at("files").at(role);
  const size_t offset = place.at(0).get<size_t>();
  const size_t size = place.at(1).get<size_t>();
  MX_CHECK(offset + size <= vectors_->size()) << name() << " " << role;
  return absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(vectors_->data()) + offset, size);
}

ElementFormat SourceFormatOf(const GoldenCase& golden) {
  const std::string name = golden.Text("src_dtype");
  if (name == "fp32") return ElementFormat::kF32;
  if (name == "bf16") return ElementFormat::kBF16;
  MX_CHECK(name == "fp16") << golden.name() << " " << name;
  return ElementFormat::kF16;
}

MxQuantAlg AlgOf(const GoldenCase& golden) {
  const std::string name = golden.Text("alg");
  if (name == "OcpMxFp8E4M3") return MxQuantAlg::OcpMxFp8E4M3;
  if (name == "NvMxFp8E4M3") return MxQuantAlg::NvMxFp8E4M3;
  if (name == "OcpMxFp4E2M1") return MxQuantAlg::OcpMxFp4E2M1;
  MX_CHECK(name == "NvMxFp4E2M1") << golden.name() << " " << name;
  return MxQuantAlg::NvMxFp4E2M1;
}

std::vector<GoldenCase> LoadGoldenCases(absl::string_view operation) {
  const auto vectors = std::make_shared<const std::string>(
      *ReadFile("testdata/golden/vectors.bin"));
  std::vector<GoldenCase> cases;
  for (nlohmann::json& fields : ReadCases()) {
    if (fields.at("op").get<std::string>() == operation) {
      cases.emplace_back(std::move(fields), vectors);
    }
  }
  return cases;
}

int64_t CountGoldenCases() { return static_cast<int64_t>(ReadCases().size()); }

}  // namespace mxtile
