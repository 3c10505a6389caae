// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes geo-create-entries and geo-mark-noalias.
#include "lowering/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace geo {

#define GEN_PASS_DEF_GEOCREATEENTRIES
#define GEN_PASS_DEF_GEOMARKNOALIAS
#include "lowering/Passes.h.inc"

namespace {

/// Positions, among the pointers and sizes that the arguments become, of the
/// pointers to data.
constexpr llvm::StringLiteral dataPointersAttr = "geo.data_pointers";

/// Loads what argument `type` of the function needs from behind `pointer`.
Value emitArgument(ImplicitLocOpBuilder &b, const LLVMTypeConverter &types,
                   Value pointer, Type type, bool isNumberResult) {
  Type lowered = types.convertType(type);
  Value value;
  if (isNumberResult) {
    // The buffer is the caller's number: a descriptor around its pointer.
    Value zero = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(0));
    value = LLVM::PoisonOp::create(b, lowered);
    value =
        LLVM::InsertValueOp::create(b, value, pointer, ArrayRef<int64_t>{0});
    value =
        LLVM::InsertValueOp::create(b, value, pointer, ArrayRef<int64_t>{1});
    value = LLVM::InsertValueOp::create(b, value, zero, ArrayRef<int64_t>{2});
  } else {
    value = LLVM::LoadOp::create(b, lowered, pointer);
  }
  if (lowered == type)
    return value;
  return UnrealizedConversionCastOp::create(b, type, value).getResult(0);
}

void createEntry(func::FuncOp f, const LLVMTypeConverter &types) {
  ImplicitLocOpBuilder b(f.getLoc(), f);
  auto pointer = LLVM::LLVMPointerType::get(f.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(f.getContext()), pointer);
  auto entry =
      LLVM::LLVMFuncOp::create(b, (entryPrefix + f.getName()).str(), type);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  SmallVector<int64_t> dataPointers;
  int64_t position = 0;
  for (auto [i, argument] : llvm::enumerate(f.getArgumentTypes())) {
    Value place =
        LLVM::GEPOp::create(b, pointer, pointer, block->getArgument(0),
                            ArrayRef<LLVM::GEPArg>(int32_t(i)));
    Value to = LLVM::LoadOp::create(b, pointer, place);
    arguments.push_back(emitArgument(b, types, to, argument,
                                     !!f.getArgAttr(i, numberResultAttr)));
    auto memref = dyn_cast<MemRefType>(argument);
    if (memref)
      dataPointers.push_back(position + 1);
    position += memref ? 3 + 2 * memref.getRank() : 1;
  }
  func::CallOp::create(b, f, arguments);
  LLVM::ReturnOp::create(b, ValueRange());
  // Not inlined into the entry: noalias says more than what inlining leaves.
  f->setAttr("llvm.linkage",
             LLVM::LinkageAttr::get(f.getContext(), LLVM::Linkage::Internal));
  f->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  f->setAttr(dataPointersAttr, b.getDenseI64ArrayAttr(dataPointers));
}

/// An entry is written for what the lowering to buffers leaves.
LogicalResult checkSignature(func::FuncOp f, const LLVMTypeConverter &types) {
  if (f.getNumResults())
    return f.emitOpError("expects to write its results to arguments, but got "
                         "results of type ")
           << f.getResultTypes();
  for (auto [i, type] : llvm::enumerate(f.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!types.convertType(type))
      return f.emitOpError("expects buffers and numbers as arguments, but got ")
             << type;
    if (f.getArgAttr(i, numberResultAttr) && !(memref && !memref.getRank()))
      return f.emitOpError("expects a result that is a number to be a memref "
                           "of rank 0, but got ")
             << type;
  }
  return success();
}

struct CreateEntries : impl::GeoCreateEntriesBase<CreateEntries> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    for (auto f :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (f.isPublic() && !f.isDeclaration()) {
        if (failed(checkSignature(f, types)))
          return signalPassFailure();
        createEntry(f, types);
      }
  }
};

struct MarkNoAlias : impl::GeoMarkNoAliasBase<MarkNoAlias> {
  void runOnOperation() override {
    UnitAttr unit = UnitAttr::get(&getContext());
    auto isPointer = [](Type type) { return isa<LLVM::LLVMPointerType>(type); };
    for (auto f : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (f.getName().starts_with("_mlir_memref_to_llvm_") &&
          f.getName().ends_with("alloc") &&
          isPointer(f.getFunctionType().getReturnType()))
        f.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
      auto data = f->getAttrOfType<DenseI64ArrayAttr>(dataPointersAttr);
      if (!data)
        continue;
      for (int64_t i : data.asArrayRef()) {
        if (i < 0 || i >= int64_t(f.getNumArguments()) ||
            !isPointer(f.getArgumentTypes()[i])) {
          f.emitOpError("expects pointers in the places of ")
              << dataPointersAttr << ", but got place " << i;
          return signalPassFailure();
        }
        f.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
      }
      f->removeAttr(dataPointersAttr);
    }
  }
};

} // namespace
} // namespace geo
