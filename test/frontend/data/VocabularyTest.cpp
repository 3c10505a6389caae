// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Vocabulary.h"

#include <gtest/gtest.h>

using namespace geo::data;

TEST(Vocabulary, RowsAndJson) {
  auto v = Vocabulary::fromWords({"the", "<unk>", "\"q\"", "\xc3\xa9"}, "f");
  ASSERT_TRUE(v) << v.message();
  EXPECT_EQ(v->size(), 4);
  EXPECT_EQ(v->unknownRow(), 1);
  EXPECT_EQ(v->row("the"), 0);
  EXPECT_EQ(v->row("none"), 1);
  EXPECT_FALSE(v->contains("none"));
  EXPECT_EQ(v->word(3), "\xc3\xa9");
  auto again = Vocabulary::fromJson(v->toJson(), "f");
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->all(), v->all());
}

TEST(Vocabulary, Numbered) {
  Vocabulary v = Vocabulary::numbered(12);
  EXPECT_TRUE(v.isNumbered());
  EXPECT_EQ(v.row("11"), 11);
  EXPECT_EQ(v.row("012"), -1);
  auto again = Vocabulary::fromJson(v.toJson(), "f");
  ASSERT_TRUE(again) << again.message();
  EXPECT_TRUE(again->isNumbered());
  EXPECT_FALSE(Vocabulary::fromWords({"0", "2"}, "f"));
  EXPECT_FALSE(Vocabulary::fromWords({"0", "1", "<unk>"}, "f")->isNumbered());
}

TEST(Vocabulary, Refuses) {
  EXPECT_EQ(Vocabulary::fromWords({"a", "b"}, "f").message(),
            "f: expects <unk> among the vocabulary's words, but got none");
  EXPECT_EQ(Vocabulary::fromWords({"<unk>", "b", "b"}, "f").message(),
            "f: expects distinct vocabulary words, but got 'b' twice");
  EXPECT_FALSE(Vocabulary::fromWords({"<unk>"}, "f"));
  EXPECT_FALSE(Vocabulary::fromWords({"<unk>", ""}, "f"));
  EXPECT_FALSE(Vocabulary::fromWords({"<unk>", "\xff"}, "f"));
  for (const char *json :
       {"", "{}", "3", "[1, 2]", "[\"<unk>\", null]", "[\"<unk>\", [\"a\"]]",
        "[\"<unk>\", \"a\"", "[\"<unk>\", \"\xff\"]", "null"})
    EXPECT_FALSE(Vocabulary::fromJson(json, "f")) << json;
  EXPECT_FALSE(Vocabulary::fromJson(std::string(200000, '['), "f"));
}
