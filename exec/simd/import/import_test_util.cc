#include "exec/simd/import/import_test_util.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec::simd {
namespace {

uint32_t CodeOf(ElementType type, double value) {
  return Encode(*FormatOf(type), static_cast<float>(value), Overflow::kSpecial);
}

std::vector<uint8_t> Pack(ElementType type, const std::vector<double>& values) {
  const int bits = BitWidth(type);
  std::vector<uint8_t> bytes(
      BytesOf(type, static_cast<int64_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t code = CodeOf(type, values[i]);
    if (bits == 4) {
      bytes[i / 2] |= (code & 0xF) << (i % 2 * 4);
    } else {
      std::memcpy(&bytes[i * (bits / 8)], &code, bits / 8);
    }
  }
  return bytes;
}

double Draw(ElementType type, bool special, std::mt19937& random) {
  if (type == ElementType::kF8E8M0FNU) {
    return std::ldexp(1.0, static_cast<int>(random() % 13) - 6);
  }
  const float inf = std::numeric_limits<float>::infinity();
  const float specials[] = {0.0f, -0.0f, 1e-40f, -1e-42f,
                            inf,  -inf,  NAN,    3.4e38f};
  float value = static_cast<float>(
      (static_cast<double>(random()) / 4294967296.0 - 0.5) * 8);
  if (special && random() % 8 == 0) value = specials[random() % 8];
  return Decode(*FormatOf(type), CodeOf(type, value));
}

int64_t ValueOf(const InstanceScalar& scalar,
                const std::vector<int64_t>& digits, int64_t instance) {
  if (!scalar.table.empty()) return scalar.table[instance];
  int64_t value = scalar.base;
  for (size_t i = digits.size(); i-- > 0;) {
    const int64_t digit = instance % digits[i];
    instance /= digits[i];
    if (i < scalar.steps.size()) value += scalar.steps[i] * digit;
  }
  return value;
}

}  // namespace

BothRuns::BothRuns(const ir::TextProgram& program, absl::string_view name,
                   ImportRequest request, uint32_t seed, bool special)
    : request_(std::move(request)) {
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  if (program->functions.empty()) return;
  const ir::Function& function = program.function(name);
  std::mt19937 random(seed);
  request_.params.resize(function.params.size());
  int buffers = 0;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const ir::Var& param = *function.params[i];
    names_.push_back(std::string(param.name));
    std::vector<int64_t> shape;
    std::vector<double> values;
    ElementType type = ElementType::kF32;
    if (const auto* tensor = ir::DynCast<ir::TensorType>(param.type)) {
      request_.params[i].buffer = buffers++;
      int64_t count = 1;
      for (const ir::Expr* dim : tensor->shape) {
        shape.push_back(ir::AsConstInt(dim)->value);
        count *= shape.back();
      }
      const absl::StatusOr<ElementType> view_type = ViewTypeOf(tensor->dtype);
      if (view_type.ok()) type = *view_type;
      for (int64_t e = 0; e < count && IsFloat(type); ++e) {
        values.push_back(Draw(type, special, random));
      }
    }
    shapes_.push_back(shape);
    types_.push_back(type);
    if (!shape.empty()) {
      inputs_.push_back(values);
      bytes_.push_back(Pack(type, values));
    }
  }
  Import(program, function);
  // A request that does not fit the function is no run for anybody.
  if (!import_error_.empty()) return;
  RunReference(program, function);
  RunImported();
}

void BothRuns::Import(const ir::TextProgram& program,
                      const ir::Function& function) {
  ir::DiagnosticSink sink;
  absl::StatusOr<ImportedKernel> kernel =
      ImportInCore(function, program.context().registry(), request_, &sink);
  if (kernel.ok()) {
    EXPECT_EQ(sink.error_count(), 0);
    kernel_ = *std::move(kernel);
    return;
  }
  import_error_ = std::string(kernel.status().message());
  if (!sink.has_errors()) return;
  const ir::Diagnostic& first = sink.diagnostics()[0];
  import_error_ = absl::StrCat(first.rule_id, " ", first.message);
  import_error_line_ = first.span.line;
}

void BothRuns::RunImported() {
  std::vector<BufferSpan> buffers;
  for (std::vector<uint8_t>& bytes : bytes_) {
    buffers.push_back({bytes.data(), static_cast<int64_t>(bytes.size())});
  }
  for (TableBuffer& table : kernel_.tables) {
    ASSERT_EQ(table.buffer, static_cast<int>(buffers.size()));
    buffers.push_back(
        {table.values.data(), static_cast<int64_t>(table.values.size()) * 8});
  }
  const absl::Status status =
      Interpret(kernel_.program, buffers, AllOf(kernel_.program));
  EXPECT_TRUE(status.ok()) << status << '\n' << ToText(kernel_.program);
}

void BothRuns::RunReference(const ir::TextProgram& program,
                            const ir::Function& function) {
  using Backend = ReferenceBackend<float>;
  Backend backend(program.context().registry());
  ir::DiagnosticSink sink;
  Interpreter interpreter(*program, &backend, &sink);
  std::vector<exec::Value> tensors;
  for (size_t i = 0, next = 0; i < shapes_.size(); ++i) {
    if (!shapes_[i].empty()) {
      tensors.push_back(Backend::MakeTensor(shapes_[i], inputs_[next++]));
    }
  }
  int64_t instances = 1;
  for (const int64_t digit : request_.digits) instances *= digit;
  const bool launches = request_.block_count > 1;
  if (launches) {
    instances = 0;
    EXPECT_TRUE(interpreter.Run(program.function("main"), tensors).ok())
        << sink.diagnostics()[0].message;
  }
  for (int64_t instance = 0; instance < instances; ++instance) {
    std::vector<exec::Value> args;
    for (size_t i = 0, next = 0; i < shapes_.size(); ++i) {
      const auto* scalar =
          ir::DynCast<ir::ScalarType>(function.params[i]->type);
      if (scalar == nullptr) {
        args.push_back(tensors[next++]);
      } else if (ir::IsFloat(scalar->dtype)) {
        args.push_back(exec::Value(request_.params[i].real));
      } else {
        args.push_back(exec::Value(
            ValueOf(request_.params[i].scalar, request_.digits, instance)));
      }
    }
    if (!interpreter.Run(function, args).ok()) {
      reference_error_ = absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                                      sink.diagnostics()[0].message);
      return;
    }
  }
  size_t next = 0;
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (shapes_[i].empty()) continue;
    std::vector<double> values;
    for (const float value : Backend::Tensor(tensors[next]).values) {
      values.push_back(value);
    }
    expected_.push_back(Pack(types_[i], values));
    ++next;
  }
}

void BothRuns::ExpectSameBits() const {
  ASSERT_EQ(import_error_, "");
  ASSERT_EQ(reference_error_, "");
  ASSERT_EQ(bytes_.size(), expected_.size());
  size_t next = 0;
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (shapes_[i].empty()) continue;
    const std::vector<uint8_t>& actual = bytes_[next];
    const std::vector<uint8_t>& expected = expected_[next];
    ++next;
    const size_t width = BitWidth(types_[i]) < 8 ? 1 : BitWidth(types_[i]) / 8;
    int wrong = 0;
    for (size_t at = 0; at < actual.size() && wrong < 5; at += width) {
      uint32_t a = 0;
      uint32_t e = 0;
      std::memcpy(&a, &actual[at], width);
      std::memcpy(&e, &expected[at], width);
      if (a == e) continue;
      const float x = Decode(*FormatOf(types_[i]), a);
      const float y = Decode(*FormatOf(types_[i]), e);
      if (std::isnan(x) && std::isnan(y)) continue;
      ++wrong;
      ADD_FAILURE() << names_[i] << "[" << at / width << "] is " << x
                    << ", the reference has " << y;
    }
    EXPECT_EQ(wrong, 0) << ToText(kernel_.program);
  }
}

}  // namespace mxtile::exec::simd
