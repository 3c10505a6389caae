// RUN: geo-opt %s --split-input-file --verify-diagnostics

// geo.mobius_add C1: points.
func.func @mobius_add_c1(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.mobius_add' op expects x to be points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.mobius_add %x, %x : tensor<?x4xf32>
  return
}

// -----

// geo.mobius_add C1: a batch, one point per row.
func.func @mobius_add_c1_rank(%x: tensor<4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.mobius_add' op expects x to be [N, d] with static d, but got 'tensor<4xf32, #geo.poincare<1.0>>'}}
  %0 = geo.mobius_add %x, %x : tensor<4xf32, #geo.poincare<1.0>>
  return
}

// -----

// geo.mobius_add C2: a value for a labelled curvature.
func.func @mobius_add_c2(%x: tensor<?x4xf32, #geo.poincare<"c">>) {
  // expected-error @below {{'geo.mobius_add' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.mobius_add %x, %x : tensor<?x4xf32, #geo.poincare<"c">>
  return
}

// -----

// geo.mobius_add C2: and for no other.
func.func @mobius_add_c2_constant(%x: tensor<?x4xf32, #geo.poincare<1.0>>, %c: f64) {
  // expected-error @below {{'geo.mobius_add' op expects 0 curvature operands, one per label of #geo.poincare<1.0>, but got 1}}
  %0 = geo.mobius_add %x, %x curvature(%c) : tensor<?x4xf32, #geo.poincare<1.0>>
  return
}

// -----

// geo.expmap0 C1: to points.
func.func @expmap0_c1(%v: tensor<?x4xf32>) {
  // expected-error @below {{'geo.expmap0' op expects the result to be points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.expmap0 %v : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// geo.expmap0 C1: from tangent vectors.
func.func @expmap0_c1_points(%x: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.expmap0' op expects v to be a plain tensor of type 'tensor<?x4xf32>', but got 'tensor<?x4xf32, #geo.poincare<1.0>>'}}
  %0 = geo.expmap0 %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32, #geo.poincare<1.0>>
  return
}

// -----

// geo.expmap0 C2.
func.func @expmap0_c2(%v: tensor<?x4xf32>) {
  // expected-error @below {{'geo.expmap0' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.expmap0 %v : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  return
}

// -----

// geo.logmap0 C1: from points.
func.func @logmap0_c1(%v: tensor<?x4xf32>) {
  // expected-error @below {{'geo.logmap0' op expects x to be points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.logmap0 %v : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// geo.logmap0 C1: to tangent vectors of the same shape.
func.func @logmap0_c1_shape(%x: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.logmap0' op expects the result to be a plain tensor of type 'tensor<?x4xf32>', but got 'tensor<?x8xf32>'}}
  %0 = geo.logmap0 %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x8xf32>
  return
}

// -----

// geo.logmap0 C2.
func.func @logmap0_c2(%x: tensor<?x4xf32, #geo.poincare<"c">>) {
  // expected-error @below {{'geo.logmap0' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.logmap0 %x : tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x4xf32>
  return
}

// -----

// geo.expmap C1: v is plain.
func.func @expmap_c1(%x: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.expmap' op expects v to be a plain tensor of type 'tensor<?x4xf32>', but got 'tensor<?x4xf32, #geo.poincare<1.0>>'}}
  %0 = geo.expmap %x, %x : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>>
  return
}

// -----

// geo.expmap C2.
func.func @expmap_c2(%x: tensor<?x4xf32, #geo.poincare<"c">>, %v: tensor<?x4xf32>) {
  // expected-error @below {{'geo.expmap' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.expmap %x, %v : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32>
  return
}

// -----

// geo.conformal_factor C1: a number per row.
func.func @conformal_factor_c1(%x: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.conformal_factor' op expects a result of type 'tensor<?xf64>', but got 'tensor<?xf32>'}}
  %0 = geo.conformal_factor %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf32>
  return
}

// -----

// geo.conformal_factor C2.
func.func @conformal_factor_c2(%x: tensor<?x4xf32, #geo.poincare<1.0>>, %c: f64) {
  // expected-error @below {{'geo.conformal_factor' op expects 0 curvature operands, one per label of #geo.poincare<1.0>, but got 1}}
  %0 = geo.conformal_factor %x curvature(%c) : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  return
}

// -----

// geo.project C1: to points.
func.func @project_c1(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.project' op expects the result to be points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.project %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// geo.project C2.
func.func @project_c2(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.project' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.project %x : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  return
}

// -----

// geo.project C3: inside, but not at the origin.
func.func @project_c3(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.project' op expects 0 < fraction < 1, but got 1.000000e+00}}
  %0 = geo.project %x {fraction = 1.0 : f64} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  return
}

// -----

func.func @project_c3_zero(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.project' op expects 0 < fraction < 1, but got 0.000000e+00}}
  %0 = geo.project %x {fraction = 0.0 : f64} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  return
}
