// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The object cache: warm starts, changed modules, broken files.
#include "test/lowering/Harness.h"
#include <filesystem>
#include <fstream>

using namespace geo;
using namespace geo::test;
namespace fs = std::filesystem;

namespace {

std::string getModule(int factor) {
  return "func.func @f(%x: f64) -> f64 {\n  %c = arith.constant " +
         std::to_string(factor) +
         ".0 : f64\n  %y = arith.mulf %x, %c : f64\n  return %y : f64\n}\n";
}

class Cache : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "geoc-cache-XXXXXX");
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Compiles and runs; returns whether the code came from the cache.
  bool run(int factor) {
    Program program(getModule(factor), Target::loops, folder / "objects");
    EXPECT_TRUE(program) << program.errors;
    double x = 3, y = 0;
    program("f", x, y);
    EXPECT_EQ(y, 3.0 * factor);
    return program.executable->isFromCache();
  }
  std::vector<fs::path> files() {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder / "objects"))
      found.push_back(entry.path());
    return found;
  }

  fs::path folder;
};

TEST_F(Cache, WarmStart) {
  EXPECT_FALSE(run(2));
  EXPECT_TRUE(run(2));
  EXPECT_FALSE(run(5));
  EXPECT_TRUE(run(5));
  EXPECT_TRUE(run(2));
  EXPECT_EQ(files().size(), 2u); // and no temporary file
}

TEST_F(Cache, BrokenFilesAreIgnoredAndReplaced) {
  EXPECT_FALSE(run(2));
  fs::path file = files().at(0);
  std::ifstream in(file, std::ios::binary);
  std::string good((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(good.size(), 100u);
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  for (const std::string &bad :
       {std::string(), good.substr(0, 20), good.substr(0, good.size() - 1),
        good + "x", flipped, std::string(good.size(), '\0')}) {
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_FALSE(run(2));
    EXPECT_TRUE(run(2));
  }
}

TEST_F(Cache, AnUnusableFolderOnlyCostsTime) {
  std::ofstream(folder / "objects") << "a file";
  EXPECT_FALSE(run(2));
  EXPECT_FALSE(run(2));
}

TEST(Compile, MissingFunctionsAndErrors) {
  Program program(getModule(2), Target::loops);
  ASSERT_TRUE(program);
  EXPECT_EQ(program.executable->lookup("g"), nullptr);
  // Not found in the process either.
  EXPECT_EQ(program.executable->lookup("printf"), nullptr);
  Program bad("func.func private @g(f64) -> f64\n"
              "func.func @f(%x: f64) -> f64 {\n"
              "  %y = func.call @g(%x) : (f64) -> f64\n  return %y : f64\n}\n",
              Target::loops);
  EXPECT_FALSE(bad);
  EXPECT_NE(bad.errors.find("'func.call' op expects to be expanded or inlined"),
            std::string::npos)
      << bad.errors;
}

} // namespace
