// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/simt/Gen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace geo::simt;

Gen::Gen(ModuleOp module) : module(module), symbols(module) {}

LLVM::LLVMPointerType Gen::pointer() {
  return LLVM::LLVMPointerType::get(module.getContext());
}

Value Gen::i32(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value Gen::i64(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value Gen::call(ImplicitLocOpBuilder &b, StringRef name, Type result,
                ValueRange arguments) {
  auto callee = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result ? result : LLVM::LLVMVoidType::get(b.getContext()),
        llvm::to_vector(arguments.getTypes()));
    callee = LLVM::LLVMFuncOp::create(b, name, type);
    symbols.insert(callee);
  }
  auto call = LLVM::CallOp::create(b, callee, arguments);
  return result ? call.getResult() : Value();
}

LLVM::GlobalOp Gen::createGlobal(Location loc, StringRef name, Type type,
                                 Attribute value) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, value);
  symbols.insert(global); // makes the name unique
  return global;
}

Value Gen::text(ImplicitLocOpBuilder &b, StringRef text) {
  LLVM::GlobalOp &global = texts[text];
  if (!global) {
    std::string zeroEnded = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), zeroEnded.size());
    global = createGlobal(b.getLoc(), "geo_simt_text", type,
                          b.getStringAttr(zeroEnded));
  }
  return LLVM::AddressOfOp::create(b, global);
}

Value Gen::words(ImplicitLocOpBuilder &b, ArrayRef<int64_t> values) {
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), values.size());
  auto global = createGlobal(b.getLoc(), "geo_simt_words", type,
                             b.getI64TensorAttr(values));
  return LLVM::AddressOfOp::create(b, global);
}

/// The place in a file that is nearest to what people wrote.
static void printLocation(Location loc, llvm::raw_ostream &os) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    StringRef path = file.getFilename().getValue();
    os << path.substr(path.rfind('/') + 1) << ':' << file.getLine() << ':'
       << file.getColumn();
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    os << '"' << name.getName().getValue() << '"';
    if (!isa<UnknownLoc>(name.getChildLoc())) {
      os << " at ";
      printLocation(name.getChildLoc(), os);
    }
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    printLocation(call.getCallee(), os);
  } else if (auto fused = dyn_cast<FusedLoc>(loc);
             fused && !fused.getLocations().empty()) {
    printLocation(fused.getLocations().front(), os);
  } else {
    os << "an unknown place";
  }
}

Value Gen::site(ImplicitLocOpBuilder &b, Operation *op) {
  std::string place;
  llvm::raw_string_ostream os(place);
  os << op->getName() << " at ";
  printLocation(op->getLoc(), os);
  return text(b, place);
}

Value Gen::slot(ImplicitLocOpBuilder &b, Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  Operation *function = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  b.setInsertionPointToStart(
      &cast<FunctionOpInterface>(function).getFunctionBody().front());
  return LLVM::AllocaOp::create(b, pointer(), type, i64(b, count),
                                /*alignment=*/16);
}

int64_t geo::simt::byteSize(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * byteSize(vector.getElementType());
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

Value Gen::address(ImplicitLocOpBuilder &b, Value memref, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    offset = arith::AddIOp::create(b, offset,
                                   arith::MulIOp::create(b, index, stride));
  int64_t bytes = byteSize(cast<MemRefType>(memref.getType()).getElementType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  Value scaled = arith::MulIOp::create(
      b, offset, arith::ConstantIndexOp::create(b, bytes));
  return arith::IndexCastOp::create(b, b.getI64Type(),
                                    arith::AddIOp::create(b, base, scaled));
}
