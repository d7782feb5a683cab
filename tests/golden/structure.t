Models whose structure a method needs, or that lack it.

A method for a structure that the system does not have: what is missing, and what fits.

  $ set -o pipefail; vessiot solve lotka_volterra --method rattle --step 0.1 2>&1 | sed 's/\(Methods that fit [a-z_]*: euler\).*/\1, …/'
  | vessiot: the method rattle needs positions with second derivatives, with multipliers for their constraints, or a hamiltonian; but 'x' is an unknown of order 1. Methods that fit lotka_volterra: euler, …
  [2]
  $ set -o pipefail; vessiot solve pendulum --method magnus4 --step 0.1 2>&1 | sed 's/\(Methods that fit [a-z_]*: euler\).*/\1, …/'
  | vessiot: the method magnus4 needs a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3). Methods that fit pendulum: euler, …
  [2]
  $ vessiot solve models/groups/rotation.ves --method magnus4 --step 0.1
  ! vessiot: the method magnus4 needs Y' = A(t)*Y with a matrix A that does not depend on Y, but this one does. Use "rkmk_rk4", "rkmk_dopri54", "cg3" or "cg4".
  [2]
  $ set -o pipefail; vessiot solve models/groups/volume.ves --method cayley_rk4 --step 0.1 2>&1 | sed 's/\(Methods that fit [a-z_]*: euler\).*/\1, …/'
  | vessiot: the method cayley_rk4 needs groups that Cayley's transform stays in (GL, O, SO, SE, Sp, Stiefel and SL(2)), but 'Y' is in SL(3). Methods that fit volume: euler, …
  [2]

A matrix of the wrong shape, and a group that is none.

  $ vessiot solve models/groups/shape.ves
  ! models/groups/shape.ves:2:8: the matrix is 3 x 3, but SE(3) has matrices of 4 x 4
  !     matrix Y[3,3] in SE(3)
  !            ^~~~~~~~~~~~~~~
  [2]
  $ sed 's/SE(3)/SU(3)/' models/groups/shape.ves > group.ves; vessiot solve group.ves
  ! group.ves:2:18: 'SU' is no group. There are: GL, SL, O, SO, Sp, Stiefel, SE
  !     matrix Y[3,3] in SU(3)
  !                      ^~
  [2]

A start outside of the group is moved into it, and the run says how far; a flow that leaves the group is refused.

  $ vessiot solve models/groups/outside.ves --method magnus2 --step 0.1 --at 1 | grep -vE ' time | invariants '
  | outside: system on a Lie group, order 1, index 0, 4 unknowns, 4 equations
  |   manifold     dimension 2, 1 degree of freedom, no hidden constraints
  |   method       magnus2 (order 2), direction explicit, projection simplified
  |   step         0.1, constant
  |   steps        10, and 0 rejected
  |   work         29 directions
  |   last point   t = 1, one of 1 reported
  |                Y[1,1] = 0.540302306   Y[1,2] = 0.841470985
  |                Y[2,1] = -0.841470985   Y[2,2] = 0.540302306
  |   note         start: the equation transpose(Y)*Y = identity(2) is off by
  |                0.0201; moved Y[1,1] by 0.01
  |   result       reached t = 1
  $ sed 's/-1, 0/1, 0/; s/1.01/1/' models/groups/outside.ves > leaving.ves; vessiot solve leaving.ves --method cg3 --step 0.1
  ! vessiot: the equation transpose(Y)*Y = identity(2) is not conserved: along the solution it changes at the relative rate 0.95. Check the equations and the invariant, or force it with `option invariants = impose` (--invariants impose).
  [2]

A step so long that the exponential is no chart; steps that are adapted are made shorter.

  $ vessiot solve models/groups/rotation.ves --method rkmk_rk4 --step 1 --quiet
  ! vessiot: the run ended at t = 0 (step 1, h = 1, a constant step): the step is so long that the exponential is no chart of the group there (an angle of pi or more). Try a smaller --step, or leave it out
  [1]
  $ vessiot solve models/groups/rotation.ves --method rkmk_dopri54 --at 4 | grep -E 'rejected|Y.1,1'
  |   steps        66, and 5 rejected (5 by error)
  |                Y[1,1] = 0.982410866   Y[1,2] = 0.0806709485
  $ vessiot solve models/groups/rotation.ves --method cayley_dopri54 --at 4 | grep -E 'method|Y.1,1'
  |   method       cayley_dopri54 (order 5), direction explicit, projection
  |                Y[1,1] = 0.982410891   Y[1,2] = 0.0806708218

Rigid motions: three methods of different kinds.

  $ vessiot solve models/groups/screw.ves --method magnus6 --step 0.05 --at 10 | grep -E 'method|Y.1,1'
  |   method       magnus6 (order 6), direction explicit, projection simplified
  |                Y[1,1] = -0.143880733   Y[1,2] = 0.156514253
  $ vessiot solve models/groups/screw.ves --method cayley_dop853 --step 0.05 --at 10 | grep -E 'method|Y.1,1'
  |   method       cayley_dop853 (order 8), direction explicit, projection
  |                Y[1,1] = -0.143880733   Y[1,2] = 0.156514253
  $ vessiot solve models/groups/screw.ves --method dop853 --rtol 1e-12 --atol 1e-14 --at 10 | grep -E 'method|Y.1,1'
  |   method       dop853 (order 8), direction explicit, projection simplified
  |                Y[1,1] = -0.143880733   Y[1,2] = 0.156514253
