// Which outputs of a contraction are computed together, and in which order.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "exec/simd/admission.h"
#include "exec/simd/contraction.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// Rows up to here are blocked in any combination; above, along one dimension.
constexpr int64_t kMaxListedRows = 32;

}  // namespace

// Inside runs what has fewer elements a block: the wider panel of the other
// operand then stays in the first cache while the narrower ones pass by.
void BodyEmitter::ForEachOutputBlock(
    const Mma& mma, const std::function<void(const Outputs&)>& body) {
  const bool registers = plan_.of(mma.op.results[0]).form == Form::kRegisters;
  const int64_t columns = mma.block.cols * ColumnUnit();
  if (registers || mma.shape.column == kNoDim || columns <= mma.block.rows) {
    ForEachRowBlock(mma, [&](const std::vector<Place>& rows) {
      ForEachColumnBlock(mma, [&](const std::vector<Coord>& cols, int last) {
        body({rows, cols, last});
      });
    });
    return;
  }
  ForEachColumnBlock(mma, [&](const std::vector<Coord>& cols, int last) {
    ForEachRowBlock(mma, [&](const std::vector<Place>& rows) {
      body({rows, cols, last});
    });
  });
}

void BodyEmitter::ForEachRowBlock(
    const Mma& mma,
    const std::function<void(const std::vector<Place>&)>& body) {
  const ValueId result = mma.op.results[0];
  const bool registers = plan_.of(result).form == Form::kRegisters;
  std::vector<DimId> dims;
  int64_t count = Members(result);
  for (const DimId dim : mma.shape.output) {
    if (dim == mma.shape.column) continue;
    dims.push_back(dim);
    count *= program_.Extent(dim);
  }
  if (count == 0) return;
  const size_t block = static_cast<size_t>(mma.block.rows);
  if (registers || count <= kMaxListedRows) {
    std::vector<Place> rows;
    for (int member = 0; member < Members(result); ++member) {
      Place place = ScalarPlace(member);
      std::function<void(size_t)> visit = [&](size_t axis) {
        if (axis == dims.size()) {
          rows.push_back(place);
          return;
        }
        for (int64_t i = 0; i < program_.Extent(dims[axis]); ++i) {
          place.Set(dims[axis], Coord::Constant(i));
          visit(axis + 1);
        }
      };
      visit(0);
    }
    for (size_t first = 0; first < rows.size(); first += block) {
      const size_t last = std::min(rows.size(), first + block);
      body({rows.begin() + first, rows.begin() + last});
    }
    return;
  }
  const DimId row = mma.shape.row;
  for (int member = 0; member < Members(result); ++member) {
    Place place = ScalarPlace(member);
    const auto rows_from = [&](Coord first, int64_t size) {
      std::vector<Place> rows;
      for (int64_t i = 0; i < size; ++i) {
        place.Set(row, Add(first, Coord::Constant(i)));
        rows.push_back(place);
      }
      body(rows);
    };
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == dims.size()) {
        const int64_t extent = program_.Extent(row);
        const int64_t step = std::min<int64_t>(mma.block.rows, extent);
        const int64_t whole = extent / step * step;
        Loop(whole, step, [&](Coord i) { rows_from(i, step); });
        if (whole < extent) {
          rows_from(Coord::Constant(whole), extent - whole);
        }
        return;
      }
      if (dims[axis] == row) {
        visit(axis + 1);
        return;
      }
      Loop(program_.Extent(dims[axis]), 1, [&](Coord i) {
        place.Set(dims[axis], i);
        visit(axis + 1);
      });
    };
    visit(0);
  }
}

void BodyEmitter::ForEachColumnBlock(
    const Mma& mma,
    const std::function<void(const std::vector<Coord>&, int)>& body) {
  const DimId column = mma.shape.column;
  if (column == kNoDim) return body({Coord::Constant(0)}, width());
  const int64_t unit = ColumnUnit();
  const int64_t extent = program_.Extent(column);
  const int64_t whole_units = extent / unit;
  const auto block = [&](Coord first, int64_t units, int last_lanes) {
    std::vector<Coord> cols;
    for (int64_t i = 0; i < units; ++i) {
      cols.push_back(Add(first, Coord::Constant(i * unit)));
    }
    body(cols, last_lanes);
  };
  const int64_t step = mma.block.cols;
  const int64_t blocked = whole_units / step * step;
  if (plan_.of(mma.op.results[0]).form == Form::kRegisters) {
    for (int64_t i = 0; i < blocked; i += step) {
      block(Coord::Constant(i * unit), step, width());
    }
  } else {
    Loop(blocked * unit, step * unit,
         [&](Coord first) { block(first, step, width()); });
  }
  const int64_t rest = whole_units - blocked;
  const int64_t partial = extent - whole_units * unit;
  if (rest + (partial > 0 ? 1 : 0) == 0) return;
  block(Coord::Constant(blocked * unit), rest + (partial > 0 ? 1 : 0),
        partial > 0 ? static_cast<int>(partial) : width());
}

Place BodyEmitter::OutputPlace(const Mma& mma, const Outputs& outputs,
                               size_t row, size_t col) const {
  Place place = outputs.rows[row];
  if (mma.shape.column == kNoDim) return place;
  place.Set(mma.shape.column, outputs.cols[col]);
  if (!programs()) {
    place.vector = mma.shape.column;
    place.lanes = col + 1 == outputs.cols.size() ? outputs.last_lanes : width();
  }
  return place;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
