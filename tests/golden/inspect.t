What inspect says about models.

A pendulum with a multiplier, written as equations

  $ vessiot inspect models/pendulum.ves
  | pendulum: holonomic system, order 2, 3 unknowns, 3 equations
  |
  | Unknowns
  |   x        order 2   differential
  |   y        order 2   differential
  |   lambda   order 0   multiplier
  |
  | Equations
  |   x'' = -lambda*x
  |   y'' = -lambda*y - g
  |   x^2 + y^2 = l^2
  |
  | Invariants
  |   (x'^2 + y'^2)/2 + g*y
  |
  | Parameters
  |   g = 9.81, l = 1
  |
  | Start point
  |   x = l = 1, y = 0, x' = 0, y' = 0
  |
  | Run
  |   interval   t = 0 .. 10
  |   options    method = dopri54, rtol = 1e-8, atol = 1e-10
  |   output     every 0.05
  |   event      lowest: x = 0, rising
  |
  | Structure
  |   equations         3, from 3 templates
  |   nonzeros of df    8 of 3 x 7 (38.1 %)
  |   nonzeros of d2f   4 in the lower triangle of 7 x 7 (14.3 %)
  |
  |   operations        in the code   per evaluation
  |     f                         9                9
  |     f, df                    11               11
  |     f, df, d2f               12               12
  |
  | Structural analysis
  |   structural index 3, 1 degree of freedom, 2 hidden constraints
  |   differentiated twice: x^2 + y^2 = l^2
  |   for the highest derivatives: 1 block of 3 equations
  |   by structure alone, without numbers: terms that cancel are not noticed
  |
  | At the start point
  |   index 3, 1 degree of freedom, 2 hidden constraints, manifold of dimension 2
  |   the equations determine the highest derivatives (condition number 2.6)
  |
  | Constraints
  |   written   x^2 + y^2 = l^2
  |   hidden    2*x*x' + 2*y*y' = 0   (the derivative of x^2 + y^2 = l^2)
  |
  | Involution
  |   in jet space J_2 of dimension 10: R_2^(4) is involutive, from the equations
  |       and their derivatives up to order 6
  |              dimension   symbol
  |   R_2                7        1
  |   R_2^(1)            6        1
  |   R_2^(2)            5        1
  |   R_2^(3)            4        1
  |   R_2^(4)            3        0
  |
  | Consistent start point
  |   x = 1, x' = 0, y = 0, y' = 0, x'' = 0, y'' = -9.81, lambda = 0
  |
  | Methods
  |   euler, rk2, heun, rk3, rk4, bs32, rkf45, dopri54, tsit54, dop853, feagin108,
  |   implicit_euler, implicit_midpoint, trapezoidal, radau_i3, radau_i5, radau3,
  |   radau5, radau9, lobatto4, gauss4, gauss6, gauss8, dae_radau1, dae_radau3,
  |   dae_radau5, dae_radau9, dae_radau, bdf1, bdf2, bdf3, bdf4, bdf5, bdf6, ida,
  |   ab2, ab3, ab4, ab5, ab6, … 36 more; --full shows all
  |   kahan needs a field of degree 2 at most, which that of pendulum is not: it has
  |       constraints
  |   magnus2, magnus4, magnus6, cg3, cg4, rkmk_euler, rkmk_rk2, rkmk_heun,
  |       rkmk_rk3, rkmk_rk4, rkmk_bs32, rkmk_rkf45, rkmk_dopri54, rkmk_tsit54,
  |       rkmk_dop853, rkmk_feagin108, cayley_rk2, cayley_rk4, cayley_dopri54,
  |       cayley_dop853 need a matrix with Y' = A(t, Y)*Y, declared as in: matrix
  |       Y[3,3] in SO(3)
  |   dae_gauss2, dae_gauss4 need equations of index 1 at most, but those of
  |       pendulum have index 3
  |   dae_gauss6 needs equations of index 2 at most, but those of pendulum have
  |       index 3
  |   hgps, hmgps need one constraint or invariant, whose gradient it follows, but
  |       pendulum has 3
  |   verlet, forest_ruth, yoshida4, yoshida6, yoshida8 need two halves of the
  |       unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it
  |       has constraints

A chain from its lagrangian, also with more links

  $ vessiot inspect models/chain.ves
  | chain: holonomic system, order 2, 17 unknowns, 17 equations
  |
  | Unknowns
  |   x[6]        order 2   differential
  |   y[6]        order 2   differential
  |   lambda[5]   order 0   multiplier
  |
  | Lagrangian
  |   sum(i = 1..6, 0.5*(x[i]'^2 + y[i]'^2))
  |       - 0.5*c*sum(i = 1..4, (x[i] - x[i+2])^2 + (y[i] - y[i+2])^2)
  |
  | Constraints
  |   for i = 1..5: ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0
  |
  | Equations of motion (derived)
  |   x[1]'' + c*(x[1] - x[3]) + lambda[1]*(x[1] - x[2]) = 0
  |   x[2]'' + c*(x[2] - x[4]) + lambda[2]*(x[2] - x[3])
  |       + lambda[1]*(x[2] - x[1]) = 0
  |   for i = 3..4: x[i]'' + c*(x[i] - x[i+2]) + lambda[i]*(x[i] - x[i+1])
  |       - c*(x[i-2] - x[i]) + lambda[i-1]*(x[i] - x[i-1]) = 0
  |   x[5]'' - c*(x[3] - x[5]) + lambda[5]*(x[5] - x[6])
  |       + lambda[4]*(x[5] - x[4]) = 0
  |   x[6]'' - c*(x[4] - x[6]) + lambda[5]*(x[6] - x[5]) = 0
  |   y[1]'' + c*(y[1] - y[3]) + lambda[1]*(y[1] - y[2]) = 0
  |   y[2]'' + c*(y[2] - y[4]) + lambda[2]*(y[2] - y[3])
  |       + lambda[1]*(y[2] - y[1]) = 0
  |   for i = 3..4: y[i]'' + c*(y[i] - y[i+2]) + lambda[i]*(y[i] - y[i+1])
  |       - c*(y[i-2] - y[i]) + lambda[i-1]*(y[i] - y[i-1]) = 0
  |   y[5]'' - c*(y[3] - y[5]) + lambda[5]*(y[5] - y[6])
  |       + lambda[4]*(y[5] - y[4]) = 0
  |   y[6]'' - c*(y[4] - y[6]) + lambda[5]*(y[6] - y[5]) = 0
  |
  | Parameters
  |   n = 6, c = 10
  |
  | Start point
  |   for i = 1..6: x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = sin(i)
  |   hold x, y
  |
  | Run
  |   interval   t = 0 .. 1
  |
  | Structure
  |   equations         17, from 11 templates
  |   nonzeros of df    100 of 17 x 41 (14.3 %)
  |   nonzeros of d2f   42 in the lower triangle of 41 x 41 (4.88 %)
  |
  |   operations        in the code   per evaluation
  |     f                       117              117
  |     f, df                   134              134
  |     f, df, d2f              163              163
  |
  | Structural analysis
  |   structural index 3, 7 degrees of freedom, 10 hidden constraints
  |   differentiated twice for i = 1..5:
  |       ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0
  |   for the highest derivatives: 1 block of 17 equations
  |   by structure alone, without numbers: terms that cancel are not noticed
  |
  | At the start point
  |   index 3, 7 degrees of freedom, 10 hidden constraints, manifold of dimension 15
  |   the equations determine the highest derivatives (condition number 11)
  |
  | Constraints
  |   written   for i = 1..5: ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0
  |   hidden    for i = 1..5: (x[i] - x[i+1])*x[i]' + (x[i+1] - x[i])*x[i+1]'
  |       + (y[i] - y[i+1])*y[i]' + (y[i+1] - y[i])*y[i+1]' = 0
  |       (the derivative of ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0)
  |
  | Involution
  |   in jet space J_2 of dimension 52: R_2^(4) is involutive, from the equations
  |       and their derivatives up to order 6
  |              dimension   symbol
  |   R_2               35        5
  |   R_2^(1)           30        5
  |   R_2^(2)           25        5
  |   R_2^(3)           20        5
  |   R_2^(4)           15        0
  |
  | Consistent start point
  |   x[1] = 1, x[2] = 2, x[3] = 3, x[4] = 4, x[5] = 5, x[6] = 6, x[1]' = 0,
  |   x[2]' = 0, x[3]' = 0, x[4]' = 0, x[5]' = 0, x[6]' = 0, y[1] = 0, y[2] = 0,
  |   y[3] = 0, y[4] = 0, y[5] = 0, y[6] = 0, y[1]' = 0.8414709848,
  |   y[2]' = 0.9092974268, y[3]' = 0.1411200081, y[4]' = -0.7568024953,
  |   y[5]' = -0.9589242747, y[6]' = -0.2794154982, x[1]'' = 0.8909368981,
  |   x[2]'' = 0.8863364719, x[3]'' = 0.2962399252, x[4]'' = -0.5100248969,
  |   x[5]'' = -0.5508781105, x[6]'' = -1.012610288, y[1]'' = 0, y[2]'' = 0,
  |   y[3]'' = 0, y[4]'' = 0, y[5]'' = 0, y[6]'' = 0, lambda[1] = -19.1090631,
  |   lambda[2] = -38.22272663, lambda[3] = -37.9264867, lambda[4] = -38.4365116,
  |   lambda[5] = -18.98738971
  |
  | Methods
  |   euler, rk2, heun, rk3, rk4, bs32, rkf45, dopri54, tsit54, dop853, feagin108,
  |   implicit_euler, implicit_midpoint, trapezoidal, radau_i3, radau_i5, radau3,
  |   radau5, radau9, lobatto4, gauss4, gauss6, gauss8, dae_radau1, dae_radau3,
  |   dae_radau5, dae_radau9, dae_radau, bdf1, bdf2, bdf3, bdf4, bdf5, bdf6, ida,
  |   ab2, ab3, ab4, ab5, ab6, … 36 more; --full shows all
  |   kahan needs a field of degree 2 at most, which that of chain is not: it has
  |       constraints
  |   magnus2, magnus4, magnus6, cg3, cg4, rkmk_euler, rkmk_rk2, rkmk_heun,
  |       rkmk_rk3, rkmk_rk4, rkmk_bs32, rkmk_rkf45, rkmk_dopri54, rkmk_tsit54,
  |       rkmk_dop853, rkmk_feagin108, cayley_rk2, cayley_rk4, cayley_dopri54,
  |       cayley_dop853 need a matrix with Y' = A(t, Y)*Y, declared as in: matrix
  |       Y[3,3] in SO(3)
  |   dae_gauss2, dae_gauss4 need equations of index 1 at most, but those of chain
  |       have index 3
  |   dae_gauss6 needs equations of index 2 at most, but those of chain have index 3
  |   hgps, hmgps need one constraint or invariant, whose gradient it follows, but
  |       chain has 10
  |   verlet, forest_ruth, yoshida4, yoshida6, yoshida8 need two halves of the
  |       unknowns, q' = a(t, p) and p' = b(t, q), which chain does not have: it has
  |       constraints
  $ vessiot inspect models/chain.ves --set n=100000 --set c=2.5 | head -n 1
  | chain: holonomic system, order 2, 299999 unknowns, 299999 equations
  $ vessiot inspect --set=n=4 models/chain.ves | head -n 6
  | chain: holonomic system, order 2, 11 unknowns, 11 equations
  |
  | Unknowns
  |   x[4]        order 2   differential
  |   y[4]        order 2   differential
  |   lambda[3]   order 0   multiplier

An implicit equation

  $ vessiot inspect models/implicit.ves
  | implicit: general system, order 1, 1 unknown, 1 equation
  |
  | Unknowns
  |   y   order 1   differential
  |
  | Equations
  |   y'^2 + y^2 + t^2 = 1
  |
  | Start point
  |   y = 0, y' = 1
  |
  | Run
  |   interval   t = 0 .. 3
  |   options    parametrisation = arclength
  |
  | Structure
  |   equations         1, from 1 template
  |   nonzeros of df    2 of 1 x 2 (100 %)
  |   nonzeros of d2f   2 in the lower triangle of 2 x 2 (66.7 %)
  |
  |   operations        in the code   per evaluation
  |     f                         6                6
  |     f, df                     8                8
  |     f, df, d2f                9                9
  |
  | Structural analysis
  |   structural index 0, 1 degree of freedom, no hidden constraints
  |   for the highest derivatives: 1 block of 1 equation
  |   by structure alone, without numbers: terms that cancel are not noticed
  |
  | At the start point
  |   index 0, 1 degree of freedom, no hidden constraints, manifold of dimension 2
  |   the equations determine the highest derivatives (condition number 1)
  |
  | Constraints
  |   written   y'^2 + y^2 + t^2 = 1
  |
  | Involution
  |   in jet space J_1 of dimension 3: R_1 is involutive, the equations as they are
  |       written
  |              dimension   symbol
  |   R_1                2        0
  |
  | Consistent start point
  |   y = 0, y' = 1, y'' = 0
  |   another branch: y' = -1
  |
  | Methods
  |   euler, rk2, heun, rk3, rk4, bs32, rkf45, dopri54, tsit54, dop853, feagin108,
  |   implicit_euler, implicit_midpoint, trapezoidal, radau_i3, radau_i5, radau3,
  |   radau5, radau9, lobatto4, gauss4, gauss6, gauss8, dae_radau1, dae_radau3,
  |   dae_radau5, dae_radau9, dae_radau, dae_gauss2, dae_gauss4, dae_gauss6, bdf1,
  |   bdf2, bdf3, bdf4, bdf5, bdf6, ida, ab2, ab3, … 33 more; --full shows all
  |   kahan needs a field of degree 2 at most, which that of implicit is not: it has
  |       constraints
  |   magnus2, magnus4, magnus6, cg3, cg4, rkmk_euler, rkmk_rk2, rkmk_heun,
  |       rkmk_rk3, rkmk_rk4, rkmk_bs32, rkmk_rkf45, rkmk_dopri54, rkmk_tsit54,
  |       rkmk_dop853, rkmk_feagin108, cayley_rk2, cayley_rk4, cayley_dopri54,
  |       cayley_dop853 need a matrix with Y' = A(t, Y)*Y, declared as in: matrix
  |       Y[3,3] in SO(3)
  |   symplectic_euler, constrained_euler, shake, rattle, rattle4, rattle6, rattle8,
  |       lobatto3ab need equations that are linear in the highest derivatives and
  |       the multipliers, in a formulation of their own (not --formulation general)
  |   verlet, forest_ruth, yoshida4, yoshida6, yoshida8 need two halves of the
  |       unknowns, q' = a(t, p) and p' = b(t, q), which implicit does not have: it
  |       has constraints

A hamiltonian

  $ vessiot inspect models/kepler.ves
  | kepler: hamiltonian system, order 1, 4 unknowns, 4 equations
  |
  | Unknowns
  |   q[2]   order 1   differential
  |   p[2]   order 1   differential
  |
  | Hamiltonian
  |   0.5*(p[1]^2 + p[2]^2) - mu/sqrt(q[1]^2 + q[2]^2)
  |   with q: p
  |
  | Equations of motion (derived)
  |   q[1]' - p[1] = 0
  |   q[2]' - p[2] = 0
  |   p[1]' + mu/((q[1]^2 + q[2]^2)*sqrt(q[1]^2 + q[2]^2))*q[1] = 0
  |   p[2]' + mu/((q[1]^2 + q[2]^2)*sqrt(q[1]^2 + q[2]^2))*q[2] = 0
  |
  | Parameters
  |   mu = 1, ecc = 0.6
  |
  | Start point
  |   q[1] = 1 - ecc = 0.4, q[2] = 0, p[1] = 0, p[2] = sqrt((ecc + 1)/(1 - ecc)) = 2
  |
  | Run
  |   interval   t = 0 .. 62.83185307179586
  |   output     L = q[1]*p[2] - q[2]*p[1]
  |
  | Structure
  |   equations         4, from 4 templates
  |   nonzeros of df    10 of 4 x 8 (31.2 %)
  |   nonzeros of d2f   3 in the lower triangle of 8 x 8 (8.33 %)
  |
  |   operations        in the code   per evaluation
  |     f                        12               12
  |     f, df                    36               36
  |     f, df, d2f              128              128
  |
  | Structural analysis
  |   structural index 0, 2 degrees of freedom, no hidden constraints
  |   for the highest derivatives: 4 blocks of 1 equation
  |   by structure alone, without numbers: terms that cancel are not noticed
  |
  | At the start point
  |   index 0, 2 degrees of freedom, no hidden constraints, manifold of dimension 5
  |   the equations determine the highest derivatives (condition number 1)
  |
  | Involution
  |   in jet space J_1 of dimension 9: R_1 is involutive, the equations as they are
  |       written
  |              dimension   symbol
  |   R_1                5        0
  |
  | Consistent start point
  |   q[1] = 0.4, q[2] = 0, p[1] = 0, p[2] = 2, q[1]' = 0, q[2]' = 2, p[1]' = -6.25,
  |   p[2]' = 0
  |
  | Methods
  |   euler, rk2, heun, rk3, rk4, bs32, rkf45, dopri54, tsit54, dop853, feagin108,
  |   implicit_euler, implicit_midpoint, trapezoidal, radau_i3, radau_i5, radau3,
  |   radau5, radau9, lobatto4, gauss4, gauss6, gauss8, dae_radau1, dae_radau3,
  |   dae_radau5, dae_radau9, dae_radau, dae_gauss2, dae_gauss4, dae_gauss6, bdf1,
  |   bdf2, bdf3, bdf4, bdf5, bdf6, ida, ab2, ab3, … 32 more; --full shows all
  |   kahan needs a field of degree 2 at most, which that of kepler is not: p[1]'
  |       + mu/((q[1]^2 + q[2]^2)*sqrt(q[1]^2 + q[2]^2))*q[1] is no polynomial of
  |       degree 2
  |   magnus2, magnus4, magnus6, cg3, cg4, rkmk_euler, rkmk_rk2, rkmk_heun,
  |       rkmk_rk3, rkmk_rk4, rkmk_bs32, rkmk_rkf45, rkmk_dopri54, rkmk_tsit54,
  |       rkmk_dop853, rkmk_feagin108, cayley_rk2, cayley_rk4, cayley_dopri54,
  |       cayley_dop853 need a matrix with Y' = A(t, Y)*Y, declared as in: matrix
  |       Y[3,3] in SO(3)
  |   meuler, mrk2, mheun, mrk3, mrk4, mbs32, mrkf45, mdopri54, mtsit54, mdop853,
  |       mfeagin108, mgps need constraints or invariants, which kepler does not
  |       have
  |   hgps, hmgps need one constraint or invariant, whose gradient it follows, but
  |       kepler has none

Warnings go to standard error

  $ vessiot inspect models/unused.ves | head -n 1
  | unused: explicit system, order 1, 1 unknown, 1 equation
  ! models/unused.ves:2:18: warning: the parameter 'spare' is used nowhere
  !     parameter k = 1, spare = 2
  !                      ^~~~~

Options may stand before the model; after -- there are none

  $ vessiot inspect --full -- models/implicit.ves | head -n 1
  | implicit: general system, order 1, 1 unknown, 1 equation

Native code: size and time differ between machines

  $ vessiot inspect models/chain.ves --compile | grep -c '^  native code '
  | 1
  $ VESSIOT_JIT=off vessiot inspect models/implicit.ves --compile | grep -B 2 '^  native code'
  |     f, df, d2f                9                9
  |
  |   native code       off: VESSIOT_JIT=off; the interpreter does the work
  $ VESSIOT_JIT=models/chain.ves vessiot inspect models/implicit.ves --compile --json | grep -c '"available": false'
  | 1
