// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.manifold: syntax and constraints.
#include "dialect/FormulaParser.h"
#include "dialect/Geo.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

FormulaOp ManifoldOp::getFormula(StringRef name) {
  return lookupSymbol<FormulaOp>(name);
}

/// What a page inherits from the built-in page `like`. (One of the module is
/// not there yet while another one is parsed: of it, calls find the standard
/// formulas.)
static void addInherited(MLIRContext *context, StringRef like,
                         FormulaScope &scope) {
  ManifoldOp page =
      context->getOrLoadDialect<GeoDialect>()->getBuiltinPage(like);
  if (!page)
    return;
  if (std::optional<StringRef> next = page.getLike())
    addInherited(context, *next, scope);
  for (auto formula : page.getOps<FormulaOp>())
    scope.formulas[formula.getSymName()] =
        isa<VectorType>(formula.getResult().getType());
}

ParseResult ManifoldOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  FormulaScope scope;
  SmallVector<bool> positive;
  auto parseCurvatureName = [&]() -> ParseResult {
    if (parser.parseKeyword(&scope.curvatures.emplace_back()))
      return failure();
    positive.push_back(succeeded(parser.parseOptionalGreater()));
    SMLoc loc = parser.getCurrentLocation();
    APInt bound;
    if (!positive.back())
      return success();
    if (parser.parseInteger(bound))
      return failure();
    if (!bound.isZero())
      return parser.emitError(loc, "expects a curvature > 0");
    return success();
  };
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     parseCurvatureName))
    return failure();
  StringAttr like;
  if (succeeded(parser.parseOptionalKeyword("like"))) {
    if (parser.parseSymbolName(like))
      return failure();
    properties.like = FlatSymbolRefAttr::get(like);
    addInherited(parser.getContext(), like, scope);
  }
  properties.curvatures = builder.getStrArrayAttr(scope.curvatures);
  properties.positive = builder.getDenseBoolArrayAttr(positive);
  Block &block = result.addRegion()->emplaceBlock();
  if (parser.parseLBrace())
    return failure();
  while (failed(parser.parseOptionalRBrace())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword("formula", " or } in geo.manifold"))
      return failure();
    OperationState state(parser.getEncodedSourceLoc(loc),
                         FormulaOp::getOperationName());
    if (FormulaOp::parseWithin(parser, state, scope))
      return failure();
    auto formula = cast<FormulaOp>(Operation::create(state));
    block.push_back(formula);
    // A region whose verifier will complain has no result to look at.
    Operation *yield = formula.getBody().empty() || formula.getBlock().empty()
                           ? nullptr
                           : &formula.getBlock().back();
    if (yield && yield->getNumOperands() == 1)
      scope.formulas[formula.getSymName()] =
          isa<VectorType>(yield->getOperand(0).getType());
  }
  return success();
}

void ManifoldOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getNumCurvatures()) {
    printer << '(';
    llvm::interleaveComma(
        llvm::zip(getCurvatures(), getPositive()), printer, [&](auto pair) {
          printer << cast<StringAttr>(std::get<0>(pair)).getValue()
                  << (std::get<1>(pair) ? " > 0" : "");
        });
    printer << ')';
  }
  if (getLike())
    printer << " like " << getLikeAttr();
  printer << " {";
  printer.increaseIndent();
  for (auto formula : getOps<FormulaOp>()) {
    printer.printNewline();
    printer << "formula";
    formula.print(printer);
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << '}';
}

LogicalResult ManifoldOp::verify() {
  if (getSymVisibility() && *getSymVisibility() != "public") // C4
    return emitOpError("expects to be public, but got ") << *getSymVisibility();
  llvm::SmallDenseSet<Attribute> names;
  for (Attribute name : getCurvatures())
    if (!names.insert(name).second) // C3
      return emitOpError("expects curvatures of different names, but got ")
             << name << " twice";
  if (getPositive().size() != getCurvatures().size())
    return emitOpError("expects one sign per curvature, but got ")
           << getPositive().size() << " for " << getCurvatures().size();
  return verifyLike(*this); // C5
}

LogicalResult ManifoldOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    auto formula = dyn_cast<FormulaOp>(op);
    if (!formula) // C1
      return op.emitOpError("expects to stand outside of geo.manifold, which "
                            "holds formulas");
    const Signature *signature = getSignature(formula.getSymName());
    if (!signature)
      continue;
    // C2
    bool fits = formula.getNumArguments() == signature->arguments.size();
    std::string want;
    llvm::raw_string_ostream stream(want);
    stream << '(';
    llvm::interleaveComma(
        llvm::enumerate(signature->arguments), stream, [&](auto pair) {
          StringRef kind = pair.value().role == Role::number ? "number" : "row";
          stream << pair.value().name << ": " << kind;
          fits = fits && formula.getKind(pair.index()) == kind;
        });
    bool wantsRow = signature->result != Role::number;
    stream << ") -> " << (wantsRow ? "row" : "number");
    Operation *yield = formula.getBlock().getTerminator();
    if (yield->getNumOperands() == 1)
      fits =
          fits && wantsRow == isa<VectorType>(yield->getOperand(0).getType());
    if (!fits)
      return formula.emitOpError("expects the standard formula ")
             << formula.getSymName() << want;
  }
  return success();
}
