// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/RegionSyntax.h"
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace geo {

ParseResult parseOperandGroup(OpAsmParser &parser, StringRef keyword,
                              OperandGroup &group,
                              function_ref<Type(Type)> argumentType) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseArgument(argument) || parser.parseEqual() ||
            parser.parseOperand(group.operands.emplace_back()) ||
            parser.parseColonType(group.types.emplace_back()))
          return failure();
        argument.type = argumentType(group.types.back());
        if (!argument.type)
          return parser.emitError(loc)
                 << "expects an operand that " << keyword
                 << "(...) can take, but got " << group.types.back();
        group.arguments.push_back(argument);
        return success();
      });
}

void printOperandGroup(OpAsmPrinter &printer, StringRef keyword,
                       ArrayRef<BlockArgument> arguments,
                       OperandRange operands) {
  if (operands.empty())
    return;
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(
      llvm::zip(arguments, operands), printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand << " : " << operand.getType();
      });
  printer << ')';
}

LogicalResult verifyYield(Operation *op, Block &block) {
  if (!block.empty() && isa<YieldOp>(block.back()))
    return success();
  return op->emitOpError("expects a region that ends in geo.yield, but got ")
         << (block.empty() ? "an empty one"
                           : block.back().getName().getStringRef());
}

LogicalResult verifyBody(Operation *op, Block &block) {
  constexpr size_t maxOps = 1 << 14;
  if (failed(verifyYield(op, block)))
    return failure();
  size_t count = block.getOperations().size();
  if (count > maxOps)
    return op->emitOpError("expects at most ")
           << maxOps << " ops in its region, but got " << count;
  return success();
}

bool isProgramOp(Operation *op, bool scalarsOnly) {
  bool known =
      isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
          arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::CmpFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
          math::ExpOp, math::LogOp, math::Log1pOp, math::SqrtOp, math::RsqrtOp,
          math::TanhOp, math::SinOp, math::CosOp, math::AsinOp, EvenOp,
          DetachOp, WithVjpOp, YieldOp>(op);
  // Rows of unequal constants come as shared operands.
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      known = dense.isSplat();
  if (!scalarsOnly) {
    if (auto reduction = dyn_cast<vector::ReductionOp>(op))
      known = !reduction.getAcc() &&
              (reduction.getKind() == vector::CombiningKind::ADD ||
               reduction.getKind() == vector::CombiningKind::MAXIMUMF);
    known |= isa<DotOp, ScaleOp, vector::BroadcastOp>(op);
    // What upstream's canonicalizer makes of the sum of a row of one element.
    if (auto extract = dyn_cast<vector::ExtractOp>(op))
      known = extract.getSourceVectorType().getNumElements() == 1 &&
              !extract.hasDynamicPosition();
  }
  auto isNumber = [](Type t) {
    Type element = getElementTypeOrSelf(t);
    return element.isF32() || element.isF64() || element.isInteger(1);
  };
  auto isShaped = [](Type t) { return isa<ShapedType>(t); };
  if (scalarsOnly && (llvm::any_of(op->getOperandTypes(), isShaped) ||
                      llvm::any_of(op->getResultTypes(), isShaped)))
    return false;
  return known && llvm::all_of(op->getResultTypes(), isNumber) &&
         llvm::all_of(op->getOperandTypes(), isNumber);
}

} // namespace geo
