// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/tree/Tree.h"

#include "gtest/gtest.h"
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace geo;
using namespace geo::examples;

static const std::string folder = GEOC_TREE_FOLDER;
static const char *ball = "#geo.poincare<1.0>",
                  *hyperboloid = "#geo.lorentz<1.0>", *flat = "#geo.euclidean";

static TreeOptions byDistances(const std::string &manifold) {
  TreeOptions options;
  options.model = folder + "/tree.mlir";
  options.manifold = manifold;
  options.loss = "distances";
  options.epochs = 200;
  options.batch = 200;
  options.lr = 0.5;
  return options;
}

static TreeOptions byEdges(const std::string &manifold) {
  TreeOptions options;
  options.model = folder + "/tree.mlir";
  options.manifold = manifold;
  options.epochs = 150;
  return options;
}

static Graph readTree() {
  auto graph = Graph::read(folder + "/tree.tsv");
  EXPECT_TRUE(graph.ok()) << graph.message();
  return *graph;
}

static TreeResult embed(const Graph &graph, const TreeOptions &options) {
  auto result = embedTree(graph, options);
  EXPECT_TRUE(result.ok()) << result.message();
  if (!result)
    return {};
  return std::move(*result);
}

/// 31 nodes.
static Graph binaryTree() {
  Graph graph;
  for (int32_t i = 0; i < 31; ++i) {
    graph.names.push_back(std::to_string(i));
    graph.neighbours.emplace_back();
    if (i > 0)
      graph.neighbours[size_t(i)].push_back((i - 1) / 2);
    if (i < 15)
      for (int32_t child : {2 * i + 1, 2 * i + 2})
        graph.neighbours[size_t(i)].push_back(child);
  }
  return graph;
}

TEST(Tree, TwoDimensionsOfTheBallKeepDistancesThatFlatOnesDoNot) {
  Graph graph = readTree();
  ASSERT_EQ(graph.size(), 364u);
  Quality curved = embed(graph, byDistances(ball)).quality,
          plane = embed(graph, byDistances(flat)).quality;
  EXPECT_LT(curved.distortion, 0.15);
  EXPECT_GT(plane.distortion, 0.24);
  EXPECT_LT(curved.distortion, 0.55 * plane.distortion);
  EXPECT_LT(curved.meanRank, 0.5 * plane.meanRank);
}

TEST(Tree, TwoDimensionsOfTheBallKeepNeighboursThatFlatOnesDoNot) {
  Graph graph = readTree();
  Quality curved = embed(graph, byEdges(ball)).quality,
          plane = embed(graph, byEdges(flat)).quality;
  EXPECT_GT(curved.map, 0.8);
  EXPECT_GT(curved.map, plane.map + 0.08);
  EXPECT_LT(curved.meanRank, plane.meanRank);
}

// The same space in other coordinates: the same start, the same gradients and
// geodesics, so the same result up to rounding, which training magnifies.
TEST(Tree, BallAndHyperboloidAreOneSpace) {
  Graph graph = readTree();
  Quality a = embed(graph, byDistances(ball)).quality,
          b = embed(graph, byDistances(hyperboloid)).quality;
  EXPECT_NEAR(a.distortion, b.distortion, 0.005);
  EXPECT_NEAR(a.map, b.map, 0.03);
}

TEST(Tree, TargetsAgree) {
  Graph graph = binaryTree();
  for (TreeOptions options : {byEdges(ball), byDistances(hyperboloid)}) {
    options.epochs = 3;
    options.batch = 20;
    TreeResult cpu = embed(graph, options);
    options.target = "loops";
    TreeResult loops = embed(graph, options);
    ASSERT_EQ(cpu.points.numElements(), 62);
    ASSERT_EQ(loops.points.numElements(), 62);
    for (int64_t i = 0; i < 62; ++i)
      EXPECT_NEAR(cpu.points.number(i), loops.points.number(i), 1e-5)
          << options.manifold;
  }
}

TEST(Tree, AProductTakesPartsFromBoth) {
  TreeOptions options =
      byDistances("#geo.product<#geo.poincare<1.0> x 2, #geo.euclidean x 2>");
  options.dim = 4;
  Quality quality = embed(readTree(), options).quality;
  EXPECT_LT(quality.distortion, 0.15);
}

TEST(Tree, BadInput) {
  auto graphError = [](const std::string &text) {
    std::string path = testing::TempDir() + "tree-bad.tsv";
    std::ofstream(path) << text;
    auto graph = Graph::read(path);
    EXPECT_FALSE(graph.ok()) << text;
    std::filesystem::remove(path);
    return graph.message();
  };
  EXPECT_NE(graphError("a\tb\nc\n").find("tree-bad.tsv:2: expects two nodes"),
            std::string::npos);
  EXPECT_NE(graphError("a\tb\nb\tc\nd\te\n").find("no"), std::string::npos);
  EXPECT_NE(graphError("a\tb\n").find("3 to 20000 nodes, but got 2"),
            std::string::npos);

  TreeOptions options = byEdges("#geo.poincare<-1.0>");
  auto result = embedTree(binaryTree(), options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("tree.mlir:4:15: expects curvature c > 0"),
            std::string::npos)
      << result.message();
  options = byEdges(ball);
  options.lr = NAN;
  EXPECT_EQ(embedTree(binaryTree(), options).message(),
            "--lr: expects a positive number, but got nan");
}

// By hand: on a line everything is exact.
TEST(Quality, OfALine) {
  Graph graph;
  graph.names = {"a", "b", "c"};
  graph.neighbours = {{1}, {0, 2}, {1}};
  rt::Tensor distances(rt::DType::F32, {3, 3});
  float d[] = {0, 3, 6, 3, 0, 3, 6, 3, 0};
  std::copy(d, d + 9, distances.data<float>());
  Quality quality = measure(graph, distances);
  EXPECT_NEAR(quality.distortion, 0, 1e-7);
  EXPECT_EQ(quality.meanRank, 1);
  EXPECT_EQ(quality.map, 1);
  // c nearer to a than b: for a, b ranks second.
  float e[] = {0, 3, 2, 3, 0, 3, 2, 3, 0};
  std::copy(e, e + 9, distances.data<float>());
  quality = measure(graph, distances);
  EXPECT_EQ(quality.meanRank, 1.5); // 2, 1, 1, 2
  EXPECT_NEAR(quality.map, (0.5 + 1 + 0.5) / 3, 1e-12);
}
