Derivatives of solutions: --sensitivity

  $ vessiot solve pendulum --sensitivity "g,l,start:x'" --to 1 | grep -v '^  time' | sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'
  | pendulum: holonomic system, order N, index N, N unknowns, N equations
  |   manifold     dimension N, N degree of freedom, N hidden constraints
  |   method       dopriN (order N), direction kkt, projection simplified
  |   tolerances   rtol N, atol N
  |   steps        N, and N rejected
  |   work         N directions, N projections of N iterations
  |   residual     N of the constraints (absolute N)
  |   last point   t = N, one of N reported
  |                x = N   x' = N   y = N
  |                y' = N   lambda = N
  |   derivatives  by g
  |                x = N   x' = N   y = N   y' = N
  |                lambda = N
  |                by l
  |                x = N   x' = N   y = N   y' = N
  |                lambda = N
  |                by start:x'
  |                x = N   x' = N   y = N   y' = N   lambda = N
  |   note         sensitivity: the constraints do not leave the start value of x'
  |                free: moved by N, to first order, x' itself moves by N
  |   result       reached t = N
  $ vessiot solve hanging_chain --sensitivity all --to 0.1 | grep -v '^  time' | sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'
  | hanging_chain: holonomic system, order N, index N, N unknowns, N equations
  |   manifold     dimension N, N degrees of freedom, N hidden constraints
  |   method       dopriN (order N), direction kkt, projection simplified
  |   tolerances   rtol N, atol N
  |   steps        N, and N rejected
  |   work         N directions, N projections of N iterations
  |   residual     N of the constraints (absolute N)
  |   last point   t = N, one of N reported
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N]' = N   x[N]' = N
  |                … N more
  |   derivatives  by g
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N]' = N   x[N]' = N
  |                … N more
  |                by l
  |                x[N] = N   x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N] = N   x[N] = N
  |                x[N] = N   x[N] = N   x[N]' = N
  |                x[N]' = N   … N more
  |   result       reached t = N
  $ vessiot solve kepler --sensitivity e --sensitivity-control off --to 1 | grep -v '^  time' | sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'
  | kepler: explicit system with invariants, order N, index N, N unknowns, N equations
  |   manifold     dimension N, N degrees of freedom, no hidden constraints
  |   method       dopriN (order N), direction explicit, projection simplified
  |   tolerances   rtol N, atol N
  |   steps        N, and N rejected
  |   work         N directions, N projections of N iterations
  |   invariants   N off at most
  |   last point   t = N, one of N reported
  |                x = N   x' = N   y = N
  |                y' = N
  |   derivatives  by e
  |                x = N   x' = N   y = N   y' = N
  |   result       reached t = N

A start value that the constraints do not leave free

  $ vessiot solve pendulum --sensitivity start:x --to 0.1 | grep -v '^  time' | sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'
  | pendulum: holonomic system, order N, index N, N unknowns, N equations
  |   manifold     dimension N, N degree of freedom, N hidden constraints
  |   method       dopriN (order N), direction kkt, projection simplified
  |   tolerances   rtol N, atol N
  |   steps        N, and N rejected
  |   work         N directions, N projections of N iterations
  |   residual     N of the constraints (absolute N)
  |   last point   t = N, one of N reported
  |                x = N   x' = N   y = N
  |                y' = N   lambda = N
  |   derivatives  by start:x
  |                x = N   x' = N   y = N   y' = N   lambda = N
  |   note         sensitivity: the constraints do not leave the start value of x
  |                free: moved by N, to first order, x itself moves by N
  |   result       reached t = N

What does not go together

  $ vessiot solve pendulum --sensitivity G
  ! vessiot: --sensitivity G: pendulum has no parameter 'G'; did you mean 'g'? It has: g, l
  [2]
  $ vessiot solve pendulum --sensitivity x
  ! vessiot: --sensitivity x: 'x' is an unknown, not a parameter. Its start value is named start:x
  [2]
  $ vessiot solve pendulum --sensitivity start:z
  ! vessiot: 'z' is no unknown of pendulum and no derivative of one that a start value could be given for. It has: x, x', y, y', x'' and 2 more
  [2]
  $ vessiot solve pendulum --sensitivity start:lambda
  ! vessiot: --sensitivity start:lambda: lambda follows from the equations, and has no start value of its own
  [2]
  $ vessiot solve pendulum --sensitivity g,,l
  ! vessiot: --sensitivity needs names with commas between them, but found 'g,,l'
  [2]
  $ vessiot solve pendulum --sensitivity-control maybe
  ! vessiot: --sensitivity-control must be one of on, off, but found 'maybe'
  [2]
  $ vessiot solve hanging_chain --sensitivity n
  ! vessiot: --sensitivity n: sizes, loops or indices of hanging_chain are made of 'n', so that it cannot change by a small amount. Ask for another parameter
  [2]
  $ vessiot solve robertson --sensitivity all
  ! vessiot: --sensitivity all: robertson has no parameter that its solution could be differentiated by. Start values are named start:x
  [2]
  $ vessiot solve pendulum --sensitivity g --method rattle
  ! vessiot: the method rattle does not carry derivatives of the solution: with --sensitivity take a Runge-Kutta method on the constraints, such as dopri54 or radau5, or taylor
  [2]
  $ vessiot solve pendulum --sensitivity g --method dae_radau5
  ! vessiot: the method dae_radau5 does not carry derivatives of the solution: with --sensitivity take a Runge-Kutta method on the constraints, such as dopri54 or radau5, or taylor
  [2]
  $ vessiot solve pendulum --sensitivity g --projection tangent
  ! vessiot: --projection tangent does not carry derivatives of the solution: with --sensitivity it is one of simplified, newton, chord, inexact, none
  [2]
  $ vessiot solve impasse --sensitivity start:y --parametrisation arclength
  ! vessiot: derivatives of the solution are taken at a fixed time, but in arclength the point of a given s moves in time too: leave out --parametrisation arclength, or --sensitivity
  [2]
