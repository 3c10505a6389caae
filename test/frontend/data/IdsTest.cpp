// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Ids.h"
#include "frontend/data/Batches.h"

#include "../../runtime/TempFolder.h"

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

std::string npy(const std::vector<int32_t> &numbers) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (" +
                       std::to_string(numbers.size()) + ",), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' +
         header +
         std::string(reinterpret_cast<const char *>(numbers.data()),
                     4 * numbers.size());
}

std::vector<int32_t> counting(int32_t size, int32_t modulus) {
  std::vector<int32_t> numbers;
  for (int32_t i = 0; i < size; ++i)
    numbers.push_back(i % modulus);
  return numbers;
}

} // namespace

TEST(Ids, OneFileIsSplit) {
  TempFolder folder;
  std::string path = folder.write("a.npy", npy(counting(201, 7)));
  auto corpus = loadIds(path, "", std::nullopt);
  ASSERT_TRUE(corpus) << corpus.message();
  EXPECT_EQ(corpus->vocabulary.size(), 7);
  EXPECT_TRUE(corpus->vocabulary.isNumbered());
  EXPECT_EQ((*corpus)[Split::Train].numWords(), 180);
  EXPECT_EQ((*corpus)[Split::Valid].numWords(), 10);
  EXPECT_EQ((*corpus)[Split::Test].numWords(), 11);
  EXPECT_EQ((*corpus)[Split::Test].numLines(), 1);
  EXPECT_EQ((*corpus)[Split::Valid].ids[0], 180 % 7);
  EXPECT_EQ((*corpus)[Split::Test].ids[10], 200 % 7);
  EXPECT_EQ(loadIds(path, "", 50)->vocabulary.size(), 50);
}

TEST(Ids, TargetsFollowTheWordBefore) {
  TempFolder folder;
  std::vector<int32_t> ids = counting(200, 10), targets;
  for (int32_t id : ids)
    targets.push_back(9 - id);
  auto corpus = loadIds(folder.write("a.npy", npy(ids)),
                        folder.write("b.npy", npy(targets)), std::nullopt);
  ASSERT_TRUE(corpus) << corpus.message();
  BatchOptions options;
  options.protocol = Protocol::Windows;
  options.context = 6;
  options.batch = 3;
  auto batches = Batches::create((*corpus)[Split::Train], options, "f");
  ASSERT_TRUE(batches) << batches.message();
  Batch batch = batches->get(1);
  for (int64_t r = 0; r < batch.rows; ++r)
    for (int64_t t = 1; t < batch.steps; ++t) {
      int64_t cell = t * batch.rows + r;
      EXPECT_EQ(batch.targets.data<int32_t>()[cell],
                9 - batch.ids.data<int32_t>()[cell - batch.rows]);
    }
  options.protocol = Protocol::Lines;
  EXPECT_EQ(Batches::create((*corpus)[Split::Train], options, "f").message(),
            "--protocol: expects windows with --targets, but got lines");
}

TEST(Ids, Refuses) {
  TempFolder folder;
  std::vector<int32_t> numbers = counting(200, 10);
  std::string good = folder.write("good.npy", npy(numbers));
  EXPECT_EQ(loadIds(good, "", 9).message(),
            good + ": expects word numbers of 0 to 8, but got 9 at position 9");
  EXPECT_FALSE(loadIds(good, "", 1));
  numbers[150] = -4;
  std::string negative = folder.write("n.npy", npy(numbers));
  EXPECT_EQ(loadIds(negative, "", std::nullopt).message(),
            negative + ": expects word numbers of 0 to 16777215, but got -4 at "
                       "position 150");
  std::string shorter = folder.write("s.npy", npy(counting(199, 10)));
  EXPECT_EQ(loadIds(good, shorter, std::nullopt).message(),
            shorter + ": expects 180 targets in the train part, one for each "
                      "id, but got 179");
  std::string few = folder.write("f.npy", npy(counting(60, 10)));
  EXPECT_EQ(loadIds(few, "", std::nullopt).message(),
            few + ": expects at least 100 numbers in the train part, but got "
                  "54");
  EXPECT_NE(loadIds(folder.path.string(), "", std::nullopt)
                .message()
                .find("ids.train.npy"),
            std::string::npos);
  EXPECT_FALSE(loadIds(folder / "none.npy", "", std::nullopt));
}
