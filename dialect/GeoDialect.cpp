// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "dialect/Library.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

#include "dialect/GeoAttrInterfaces.cpp.inc"
#include "dialect/GeoDialect.cpp.inc"
#include "dialect/GeoEnums.cpp.inc"
#include "dialect/GeoOpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/GeoAttrs.cpp.inc"

Attribute GeoDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (result.has_value())
    return attribute;
  return parseBuiltinManifold(parser, mnemonic, loc);
}

void GeoDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  if (auto manifold = dyn_cast<ManifoldAttr>(attribute))
    if (manifold.isBuiltin())
      return printBuiltinManifold(printer, manifold);
  (void)generatedAttributePrinter(attribute, printer);
}

static ParseResult parseReducerName(OpAsmParser &parser, ReducerAttr &reducer) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Reducer> value = symbolizeReducer(name);
  if (!value)
    return parser.emitError(loc)
           << "expects reducer none, softmax or nll, but got " << name;
  reducer = ReducerAttr::get(parser.getContext(), *value);
  return success();
}
static void printReducerName(OpAsmPrinter &printer, Operation *,
                             ReducerAttr reducer) {
  printer << stringifyReducer(reducer.getValue());
}

static ParseResult parseEvenName(OpAsmParser &parser, EvenFnAttr &fn) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<EvenFn> value = symbolizeEvenFn(name);
  if (!value)
    return parser.emitError(loc)
           << "expects tanhc, artanhc, asinhc, sinhc, coshq, sinc, cosq or "
              "asinc, but got "
           << name;
  fn = EvenFnAttr::get(parser.getContext(), *value);
  return success();
}
static void printEvenName(OpAsmPrinter &printer, Operation *, EvenFnAttr fn) {
  printer << stringifyEvenFn(fn.getValue());
}

#define GET_OP_CLASSES
#include "dialect/GeoOps.cpp.inc"

namespace {
/// Every op is pure and knows nothing of the function around it.
struct GeoInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void GeoDialect::initialize() {
  library = std::make_unique<PageLibrary>();
  addInterfaces<GeoInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/GeoAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/GeoOps.cpp.inc"
      >();
}

Operation *GeoDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
