#include "tools/quantize/safetensors_json.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/quantize/safetensors.h"

namespace mxtile {
namespace {

using Json = nlohmann::json;

// NumPy has 32; more are no tensor but an attempt to fill memory.
constexpr size_t kMaxRank = 64;

// Where the reader is. Each event is legal in one or two of them; anything else
// ends the reading.
enum class Place {
  kStart,
  kFile,         // in the object, before a key
  kMetadata,     // in "__metadata__", before a key
  kText,         // before a value of "__metadata__"
  kTensorStart,  // before the object of a tensor
  kTensor,       // in it, before a key
  kDtype,
  kShapeStart,
  kShape,
  kOffsetsStart,
  kOffsets,
  kEnd,
};

class HeaderHandler : public nlohmann::json_sax<Json> {
 public:
  HeaderHandler(std::vector<SafetensorsTensor>* tensors,
                std::map<std::string, std::string>* metadata)
      : tensors_(tensors), metadata_(metadata) {}

  const std::string& error() const { return error_; }

  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("true or false"); }
  bool number_integer(number_integer_t) override {
    return Unexpected("a negative number");
  }
  bool number_float(number_float_t, const string_t&) override {
    return Unexpected("a number that is no integer below 2^63");
  }
  bool binary(binary_t&) override { return Unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) {
      return Unexpected("a number");
    }
    if (value > std::numeric_limits<int64_t>::max()) {
      return Unexpected("a number that is no integer below 2^63");
    }
    if (place_ == Place::kShape) {
      if (tensor().shape.size() == kMaxRank)
        return Fail("has too many numbers");
      tensor().shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (offsets_ == 2) return Unexpected("a third number");
    (offsets_++ == 0 ? tensor().begin : tensor().end) =
        static_cast<int64_t>(value);
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kText) {
      metadata_->emplace(key_, value);
      place_ = Place::kMetadata;
      return true;
    }
    if (place_ != Place::kDtype) return Unexpected("a string");
    tensor().dtype = value;
    place_ = Place::kTensor;
    return true;
  }

  bool start_object(size_t) override {
    switch (place_) {
      case Place::kStart:
        place_ = Place::kFile;
        return true;
      case Place::kMetadata:
        if (in_metadata_) return Unexpected("an object");
        in_metadata_ = true;
        return true;
      case Place::kTensorStart:
        place_ = Place::kTensor;
        has_dtype_ = has_shape_ = has_offsets_ = false;
        return true;
      default:
        return Unexpected("an object");
    }
  }

  bool key(string_t& key) override {
    key_ = key;
    switch (place_) {
      case Place::kFile:
        if (!names_.insert(key).second) return Fail("stands twice");
        if (key == "__metadata__") {
          place_ = Place::kMetadata;
          in_metadata_ = false;
          return true;
        }
        tensors_->emplace_back();
        tensor().name = key;
        place_ = Place::kTensorStart;
        return true;
      case Place::kMetadata:
        if (metadata_->count(key) > 0) return Fail("stands twice");
        place_ = Place::kText;
        return true;
      default:
        return TensorKey(key);
    }
  }

  bool end_object() override {
    if (place_ == Place::kMetadata) {
      place_ = Place::kFile;
    } else if (place_ == Place::kTensor) {
      key_ = tensor().name;
      if (!has_dtype_ || !has_shape_ || !has_offsets_) {
        return Fail("lacks dtype, shape or data_offsets");
      }
      place_ = Place::kFile;
    } else {
      place_ = Place::kEnd;
    }
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::kShapeStart) {
      place_ = Place::kShape;
    } else if (place_ == Place::kOffsetsStart) {
      place_ = Place::kOffsets;
      offsets_ = 0;
    } else {
      return Unexpected("an array");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_ != 2) {
      return Fail("needs two numbers");
    }
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const Json::exception& exception) override {
    if (error_.empty()) {
      error_ = absl::StrCat("the header is no JSON: ", exception.what());
    }
    (void)position;
    return false;
  }

 private:
  SafetensorsTensor& tensor() { return tensors_->back(); }

  bool TensorKey(const std::string& key) {
    bool* seen = nullptr;
    if (key == "dtype") {
      seen = &has_dtype_;
      place_ = Place::kDtype;
    } else if (key == "shape") {
      seen = &has_shape_;
      place_ = Place::kShapeStart;
    } else if (key == "data_offsets") {
      seen = &has_offsets_;
      place_ = Place::kOffsetsStart;
    } else {
      return Fail("is no key of a tensor");
    }
    if (*seen) return Fail("stands twice");
    *seen = true;
    return true;
  }

  bool Fail(absl::string_view what) {
    constexpr size_t kMost = 100;
    error_ = absl::StrCat(
        "key '", absl::CHexEscape(absl::string_view(key_).substr(0, kMost)),
        "' ", what);
    return false;
  }

  bool Unexpected(absl::string_view found) {
    if (key_.empty()) {
      error_ = absl::StrCat("the header must be an object, it is ", found);
      return false;
    }
    return Fail(absl::StrCat("has ", found, ", which does not belong there"));
  }

  std::vector<SafetensorsTensor>* tensors_;
  std::map<std::string, std::string>* metadata_;
  std::unordered_set<std::string> names_;
  std::string key_;
  std::string error_;
  Place place_ = Place::kStart;
  int offsets_ = 0;
  bool in_metadata_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
};

}  // namespace

absl::Status ParseSafetensorsJson(
    absl::string_view json, std::vector<SafetensorsTensor>* tensors,
    std::map<std::string, std::string>* metadata) {
  HeaderHandler handler(tensors, metadata);
  if (json.empty() || json[0] != '{') {
    return absl::InvalidArgumentError("the header does not start with '{'");
  }
  if (!Json::sax_parse(json.begin(), json.end(), &handler)) {
    return absl::InvalidArgumentError(handler.error());
  }
  return absl::OkStatus();
}

}  // namespace mxtile
