#include "passes/function_attrs.h"

#include <vector>

#include "absl/strings/string_view.h"

namespace mxtile {

const ir::Function* WithMark(const ir::Function& function,
                             absl::string_view mark, ir::Context* context) {
  std::vector<ir::Attr> attrs;
  for (const ir::Attr& attr : function.attrs) {
    if (attr.name != mark) attrs.push_back(attr);
  }
  attrs.push_back({context->Intern(mark), ir::AttrValue::Bool(true)});
  ir::Function copy = function;
  copy.attrs = context->List(attrs);
  return context->New(copy);
}

}  // namespace mxtile
