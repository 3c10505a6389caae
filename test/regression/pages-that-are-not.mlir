// A page like none that there is, or like itself: an error, where formulas that it
// should have inherited used to be missing without a word.
// RUN: geo-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'geo.manifold' op expects to be like a page of the module or a built-in one, but got @poincar}}
geo.manifold @mine(c > 0) like @poincar {
}

// -----

// expected-error @below {{'geo.manifold' op expects pages that are like each other to end, but got a circle}}
geo.manifold @mine(c > 0) like @mine {
}

// -----

// expected-error @below {{'geo.manifold' op expects pages that are like each other to end, but got a circle}}
geo.manifold @one(c > 0) like @two {
}
// expected-error @below {{'geo.manifold' op expects pages that are like each other to end, but got a circle}}
geo.manifold @two(c > 0) like @one {
}
