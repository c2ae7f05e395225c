#include "a5_model/vector/vector_op.h"

#include "a5_model/soc/vector_costs.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile {
namespace a5 {
namespace {

struct OpInfo {
  VectorOp op;
  absl::string_view mnemonic;
  VectorOpClass op_class;
  VectorOpCost VectorCosts::*cost;
};

using C = VectorCosts;
constexpr VectorOpClass kLoad = VectorOpClass::kLoad;
constexpr VectorOpClass kStore = VectorOpClass::kStore;
constexpr VectorOpClass kAlu = VectorOpClass::kAlu;
constexpr VectorOpClass kPredicate = VectorOpClass::kPredicate;

// In the order of the enum.
constexpr OpInfo kOps[kNumVectorOps] = {
    {VectorOp::kVlds, "vlds", kLoad, &C::load},
    {VectorOp::kVldsDintlv, "vlds", kLoad, &C::load_deinterleave},
    {VectorOp::kVgather2, "vgather2", kLoad, &C::gather},
    {VectorOp::kVsts, "vsts", kStore, &C::store},
    {VectorOp::kVstsIntlv, "vsts", kStore, &C::store_interleave},
    {VectorOp::kVsstb, "vsstb", kStore, &C::store_blocks},
    {VectorOp::kVstus, "vstus", kStore, &C::store_stream},
    {VectorOp::kVstas, "vstas", kStore, &C::store_stream},
    {VectorOp::kVadd, "vadd", kAlu, &C::add},
    {VectorOp::kVsub, "vsub", kAlu, &C::add},
    {VectorOp::kVmul, "vmul", kAlu, &C::multiply},
    {VectorOp::kVmax, "vmax", kAlu, &C::maximum},
    {VectorOp::kVmin, "vmin", kAlu, &C::maximum},
    {VectorOp::kVadds, "vadds", kAlu, &C::add_scalar},
    {VectorOp::kVmuls, "vmuls", kAlu, &C::multiply_scalar},
    {VectorOp::kVmaxs, "vmaxs", kAlu, &C::maximum_scalar},
    {VectorOp::kVmins, "vmins", kAlu, &C::maximum_scalar},
    {VectorOp::kVabs, "vabs", kAlu, &C::absolute},
    {VectorOp::kVand, "vand", kAlu, &C::logic},
    {VectorOp::kVor, "vor", kAlu, &C::logic},
    {VectorOp::kVxor, "vxor", kAlu, &C::logic},
    {VectorOp::kVnot, "vnot", kAlu, &C::logic},
    {VectorOp::kVshl, "vshl", kAlu, &C::shift},
    {VectorOp::kVshr, "vshr", kAlu, &C::shift},
    {VectorOp::kVshls, "vshls", kAlu, &C::shift},
    {VectorOp::kVshrs, "vshrs", kAlu, &C::shift},
    {VectorOp::kVsel, "vsel", kAlu, &C::select},
    {VectorOp::kVcmp, "vcmp", kAlu, &C::compare},
    {VectorOp::kVcmps, "vcmps", kAlu, &C::compare},
    {VectorOp::kVdup, "vdup", kAlu, &C::broadcast},
    {VectorOp::kVbr, "vbr", kAlu, &C::broadcast},
    {VectorOp::kVci, "vci", kAlu, &C::index},
    {VectorOp::kVintlv, "vintlv", kAlu, &C::interleave},
    {VectorOp::kVdintlv, "vdintlv", kAlu, &C::interleave},
    {VectorOp::kVselr, "vselr", kAlu, &C::permute},
    {VectorOp::kVcmax, "vcmax", kAlu, &C::reduce},
    {VectorOp::kVcgmax, "vcgmax", kAlu, &C::reduce_blocks},
    {VectorOp::kVcvt, "vcvt", VectorOpClass::kConvert, &C::convert},
    {VectorOp::kPset, "pset", kPredicate, &C::predicate},
    {VectorOp::kPlt, "plt", kPredicate, &C::predicate},
    {VectorOp::kPand, "pand", kPredicate, &C::predicate},
    {VectorOp::kPor, "por", kPredicate, &C::predicate},
    {VectorOp::kPxor, "pxor", kPredicate, &C::predicate},
    {VectorOp::kPnot, "pnot", kPredicate, &C::predicate},
    {VectorOp::kMemBar, "mem_bar", VectorOpClass::kBarrier, nullptr},
};

constexpr bool InOrder() {
  for (int i = 0; i < kNumVectorOps; ++i) {
    if (static_cast<int>(kOps[i].op) != i) return false;
  }
  return true;
}
static_assert(InOrder());

const OpInfo& InfoOf(VectorOp op) { return kOps[static_cast<int>(op)]; }

}  // namespace

absl::string_view Mnemonic(VectorOp op) { return InfoOf(op).mnemonic; }

VectorOpClass ClassOf(VectorOp op) { return InfoOf(op).op_class; }

bool IsExu0Only(VectorOp op) {
  return op == VectorOp::kVcmax || op == VectorOp::kVcgmax;
}

VectorOpCost CostOf(const VectorCosts& costs, VectorOp op) {
  MX_CHECK(InfoOf(op).cost != nullptr) << Mnemonic(op);
  return costs.*InfoOf(op).cost;
}

}  // namespace a5
}  // namespace mxtile
