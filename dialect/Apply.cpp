// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.apply, geo.apply_pairs and geo.with_vjp: constraints.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"

using namespace mlir;
using namespace geo;

/// The formula that an op names, with an error if there is none.
template <class Op> static FormulaOp resolve(Op op, ManifoldOp &page) {
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    op.emitOpError("expects a formula of the module or of a page, but got ")
        << op.getCallee();
  return formula;
}

/// Whether the last dimension of `tensor` makes rows that programs take.
static bool hasRows(RankedTensorType tensor) {
  return (tensor.getElementType().isF32() || tensor.getElementType().isF64()) &&
         tensor.getShape().back() > 0; // dynamic sizes are negative
}

/// The number of arguments, with the curvatures of the page.
static LogicalResult verifyCount(Operation *op, FormulaOp formula,
                                 ManifoldOp page, size_t got) {
  size_t want =
      formula.getNumArguments() + (page ? page.getNumCurvatures() : 0);
  if (got == want)
    return success();
  return op->emitOpError("expects ")
         << want << " arguments of " << formula.getSymName()
         << (page && page.getNumCurvatures() ? ", curvatures included," : "")
         << " but got " << got;
}

//===----------------------------------------------------------------------===//
// geo.apply
//===----------------------------------------------------------------------===//

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &) {
  ManifoldOp page;
  FormulaOp formula = resolve(*this, page);
  if (!formula || failed(verifyCount(*this, formula, page, getArgs().size())))
    return failure();
  RankedTensorType rows; // of the first argument that comes per row
  int64_t numRows = ShapedType::kDynamic;
  bool perRow = false;
  for (auto [i, v] : llvm::enumerate(getArgs())) {
    auto tensor = dyn_cast<RankedTensorType>(v.getType());
    bool isNumber =
        i >= formula.getNumArguments() || formula.getKind(i) == "number";
    bool fits =
        isNumber ? v.getType().isF64() || (tensor && tensor.getRank() == 1 &&
                                           tensor.getElementType().isF64())
                 : tensor && (tensor.getRank() == 1 || tensor.getRank() == 2) &&
                       hasRows(tensor);
    if (!fits)
      return emitOpError("expects argument ")
             << i << " to be "
             << (isNumber
                     ? "f64 or tensor<Rxf64>"
                     : "tensor<RxdxT> or tensor<dxT> with static d >= 1 and T "
                       "f32 or f64")
             << ", but got " << v.getType();
    if (!isNumber) {
      if (rows && (rows.getShape().back() != tensor.getShape().back() ||
                   rows.getElementType() != tensor.getElementType()))
        return emitOpError("expects rows of one length and element type, but "
                           "got ")
               << rows << " and " << tensor;
      if (!rows)
        rows = tensor;
    }
    if (!tensor || (!isNumber && tensor.getRank() == 1))
      continue;
    perRow = true;
    if (!mayEqual(numRows, tensor.getDimSize(0)))
      return emitOpError("expects arguments of one number of rows, but got ")
             << numRows << " and " << tensor.getDimSize(0);
    if (!tensor.isDynamicDim(0))
      numRows = tensor.getDimSize(0);
  }
  if (!perRow) // C2
    return emitOpError("expects at least one argument per row, but got none");
  auto type = cast<RankedTensorType>(getType());
  bool yieldsRow = isa<VectorType>(formula.getResult().getType());
  if (yieldsRow && !rows)
    return emitOpError("expects an argument that is a row for a result that is "
                       "one");
  RankedTensorType want =
      yieldsRow
          ? RankedTensorType::get({numRows, rows.getShape().back()},
                                  rows.getElementType())
          : RankedTensorType::get({numRows}, Float64Type::get(getContext()));
  if (failed(verifyCompatibleShape(type, want)) ||
      type.getElementType() != want.getElementType())
    return emitOpError("expects a result of type ")
           << want << ", but got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// geo.apply_pairs
//===----------------------------------------------------------------------===//

LogicalResult ApplyPairsOp::verify() {
  if ((getReducer() == Reducer::nll) != static_cast<bool>(getTargets())) // C3
    return emitOpError("expects targets for the reducer nll, and only for it");
  if (getMath() && !getMath()->isF32() && !getMath()->isF64())
    return emitOpError("expects math f32 or f64, but got ") << *getMath();
  return success();
}

LogicalResult ApplyPairsOp::verifySymbolUses(SymbolTableCollection &) {
  ManifoldOp page;
  FormulaOp formula = resolve(*this, page);
  if (!formula || failed(verifyCount(*this, formula, page, getArgs().size())))
    return failure();
  if (!formula.getResult().getType().isF64())
    return emitOpError("expects a formula that yields a number, but got ")
           << getCallee();
  int64_t n = ShapedType::kDynamic, v = ShapedType::kDynamic;
  bool hasRow = false, hasColumn = false;
  Type storage; // of the rows
  for (auto [i, argument] : llvm::enumerate(getArgs())) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    StringRef kind =
        i < formula.getNumArguments() ? formula.getKind(i) : "number";
    bool isNumber = kind == "number";
    bool fits = isNumber ? argument.getType().isF64() ||
                               (tensor && tensor.getRank() == 1 &&
                                tensor.getElementType().isF64())
                         : tensor && tensor.getRank() == 2 && hasRows(tensor);
    if (!fits)
      return emitOpError("expects argument ")
             << i << " to be "
             << (isNumber ? "f64 or tensor<Nxf64>"
                          : "a matrix of floats and static width")
             << ", but got " << argument.getType();
    if (!tensor)
      continue;
    if (!isNumber)
      storage = tensor.getElementType();
    int64_t &size = kind == "column" ? v : n;
    (kind == "column" ? hasColumn : hasRow) |= !isNumber;
    if (!mayEqual(size, tensor.getDimSize(0)))
      return emitOpError("expects ") << kind << "s of one number, but got "
                                     << size << " and " << tensor.getDimSize(0);
    if (!tensor.isDynamicDim(0))
      size = tensor.getDimSize(0);
  }
  if (!hasRow || !hasColumn)
    return emitOpError("expects a formula with an argument of kind row and one "
                       "of kind column");
  bool isNll = getReducer() == Reducer::nll;
  Builder b(getContext());
  auto want = isNll ? RankedTensorType::get({n}, b.getF64Type())
                    : RankedTensorType::get({n, v}, storage);
  auto type = cast<RankedTensorType>(getType());
  if (failed(verifyCompatibleShape(type, want)) ||
      type.getElementType() != want.getElementType() || type.getEncoding())
    return emitOpError("expects a result of type ")
           << want << ", but got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// geo.with_vjp
//===----------------------------------------------------------------------===//

LogicalResult WithVjpOp::verifyRegions() {
  SmallVector<Type> types(getArgs().getTypes());
  auto check = [&](Region &region, TypeRange arguments, TypeRange yielded,
                   StringRef what) -> LogicalResult {
    if (!region.hasOneBlock() || failed(verifyYield(*this, region.front())))
      return failure();
    Block &block = region.front();
    if (block.getArgumentTypes() != arguments) // C1
      return emitOpError("expects arguments of its ")
             << what << " of types " << arguments << ", but got "
             << block.getArgumentTypes();
    Operation *yield = block.getTerminator();
    if (yield->getOperandTypes() != yielded) // C2
      return emitOpError("expects its ")
             << what << " to yield " << yielded << ", but got "
             << yield->getOperandTypes();
    for (Operation &op : block)
      if (!isProgramOp(&op, /*scalarsOnly=*/false))
        return op.emitOpError("expects to stand outside of geo.with_vjp: it "
                              "has no derivative rule and lowering there");
    return success();
  };
  SmallVector<Type> withCotangent = types;
  withCotangent.push_back(getType());
  if (failed(check(getBody(), types, getType(), "first region")))
    return failure();
  return check(getVjp(), withCotangent, types, "vjp");
}
