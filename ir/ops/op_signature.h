#ifndef IR_OPS_OP_SIGNATURE_H_
#define IR_OPS_OP_SIGNATURE_H_

// What an operator takes, as data, and the checks that follow from it. Type
// deductions start from a call whose arguments and kwargs have the right number
// and kinds:
//
//   OpDef def;
//   def.name = "tile.move";
//   RegisterOp(registry, std::move(def),
//              {{{"tile", ArgKind::kTile}},
//               {{"target_memory", KwargKind::kMemorySpace}}},
//              [](const OpCall& call, Context& context) { ... call.Tile(0) });
//
// Rules of this file:
//   MX-OP-1  number of arguments
//   MX-OP-2  kind of an argument
//   MX-OP-3  unknown or missing kwarg
//   MX-OP-4  kind or value of a kwarg
//   MX-OP-5  a tile operand's valid_shape has the rank of its shape; matrix
//            operands are 2-D
//   MX-OP-6  constant dims of a result are positive; FP4 results have rank >= 1
//            and an even last dim (ir/ops/shape_rules.h)

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::ir {

enum class ArgKind {
  kTile,
  kMatrix,       // A 2-D tile.
  kTensor,       // Distributed ones included.
  kPlainTensor,  // Not a distributed one.
  kWindow,       // A distributed tensor.
  kTensorOrScalar,
  kTileOrTensor,
  kTileOrScalar,
  kDims,         // A list written in place, of integer scalars.
  kList,         // A list written in place, of anything.
  kInteger,      // An integer scalar.
  kScalar,       // A scalar of any type.
  kMemorySpace,  // A memory space by its number, a constant.
  kCondition,    // A BOOL scalar.
  kTaskId,       // A TASK_ID scalar.
  kArray,
  kCommCtx,
  kPrefetchContext,
  kAsyncEvent,
  kAsyncSession,
  kPtr,
  kAny,
};

struct ArgSpec {
  std::string name;
  ArgKind kind;
  bool optional = false;  // Only at the end of the list.
};

enum class KwargKind {
  kMemorySpace,
  kTensorLayout,
  kTileLayout,
  kDataType,
  kBool,
  kNumber,
  kInt,       // An integer, or an enumerator that stands for one.
  kString,    // A string.
  kPadValue,  // A pad value or a number.
  kIntList,   // A list of integers.
  kAny,
  kChoice,  // One of `choices`: by name (a string or an enumerator) or index.
};

struct KwargSpec {
  std::string name;
  KwargKind kind;
  bool required = false;
  std::vector<std::string> choices = {};
};

struct OpSignature {
  std::vector<ArgSpec> args;
  std::vector<KwargSpec> kwargs = {};
  // The last argument may repeat.
  bool variadic = false;
};

// A call that fits its signature. Accessors that do not fit the signature are
// bugs of the deduction.
class OpCall {
 public:
  OpCall(const CallOperands& operands, const OpSignature& signature)
      : operands_(operands), signature_(signature) {}

  absl::string_view op() const { return operands_.op->name; }
  bool HasArg(int index) const { return index < operands_.args.size(); }
  const Expr* Arg(int index) const { return operands_.args[index]; }
  int num_args() const { return static_cast<int>(operands_.args.size()); }
  // The name of an argument; those of a variadic tail share one.
  const std::string& ArgName(int index) const {
    return signature_.args[std::min<size_t>(index, signature_.args.size() - 1)]
        .name;
  }
  const TileType& Tile(int index) const;
  const TensorType& Tensor(int index) const;
  DataType Scalar(int index) const;
  // The elements of a kDims or kList argument.
  Exprs DimList(int index) const;
  // The type that the text states for the result, or null.
  const Type* stated() const { return operands_.stated; }

  // The kwarg, or null.
  const AttrValue* Kwarg(absl::string_view name) const {
    return FindAttr(operands_.kwargs, name);
  }
  // The kwarg, or nullopt when it is not given.
  template <typename E>
  std::optional<E> EnumKwarg(absl::string_view name) const {
    const AttrValue* value = FindAttr(operands_.kwargs, name);
    return value == nullptr ? std::nullopt : EnumFromName<E>(value->text);
  }
  std::optional<MemorySpace> TargetMemory() const {
    return EnumKwarg<MemorySpace>("target_memory");
  }
  std::optional<DataType> DataTypeKwarg(absl::string_view name) const;
  // Nullopt also for an enumerator.
  std::optional<int64_t> IntKwarg(absl::string_view name) const;
  // False when it is not given.
  bool BoolKwarg(absl::string_view name) const;
  // The index among the choices.
  std::optional<int> ChoiceKwarg(absl::string_view name) const;

  // "tile.move: " and the pieces.
  template <typename... Pieces>
  absl::Status Error(absl::string_view rule, const Pieces&... pieces) const {
    return RuleError(rule, absl::StrCat(op(), ": ", pieces...));
  }

 private:
  const CallOperands& operands_;
  const OpSignature& signature_;
};

using Deduction =
    std::function<absl::StatusOr<const Type*>(const OpCall&, Context&)>;

// Registers `def`, completed with names and counts from the signature and with
// a `deduce` that checks the signature (MX-OP-1 to MX-OP-5) and then asks
// `deduction`. Null: the result has the type that the text states, or none.
void RegisterOp(OpRegistry& registry, OpDef def, OpSignature signature,
                Deduction deduction);

}  // namespace mxtile::ir

#endif  // IR_OPS_OP_SIGNATURE_H_
