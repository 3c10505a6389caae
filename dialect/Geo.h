// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The geo dialect: attributes, interfaces and ops.
#ifndef GEOC_DIALECT_GEO_H
#define GEOC_DIALECT_GEO_H

#include "dialect/Formula.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallString.h"

#include "dialect/GeoAttrInterfaces.h.inc"
#include "dialect/GeoDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/GeoAttrs.h.inc"

namespace geo {

/// The manifold that the encoding of `type` names, or null for a plain type.
ManifoldInterface getManifold(mlir::Type type);

/// `type` without its encoding: the type of coordinates and of cotangents.
mlir::Type getPlainType(mlir::Type type);

/// How many curvatures of `manifold` are labels, whose values are operands.
unsigned getNumCurvatureLabels(ManifoldInterface manifold);

/// The checks that every encoding by a manifold shares; `what` ends "points
/// of".
mlir::LogicalResult
verifyPointTensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  llvm::StringRef what);

/// The shortest decimal that reads back as the same double.
llvm::SmallString<32> printShortest(double value);

/// `number` or `"label"`; c > 0 is checked by `verifyCurvature`.
mlir::ParseResult parseCurvature(mlir::AsmParser &parser, mlir::Attribute &c);
void printCurvature(mlir::AsmPrinter &printer, mlir::Attribute c);
mlir::LogicalResult
verifyCurvature(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                mlir::Attribute c);

} // namespace geo

#include "dialect/GeoOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/GeoOps.h.inc"

#endif // GEOC_DIALECT_GEO_H
