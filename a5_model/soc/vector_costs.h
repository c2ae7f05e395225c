#ifndef A5_MODEL_SOC_VECTOR_COSTS_H_
#define A5_MODEL_SOC_VECTOR_COSTS_H_

// What the instructions of a vector core cost, by kind.
//
//   Ascend950().cost.vector.multiply.latency_cycles;   // 8
//
// Kinds of source as in soc.h. [fit]: the parameter tables of the public
// simulator of vector functions; [doc]: cycles that the ISA pages quote from
// the vendor's simulator; [fallback]: the public cost model's table for what
// it knows nothing about.

namespace mxtile {
namespace a5 {

struct VectorOpCost {
  double latency_cycles;  // from issue to a result that another can use
  double per_cycle;       // instructions that one core starts in a cycle
};

struct VectorCosts {
  // A vector function, around its instructions. [fit]
  double startup_cycles = 23;
  double drain_cycles = 12;

  double issues_per_cycle = 2;  // [fit]
  double loads_per_cycle = 2;   // [fit]
  double stores_per_cycle = 1;  // [fit]
  double barrier_cycles = 20;   // mem_bar; a placeholder there too [fit]

  VectorOpCost load = {9, 2};                 // [fit]
  VectorOpCost load_deinterleave = {9, 1};    // latency [doc], two ports [ours]
  VectorOpCost gather = {28, 1.0 / 8};        // latency [doc], rate [ours]
  VectorOpCost store = {9, 1};                // [fit]
  VectorOpCost store_interleave = {12, 0.5};  // latency [doc], rate [ours]
  VectorOpCost store_blocks = {9, 1};         // vsstb: as a store [ours]
  VectorOpCost store_stream = {9, 1};         // vstus, vstas: as a store [ours]

  VectorOpCost add = {7, 2};              // vadd, vsub [fit]
  VectorOpCost multiply = {8, 2};         // [fit]
  VectorOpCost maximum = {6, 2};          // vmax, vmin [fit]
  VectorOpCost add_scalar = {7, 1};       // [fit]
  VectorOpCost multiply_scalar = {8, 1};  // [fit]
  VectorOpCost maximum_scalar = {6, 1};   // [fit]
  VectorOpCost absolute = {5, 1};         // [fit]
  VectorOpCost logic = {6, 1};            // vand [fit], the others alike
  VectorOpCost shift = {6, 1};            // vshls, vshrs [fit], the others
  VectorOpCost select = {6, 1};           // [fit]
  VectorOpCost compare = {6, 1};          // [fit]
  VectorOpCost broadcast = {6, 1};        // vdup, vbr [fit]
  VectorOpCost convert = {7, 1};          // [fit]
  VectorOpCost reduce = {16, 1};          // vcmax of f32 [fit], rate [ours]
  VectorOpCost reduce_blocks = {13, 1};   // vcgmax of f32 [fit], rate [ours]
  VectorOpCost interleave = {5, 1};       // vintlv, vdintlv [fallback], [ours]
  VectorOpCost permute = {5, 1};          // vselr [fallback], [ours]
  VectorOpCost index = {5, 1};            // vci [fallback], [ours]
  VectorOpCost predicate = {2, 1};        // plt, pset [fallback], rate [ours]
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_SOC_VECTOR_COSTS_H_
