#include "tools/bench/object_text.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::bench {
namespace {

absl::Status CutShort() {
  return absl::InvalidArgumentError("is no whole relocatable object");
}

// `count` records at `offset`, if they lie inside.
template <typename T>
bool ReadAll(absl::string_view bytes, uint64_t offset, uint64_t count,
             std::vector<T>* records) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T)) {
    return false;
  }
  records->resize(count);
  if (count > 0) {
    std::memcpy(records->data(), bytes.data() + offset, count * sizeof(T));
  }
  return true;
}

// The string that begins at `at`.
absl::string_view NameAt(absl::string_view strings, uint64_t at) {
  if (at >= strings.size()) return "";
  const absl::string_view rest = strings.substr(at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

absl::StatusOr<ObjectSymbols> ReadObjectSymbols(absl::string_view bytes) {
  std::vector<Elf64_Ehdr> head;
  if (!ReadAll(bytes, 0, 1, &head) ||
      std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      head[0].e_ident[EI_CLASS] != ELFCLASS64 ||
      head[0].e_ident[EI_DATA] != ELFDATA2LSB || head[0].e_type != ET_REL) {
    return CutShort();
  }
  std::vector<Elf64_Shdr> sections;
  if (head[0].e_shentsize != sizeof(Elf64_Shdr) ||
      !ReadAll(bytes, head[0].e_shoff, head[0].e_shnum, &sections)) {
    return CutShort();
  }
  ObjectSymbols found;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    std::vector<Elf64_Sym> symbols;
    if (section.sh_link >= sections.size() ||
        !ReadAll(bytes, section.sh_offset, section.sh_size / sizeof(Elf64_Sym),
                 &symbols)) {
      return CutShort();
    }
    const Elf64_Shdr& names = sections[section.sh_link];
    if (names.sh_offset > bytes.size()) return CutShort();
    const absl::string_view strings =
        bytes.substr(names.sh_offset, names.sh_size);
    for (const Elf64_Sym& symbol : symbols) {
      const absl::string_view name = NameAt(strings, symbol.st_name);
      if (name.empty() || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      (symbol.st_shndx == SHN_UNDEF ? found.undefined : found.exported)
          .push_back(std::string(name));
    }
  }
  std::sort(found.exported.begin(), found.exported.end());
  std::sort(found.undefined.begin(), found.undefined.end());
  return found;
}

}  // namespace mxtile::bench
