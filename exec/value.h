#ifndef EXEC_VALUE_H_
#define EXEC_VALUE_H_

// Values at run time: scalars, tuples, and the tensors and tiles of a backend.

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace mxtile::exec {

// What a backend keeps for a tensor or tile. Values share it: a store through
// one is seen through all.
struct Object {
  virtual ~Object() = default;
};

class Value {
 public:
  // No value: the result of an operator that has none.
  Value() = default;
  explicit Value(bool b) : data_(b) {}
  explicit Value(int64_t i) : data_(i) {}
  explicit Value(double d) : data_(d) {}
  explicit Value(std::vector<Value> items) : data_(std::move(items)) {}
  explicit Value(std::shared_ptr<Object> object) : data_(std::move(object)) {}

  bool is_none() const { return Is<std::monostate>(); }
  bool is_bool() const { return Is<bool>(); }
  bool is_int() const { return Is<int64_t>(); }
  bool is_float() const { return Is<double>(); }
  bool is_tuple() const { return Is<std::vector<Value>>(); }
  bool is_object() const { return Is<std::shared_ptr<Object>>(); }

  // The verifier and type deduction keep kinds apart, so another kind here is a
  // bug.
  bool AsBool() const { return Get<bool>(); }
  int64_t AsInt() const { return Get<int64_t>(); }
  double AsFloat() const { return Get<double>(); }
  const std::vector<Value>& AsTuple() const {
    return Get<std::vector<Value>>();
  }
  const std::shared_ptr<Object>& AsObject() const {
    return Get<std::shared_ptr<Object>>();
  }

 private:
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(data_);
  }
  template <typename T>
  const T& Get() const {
    MX_CHECK(Is<T>()) << "value of another kind";
    return std::get<T>(data_);
  }

  std::variant<std::monostate, bool, int64_t, double, std::vector<Value>,
               std::shared_ptr<Object>>
      data_;
};

}  // namespace mxtile::exec

#endif  // EXEC_VALUE_H_
