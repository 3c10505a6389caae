// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The geo dialect, its enums and the base classes of its ops.
#ifndef GEO_BASE_TD
#define GEO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Geo_Dialect : Dialect {
  let name = "geo";
  let cppNamespace = "::geo";
  let summary = "Models whose states and embeddings live on Riemannian manifolds";
  let description = [{
    Batches of points are tensors whose encoding names their manifold, as in
    `tensor<?x128xf32, #geo.poincare<1.0>>`. Named ops (`geo.mobius_add`,
    `geo.distance_nll`, ...) expand into five constructs on plain tensors:
    `geo.rowwise`, `geo.pairwise`, `geo.matmul`, `geo.gather` with its adjoint
    `geo.scatter_add`, and `geo.scan`. Differentiation, fusion and code
    generation are written for these five only.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The built-in page `name` (parsed once per context), or null.
    ManifoldOp getBuiltinPage(::llvm::StringRef name);
    /// The names of all built-in pages.
    static ::llvm::SmallVector<::llvm::StringRef> getBuiltinPageNames();

    /// Formulas of modules, outside of pages, as far as they are parsed: true
    /// for one that yields a row, false for a number, absent if unknown. Calls
    /// in what follows take the kind of their result from here; what they mean
    /// is looked up in their module.
    std::optional<bool> yieldsRow(::llvm::StringRef file,
                                  ::llvm::StringRef formula);
    void noteFormula(::llvm::StringRef file, ::llvm::StringRef formula,
                     bool yieldsRow);

    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    std::unique_ptr<PageLibrary> library;

  public:
  }];
}

def Geo_EvenFn : I32EnumAttr<"EvenFn", "a function of the squared norm, analytic at 0", [
    I32EnumAttrCase<"tanhc", 0>,   I32EnumAttrCase<"artanhc", 1>,
    I32EnumAttrCase<"asinhc", 2>,  I32EnumAttrCase<"sinhc", 3>,
    I32EnumAttrCase<"coshq", 4>,   I32EnumAttrCase<"sinc", 5>,
    I32EnumAttrCase<"cosq", 6>,    I32EnumAttrCase<"asinc", 7>]> {
  let cppNamespace = "::geo";
  let genSpecializedAttr = 0;
}
def Geo_EvenFnAttr : EnumAttr<Geo_Dialect, Geo_EvenFn, "even_fn">;

def Geo_GramKind : I32EnumAttr<"GramKind", "contraction of two rows", [
    I32EnumAttrCase<"sqdiff", 0>, I32EnumAttrCase<"dot", 1>]> {
  let cppNamespace = "::geo";
  let genSpecializedAttr = 0;
}
def Geo_GramKindAttr : EnumAttr<Geo_Dialect, Geo_GramKind, "gram">;

def Geo_Reducer : I32EnumAttr<"Reducer", "what a pair program does with a row of logits", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"softmax", 1>,
    I32EnumAttrCase<"nll", 2>]> {
  let cppNamespace = "::geo";
  let genSpecializedAttr = 0;
}
def Geo_ReducerAttr : EnumAttr<Geo_Dialect, Geo_Reducer, "reducer">;

class Geo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Geo_Dialect, mnemonic, traits>;

def Geo_F32OrF64 : AnyTypeOf<[F32, F64], "f32 or f64">;
def Geo_Tensor : RankedTensorOf<[F32, F64]>;
def Geo_Ids : RankedTensorOf<[I32]>;

#endif // GEO_BASE_TD
