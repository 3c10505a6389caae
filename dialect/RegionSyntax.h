// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax that constructs share: groups of region arguments bound to
// operands, `rows(%x = %X : type, ...)`.
#ifndef GEOC_DIALECT_REGIONSYNTAX_H
#define GEOC_DIALECT_REGIONSYNTAX_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace geo {

struct OperandGroup {
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
};

/// Parses `keyword(%a = %v : type, ...)` if it is there. The type of a region
/// argument follows from the operand's by `argumentType`.
mlir::ParseResult
parseOperandGroup(mlir::OpAsmParser &parser, llvm::StringRef keyword,
                  OperandGroup &group,
                  llvm::function_ref<mlir::Type(mlir::Type)> argumentType);

/// Prints the same, and nothing for an empty group.
void printOperandGroup(mlir::OpAsmPrinter &printer, llvm::StringRef keyword,
                       llvm::ArrayRef<mlir::BlockArgument> arguments,
                       mlir::OperandRange operands);

/// True for the ops on numbers and rows that have a derivative rule and a
/// lowering: the body of a row program, or of a pair program with
/// `scalarsOnly`.
bool isProgramOp(mlir::Operation *op, bool scalarsOnly);

/// Equal where both sizes are static.
inline bool mayEqual(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) ||
         a == b;
}

/// The block of a construct ends in geo.yield; checked before anything reads
/// it.
mlir::LogicalResult verifyYield(mlir::Operation *op, mlir::Block &block);

/// The same for programs of rows and pairs, with at most 16,384 ops: LLVM takes
/// what a value is made of by recursion.
mlir::LogicalResult verifyBody(mlir::Operation *op, mlir::Block &block);

} // namespace geo

#endif // GEOC_DIALECT_REGIONSYNTAX_H
