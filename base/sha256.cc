#include "base/sha256.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "openssl/evp.h"
#include "openssl/sha.h"

namespace mxtile {
namespace {

std::string Hex(const unsigned char* digest) {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest), SHA256_DIGEST_LENGTH));
}

}  // namespace

std::string Sha256Hex(absl::Span<const uint8_t> bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(bytes.data(), bytes.size(), digest);
  return Hex(digest);
}

std::string Sha256Hex(absl::string_view bytes) {
  return Sha256Hex(absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  MX_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(state_->context); }

void Sha256::Update(absl::Span<const uint8_t> bytes) {
  MX_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::FinishHex() {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  MX_CHECK(EVP_DigestFinal_ex(state_->context, digest, nullptr) == 1);
  return Hex(digest);
}

}  // namespace mxtile
