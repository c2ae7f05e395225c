#include "tools/bench/object_text.h"

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
void Append(const T& record, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&record), sizeof record);
}

Elf64_Sym Symbol(uint32_t name, int binding, uint16_t section) {
  Elf64_Sym symbol = {};
  symbol.st_name = name;
  symbol.st_info = ELF64_ST_INFO(binding, STT_FUNC);
  symbol.st_shndx = section;
  return symbol;
}

// Header, names, symbols, then the sections: none, names, symbols.
std::string SmallObject() {
  const std::string names("\0entry\0helper\0memcpy\0", 21);
  const std::vector<Elf64_Sym> symbols = {
      Symbol(0, STB_LOCAL, SHN_UNDEF), Symbol(1, STB_GLOBAL, 1),
      Symbol(7, STB_LOCAL, 1), Symbol(14, STB_GLOBAL, SHN_UNDEF)};
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_REL;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  head.e_shoff = sizeof head + names.size() + 4 * sizeof(Elf64_Sym);
  Elf64_Shdr name_section = {}, symbol_section = {};
  name_section.sh_type = SHT_STRTAB;
  name_section.sh_offset = sizeof head;
  name_section.sh_size = names.size();
  symbol_section.sh_type = SHT_SYMTAB;
  symbol_section.sh_link = 1;
  symbol_section.sh_offset = sizeof head + names.size();
  symbol_section.sh_size = 4 * sizeof(Elf64_Sym);
  std::string bytes;
  Append(head, &bytes);
  bytes += names;
  for (const Elf64_Sym& symbol : symbols) Append(symbol, &bytes);
  Append(Elf64_Shdr{}, &bytes);
  Append(name_section, &bytes);
  Append(symbol_section, &bytes);
  return bytes;
}

TEST(ObjectTextTest, ExportedAndUndefined) {
  MX_ASSERT_OK_AND_ASSIGN(const ObjectSymbols symbols,
                          ReadObjectSymbols(SmallObject()));
  EXPECT_THAT(symbols.exported, ElementsAre("entry"));
  EXPECT_THAT(symbols.undefined, ElementsAre("memcpy"));
}

TEST(ObjectTextTest, RefusesEveryBeginningOfAnObject) {
  const std::string whole = SmallObject();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ReadObjectSymbols(whole.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("no whole relocatable object")))
        << size;
  }
}

// Whatever the bytes are, nothing outside of them is read: for the sanitizers.
TEST(ObjectTextTest, SurvivesAnyByte) {
  const std::string whole = SmallObject();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    (void)ReadObjectSymbols(changed).ok();
  }
}

}  // namespace
}  // namespace mxtile::bench
