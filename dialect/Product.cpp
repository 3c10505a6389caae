// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #geo.product: manifolds side by side.
#include "dialect/Geo.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

Attribute ProductAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> manifolds;
  SmallVector<int64_t> widths;
  auto parseFactor = [&]() -> ParseResult {
    return failure(parser.parseAttribute(manifolds.emplace_back()) ||
                   parser.parseKeyword("x") ||
                   parser.parseInteger(widths.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseFactor))
    return nullptr;
  return parser.getChecked<ProductAttr>(loc, parser.getContext(),
                                        ArrayRef(manifolds), ArrayRef(widths));
}

void ProductAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      llvm::zip(getManifolds(), getWidths()), printer, [&](auto factor) {
        printer << std::get<0>(factor) << " x " << std::get<1>(factor);
      });
  printer << '>';
}

LogicalResult ProductAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<Attribute> manifolds,
                                  ArrayRef<int64_t> widths) {
  if (manifolds.empty() || manifolds.size() != widths.size())
    return emitError() << "expects at least one factor, each with a width, but "
                          "got "
                       << manifolds.size() << " and " << widths.size();
  for (Attribute manifold : manifolds)
    if (!isa<ManifoldInterface>(manifold))
      return emitError() << "expects factors that are manifolds, but got "
                         << manifold;
  for (int64_t width : widths)
    if (width < 1)
      return emitError() << "expects factors with at least one column, but got "
                         << width;
  return success();
}

LogicalResult ProductAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(verifyPointTensor(shape, elementType, emitError, "product")))
    return failure();
  int64_t width = 0;
  for (const Factor &factor : getFactors()) {
    width += factor.width;
    auto encoding = dyn_cast<VerifiableTensorEncoding>(factor.getManifold());
    if (encoding && failed(encoding.verifyEncoding(
                        {shape.front(), factor.width}, elementType, emitError)))
      return failure();
  }
  if (shape.back() != width)
    return emitError() << "expects points of " << *this << " to have " << width
                       << " coordinates, but got " << shape.back();
  return success();
}

SmallVector<Factor> ProductAttr::getFactors() const {
  SmallVector<Factor> factors;
  for (auto [manifold, width] : llvm::zip(getManifolds(), getWidths()))
    factors.push_back({manifold, width});
  return factors;
}

SmallVector<Attribute> ProductAttr::getCurvatures() const {
  SmallVector<Attribute> curvatures;
  for (const Factor &factor : getFactors())
    llvm::append_range(curvatures, factor.getManifold().getCurvatures());
  return curvatures;
}

bool ProductAttr::hasFormula(StringRef formula, Operation *scope) const {
  const Signature *signature = getSignature(formula);
  // Midpoints combine, but not formula by formula.
  if (!signature || (signature->combine == Combine::undefined &&
                     !formula.starts_with("midpoint_")))
    return false;
  return llvm::all_of(getFactors(), [&](const Factor &factor) {
    return factor.getManifold().hasFormula(formula, scope);
  });
}

Ex ProductAttr::emit(StringRef, ArrayRef<Ex>, ArrayRef<Ex>, Operation *) const {
  return {}; // there is no row that holds one factor only
}

StringRef ProductAttr::getName() const { return "product"; }
