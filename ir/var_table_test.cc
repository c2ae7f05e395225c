#include "ir/var_table.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/ops/standard_ops.h"

namespace mxtile::ir {
namespace {

// Variables of two contexts lie in pages that are far from each other, more of
// them than the table remembers as recent.
TEST(VarTableTest, HoldsAValueForEachVariable) {
  Context a(&StandardOps());
  Context b(&StandardOps());
  std::vector<const Var*> vars;
  for (int i = 0; i < 200'000; ++i) {
    Context& context = i % 3 == 0 ? a : b;
    vars.push_back(context.NewVar("v", context.IndexType()));
    // What lies between them differs in size.
    if (i % 5 == 0) context.Intern(std::string(i % 97 + 1, 'x'));
  }
  VarTable<int32_t> table;
  for (const Var* var : vars) ASSERT_EQ(table[var], 0);
  for (int i = 0; i < vars.size(); ++i) table[vars[i]] = i + 1;
  for (int i = 0; i < vars.size(); ++i) ASSERT_EQ(table[vars[i]], i + 1);
}

}  // namespace
}  // namespace mxtile::ir
