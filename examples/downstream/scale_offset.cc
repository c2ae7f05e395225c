// Prints where the A5 looks for the scale of row 17, group 3 of a left operand.

#include <iostream>

#include "layouts/mx/scale_layout.h"

int main() {
  const auto zz =
      mxtile::ScaleLayout::Create(mxtile::ScaleOrder::kZZ, /*rows=*/32,
                                  /*cols=*/4);
  if (!zz.ok()) {
    std::cerr << zz.status() << "\n";
    return 1;
  }
  std::cout << zz->Offset(17, 3) << "\n";
  return 0;
}
