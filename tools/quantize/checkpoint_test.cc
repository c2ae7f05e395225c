#include "tools/quantize/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/quantize/safetensors.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest()
      : folder_(
            ::testing::TempDir() + "/" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  std::string Path(const std::string& name) { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& bytes) {
    MX_ASSERT_OK(WriteFileAtomically(Path(name), bytes));
  }

  // A shard with tensors U8 [2].
  void WriteShard(const std::string& name,
                  const std::vector<std::string>& tensors) {
    std::vector<SafetensorsTensor> header;
    int64_t end = 0;
    for (const std::string& tensor : tensors) {
      header.push_back({tensor, "U8", {2}, end, end + 2});
      end += 2;
    }
    const auto bytes = SerializeSafetensorsHeader(header, {{"format", "pt"}});
    MX_ASSERT_OK(bytes.status());
    Write(name, *bytes + std::string(end, 'd'));
  }

  void ExpectRefused(const std::string& path, const std::string& message) {
    EXPECT_THAT(
        OpenCheckpoint(Path(path), {}).status(),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }

  std::string folder_;
};

TEST_F(CheckpointTest, Npy) {
  Write("w.npy", SerializeNpy({"<u2", {2, 3}, std::string(12, 'x')}));
  MX_ASSERT_OK_AND_ASSIGN(const Checkpoint plain,
                          OpenCheckpoint(Path("w.npy"), {}));
  ASSERT_EQ(plain.shards.size(), 1);
  EXPECT_EQ(plain.index_name, "");
  const CheckpointTensor& tensor = plain.shards[0].tensors.at(0);
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.dtype, "U16");
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_EQ(tensor.size_bytes, 12);
  EXPECT_EQ(tensor.offset + 12, plain.shards[0].size_bytes);
  MX_ASSERT_OK_AND_ASSIGN(const Checkpoint bf16,
                          OpenCheckpoint(Path("w.npy"), {true}));
  EXPECT_EQ(bf16.shards[0].tensors[0].dtype, "BF16");
  for (const char* descr : {"<f2", "<f4", "<f8", "|i1", "<i8", "|u1"}) {
    Write("e.npy", SerializeNpy({descr, {0}, ""}));
    MX_ASSERT_OK_AND_ASSIGN(const Checkpoint empty,
                            OpenCheckpoint(Path("e.npy"), {}));
    EXPECT_TRUE(DtypeBits(empty.shards[0].tensors[0].dtype).has_value())
        << descr;
  }
}

TEST_F(CheckpointTest, ShardsByFolderAndByIndex) {
  WriteShard("m-2.safetensors", {"c"});
  WriteShard("m-1.safetensors", {"a", "b"});
  Write("model.safetensors.index.json",
        R"({"metadata": {"total_size": 6}, "weight_map": {
            "c": "m-2.safetensors", "a": "m-1.safetensors",
            "b": "m-1.safetensors"}})");
  for (const char* path : {"", "model.safetensors.index.json"}) {
    MX_ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint,
                            OpenCheckpoint(Path(path), {}));
    EXPECT_EQ(checkpoint.index_name, "model.safetensors.index.json");
    ASSERT_EQ(checkpoint.shards.size(), 2);
    EXPECT_EQ(checkpoint.shards[0].file_name, "m-1.safetensors");
    EXPECT_EQ(checkpoint.shards[0].tensors.size(), 2);
    EXPECT_EQ(checkpoint.shards[1].file_name, "m-2.safetensors");
    EXPECT_EQ(checkpoint.shards[1].metadata.at("format"), "pt");
  }
}

TEST_F(CheckpointTest, RefusedIndexes) {
  WriteShard("m.safetensors", {"a"});
  const std::string index = "model.safetensors.index.json";
  ExpectRefused("",
                "one *.safetensors.index.json is read, this one has 0 "
                "(MX-CHECKPOINT-1)");
  ExpectRefused("m.bin", "(MX-CHECKPOINT-1)");
  const std::map<std::string, std::string> cases = {
      {"{", "(MX-CHECKPOINT-2)"},
      {"[]", "an object \"weight_map\" (MX-CHECKPOINT-2)"},
      {R"({"weight_map": {"a": 1}})", "is no name of a file"},
      {R"({"weight_map": {"a": "m.safetensors", "a": "m.safetensors"}})",
       "key \"a\" stands twice in an object (MX-CHECKPOINT-2)"},
      {R"({"weight_map": {"a": "../m.safetensors"}})",
       "shard '../m.safetensors' of tensor 'a' is no plain name of a "
       ".safetensors file (MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"a": "/m.safetensors"}})", "(MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"a": ""}})", "(MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"a": ".safetensors"}})", "(MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"a": "x\u0000.safetensors"}})", "(MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"a": "m.bin"}})", "(MX-CHECKPOINT-3)"},
      {R"({"weight_map": {"b": "m.safetensors"}})",
       "shard m.safetensors has the tensor 'a', which the index does not have "
       "(MX-CHECKPOINT-4)"},
      {R"({"weight_map": {"a": "m.safetensors", "b": "m.safetensors"}})",
       "tensor 'b' is not in m.safetensors (MX-CHECKPOINT-4)"},
  };
  for (const auto& [text, message] : cases) {
    Write(index, text);
    ExpectRefused(index, message);
  }
  Write(index, R"({"weight_map": {"a": "gone.safetensors"}})");
  EXPECT_THAT(
      OpenCheckpoint(Path(index), {}).status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("gone.safetensors")));
  for (const char* open : {"[", "{\"weight_map\":"}) {
    std::string deep;
    for (int i = 0; i < 10000; ++i) deep += open;
    Write(index, deep);
    ExpectRefused(index, "nested deeper than 1000 (MX-CHECKPOINT-2)");
  }
}

TEST_F(CheckpointTest, AnIndexIsRead) {
  WriteShard("m.safetensors", {"a"});
  Write("model.safetensors.index.json", IndexText({{"a", "m.safetensors"}}, 2));
  MX_EXPECT_OK(OpenCheckpoint(folder_, {}).status());
}

}  // namespace
}  // namespace mxtile
