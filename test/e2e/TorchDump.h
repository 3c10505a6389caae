// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model, a batch, its loss and its gradients as PyTorch computed them.
#ifndef GEOC_TEST_E2E_TORCHDUMP_H
#define GEOC_TEST_E2E_TORCHDUMP_H

#include "frontend/train/Session.h"

#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

namespace geo::test {

struct TorchDump {
  RilmConfig config;
  int64_t steps = 0, rows = 0;
  /// [steps + 1, rows], time-major.
  std::vector<int32_t> tokens;
  std::vector<float> mask, valid, noStart;
  double loss = 0;
  /// By our names: E, root, Wh, We, b, s.
  std::map<std::string, std::vector<double>> parameters, gradients;

  explicit TorchDump(const std::string &path) {
    std::ifstream file(path);
    nlohmann::json json = nlohmann::json::parse(file);
    const auto &c = json["config"];
    config.kind = *parseRilmKind(c["model"].get<std::string>());
    config.vocabulary = c["V"];
    config.dim = c["d"];
    config.curvature = c["c"];
    config.truncate = c["k"];
    config.scoreRoot = c["protocol"] == "lines";
    steps = c["T"];
    rows = c["B"];
    for (int64_t t = 0; t <= steps; ++t)
      for (int64_t r = 0; r < rows; ++r) {
        tokens.push_back(json["tokens"][r][t]);
        mask.push_back(json["mask"][r][t]);
      }
    valid.assign(steps * rows, 1);
    noStart.assign(rows, 0);
    loss = json["loss"];
    parameters = read(json["params"]);
    gradients = read(json["grads"]);
  }

  StepInput input() {
    StepInput in;
    in.steps = steps;
    in.rows = rows;
    in.ids = tokens.data();
    in.valid = valid.data();
    in.targets = tokens.data() + rows;
    in.mask = mask.data() + rows;
    in.startTargets = tokens.data();
    in.startMask = config.scoreRoot ? mask.data() : noStart.data();
    return in;
  }

  /// The largest difference from the reference over its largest entry.
  static double error(const std::vector<double> &reference,
                      const std::vector<double> &got) {
    if (reference.size() != got.size())
      return HUGE_VAL;
    double difference = 0, largest = 0;
    for (size_t i = 0; i < reference.size(); ++i) {
      if (std::isnan(got[i]))
        return HUGE_VAL;
      difference = std::max(difference, std::abs(got[i] - reference[i]));
      largest = std::max(largest, std::abs(reference[i]));
    }
    return difference / std::max(largest, 1e-30);
  }

private:
  /// PyTorch's phi.weight [d, 2d] is [Wh We].
  static std::map<std::string, std::vector<double>>
  read(const nlohmann::json &tensors) {
    std::map<std::string, std::vector<double>> result;
    for (const auto &row : tensors["E"])
      for (double x : row)
        result["E"].push_back(x);
    for (double x : tensors["root"])
      result["root"].push_back(x);
    for (const auto &row : tensors["phi.weight"])
      for (size_t j = 0; j < row.size(); ++j)
        result[j < row.size() / 2 ? "Wh" : "We"].push_back(row[j]);
    for (double x : tensors["phi.bias"])
      result["b"].push_back(x);
    if (tensors.contains("s"))
      result["s"].push_back(tensors["s"]);
    return result;
  }
};

} // namespace geo::test

#endif // GEOC_TEST_E2E_TORCHDUMP_H
