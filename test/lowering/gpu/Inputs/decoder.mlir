// One training step of a decoder: the loss and all its gradients, from points with a
// conformal factor each, at the dimension that kernels are tuned for.
func.func @decoder(%x: tensor<?x128xf32>, %y: tensor<2000x128xf32>, %u: tensor<?xf64>, %w: tensor<2000xf64>, %c: f64, %tau: f64, %t: tensor<?xi32>, %ct: tensor<?xf64>) -> (tensor<?x128xf32>, tensor<2000x128xf32>, tensor<?xf64>, tensor<2000xf64>, tensor<?xf64>, tensor<?xf64>) {
  %o:8 = geo.pairwise_grad nll grams(%g = sqdiff %x, %y : tensor<?x128xf32>, tensor<2000x128xf32>) row(%a = %u : tensor<?xf64>) column(%b = %w : tensor<2000xf64>) shared(%k = %c : f64, %s = %tau : f64) targets(%t : tensor<?xi32>) cotangent(%ct : tensor<?xf64>) math f32 {
    %minus = arith.constant -1.0 : f32
    %four = arith.constant 4.0 : f32
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %g, %p : f32
    %z = arith.mulf %k, %q : f32
    %f = geo.even asinhc %z : f32
    %q4 = arith.mulf %q, %four : f32
    %ff = arith.mulf %f, %f : f32
    %d2 = arith.mulf %q4, %ff : f32
    %d2s = arith.divf %d2, %s : f32
    %logit = arith.negf %d2s : f32
    %m = arith.divf %minus, %s : f32
    %md = arith.mulf %m, %d2s : f32
    %ds = arith.negf %md : f32
    %mff = arith.mulf %m, %ff : f32
    %mq = arith.mulf %m, %q4 : f32
    %mqf = arith.mulf %mq, %f : f32
    %e = arith.mulf %mff, %four : f32
    %h = arith.addf %mqf, %mqf : f32
    %df = geo.even asinhc %z {order = 1 : i64} : f32
    %hd = arith.mulf %h, %df : f32
    %dk = arith.mulf %hd, %q : f32
    %hk = arith.mulf %hd, %k : f32
    %dq = arith.addf %e, %hk : f32
    %dg = arith.mulf %dq, %p : f32
    %dp = arith.mulf %dq, %g : f32
    %da = arith.mulf %dp, %b : f32
    %db = arith.mulf %dp, %a : f32
    geo.yield %logit, %dg, %da, %db, %dk, %ds : f32, f32, f32, f32, f32, f32
  } -> (tensor<?x128xf32>, tensor<2000x128xf32>, tensor<?xf64>, tensor<2000xf64>, f64, f64, tensor<?xf64>, tensor<?xf64>)
  return %o#0, %o#1, %o#2, %o#3, %o#6, %o#7 : tensor<?x128xf32>, tensor<2000x128xf32>, tensor<?xf64>, tensor<2000xf64>, tensor<?xf64>, tensor<?xf64>
}
