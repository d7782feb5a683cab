Lengths that satisfy constraints: rays that are tangent, sets that do not fit.

A tight tolerance passes x + y = 2, where the ray from the origin is tangent to the level set, by the fallback, and says so.

  $ vessiot solve lotka_volterra --method mgps --step 0.01 | grep -A 1 -E 'method|note'
  |   method       mgps (order 1), direction explicit, projection ray
  |   step         0.01, constant
  | --
  |   note         24 of 2000 projections were orthogonal, where rays are tangent to
  |                the constraints (first at t = 1.86)
  $ vessiot solve lotka_volterra --method mgps --step 0.01 --json | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["status"], s["stats"]["fallbacks"] > 3, s["invariant_drift_max"] < 2e-15)'
  | success True True

Without it the run ends there and explains.

  $ vessiot solve lotka_volterra --method mgps --step 0.01 --fallback none --quiet
  ! vessiot: the run ended at t = 1.85 (step 186, h = 0.01, a constant step): no length of [[x, y]] satisfies the invariant log(x) - x + log(y) - y: the ray is tangent to the constraint there: n.grad rho = 0.0062 |grad rho|. Leave out fallback = none (points are then projected orthogonally there), or try another partition. Try a smaller --step, or leave it out
  [1]

Rays of the gradient are never tangent for this function.

  $ vessiot solve lotka_volterra --method hmgps --step 0.01 --json | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["status"], s["stats"]["fallbacks"])'
  | success 0

Sets that do not fit.

  $ vessiot solve liu_top --method mrk4 --partition '[[P[1]], [P[2]]]'
  ! vessiot: the partition [[P[1]], [P[2]]] leaves out P[3], which the constraints contain (the invariant (P[1]^2/I1 + P[2]^2/I2 + P[3]^2/I3)/2; the invariant (P[1]^2 + P[2]^2 + P[3]^2)/2): each of these belongs to a set
  [2]
  $ vessiot solve liu_top --method mrk4 --partition '[[P]]'
  ! vessiot: the partition [[P[1], P[2], P[3]]] has 1 set, but there are 2 constraints (the invariant (P[1]^2/I1 + P[2]^2/I2 + P[3]^2/I3)/2; the invariant (P[1]^2 + P[2]^2 + P[3]^2)/2): each length satisfies one of them, so that as many sets are needed
  [2]
  $ vessiot solve liu_top --method mrk4 --partition '[[P[1], Q], [P[3]]]'
  ! vessiot: partition: 'Q' is none of what the steps of liu_top move: P, P[1], P[2], P[3]
  [2]
  $ vessiot solve liu_planar --method mrk4 --partition '[x, y]'
  ! vessiot: partition = [x, y], but 'x' is no set in brackets. It is a list of sets of unknowns, such as [[x, y], [z]]
  [2]
  $ vessiot solve liu_planar --method mgps --start x=0 --start y=0
  ! vessiot: the set [x, y] is 0 at the start point, where it has no direction whose length could be found. Start elsewhere, or use another projection
  [2]
  $ vessiot solve liu_index3 --method mrk4 --partition "[[u1, u2], [u1', u2']]" --start "u1'=1"
  ! vessiot: the partition [[u1, u2], [u1', u2']] makes the constraints (u1^2 + u2^2 = 1; the derivative of u1^2 + u2^2 = 1) singular at the start point and near it: changes of its lengths do not change all of them. Try another one, or leave it out
  [2]

Systems that do not fit.

  $ vessiot solve liu_planar --method kahan 2>&1 | cut -c 1-140
  | vessiot: the method kahan needs a field of degree 2 at most, which that of liu_planar is not: x' = -2*y - x*sin(x*y) is no polynomial of deg
  $ vessiot solve liu_top --method forest_ruth 2>&1 | cut -c 1-160
  | vessiot: the method forest_ruth needs two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which liu_top does not have: the derivatives of P[3] and P[2] m
  $ vessiot solve liu_top --method hmgps 2>&1 | cut -c 1-110
  | vessiot: the method hmgps needs one constraint or invariant, whose gradient it follows, but liu_top has 2. Met
  $ vessiot solve liu_planar --projection newton --newton-stop residual
  ! vessiot: newton_stop = residual acts on projections newton, chord and inexact (sound, printed, increment), simplified, partition and tangent (sound, increment), ray and gradient-ray (sound, residual, increment), but the projection is newton: leave it out
  [2]
  $ vessiot solve liu_planar --projection ray --newton-stop printed
  ! vessiot: newton_stop = printed acts on projections newton, chord and inexact (sound, printed, increment), simplified, partition and tangent (sound, increment), ray and gradient-ray (sound, residual, increment), but the projection is ray: leave it out
  [2]
