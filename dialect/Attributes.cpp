// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all manifold attributes share: encodings and curvatures.
#include "dialect/Geo.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace geo {

ManifoldInterface getManifold(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return dyn_cast_or_null<ManifoldInterface>(tensor.getEncoding());
  return nullptr;
}

Type getPlainType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.dropEncoding() : type;
}

unsigned getNumCurvatureLabels(ManifoldInterface manifold) {
  return llvm::count_if(manifold.getCurvatures(),
                        [](Attribute c) { return isa<StringAttr>(c); });
}

LogicalResult verifyPointTensor(ArrayRef<int64_t> shape, Type elementType,
                                function_ref<InFlightDiagnostic()> emitError,
                                StringRef what) {
  // The parser asks even where it found no type, and said so.
  if (!elementType)
    return failure();
  if (shape.empty())
    return emitError() << "expects a batch of points of " << what
                       << " to have rank 1 or more, but got rank 0";
  if (!elementType.isF32() && !elementType.isF64())
    return emitError() << "expects points of " << what
                       << " to have f32 or f64 coordinates, but got "
                       << elementType;
  if (shape.back() == 0)
    return emitError() << "expects points of " << what
                       << " to have at least one coordinate, but got 0";
  return success();
}

ParseResult parseCurvature(AsmParser &parser, Attribute &c) {
  std::string label;
  if (succeeded(parser.parseOptionalString(&label))) {
    c = StringAttr::get(parser.getContext(), label);
    return success();
  }
  double number;
  if (parser.parseFloat(number))
    return failure();
  c = parser.getBuilder().getF64FloatAttr(number);
  return success();
}

SmallString<32> printShortest(double value) {
  if (std::isnan(value)) // of either sign
    return StringRef("nan");
  SmallString<32> text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_svector_ostream(text) << llvm::format("%.*g", digits, value);
    double back = 0;
    if (!StringRef(text).getAsDouble(back) && back == value)
      break;
  }
  return text;
}

void printCurvature(AsmPrinter &printer, Attribute c) {
  auto number = dyn_cast<FloatAttr>(c);
  if (!number) {
    printer << c;
    return;
  }
  SmallString<32> text = printShortest(number.getValueAsDouble());
  if (!StringRef(text).contains('.')) {
    size_t e = StringRef(text).find('e');
    if (e == StringRef::npos)
      text += ".0";
    else
      text.insert(text.begin() + e, {'.', '0'});
  }
  printer << text;
}

/// A finite number in f64 or a label; positive where `wantsPositive`.
static LogicalResult
verifyCurvature(function_ref<InFlightDiagnostic()> emitError, Attribute c,
                bool wantsPositive) {
  if (auto label = dyn_cast<StringAttr>(c)) {
    if (label.getValue().empty())
      return emitError() << "expects a curvature label, but got \"\"";
    return success();
  }
  auto number = dyn_cast<FloatAttr>(c);
  if (!number || !number.getType().isF64())
    return emitError() << "expects a curvature number (f64) or label, but got "
                       << c;
  double value = number.getValueAsDouble();
  if (wantsPositive && !(value > 0 && std::isfinite(value)))
    return emitError() << "expects curvature c > 0, but got " << value;
  if (!std::isfinite(value))
    return emitError() << "expects a finite curvature, but got " << value;
  return success();
}

LogicalResult verifyCurvatures(function_ref<InFlightDiagnostic()> emitError,
                               ManifoldOp page, ArrayRef<Attribute> values) {
  if (values.size() != page.getNumCurvatures())
    return emitError() << "expects " << page.getNumCurvatures()
                       << " curvatures of " << page.getSymName() << ", but got "
                       << values.size();
  for (auto [c, isPositive] : llvm::zip(values, page.getPositive()))
    if (failed(verifyCurvature(emitError, c, isPositive)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// #geo.manifold
//===----------------------------------------------------------------------===//

StringRef ManifoldAttr::getPageName() const {
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(getPage()))
    return symbol.getValue();
  return cast<StringAttr>(getPage()).getValue();
}

StringRef ManifoldAttr::getName() const { return getPageName(); }

SmallVector<Attribute> ManifoldAttr::getCurvatures() const {
  return llvm::to_vector(getValues());
}

LogicalResult ManifoldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Attribute page, ArrayRef<Attribute> values) {
  if (isa<FlatSymbolRefAttr>(page)) { // the page is checked in its module
    for (Attribute c : values)
      if (failed(verifyCurvature(emitError, c, /*wantsPositive=*/false)))
        return failure();
    return success();
  }
  auto name = dyn_cast<StringAttr>(page);
  if (!name)
    return emitError() << "expects the name of a page or its symbol, but got "
                       << page;
  auto *dialect = page.getContext()->getOrLoadDialect<GeoDialect>();
  ManifoldOp op = dialect->getBuiltinPage(name);
  if (!op)
    return emitError() << "expects a built-in manifold, but got " << name;
  return verifyCurvatures(emitError, op, values);
}

LogicalResult ManifoldAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyPointTensor(shape, elementType, emitError, getPageName());
}

static ParseResult parseCurvatures(AsmParser &parser,
                                   SmallVectorImpl<Attribute> &values) {
  return parser.parseCommaSeparatedList(
      [&] { return parseCurvature(parser, values.emplace_back()); });
}

Attribute ManifoldAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr symbol;
  SmallVector<Attribute> values;
  if (parser.parseLess() || parser.parseSymbolName(symbol))
    return nullptr;
  if (succeeded(parser.parseOptionalComma()) && parseCurvatures(parser, values))
    return nullptr;
  if (parser.parseGreater())
    return nullptr;
  return parser.getChecked<ManifoldAttr>(
      loc, parser.getContext(), Attribute(FlatSymbolRefAttr::get(symbol)),
      ArrayRef(values));
}

static void printCurvatures(AsmPrinter &printer, ArrayRef<Attribute> values) {
  llvm::interleaveComma(values, printer,
                        [&](Attribute c) { printCurvature(printer, c); });
}

void ManifoldAttr::print(AsmPrinter &printer) const {
  printer << '<' << getPage();
  if (!getValues().empty())
    printer << ", ";
  printCurvatures(printer, getValues());
  printer << '>';
}

/// The rest of `#geo.name<c...>`, whose name is a built-in page's.
Attribute parseBuiltinManifold(AsmParser &parser, StringRef name, SMLoc loc) {
  SmallVector<Attribute> values;
  if (succeeded(parser.parseOptionalLess()) &&
      (parseCurvatures(parser, values) || parser.parseGreater()))
    return nullptr;
  return parser.getChecked<ManifoldAttr>(
      loc, parser.getContext(),
      Attribute(parser.getBuilder().getStringAttr(name)), ArrayRef(values));
}

void printBuiltinManifold(AsmPrinter &printer, ManifoldAttr manifold) {
  printer << manifold.getPageName();
  if (manifold.getValues().empty())
    return;
  printer << '<';
  printCurvatures(printer, manifold.getValues());
  printer << '>';
}

} // namespace geo
