#include "exec/simd/import/op_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace mxtile::exec::simd {

void OpTable::Add(const ir::OpRegistry& registry, absl::string_view name,
                  const OpInfo& info) {
  const ir::OpDef* def = registry.Find(absl::StrCat("tile.", name));
  if (def != nullptr) ops_.emplace(def, info);
}

const OpInfo* OpTable::Find(const ir::OpDef* def) const {
  const auto it = ops_.find(def);
  return it == ops_.end() ? nullptr : &it->second;
}

OpTable::OpTable(const ir::OpRegistry& registry) {
  const std::pair<absl::string_view, OpFamily> plain[] = {
      {"load", OpFamily::kLoad},
      {"store", OpFamily::kStore},
      {"move", OpFamily::kSame},
      {"tget_scale_addr", OpFamily::kSame},
      {"transpose", OpFamily::kTranspose},
      {"transpose_view", OpFamily::kTranspose},
      {"reshape", OpFamily::kReshape},
      {"create", OpFamily::kCreate},
      {"full", OpFamily::kFull},
      {"ci", OpFamily::kCount},
      {"fillpad", OpFamily::kPad},
      {"fillpad_inplace", OpFamily::kPad},
      {"expands", OpFamily::kExpandScalar},
      {"cast", OpFamily::kCast},
      {"alloc", OpFamily::kNothing},
      {"get_block_idx", OpFamily::kBlockIndex},
      {"get_block_num", OpFamily::kBlockCount},
  };
  for (const auto& [name, family] : plain) {
    OpInfo info;
    info.family = family;
    Add(registry, name, info);
  }
  OpInfo info;
  info.family = OpFamily::kCompare;
  info.values = 2;
  Add(registry, "cmp", info);
  info.values = 1;
  Add(registry, "cmps", info);
  info.family = OpFamily::kMaskLogic;
  info.values = 2;
  info.binary = BinaryKind::kAnd;
  Add(registry, "and", info);
  info.binary = BinaryKind::kOr;
  Add(registry, "or", info);
  info.family = OpFamily::kSelect;
  info.values = 3;
  Add(registry, "sel", info);
  info.family = OpFamily::kSelectScalar;
  info.values = 2;
  Add(registry, "sels", info);
  AddArithmetic(registry);
  AddMatmuls(registry);
}

void OpTable::AddArithmetic(const ir::OpRegistry& registry) {
  const std::pair<absl::string_view, UnaryKind> unary[] = {
      {"abs", UnaryKind::kAbs},   {"exp", UnaryKind::kExp},
      {"neg", UnaryKind::kNeg},   {"recip", UnaryKind::kRecip},
      {"relu", UnaryKind::kRelu}, {"rsqrt", UnaryKind::kRsqrt},
      {"sqrt", UnaryKind::kSqrt},
  };
  for (const auto& [name, kind] : unary) {
    OpInfo info;
    info.family = OpFamily::kUnary;
    info.unary = kind;
    Add(registry, name, info);
  }
  struct Named {
    absl::string_view name;
    absl::string_view expansion;  // row_expand_... and col_expand_...
    BinaryKind kind;
  };
  const Named binary[] = {
      {"add", "add", BinaryKind::kAdd},
      {"sub", "sub", BinaryKind::kSub},
      {"mul", "mul", BinaryKind::kMul},
      {"div", "div", BinaryKind::kDiv},
      {"maximum", "max", BinaryKind::kMax},
      {"minimum", "min", BinaryKind::kMin},
  };
  const auto add_expansions = [&](absl::string_view suffix, OpInfo info) {
    info.values = 2;
    info.family = OpFamily::kRowExpansion;
    Add(registry, absl::StrCat("row_expand", suffix), info);
    info.family = OpFamily::kColExpansion;
    Add(registry, absl::StrCat("col_expand", suffix), info);
  };
  for (const Named& named : binary) {
    OpInfo info;
    info.binary = named.kind;
    info.family = OpFamily::kScalar;
    Add(registry, absl::StrCat(named.name, "s"), info);
    info.family = OpFamily::kBinary;
    info.values = 2;
    Add(registry, named.name, info);
    add_expansions(absl::StrCat("_", named.expansion), info);
  }
  OpInfo second;
  second.second_only = true;
  add_expansions("", second);
  OpInfo difference;
  difference.binary = BinaryKind::kSub;
  difference.exp_of_difference = true;
  add_expansions("_expdif", difference);
  const std::pair<absl::string_view, ReduceKind> folds[] = {
      {"max", ReduceKind::kMax},
      {"min", ReduceKind::kMin},
      {"sum", ReduceKind::kSum}};
  for (const auto& [name, kind] : folds) {
    OpInfo info;
    info.reduce = kind;
    info.family = OpFamily::kRowReduction;
    Add(registry, absl::StrCat("row_", name), info);
    info.family = OpFamily::kColReduction;
    Add(registry, absl::StrCat("col_", name), info);
  }
}

void OpTable::AddMatmuls(const ir::OpRegistry& registry) {
  const auto add = [&](absl::string_view name, const MatmulRoles& roles) {
    OpInfo info;
    info.family = OpFamily::kMatmul;
    info.roles = roles;
    Add(registry, name, info);
  };
  for (const absl::string_view name : {"matmul", "gemv"}) {
    add(name, MatmulRoles());
    MatmulRoles bias;
    bias.bias = 2;
    add(absl::StrCat(name, "_bias"), bias);
    MatmulRoles acc;
    acc.acc = 0;
    acc.lhs = 1;
    acc.rhs = 2;
    if (name == "matmul") acc.init_cond = 3;
    add(absl::StrCat(name, "_acc"), acc);
  }
  MatmulRoles mx;
  mx.lhs_scale = 1;
  mx.rhs = 2;
  mx.rhs_scale = 3;
  add("matmul_mx", mx);
  MatmulRoles mx_bias = mx;
  mx_bias.bias = 4;
  add("matmul_mx_bias", mx_bias);
  MatmulRoles mx_acc;
  mx_acc.acc = 0;
  mx_acc.lhs = 1;
  mx_acc.lhs_scale = 2;
  mx_acc.rhs = 3;
  mx_acc.rhs_scale = 4;
  add("matmul_mx_acc", mx_acc);
}

}  // namespace mxtile::exec::simd
