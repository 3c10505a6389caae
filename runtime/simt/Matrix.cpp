// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync and ldmatrix. Where each lane's elements lie in a matrix is from the
// PTX ISA, "Matrix Fragments for mma.m16n8k8" and its neighbours: with groupID
// = lane / 4 (here g) and threadID_in_group = lane % 4 (here t).
#include "runtime/simt/Calls.h"
#include "runtime/simt/Machine.h"

#include <cstring>
#include <fmt/format.h>
#include <type_traits>

using namespace geo::rt::simt;

namespace {

struct Place {
  int row, column;
};

/// Element i of a lane's fragment of A (16 x k; 8 x 4 for f64).
Place placeInA(MmaKind kind, int lane, int i) {
  int g = lane / 4, t = lane % 4;
  if (kind == MmaKind::f64)
    return {g, t};
  if (kind == MmaKind::tf32)
    return {g + 8 * (i & 1), t + 4 * (i >> 1)};
  return {g + 8 * (i >> 1 & 1), 2 * t + (i & 1) + 8 * (i >> 2)};
}

/// Of B (k x 8).
Place placeInB(MmaKind kind, int lane, int i) {
  int g = lane / 4, t = lane % 4;
  if (kind == MmaKind::f64)
    return {t, g};
  if (kind == MmaKind::tf32)
    return {t + 4 * i, g};
  return {2 * t + (i & 1) + 8 * (i >> 1), g};
}

/// Of C and D (16 x 8; 8 x 8 for f64).
Place placeInC(int lane, int i) {
  return {lane / 4 + 8 * (i >> 1), 2 * (lane % 4) + (i & 1)};
}

float toFloat(uint16_t bits, MmaKind kind) {
  if (kind == MmaKind::bf16) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  _Float16 value;
  std::memcpy(&value, &bits, 2);
  return static_cast<float>(value);
}

/// Element i of a fragment of A or B.
template <class T> T readFactor(MmaKind kind, const void *fragment, int i) {
  if (kind == MmaKind::f64)
    return static_cast<T>(static_cast<const double *>(fragment)[i]);
  if (kind == MmaKind::tf32) {
    // The tensor core does not look at the low 13 bits.
    uint32_t bits = static_cast<const uint32_t *>(fragment)[i] & ~0x1fffu;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  return toFloat(static_cast<const uint16_t *>(fragment)[i], kind);
}

template <class T> T readSum(MmaKind kind, const void *fragment, int i) {
  if (kind == MmaKind::f64)
    return static_cast<T>(static_cast<const double *>(fragment)[i]);
  if (kind == MmaKind::f16f16)
    return toFloat(static_cast<const uint16_t *>(fragment)[i], kind);
  return static_cast<const float *>(fragment)[i];
}

template <class T> void writeSum(MmaKind kind, void *fragment, int i, T value) {
  if (kind == MmaKind::f64)
    static_cast<double *>(fragment)[i] = value;
  else if (kind == MmaKind::f16f16)
    static_cast<_Float16 *>(fragment)[i] = static_cast<_Float16>(value);
  else
    static_cast<float *>(fragment)[i] = static_cast<float>(value);
}

struct Mma : WarpCall {
  int k;
  const void *a, *b, *c;
  void *d;
};

/// D = A B + C; products are exact in T (but for f64).
template <MmaKind kind> void multiply(WarpCall *const *lanes) {
  using T = std::conditional_t<kind == MmaKind::f64, double, float>;
  auto of = [&](int lane) { return static_cast<const Mma *>(lanes[lane]); };
  constexpr int m = kind == MmaKind::f64 ? 8 : 16;
  int k = of(0)->k;
  constexpr int n = 8;
  T a[16][16], b[16][n], d[16][n];
  constexpr int inC = m * n / warpSize;
  int inA = m * k / warpSize, inB = n * k / warpSize;
  for (int lane = 0; lane < warpSize; ++lane) {
    const Mma *call = of(lane);
    for (int i = 0; i < inA; ++i) {
      Place p = placeInA(kind, lane, i);
      a[p.row][p.column] = readFactor<T>(kind, call->a, i);
    }
    for (int i = 0; i < inB; ++i) {
      Place p = placeInB(kind, lane, i);
      b[p.row][p.column] = readFactor<T>(kind, call->b, i);
    }
    for (int i = 0; i < inC; ++i) {
      Place p = placeInC(lane, i);
      d[p.row][p.column] = readSum<T>(kind, call->c, i);
    }
  }
  for (int row = 0; row < m; ++row)
    for (int q = 0; q < k; ++q)
      for (int column = 0; column < n; ++column)
        d[row][column] += a[row][q] * b[q][column];
  for (int lane = 0; lane < warpSize; ++lane)
    for (int i = 0; i < inC; ++i) {
      Place p = placeInC(lane, i);
      writeSum<T>(kind, of(lane)->d, i, d[p.row][p.column]);
    }
}

/// Of each MmaKind.
constexpr WarpCall::Resolve resolvers[] = {
    multiply<MmaKind::f16>, multiply<MmaKind::bf16>, multiply<MmaKind::tf32>,
    multiply<MmaKind::f64>, multiply<MmaKind::f16f16>};

/// Ops that need every lane of a warp.
void expectWholeWarp(const char *site) {
  Machine &machine = Machine::get();
  if (machine.lanesOfWarp() != warpSize)
    machine.fail(site, fmt::format("expects a warp of 32 lanes, but got {}",
                                   machine.lanesOfWarp()));
}

struct LoadMatrix : WarpCall {
  const char *row;
  int tiles;
  bool transpose;
  char *d;
};

void loadMatrices(WarpCall *const *lanes) {
  auto of = [&](int lane) { return static_cast<LoadMatrix *>(lanes[lane]); };
  int tiles = of(0)->tiles;
  bool transpose = of(0)->transpose;
  for (int tile = 0; tile < tiles; ++tile)
    for (int row = 0; row < 8; ++row) {
      const char *from = of(8 * tile + row)->row;
      if (!transpose) {
        // Lane 4 row + i gets elements 2 i and 2 i + 1.
        for (int i = 0; i < 4; ++i)
          std::memcpy(of(4 * row + i)->d + 4 * tile, from + 4 * i, 4);
        continue;
      }
      // Element c goes where row c would have its element `row`.
      for (int column = 0; column < 8; ++column)
        std::memcpy(of(4 * column + row / 2)->d + 4 * tile + row % 2 * 2,
                    from + 2 * column, 2);
    }
}

} // namespace

extern "C" void geo_simt_mma(const char *site, int32_t kind, int32_t k,
                             const void *a, const void *b, const void *c,
                             void *d) {
  expectWholeWarp(site);
  Mma call;
  call.resolve = resolvers[kind];
  call.site = site;
  call.k = k;
  call.a = a;
  call.b = b;
  call.c = c;
  call.d = d;
  Machine::get().meetWarp(call);
}

extern "C" void geo_simt_ldmatrix(const char *site, const char *row,
                                  int32_t tiles, int32_t transpose, char *d) {
  expectWholeWarp(site);
  Machine &machine = Machine::get();
  // Only the first lanes name rows.
  if (machine.context().lane < 8 * tiles) {
    machine.expectShared(site, row, 16);
    if (reinterpret_cast<uintptr_t>(row) % 16)
      machine.fail(site, fmt::format("expects rows at multiples of 16 bytes, "
                                     "but got byte {} of shared memory",
                                     row - machine.context().shared));
    if (Checker *checker = machine.activeChecker())
      checker->access(site, row, 16, Access::read);
  }
  LoadMatrix call;
  call.resolve = loadMatrices;
  call.site = site;
  call.row = row;
  call.tiles = tiles;
  call.transpose = transpose;
  call.d = d;
  machine.meetWarp(call);
}
