// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.columns and geo.concat_columns: constraints and canonical forms.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace geo;

/// True for tensor<RxT>, and for tensor<RxdxT> with static d.
static bool isBlock(RankedTensorType type) {
  return !type.getEncoding() &&
         (type.getRank() == 1 ||
          (type.getRank() == 2 && !type.isDynamicDim(1)));
}

static int64_t getBlockWidth(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() == 1 ? 1 : tensor.getDimSize(1);
}

//===----------------------------------------------------------------------===//
// geo.columns
//===----------------------------------------------------------------------===//

int64_t ColumnsOp::getWidth() { return getBlockWidth(getType()); }

void ColumnsOp::build(OpBuilder &builder, OperationState &state, Value x,
                      int64_t offset, int64_t width) {
  auto type = cast<RankedTensorType>(x.getType());
  build(
      builder, state,
      RankedTensorType::get({type.getDimSize(0), width}, type.getElementType()),
      x, builder.getI64IntegerAttr(offset));
}

LogicalResult ColumnsOp::verify() {
  RankedTensorType x = getX().getType(), result = getType();
  if (x.getRank() != 2 || !isBlock(x)) // C1
    return emitOpError("expects a plain tensor of rank 2 with static row "
                       "length, but got ")
           << x;
  if (!isBlock(result) || !mayEqual(x.getDimSize(0), result.getDimSize(0)) ||
      (result.getRank() == 2 &&
       result.getElementType() != x.getElementType())) // C2
    return emitOpError("expects a result [R, w] of the element type of ")
           << x << ", or [R], but got " << result;
  auto offset = static_cast<int64_t>(getOffset());
  if (offset < 0 || getWidth() > x.getDimSize(1) - offset) // C3
    return emitOpError("expects columns of ")
           << x << ", but got " << getWidth() << " from column " << offset;
  return success();
}

OpFoldResult ColumnsOp::fold(FoldAdaptor) {
  return getType() == getX().getType() ? getX() : OpFoldResult();
}

namespace {

/// Columns of columns.
struct ComposeColumns : OpRewritePattern<ColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ColumnsOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ColumnsOp>();
    if (!inner || inner.getType().getRank() != 2)
      return rewriter.notifyMatchFailure(op, "not columns of columns");
    rewriter.replaceOpWithNewOp<ColumnsOp>(op, op.getType(), inner.getX(),
                                           inner.getOffset() + op.getOffset());
    return success();
  }
};

/// Columns of a concatenation that are columns of one piece, or whole pieces.
struct ColumnsOfPiece : OpRewritePattern<ColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ColumnsOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatColumnsOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(op, "no concatenation");
    auto first = static_cast<int64_t>(op.getOffset());
    int64_t end = first + op.getWidth();
    SmallVector<Value> inside;
    SmallVector<int64_t> offsets;
    Type element = concat.getType().getElementType();
    for (auto [piece, offset] :
         llvm::zip_equal(concat.getPieces(), concat.getOffsets())) {
      int64_t pieceEnd = offset + ConcatColumnsOp::getWidth(piece);
      if (first < offset || end > pieceEnd) {
        if (pieceEnd <= first || offset >= end)
          continue;
        if (offset < first || pieceEnd > end)
          return rewriter.notifyMatchFailure(op, "a part of a piece");
        inside.push_back(piece);
        offsets.push_back(offset - first);
        continue;
      }
      auto type = cast<RankedTensorType>(piece.getType());
      // The rounding of numbers to a column is part of their value.
      if (type.getElementType() != element)
        return rewriter.notifyMatchFailure(op, "numbers that were rounded");
      if (type == op.getType())
        rewriter.replaceOp(op, piece);
      else if (type.getRank() == 2)
        rewriter.replaceOpWithNewOp<ColumnsOp>(op, op.getType(), piece,
                                               first - offset);
      else if (op.getType().getRank() == 2)
        rewriter.replaceOpWithNewOp<ConcatColumnsOp>(
            op, op.getType(), piece, rewriter.getDenseI64ArrayAttr(0));
      else
        return rewriter.notifyMatchFailure(op, "numbers of another type");
      return success();
    }
    if (inside.empty() || op.getType().getRank() != 2)
      return rewriter.notifyMatchFailure(op, "no piece at all");
    rewriter.replaceOpWithNewOp<ConcatColumnsOp>(
        op, op.getType(), inside, rewriter.getDenseI64ArrayAttr(offsets));
    return success();
  }
};

} // namespace

void ColumnsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ComposeColumns, ColumnsOfPiece>(context);
}

//===----------------------------------------------------------------------===//
// geo.concat_columns
//===----------------------------------------------------------------------===//

int64_t ConcatColumnsOp::getWidth(Value piece) {
  return getBlockWidth(piece.getType());
}

void ConcatColumnsOp::build(OpBuilder &builder, OperationState &state,
                            ValueRange pieces, Type element) {
  SmallVector<int64_t> offsets;
  int64_t width = 0;
  for (Value piece : pieces) {
    offsets.push_back(width);
    width += getWidth(piece);
  }
  auto first = cast<RankedTensorType>(pieces.front().getType());
  build(builder, state,
        RankedTensorType::get({first.getDimSize(0), width},
                              element ? element : first.getElementType()),
        pieces, builder.getDenseI64ArrayAttr(offsets));
}

LogicalResult ConcatColumnsOp::verify() {
  RankedTensorType result = getType();
  if (getPieces().empty() || getPieces().size() != getOffsets().size()) // C1
    return emitOpError("expects at least one piece and as many offsets, but "
                       "got ")
           << getPieces().size() << " and " << getOffsets().size();
  if (result.getRank() != 2 || !isBlock(result)) // C3
    return emitOpError("expects a plain result of rank 2 with static row "
                       "length, but got ")
           << result;
  int64_t rows = result.getDimSize(0), end = 0;
  for (auto [piece, offset] : llvm::zip_equal(getPieces(), getOffsets())) {
    auto type = cast<RankedTensorType>(piece.getType());
    if (!isBlock(type) ||
        (type.getRank() == 2 &&
         type.getElementType() != result.getElementType())) // C2
      return emitOpError("expects pieces [R, w] of the element type of ")
             << result << ", or [R], but got " << type;
    if (!mayEqual(rows, type.getDimSize(0))) // C1
      return emitOpError("expects pieces of one number of rows, but got ")
             << rows << " and " << type.getDimSize(0);
    if (!ShapedType::isDynamic(type.getDimSize(0)))
      rows = type.getDimSize(0);
    if (offset < end || getWidth(piece) > result.getDimSize(1) - offset) // C4
      return emitOpError("expects pieces in order and inside of ")
             << result << ", but got " << type << " at column " << offset
             << " after " << end << " columns";
    end = offset + getWidth(piece);
  }
  return success();
}

OpFoldResult ConcatColumnsOp::fold(FoldAdaptor) {
  bool isWhole =
      getPieces().size() == 1 && getPieces().front().getType() == getType();
  return isWhole ? getPieces().front() : OpFoldResult();
}

namespace {

/// Pieces of a piece that is itself a concatenation.
struct FlattenConcat : OpRewritePattern<ConcatColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatColumnsOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> pieces;
    SmallVector<int64_t> offsets;
    for (auto [piece, offset] :
         llvm::zip_equal(op.getPieces(), op.getOffsets())) {
      auto inner = piece.getDefiningOp<ConcatColumnsOp>();
      if (!inner) {
        pieces.push_back(piece);
        offsets.push_back(offset);
        continue;
      }
      llvm::append_range(pieces, inner.getPieces());
      for (int64_t innerOffset : inner.getOffsets())
        offsets.push_back(offset + innerOffset);
    }
    if (llvm::equal(pieces, op.getPieces()))
      return rewriter.notifyMatchFailure(op, "no concatenation inside");
    rewriter.replaceOpWithNewOp<ConcatColumnsOp>(
        op, op.getType(), pieces, rewriter.getDenseI64ArrayAttr(offsets));
    return success();
  }
};

/// Neighbours that are neighbours in another tensor, too, are one block.
struct MergeNeighbours : OpRewritePattern<ConcatColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatColumnsOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> pieces;
    SmallVector<int64_t> offsets;
    for (auto [piece, offset] :
         llvm::zip_equal(op.getPieces(), op.getOffsets())) {
      if (!pieces.empty() &&
          offset == offsets.back() + ConcatColumnsOp::getWidth(pieces.back()))
        if (Value merged = merge(rewriter, pieces.back(), piece)) {
          pieces.back() = merged;
          continue;
        }
      pieces.push_back(piece);
      offsets.push_back(offset);
    }
    if (pieces.size() == op.getPieces().size())
      return rewriter.notifyMatchFailure(op, "no neighbours of one tensor");
    rewriter.replaceOpWithNewOp<ConcatColumnsOp>(
        op, op.getType(), pieces, rewriter.getDenseI64ArrayAttr(offsets));
    return success();
  }

private:
  static Value merge(PatternRewriter &rewriter, Value left, Value right) {
    auto a = left.getDefiningOp<ColumnsOp>();
    auto b = right.getDefiningOp<ColumnsOp>();
    if (!a || !b || a.getX() != b.getX() || a.getType().getRank() != 2 ||
        b.getType().getRank() != 2 ||
        a.getOffset() + a.getWidth() != b.getOffset())
      return nullptr;
    return rewriter.createOrFold<ColumnsOp>(b.getLoc(), a.getX(),
                                            static_cast<int64_t>(a.getOffset()),
                                            a.getWidth() + b.getWidth());
  }
};

} // namespace

void ConcatColumnsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<FlattenConcat, MergeNeighbours>(context);
}
