// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/AtomicFile.h"

#include "TempFolder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace geo::rt;

TEST(AtomicFile, ReplacesOnlyOnCommit) {
  TempFolder folder;
  std::string path = folder.write("f", "old");
  {
    AtomicFile file(path);
    ASSERT_TRUE(file.open());
    ASSERT_TRUE(file.write("new"));
    EXPECT_EQ(*readFile(path), "old");
  } // dropped: the old file stays, no rest
  EXPECT_EQ(*readFile(path), "old");
  EXPECT_EQ(folder.count(), 1u);
  ASSERT_TRUE(writeFile(path, "new"));
  EXPECT_EQ(*readFile(path), "new");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, UnwritablePlaces) {
  TempFolder folder;
  std::string missing = folder / "no/such/file";
  EXPECT_EQ(
      writeFile(missing, "x").message(),
      missing +
          ": expects a writable place, but got No such file or directory");
  EXPECT_FALSE(writeFile(folder.path.string(), "x"));
  EXPECT_FALSE(writeFile("/dev/null", "x")); // must not replace the device
  EXPECT_FALSE(writeFile(folder.write("f", "") + "/g", "x"));
  AtomicFile file(missing);
  EXPECT_FALSE(file.open());
  EXPECT_FALSE(file.write("x"));
  EXPECT_FALSE(file.commit());
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, FullDisk) {
  if (access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "no /dev/full here";
  EXPECT_FALSE(writeFile("/dev/full", "x"));
}

TEST(ReadFile, OnlyRegularFiles) {
  TempFolder folder;
  EXPECT_EQ(*readFile(folder.write("f", std::string(10000, 'x'))),
            std::string(10000, 'x'));
  EXPECT_EQ(*readFile(folder.write("empty", "")), "");
  EXPECT_FALSE(readFile(folder / "none"));
  EXPECT_NE(readFile(folder.path.string()).message().find("a folder"),
            std::string::npos);
  EXPECT_FALSE(readFile("/dev/null"));
}

TEST(AtomicFile, RemovesWhatKilledProcessesLeft) {
  TempFolder folder;
  std::string path = folder.write("f", "kept");
  pid_t child = fork();
  if (child == 0) {
    AtomicFile file(path);
    _exit(file.open() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  AtomicFile mine(path);
  ASSERT_TRUE(mine.open());
  folder.write("f.tmp-x", "");
  EXPECT_EQ(folder.count(), 4u);
  removeAbandoned(path);
  EXPECT_EQ(folder.count(), 3u); // this process writes its file still
  ASSERT_TRUE(mine.write("new"));
  ASSERT_TRUE(mine.commit());
  EXPECT_EQ(*readFile(path), "new");
}
