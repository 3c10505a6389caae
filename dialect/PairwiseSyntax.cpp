// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise and its adjoint share syntax.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"

using namespace mlir;
using namespace geo;

namespace {
template <class Op>
ParseResult parsePair(OpAsmParser &parser, OperationState &result,
                      bool isGradient) {
  SMLoc loc = parser.getCurrentLocation();
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  auto reducer = symbolizeReducer(name);
  if (!reducer)
    return parser.emitError(loc)
           << "expects reducer none, softmax or nll, but got " << name;
  Builder &builder = parser.getBuilder();
  MLIRContext *context = builder.getContext();
  properties.reducer = ReducerAttr::get(context, *reducer);

  OperandGroup grams, row, column, shared;
  SmallVector<OpAsmParser::UnresolvedOperand> xs, ys, rest;
  SmallVector<Type> xTypes, yTypes, restTypes;
  SmallVector<Attribute> kinds;
  auto parseGram = [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    StringRef kindName;
    SMLoc kindLoc = parser.getCurrentLocation();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseKeyword(&kindName))
      return failure();
    auto kind = symbolizeGramKind(kindName);
    if (!kind)
      return parser.emitError(kindLoc)
             << "expects Gram sqdiff or dot, but got " << kindName;
    kinds.push_back(GramKindAttr::get(context, *kind));
    grams.arguments.push_back(argument);
    return failure(
        parser.parseOperand(xs.emplace_back()) || parser.parseComma() ||
        parser.parseOperand(ys.emplace_back()) ||
        parser.parseColonType(xTypes.emplace_back()) || parser.parseComma() ||
        parser.parseType(yTypes.emplace_back()));
  };
  auto identity = [](Type t) { return t; };
  if (parser.parseKeyword("grams") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseGram) ||
      parseOperandGroup(parser, "row", row, identity) ||
      parseOperandGroup(parser, "column", column, identity) ||
      parseOperandGroup(parser, "shared", shared, identity))
    return failure();
  auto parseSingle = [&](StringRef keyword,
                         bool required) -> FailureOr<int32_t> {
    if (failed(parser.parseOptionalKeyword(keyword))) {
      if (!required)
        return 0;
      parser.emitError(parser.getCurrentLocation())
          << "expects " << keyword << "(...)";
      return failure();
    }
    if (parser.parseLParen() || parser.parseOperand(rest.emplace_back()) ||
        parser.parseColonType(restTypes.emplace_back()) || parser.parseRParen())
      return failure();
    return 1;
  };
  FailureOr<int32_t> targets = parseSingle("targets", false);
  FailureOr<int32_t> lse = 0, cotangent = 0;
  if (isGradient) {
    lse = parseSingle("lse", false);
    cotangent = parseSingle("cotangent", true);
  }
  Type math;
  if (failed(targets) || failed(lse) || failed(cotangent) ||
      parser.parseKeyword("math") || parser.parseType(math) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  properties.math = TypeAttr::get(math);
  properties.grams = builder.getArrayAttr(kinds);
  SmallVector<OpAsmParser::Argument> arguments;
  for (OperandGroup *group : {&grams, &row, &column, &shared})
    for (OpAsmParser::Argument &argument : group->arguments) {
      argument.type = math;
      arguments.push_back(argument);
    }
  SmallVector<Type> results;
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseArrowTypeList(results))
    return failure();
  result.addTypes(results);
  SmallVector<int32_t> segments = {static_cast<int32_t>(xs.size()),
                                   static_cast<int32_t>(ys.size()),
                                   static_cast<int32_t>(row.operands.size()),
                                   static_cast<int32_t>(column.operands.size()),
                                   static_cast<int32_t>(shared.operands.size()),
                                   *targets};
  if (isGradient)
    segments.append({*lse, 1});
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  return failure(
      parser.resolveOperands(xs, xTypes, loc, result.operands) ||
      parser.resolveOperands(ys, yTypes, loc, result.operands) ||
      parser.resolveOperands(row.operands, row.types, loc, result.operands) ||
      parser.resolveOperands(column.operands, column.types, loc,
                             result.operands) ||
      parser.resolveOperands(shared.operands, shared.types, loc,
                             result.operands) ||
      parser.resolveOperands(rest, restTypes, loc, result.operands));
}

template <class Op> void printPair(Op op, OpAsmPrinter &printer) {
  printer << ' ' << stringifyReducer(op.getReducer()) << " grams(";
  ArrayRef<BlockArgument> arguments = op.getBlock().getArguments();
  for (unsigned k = 0, e = op.getNumGrams(); k < e; ++k) {
    if (k)
      printer << ", ";
    printer << arguments[k] << " = " << stringifyGramKind(op.getGramKind(k))
            << ' ' << op.getXs()[k] << ", " << op.getYs()[k] << " : "
            << op.getXs()[k].getType() << ", " << op.getYs()[k].getType();
  }
  printer << ')';
  arguments = arguments.drop_front(op.getNumGrams());
  auto group = [&](StringRef keyword, OperandRange operands) {
    printOperandGroup(printer, keyword, arguments.take_front(operands.size()),
                      operands);
    arguments = arguments.drop_front(operands.size());
  };
  group("row", op.getRowScalars());
  group("column", op.getColumnScalars());
  group("shared", op.getShared());
  auto single = [&](StringRef keyword, Value v) {
    if (v)
      printer << ' ' << keyword << '(' << v << " : " << v.getType() << ')';
  };
  single("targets", op.getTargets());
  if constexpr (std::is_same_v<Op, PairwiseGradOp>) {
    single("lse", op.getLse());
    single("cotangent", op.getCotangent());
  }
  printer << " math " << op.getMath();
  printer.printOptionalAttrDictWithKeyword(
      op->getAttrs(), {"operandSegmentSizes", "reducer", "grams", "math"});
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
  printer.printArrowTypeList(op->getResultTypes());
}
} // namespace

ParseResult PairwiseOp::parse(OpAsmParser &parser, OperationState &result) {
  return parsePair<PairwiseOp>(parser, result, /*isGradient=*/false);
}
ParseResult PairwiseGradOp::parse(OpAsmParser &parser, OperationState &result) {
  return parsePair<PairwiseGradOp>(parser, result, /*isGradient=*/true);
}
void PairwiseOp::print(OpAsmPrinter &printer) { printPair(*this, printer); }
void PairwiseGradOp::print(OpAsmPrinter &printer) { printPair(*this, printer); }
