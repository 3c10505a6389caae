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

LogicalResult verifyCurvature(function_ref<InFlightDiagnostic()> emitError,
                              Attribute c) {
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
  if (!(value > 0) || !std::isfinite(value))
    return emitError() << "expects curvature c > 0, but got " << value;
  return success();
}

} // namespace geo
