// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Status.h"

#include <gtest/gtest.h>

using namespace geo::rt;

TEST(Status, HouseForm) {
  EXPECT_EQ(expects("--lr", "a finite number", "'nan'").message(),
            "--lr: expects a finite number, but got 'nan'");
  EXPECT_TRUE(Status::success().ok());
  EXPECT_FALSE(Status::error("x").ok());
}

TEST(Status, QuoteIsPrintableAndShort) {
  EXPECT_EQ(quote("word"), "'word'");
  EXPECT_EQ(quote("a\nb\x01"), "'a\\x0ab\\x01'");
  EXPECT_EQ(quote("caf\xc3\xa9"), "'caf\xc3\xa9'");
  EXPECT_EQ(quote("\xff"), "'\\xff'");
  EXPECT_LT(quote(std::string(100000, 'a')).size(), 80u);
}

TEST(Status, Utf8) {
  for (const char *good :
       {"", "abc", "\xc3\xa9", "\xe6\x88\xa6", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(isValidUtf8(good)) << quote(good);
  for (const char *bad :
       {"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe6\x88",
        "a\xff", "\xe6z\xa6"})
    EXPECT_FALSE(isValidUtf8(bad)) << quote(bad);
  EXPECT_TRUE(isValidUtf8(std::string_view("a\0b", 3)));
}
