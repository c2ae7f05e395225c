#ifndef IR_TEXT_READER_RULES_H_
#define IR_TEXT_READER_RULES_H_

// The rules that a syntax tree must follow to be a program, by the ids that
// diagnostics carry. Rules of operators come on top (ir/ops/).

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

// The file holds one program: a class with @pl.program, or functions with
// @pl.function.
inline constexpr absl::string_view kProgramRule = "MX-TEXT-1";
// Every name is defined before it is used, and a loop does not give another
// type to one that it has read before.
inline constexpr absl::string_view kNameRule = "MX-TEXT-2";
// Types have the forms of pypto_ir section 10 and 11.
inline constexpr absl::string_view kTypeRule = "MX-TEXT-3";
// Enumerators and element types exist.
inline constexpr absl::string_view kEnumRule = "MX-TEXT-4";
// An annotation agrees with the value's type in kind, dtype, rank and constant
// dims.
inline constexpr absl::string_view kAnnotationRule = "MX-TEXT-5";
// A call names a function of the program or an operator, with arguments that it
// can have.
inline constexpr absl::string_view kCallRule = "MX-TEXT-6";
// Expressions and statements are of the kinds that programs have; operands of
// operators and conditions are scalars.
inline constexpr absl::string_view kFormRule = "MX-TEXT-7";
// A loop header is one of pl.range, pl.parallel, pl.unroll, pl.pipeline and
// pl.while_, with as many carried names as initial values. A pipeline has a
// stage count, nothing else has one; pl.unroll carries nothing.
inline constexpr absl::string_view kLoopRule = "MX-TEXT-8";
// A body with results ends in a yield of as many values; both branches of an if
// name the same results, of types that agree.
inline constexpr absl::string_view kYieldRule = "MX-TEXT-9";
// Decorators, parameters and function attributes have the forms of pypto_ir
// section 10; level and role do not contradict the function type.
inline constexpr absl::string_view kFunctionRule = "MX-TEXT-10";

// A scope is one of pl.at, pl.cluster, pl.scope, pl.manual_scope, pl.spmd and
// pl.split_aiv, with the arguments that it has, each of its form, once.
inline constexpr absl::string_view kScopeRule = "MX-TEXT-11";
// A window of a tensor or tile has at most as many indices as its rank; a
// window that is written has the value's kind and rank.
inline constexpr absl::string_view kWindowRule = "MX-TEXT-12";

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_READER_RULES_H_
