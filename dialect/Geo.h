// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The geo dialect: attributes, interfaces and ops.
#ifndef GEOC_DIALECT_GEO_H
#define GEOC_DIALECT_GEO_H

#include "dialect/Formula.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallString.h"

namespace geo {
class FormulaOp;
class ManifoldOp;
class PageLibrary;
class ManifoldInterface;
struct FormulaScope;

/// A factor of a product and its number of columns.
struct Factor {
  mlir::Attribute attribute;
  int64_t width;
  ManifoldInterface getManifold() const;
};
} // namespace geo

#include "dialect/GeoAttrInterfaces.h.inc"
#include "dialect/GeoDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/GeoAttrs.h.inc"

namespace geo {

inline ManifoldInterface Factor::getManifold() const {
  return mlir::cast<ManifoldInterface>(attribute);
}

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

/// `number` or `"label"`.
mlir::ParseResult parseCurvature(mlir::AsmParser &parser, mlir::Attribute &c);
void printCurvature(mlir::AsmPrinter &printer, mlir::Attribute c);

/// As many curvatures as the page has, numbers or labels, of its signs.
mlir::LogicalResult
verifyCurvatures(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 ManifoldOp page, llvm::ArrayRef<mlir::Attribute> values);

/// `#geo.name<c...>` of a built-in page, from after the name.
mlir::Attribute parseBuiltinManifold(mlir::AsmParser &parser,
                                     llvm::StringRef name, llvm::SMLoc loc);
void printBuiltinManifold(mlir::AsmPrinter &printer, ManifoldAttr manifold);

/// True if the manifold, or a factor of it, is a page of the module.
bool needsModule(ManifoldInterface manifold);

/// Where the manifold needs pages of the module of `scope`, they are there and
/// fit.
mlir::LogicalResult verifyManifold(ManifoldInterface manifold,
                                   mlir::Operation *scope);

} // namespace geo

#include "dialect/GeoOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/GeoOps.h.inc"

namespace geo {

/// The formula `name` of `page`, of the page it is like, or of the defaults;
/// null if none has it.
FormulaOp lookupFormula(ManifoldOp page, llvm::StringRef name);

/// What `@formula` or `@page::@formula` means in the module of `scope`; `page`
/// is set in the second case. Null if there is none.
FormulaOp resolveFormula(mlir::SymbolRefAttr callee, mlir::Operation *scope,
                         ManifoldOp &page);

/// The formula that a call in `page` (null: outside of pages) means: one of the
/// page, of the page that it names, or of the module. `page` becomes that of
/// the formula, null for one of the module. Null if there is none.
FormulaOp resolveCall(CallOp call, ManifoldOp &page);

/// True if every call of `formula` within `page` finds its formula.
bool isComplete(FormulaOp formula, ManifoldOp page);

/// The value of `formula` (of `page`, or a null page) at rows of one type and
/// numbers of f64, at the insertion point of the arguments' builder. A null Ex
/// after an error, which names the formula's line.
Ex instantiate(FormulaOp formula, ManifoldOp page, llvm::ArrayRef<Ex> args,
               llvm::ArrayRef<Ex> curvatures);

/// Clones `op`, an op of a program, with result types converted; its constants
/// are rounded to them, and casts that become idle are dropped.
void cloneWithTypes(mlir::OpBuilder &b, mlir::Operation *op,
                    mlir::IRMapping &mapping,
                    llvm::function_ref<mlir::Type(mlir::Type)> convert);

/// `v`, a float, as a float of `type`.
mlir::Value castFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                      mlir::Type type);

} // namespace geo

#endif // GEOC_DIALECT_GEO_H
