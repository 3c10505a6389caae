// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-numerics: values and gradients against reference vectors. The file
// format is described at the head of test/numerics/Inputs/make_refvec.py.
#ifndef GEOC_FRONTEND_TOOLS_GEO_NUMERICS_H
#define GEOC_FRONTEND_TOOLS_GEO_NUMERICS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace geo::numerics {

//===----------------------------------------------------------------------===//
// Reference lines
//===----------------------------------------------------------------------===//

/// A number (rank 0), a row (rank 1) or a table (rank 2), in double.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> values;
  bool isNumber() const { return shape.empty(); }
};

struct Line {
  int64_t number = 0; ///< in the file, from 1
  std::string id, op, manifold, region;
  double c = 0;
  double cond = 0; ///< condition number of the value; 0 where not given
  int64_t dim = 0;
  std::map<std::string, Array> in, vjp;
  std::map<std::string, int64_t> ints;
  Array out, ct;
};

/// Reads a file of reference vectors, whose inputs are exactly float32 unless
/// `wide`. The error names file and line.
llvm::Expected<std::vector<Line>> readLines(llvm::StringRef path,
                                            bool wide = false);

//===----------------------------------------------------------------------===//
// Ops and manifolds
//===----------------------------------------------------------------------===//

struct ManifoldSpec {
  std::string name;        ///< as the file spells it
  std::string encoding;    ///< the attribute; "c" is the label of its curvature
  bool hasCurvature;       ///< takes the value of c as an operand
  bool hasAnySign = false; ///< c may be 0 or negative
};

enum class InputKind {
  point,    ///< a row, of points
  vector,   ///< a row, plain
  table,    ///< V rows of points
  number,   ///< f64, with a gradient
  constant, ///< a number that is part of the program; may be missing
  target    ///< an integer input: a row of the table
};

struct InputSpec {
  llvm::StringLiteral name;
  InputKind kind;
};

enum class ResultKind { points, vectors, numbers, table };

/// One op of the file: its inputs, and a program that computes `%out`. See
/// `instantiate` for what stands for types in it.
struct OpSpec {
  llvm::StringLiteral name;
  std::vector<InputSpec> inputs;
  ResultKind result;
  llvm::StringLiteral program;
  llvm::StringLiteral manifold = ""; ///< the only one that this is for
};

/// The op named `name`, or null.
const OpSpec *findOp(llvm::StringRef name);
/// The op of a line: two files may call the inputs of one op differently.
const OpSpec *findOp(const Line &line);
/// The built-in pages.
std::vector<ManifoldSpec> getDefaultManifolds();

/// What one compilation serves: everything static in a module.
struct Key {
  const OpSpec *op;
  const ManifoldSpec *manifold;
  int64_t dim;
  int64_t tableRows;
  double constant;
  std::string pairMath;
  bool wide = false; ///< rows of f64
  rt::DType rowType() const { return wide ? rt::DType::F64 : rt::DType::F32; }
  bool operator<(const Key &other) const;
  std::string text() const;
};

/// The key of a line whose op and manifold are known, or an error that says
/// what the line lacks.
llvm::Expected<Key> getKey(const Line &line, const OpSpec &op,
                           const ManifoldSpec &manifold,
                           llvm::StringRef pairMath, bool wide = false);

/// The module of `key`, as text: @value maps the inputs to the output; @vjp
/// maps inputs and the cotangent ct to <ct, output> and its gradient by every
/// input that has one. Numbers are f64, rows f32 (f64 if `wide`) with a dynamic
/// number of rows.
std::string makeModule(const Key &key);

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// A compiled module. Arguments and results of rank 0 are numbers; results have
/// their shapes already.
class Program {
public:
  virtual ~Program() = default;
  virtual mlir::LogicalResult call(llvm::StringRef function,
                                   std::vector<rt::Tensor> &arguments,
                                   std::vector<rt::Tensor> &results) = 0;
};

/// Prepares `module` for loops, cpu, simt or interpret; null after a
/// diagnostic. `simtCheck`: calls on simt fail where kernels do what
/// docs/simt.md names.
std::unique_ptr<Program> makeProgram(llvm::StringRef target,
                                     mlir::OwningOpRef<mlir::ModuleOp> module,
                                     bool simtCheck = false);

/// What a program made of a line. Gradients of inputs that the manifold does
/// not have (c) are zero.
struct Outcome {
  Array out;
  std::map<std::string, Array> vjp;
};
mlir::LogicalResult runLine(const Key &key, const Line &line, Program &program,
                            Outcome &outcome);

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Errors of one line; NaN where the outcome holds a NaN or an infinity.
struct Score {
  double value = 0;
  double vjp = 0;
  std::string worstInput; ///< the input with the largest error of the gradient
};

/// Of an array: largest difference over largest reference, absolute where the
/// reference is all zero. Of a number's gradient: relative to the larger of the
/// reference and |ct| |out| / |z|, since it may cancel to almost nothing. Rows
/// that `isWide` are of f64, others of f32: what they cannot hold is no error.
Score score(const Line &line, const Outcome &outcome, bool isWide);

struct Worst {
  const Line *line = nullptr;
  double error = 0;
};

/// What errors are counted above. A check asks for the first, but in f64, which
/// has no wider type for what lies between, for no more than the condition of
/// the line allows. That of gradients is not in the file: beside the rim, where
/// it reaches 1e8 whatever the value's, the bar is that of f32.
struct Bars {
  double limits[3];
  const char *names[3];
  bool isWide;
  double ofValue(const Line &line) const;
  double ofVjp(const Line &line) const;
};
/// Of rows of f32, and of f64.
constexpr Bars narrowBars = {
    {1e-6, 1e-5, 1e-3}, {"1e-6", "1e-5", "1e-3"}, false};
constexpr Bars wideBars = {
    {1e-12, 1e-11, 1e-9}, {"1e-12", "1e-11", "1e-9"}, true};

struct Summary {
  int64_t lines = 0, unsupported = 0, nan = 0;
  int64_t valueAbove[3] = {}, vjpAbove[3] = {};
  Worst value, vjp;
  /// Counts a NaN as above every bar.
  void add(const Line &line, const Score &score, const Bars &bars);
};

struct Report {
  Bars bars = narrowBars;
  Summary all;
  std::map<std::string, Summary> ops;
  std::vector<const Line *> unsupported;
  std::vector<std::pair<const Line *, Score>> scores;
};

void printJson(llvm::raw_ostream &os, const Report &report);
void printTable(llvm::raw_ostream &os, const Report &report);

/// What a check allows, each with its reason: lines, by id, above the bar, and
/// ops that are not there yet.
struct Allowed {
  std::map<std::string, std::string> value, vjp, unsupported;
};
llvm::Expected<Allowed> readAllowed(llvm::StringRef path);
/// True if every line ran and kept within the first bar, but for what is
/// allowed; otherwise says which did not.
bool check(llvm::raw_ostream &os, const Report &report, const Allowed &allowed);

/// The tool. `registry` holds every dialect, `manifolds` what lines may name.
int run(int argc, char **argv, mlir::DialectRegistry &registry,
        const std::vector<ManifoldSpec> &manifolds);

} // namespace geo::numerics

#endif // GEOC_FRONTEND_TOOLS_GEO_NUMERICS_H
