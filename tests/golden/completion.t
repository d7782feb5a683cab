Completion: what follows from the equations, what is wrong with them, and start points. Each mistake has its own message
and exit status 2.

Linear systems: their form of Weierstrass and Kronecker

  $ vessiot inspect linear_dae | sed -n '/^Linear/,/^Consistent/p'
  | Linear system, in the form of Weierstrass and Kronecker
  |   B u' + A u = d(t), u = u1, u2
  |   with u = Q (y, z) it is y' + C y = (P d)_1, N z' + z = (P d)_2: P A Q
  |       = diag(C, 1), P B Q = diag(1, N)
  |   y has 1 component; N, ones above its diagonal, has 1 block of size 1: index of
  |       nilpotency 1
  |   y is made of exp(lambda t), lambda = -0.333333
  |   C   0.333333
  |   P   -0.111111   0.222222
  |         1.33333  -0.666667
  |   Q      1     1
  |          1  -0.5
  |
  | Consistent start point

Hidden constraints

  $ vessiot inspect models/completion/circle.ves | sed -n '/^At the start/,/^Methods/p'
  | At the start point
  |   index 0, 1 degree of freedom, 2 hidden constraints, manifold of dimension 2
  |   the equations determine the highest derivatives (condition number 11)
  |
  | Constraints
  |   written   x^2 + y^2 = r^2
  |   hidden    x*vx + y*vy = 0
  |       (follows from x' = vx; y' = vy; x^2 + y^2 = r^2, differentiated once)
  |   hidden    vx^2 - x*w^2*x - y*w^2*y + vy^2 = 0
  |       (follows from vx' = -w^2*x; vy' = -w^2*y; x' = vx; y' = vy; x^2 + y^2
  |       = r^2, differentiated up to 2 times)
  |
  | Consistent start point
  |   x = 2, y = 0, vx = 0, vy = 3, x' = 0, y' = 3, vx' = -4.5, vy' = 0
  |
  | Methods
  $ vessiot inspect pendulum_mixed | sed -n '/^Structural/,/^Methods/p'
  | Structural analysis
  |   structural index 1, 2 degrees of freedom, 1 hidden constraint
  |   for the highest derivatives: 1 block of 3 equations
  |   by structure alone, without numbers: terms that cancel are not noticed
  |
  | At the start point
  |   index 3, 1 degree of freedom, 3 hidden constraints, manifold of dimension 3
  |   the equations determine the highest derivatives (condition number 2.9)
  |
  | Constraints
  |   hidden    x^2 + y^2 - l^2 = 0
  |       (follows from F1 + F3 = 0; F2 - 2*F3 = 0; F1 + F2 + F3 = 0)
  |   hidden    2*x*x' + 2*y*y' = 0   (the derivative of x^2 + y^2 - l^2 = 0)
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
  $ vessiot inspect eta_problem | sed -n '/^At the start/,/^Consistent/p'
  | At the start point
  |   index 2, 0 degrees of freedom, 1 hidden constraint, manifold of dimension 1
  |   the equations determine the highest derivatives (condition number 1.4)
  |
  | Constraints
  |   written   y + eta*t*z = sin(t)
  |   hidden    z*eta - cos(t) - (eta + 1)*z + cos(2*t) = 0
  |       (follows from y + eta*t*z = sin(t); y' + eta*t*z' + (1 + eta)*z
  |       = cos(2*t), differentiated once)
  |
  | Involution
  |   in jet space J_1 of dimension 5: R_1^(2) is involutive, from the equations and
  |       their derivatives up to order 3
  |              dimension   symbol
  |   R_1                3        1
  |   R_1^(1)            2        1
  |   R_1^(2)            1        0
  |
  | Consistent start point

Equations that follow from others

  $ vessiot inspect models/completion/redundant.ves | sed -n '/^At the start/,/^Methods/p'
  | At the start point
  |   index 0, 2 degrees of freedom, no hidden constraints, manifold of dimension 3
  |   the equations determine the highest derivatives (condition number 1.4)
  |
  | Constraints
  |   redundant: each of these follows from the others: x' = y; y' = -x; x*x'
  |       + y*y' = 0
  |
  | Involution
  |   in jet space J_1 of dimension 5: R_1 is involutive, the equations as they are
  |       written
  |              dimension   symbol
  |   R_1                3        0
  |
  | Consistent start point
  |   x = 1, y = 0, x' = 0, y' = -1
  |
  | Methods
  $ vessiot solve models/completion/doubled.ves | grep -E 'manifold|note|result'
  |   manifold     dimension 3, 1 degree of freedom, 2 hidden constraints
  |   note         lambda[1], lambda[2] are not unique, since constraints are
  |   result       reached t = 1

Too few equations

  $ vessiot solve models/completion/too_few.ves
  ! vessiot: models/completion/too_few.ves: 2 unknowns, but only 1 independent equation: nothing determines 'y'
  [2]
  $ vessiot inspect models/completion/too_few.ves
  ! vessiot: models/completion/too_few.ves: 2 unknowns, but only 1 independent equation: nothing determines 'y'
  [2]

Equations that contradict each other

  $ vessiot solve models/completion/contradiction.ves
  ! vessiot: the equations of contradiction contradict each other: x + y = 1; x + y = 2 together say that 1 = 0.
  [2]
  $ vessiot solve models/completion/later.ves
  ! vessiot: the equations of later contradict each other: x' = y; x = sin(t); y = 2*cos(t) together say that cos(t) = 0, after 1 round of differentiation.
  [2]
  $ vessiot inspect models/completion/contradiction.ves | sed -n '/^At the start/,$p'
  | At the start point
  |   the equations of contradiction contradict each other: x + y = 1; x + y = 2
  |       together say that 1 = 0.

Singular everywhere

  $ vessiot solve models/completion/singular.ves
  ! vessiot: 2 unknowns, but the equations of singular give only 1 independent condition for them, however often they are differentiated: nothing determines y' (x' + y' = x; 2*x' + 2*y' = 2*x depend on each other). Another equation is needed.
  [2]

Index too high, system too large

  $ vessiot solve models/completion/integrators.ves --set n=20 | grep -E 'index|result'
  | integrators: semi-explicit system, order 1, index 20, 20 unknowns, 20 equations
  |   result       reached t = 1
  $ vessiot solve models/completion/integrators.ves
  ! vessiot: the index of integrators is too high: 'x[1] = sin(t)' would have to be differentiated 999 times, and 100 is the limit. Where unknowns are derivatives of given functions, write these as formulas, or leave the last ones out.
  [2]
  $ vessiot solve models/completion/integrators.ves --set n=10000
  ! vessiot: the index of integrators is too high: 'x[1] = sin(t)' would have to be differentiated 9999 times, and 100 is the limit. Where unknowns are derivatives of given functions, write these as formulas, or leave the last ones out.
  [2]
  $ vessiot inspect models/completion/integrators.ves | sed -n '/^At the start/,$p'
  | At the start point
  |   the index of integrators is too high: 'x[1] = sin(t)' would have to be
  |       differentiated 999 times, and 100 is the limit. Where unknowns are
  |       derivatives of given functions, write these as formulas, or leave the last
  |       ones out.
  $ vessiot solve models/completion/large.ves
  ! vessiot: the equations of large do not determine their highest derivatives at the start point, and it is too large (600 unknowns) for what follows from them to be found with numbers, which is done up to 400. Write hidden constraints as further equations, or begin with a smaller size.
  [2]

Start points

  $ vessiot solve models/completion/off.ves | grep -A1 note
  |   note         start: equation 3 (x^2 + y^2 = l^2) is off by 0.21; hidden: its
  |                derivative by 2.2; moved x', x by up to 1
  $ vessiot inspect models/completion/off.ves | sed -n '/^Consistent/,/^Methods/p'
  | Consistent start point
  |   x = 1, x' = 0, y = 0, y' = 0, x'' = 0, y'' = -9.81, lambda = 0
  |   start: equation 3 (x^2 + y^2 = l^2) is off by 0.21; hidden: its derivative by
  |       2.2; moved x', x by up to 1
  |
  | Methods
  $ vessiot solve models/completion/empty.ves
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 2 (x^2 + y^2 = -1) is off by 3. Give start values that are nearer, or check that all can be satisfied.
  [2]
