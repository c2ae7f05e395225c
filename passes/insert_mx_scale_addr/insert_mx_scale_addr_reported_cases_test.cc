// What people reported about scale addresses, restated as small programs: the
// cases of the trackers of PyPTO and PTOAS that concern this pass. Names are
// the cases' ids there.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/insert_mx_scale_addr/mx_matmul_text_test_util.h"
#include "passes/insert_mx_scale_addr/scale_binding_checker.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::TextProgram;

void ExpectInserted(absl::string_view before, absl::string_view after,
                    bool reuse) {
  const TextProgram input(MatmulProgram("InCore", before));
  PassOptions options;
  options.reuse_scale_bindings = reuse;
  const PassOutcome outcome = RunOnText(InsertMxScaleAddr(), input, options);
  ExpectProgram(outcome, MatmulProgram("InCore", after));
  ASSERT_NE(outcome.program, nullptr);
  for (const BindingFault& fault :
       FindBindingFaults(*outcome.program->Find("cell"))) {
    ADD_FAILURE() << fault.message;
  }
}

// Pull request 2237: one binding for two consumers of different data gives the
// second one a stale address.
TEST(ReportedScaleAddressTest, PyptoA11_SameScaleOtherData) {
  ExpectInserted(
      "k = fill_left(lm)\n"
      "c = mm(l, ls, r, rs)\n"
      "d = mm(k, ls, r, rs)\n",
      "k = fill_left(lm)\n"
      "ls_bound = bind(ls, l)\n"
      "rs_bound = bind(rs, r)\n"
      "c = mm(l, ls_bound, r, rs_bound)\n"
      "ls_bound_1 = bind(ls, k)\n"
      "d = mm(k, ls_bound_1, r, rs_bound)\n",
      /*reuse=*/true);
}

// Issue 1975: the family's operands are lhs, lhs_scale, rhs, rhs_scale, behind
// an accumulator, in front of a bias.
TEST(ReportedScaleAddressTest, PyptoA23_OrderOfOperands) {
  ExpectInserted(
      "c = mmb(l, ls, r, rs, b)\n"
      "d = mma(c, l, ls, r, rs)\n",
      "ls_bound = bind(ls, l)\n"
      "rs_bound = bind(rs, r)\n"
      "c = mmb(l, ls_bound, r, rs_bound, b)\n"
      "d = mma(c, l, ls_bound, r, rs_bound)\n",
      /*reuse=*/true);
}

// PTOAS 0.70 refuses to hoist a repeated binding above a consumer: in straight
// code there is none.
TEST(ReportedScaleAddressTest, PyptoG8_NoRepeatedBinding) {
  ExpectInserted(
      "c = mm(l, ls, r, rs)\n"
      "again = pl.load(l_t, [0, 0], [16, 64], target_memory=pl.Mem.Mat)\n"
      "d = mma(c, l, ls, r, rs)\n"
      "stored = pl.store(d, [0, 0], dst)\n"
      "e = mma(d, l, ls, r, rs)\n",
      "ls_bound = bind(ls, l)\n"
      "rs_bound = bind(rs, r)\n"
      "c = mm(l, ls_bound, r, rs_bound)\n"
      "again = pl.load(l_t, [0, 0], [16, 64], target_memory=pl.Mem.Mat)\n"
      "d = mma(c, l, ls_bound, r, rs_bound)\n"
      "stored = pl.store(d, [0, 0], dst)\n"
      "e = mma(d, l, ls_bound, r, rs_bound)\n",
      /*reuse=*/true);
}

// PyPTO 2147 and 2237, the merged design: source order, a binding for each
// consumer.
TEST(ReportedScaleAddressTest, Ptoas11_OneBindingAConsumer) {
  ExpectInserted(
      "c = mm(l, ls, r, rs)\n"
      "d = mma(c, l, ls, r, rs)\n",
      "ls_bound = bind(ls, l)\n"
      "rs_bound = bind(rs, r)\n"
      "c = mm(l, ls_bound, r, rs_bound)\n"
      "ls_bound_1 = bind(ls, l)\n"
      "rs_bound_1 = bind(rs, r)\n"
      "d = mma(c, l, ls_bound_1, r, rs_bound_1)\n",
      /*reuse=*/false);
}

// A fill of the scale's buffer stands behind its own binding or in front of it,
// never between binding and consumer.
TEST(ReportedScaleAddressTest, Mx62_FillsAndTheirBindings) {
  ExpectInserted(
      "c = mm(l, ls, r, rs)\n"
      "ks = fill_left_scale(lsm)\n"
      "d = mma(c, l, ks, r, rs)\n",
      "ls_bound = bind(ls, l)\n"
      "rs_bound = bind(rs, r)\n"
      "c = mm(l, ls_bound, r, rs_bound)\n"
      "ks = fill_left_scale(lsm)\n"
      "ks_bound = bind(ks, l)\n"
      "d = mma(c, l, ks_bound, r, rs_bound)\n",
      /*reuse=*/true);
}

}  // namespace
}  // namespace mxtile
