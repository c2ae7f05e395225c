#include "exec/simd/tile_program.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "exec/simd/element_type.h"

namespace mxtile::exec::simd {
namespace {

class Writer {
 public:
  explicit Writer(const TileProgram& program) : program_(program) {}

  std::string Write() {
    absl::StrAppend(&text_, "program ", program_.name, " x ",
                    program_.program_count, "\n");
    for (size_t i = 0; i < program_.dims.size(); ++i) {
      absl::StrAppend(&text_, "  dim ", DimText(static_cast<DimId>(i)), " = ",
                      program_.dims[i].extent, "\n");
    }
    for (const View& view : program_.views) {
      absl::StrAppend(&text_, "  view ", view.name, ": ", Name(view.type), " [",
                      absl::StrJoin(view.shape, ", "), "] in buffer ",
                      view.buffer, "\n");
    }
    WriteBlock(program_.body, 1);
    return std::move(text_);
  }

 private:
  // Names need not be unique.
  std::string DimText(DimId dim) const {
    return dim == kNoDim ? "-"
                         : absl::StrCat(program_.dims[dim].name, "#", dim);
  }
  static std::string ValueText(ValueId value) {
    return value == kNoValue ? "-" : absl::StrCat("%", value);
  }
  std::string TypedText(ValueId id) const {
    const Value& value = program_.values[id];
    return absl::StrCat(ValueText(id), ": ", Name(value.type), "[",
                        DimsText(value.space), "]");
  }
  std::string DimsText(const std::vector<DimId>& dims) const {
    return absl::StrJoin(dims, " ", [this](std::string* out, DimId dim) {
      absl::StrAppend(out, DimText(dim));
    });
  }
  static std::string ValuesText(const std::vector<ValueId>& values) {
    return absl::StrJoin(values, ", ", [](std::string* out, ValueId value) {
      absl::StrAppend(out, ValueText(value));
    });
  }

  void WriteBlock(BlockId id, int depth) {
    const Block& block = program_.blocks[id];
    for (const OpId op : block.ops) WriteOp(program_.ops[op], depth);
    if (block.yields.empty()) return;
    Indent(depth);
    absl::StrAppend(&text_, "yield ", ValuesText(block.yields), "\n");
  }

  void Indent(int depth) { text_.append(2 * depth, ' '); }

  void WriteOp(const Op& op, int depth) {
    Indent(depth);
    for (size_t i = 0; i < op.results.size(); ++i) {
      absl::StrAppend(&text_, i == 0 ? "" : ", ", TypedText(op.results[i]));
    }
    if (!op.results.empty()) absl::StrAppend(&text_, " = ");
    absl::StrAppend(&text_, Head(op), "(", ValuesText(op.operands), ")",
                    Tail(op), "\n");
    for (size_t i = 0; i < op.blocks.size(); ++i) {
      if (i == 1) {
        Indent(depth);
        absl::StrAppend(&text_, "else\n");
      }
      const Block& block = program_.blocks[op.blocks[i]];
      if (!block.params.empty()) {
        Indent(depth + 1);
        absl::StrAppend(&text_, "params ", ValuesText(block.params), "\n");
      }
      WriteBlock(op.blocks[i], depth + 1);
    }
  }

  std::string Head(const Op& op) const {
    switch (op.kind) {
      case OpKind::kConstant:
        if (program_.values[op.results[0]].type == ElementType::kF32) {
          return absl::StrCat("constant ", op.constant);
        }
        return absl::StrCat("constant ", op.integer);
      case OpKind::kUnary:
        return std::string(Name(op.unary));
      case OpKind::kBinary:
        return std::string(Name(op.binary));
      case OpKind::kReduce:
        return absl::StrCat("reduce_", Name(op.reduce), " ", DimsText(op.dims));
      case OpKind::kExtract:
      case OpKind::kContract:
      case OpKind::kMxContract:
        return absl::StrCat(Name(op.kind), " ", DimsText(op.dims));
      case OpKind::kLoad:
      case OpKind::kStore:
        return absl::StrCat(Name(op.kind), " ", program_.views[op.view].name);
      default:
        return std::string(Name(op.kind));
    }
  }

  std::string Tail(const Op& op) const {
    std::string tail;
    if (op.limit != kNoValue) {
      absl::StrAppend(&tail, " limit ", ValueText(op.limit));
    }
    if (op.reassociate) absl::StrAppend(&tail, " reassociate");
    if (op.kind == OpKind::kLoad || op.kind == OpKind::kStore) {
      absl::StrAppend(&tail, " axes [", DimsText(op.window.axes), "]");
      if (!op.window.limits.empty()) {
        absl::StrAppend(&tail, " limits [", ValuesText(op.window.limits), "]");
      }
      if (op.window.fill != 0) absl::StrAppend(&tail, " fill ", op.window.fill);
      if (op.window.checked) absl::StrAppend(&tail, " checked");
    }
    if (!op.place.empty()) absl::StrAppend(&tail, "  # ", op.place);
    return tail;
  }

  const TileProgram& program_;
  std::string text_;
};

}  // namespace

absl::string_view Name(UnaryKind kind) {
  constexpr absl::string_view kNames[] = {"neg",   "abs",   "exp",  "sqrt",
                                          "rsqrt", "recip", "relu", "not"};
  return kNames[static_cast<int>(kind)];
}

absl::string_view Name(BinaryKind kind) {
  constexpr absl::string_view kNames[] = {
      "add", "sub", "mul", "max", "min", "div", "floordiv", "mod",
      "lt",  "le",  "gt",  "ge",  "eq",  "ne",  "and",      "or"};
  return kNames[static_cast<int>(kind)];
}

absl::string_view Name(ReduceKind kind) {
  constexpr absl::string_view kNames[] = {"sum", "max", "min"};
  return kNames[static_cast<int>(kind)];
}

absl::string_view Name(OpKind kind) {
  constexpr absl::string_view kNames[] = {
      "constant",    "program_index", "iota",   "unary",
      "binary",      "select",        "cast",   "broadcast",
      "relabel",     "extract",       "reduce", "contract",
      "mx_contract", "load",          "store",  "for",
      "if"};
  return kNames[static_cast<int>(kind)];
}

int64_t TileProgram::Volume(const Space& space) const {
  int64_t volume = 1;
  for (const DimId dim : space) volume *= Extent(dim);
  return volume;
}

std::string ToText(const TileProgram& program) {
  return Writer(program).Write();
}

}  // namespace mxtile::exec::simd
