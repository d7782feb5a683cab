vessiot decompose: the components of constraints

The linkage that can fold flat: two families of motions, which meet in the flat positions

  $ vessiot decompose four_bar_singular
  | four_bar_singular: 3 constraints on y1, y2, y3 and y4
  |   result       2 components over the rational numbers, both smooth
  |   component 1  dimension 1, smooth
  |                y3^2 + y4^2 - 4*y3 + 3 = 0
  |                y2 - y4 = 0
  |                y1 - y3 + 2 = 0
  |   component 2  dimension 1, smooth; the start point is on it
  |                y3^2 + y4^2 - 4*y3 + 3 = 0
  |                4*y2*y3 - 3*y2 + 3*y4 = 0
  |                4*y2*y4 + 3*y1 - 3*y3 + 6 = 0
  |   meeting      components 1 and 2 at (y1, y2, y3, y4) = (1, 0, 3, 0)
  |                and (-1, 0, 1, 0)
  |   written      four_bar_singular_component_2.ves: the model with component 2 in
  |                place of its constraints

The new model: the old constraints are comments, parameters that nothing uses any more are gone

  $ sed -n '/^parameter/p; /onstraint/p' four_bar_singular_component_2.ves
  | # 0) and (-1, 0, 1, 0) the constraints become dependent, because two families of motions (the
  | parameter a = 1
  | parameter m1 = 0.2, m2 = 0.1, T = 0.8, gamma = 9.81
  | # constraint (y1^2 + y2^2 - a^2)/2 = 0
  | # constraint ((y3 - y1)^2 + (y4 - y2)^2 - b^2)/2 = 0
  | # constraint ((d - y3)^2 + y4^2 - c^2)/2 = 0
  | # component 2 of 2 of the constraints above, by vessiot decompose, for a = 1, b = 2, c = 1, d = 2
  | constraint y3^2 + y4^2 - 4*y3 + 3 = 0
  | constraint 4*y2*y3 - 3*y2 + 3*y4 = 0
  | constraint 4*y2*y4 + 3*y1 - 3*y3 + 6 = 0
  $ vessiot solve four_bar_singular_component_2.ves --at 5 | grep -E 'manifold|result|warning'
  |   manifold     dimension 3, 1 degree of freedom, 6 hidden constraints
  |   result       reached t = 5
  $ vessiot decompose four_bar_singular --component 1 --out parallel.ves | tail -4
  |   note         the start point is not on component 1: change the start lines of
  |                the new model
  |   written      parallel.ves: the model with component 1 in place of its
  |                constraints
  $ grep '^constraint' parallel.ves
  | constraint y3^2 + y4^2 - 4*y3 + 3 = 0
  | constraint y2 - y4 = 0
  | constraint y1 - y3 + 2 = 0

It overwrites what it wrote itself, and nothing else without being asked

  $ vessiot decompose four_bar_singular | grep written
  |   written      four_bar_singular_component_2.ves: the model with component 2 in
  $ echo '# mine' >> four_bar_singular_component_2.ves; vessiot decompose four_bar_singular | grep written
  ! vessiot: four_bar_singular_component_2.ves is there already, with other text, and is left as it is; --out four_bar_singular_component_2.ves overwrites it, --out FILE gives another name
  [1]
  $ vessiot decompose four_bar_singular --out four_bar_singular_component_2.ves | grep written
  |   written      four_bar_singular_component_2.ves: the model with component 2 in
  $ vessiot decompose parallel.ves --out ./parallel.ves
  ! vessiot: --out ./parallel.ves is the model itself (parallel.ves), which would be lost: give another name
  [2]
  $ vessiot decompose four_bar_singular --out nowhere/a.ves > text; echo $?; grep -c written text
  | 1
  | 0
  ! vessiot: nowhere/a.ves cannot be written: No such file or directory
  [1]

Other parameters: (1, 2, 1.5, 2) does not split

  $ vessiot decompose four_bar
  | four_bar: 3 constraints on y1, y2, y3 and y4
  |   result       1 component, smooth: over the rational numbers the constraints
  |                cannot be split
  |   component 1  dimension 1, smooth; the start point is on it
  |                4*y3^2 + 4*y4^2 - 16*y3 + 7 = 0
  |                8*y1*y3 + 8*y2*y4 - 16*y3 + 19 = 0
  |                y1^2 + y2^2 - 1 = 0
  $ vessiot decompose four_bar_singular --set c=3/2 --set m1=0.3 --component 1 --out other.ves
  | four_bar_singular: 3 constraints on y1, y2, y3 and y4
  |   result       1 component, smooth: over the rational numbers the constraints
  |                cannot be split
  |   component 1  dimension 1, smooth; the start point is on it
  |                4*y3^2 + 4*y4^2 - 16*y3 + 7 = 0
  |                8*y1*y3 + 8*y2*y4 - 16*y3 + 19 = 0
  |                y1^2 + y2^2 - 1 = 0
  |   note         the start values of the model do not satisfy the constraints, or
  |                not all are given; meant is the consistent point near them, from
  |                which a run starts
  |   written      other.ves: the model with component 1 in place of its constraints
  $ grep -E '^(parameter|constraint)' other.ves
  | parameter a = 1
  | parameter m1 = 0.3, m2 = 0.1, T = 0.8, gamma = 9.81
  | constraint 4*y3^2 + 4*y4^2 - 16*y3 + 7 = 0
  | constraint 8*y1*y3 + 8*y2*y4 - 16*y3 + 19 = 0
  | constraint y1^2 + y2^2 - 1 = 0

Angles: sin and cos become variables c, s with c^2 + s^2 = 1, and are themselves again in the result

  $ vessiot decompose models/decompose/parallelogram.ves
  | parallelogram: 2 constraints on alpha, beta and gamma
  |   result       2 components over the rational numbers, both smooth
  |   component 1  dimension 1, smooth; the start point is on it
  |                sin(beta) = 0
  |                cos(beta) - 1 = 0
  |                sin(alpha) + 2*sin(beta) - sin(gamma) = 0
  |                cos(alpha) + 2*cos(beta) - cos(gamma) - 2 = 0
  |   component 2  dimension 1, smooth
  |                4*sin(beta)*cos(gamma) - 2*cos(gamma)*sin(gamma) + 5*sin(beta)
  |                - 4*sin(gamma) = 0
  |                4*sin(beta)*sin(gamma) - 2*sin(gamma)^2 + 3*cos(beta) - 3 = 0
  |                sin(alpha) + 2*sin(beta) - sin(gamma) = 0
  |                cos(alpha) + 2*cos(beta) - cos(gamma) - 2 = 0
  |   meeting      components 1 and 2 at (cos(alpha), sin(alpha), cos(beta),
  |                sin(beta), cos(gamma), sin(gamma)) = (1, 0, 1, 0, 1, 0)
  |                and (-1, 0, 1, 0, -1, 0)
  |   note         component 1 needs 4 equations; the new model has 2 that are
  |                independent at the start point and describe it near there. A run
  |                that comes to where they are dependent stops
  |   written      parallelogram_component_1.ves: the model with component 1 in
  |                place of its constraints
  $ cat parallelogram_component_1.ves
  | # Parallelogram linkage by its angles
  | # parameter a = 1, b = 2
  | unknown   alpha, beta, gamma
  |
  | lagrangian (alpha'^2 + beta'^2 + gamma'^2)/2
  | # constraint a*cos(alpha) + b*cos(beta) - a*cos(gamma) = b
  | # constraint a*sin(alpha) + b*sin(beta) - a*sin(gamma) = 0   # the loop is closed
  | # component 1 of 2 of the constraints above, by vessiot decompose, for a = 1, b = 2
  | constraint sin(alpha)*cos(gamma) - cos(alpha)*sin(gamma) = 0
  | constraint sin(beta) = 0
  |
  | start alpha = pi/3, beta = 0, gamma = pi/3, alpha' = 1, gamma' = 1
  | solve t = 0 .. 3
  $ vessiot solve parallelogram_component_1.ves --at 3 | grep -E 'manifold|gamma|result'
  |   manifold     dimension 3, 1 degree of freedom, 4 hidden constraints
  |                gamma = 4.04719755   gamma' = 1   lambda[1] = 0   lambda[2] = -0
  |   result       reached t = 3

Loops

  $ vessiot decompose models/decompose/lines.ves --out lines.ves
  | lines: 2 constraints on x[1], x[2], y[1] and y[2]
  |   result       4 components over the rational numbers, all smooth
  |   component 1  dimension 2, smooth
  |                x[2] + 2*y[2] = 0
  |                x[1] + 2*y[1] = 0
  |   component 2  dimension 2, smooth; the start point is on it
  |                x[2] + 2*y[2] = 0
  |                x[1] - 2*y[1] = 0
  |   component 3  dimension 2, smooth
  |                x[2] - 2*y[2] = 0
  |                x[1] + 2*y[1] = 0
  |   component 4  dimension 2, smooth
  |                x[2] - 2*y[2] = 0
  |                x[1] - 2*y[1] = 0
  |   meeting      components 1 and 2 at dimension 1: y[1] = 0, x[2] + 2*y[2] = 0,
  |                x[1] = 0
  |                components 1 and 3 at dimension 1: y[2] = 0, x[2] = 0, x[1]
  |                + 2*y[1] = 0
  |                components 1 and 4 at (x[1], x[2], y[1], y[2]) = (0, 0, 0, 0)
  |                components 2 and 3 at (x[1], x[2], y[1], y[2]) = (0, 0, 0, 0)
  |                components 2 and 4 at dimension 1: y[2] = 0, x[2] = 0, x[1]
  |                - 2*y[1] = 0
  |                components 3 and 4 at dimension 1: y[1] = 0, x[2] - 2*y[2] = 0,
  |                x[1] = 0
  |   written      lines.ves: the model with component 2 in place of its constraints
  $ cat lines.ves
  | # n beads, each on one of two lines
  | parameter n = 2
  | unknown   x[n], y[n]
  |
  | lagrangian sum(i = 1..n, x[i]'^2 + y[i]'^2)/2 - sum(i = 1..n, y[i])
  | for i = 1..n:
  | #     constraint y[i]^2 = (slope*x[i])^2   # both lines
  |     force x[i] = -x[i]
  | # component 2 of 4 of the constraints above, by vessiot decompose, for slope = 0.5
  | constraint x[2] + 2*y[2] = 0
  | constraint x[1] - 2*y[1] = 0
  |
  | for i = 1..n: start x[i] = i, y[i] = i*(3 - 2*i)/2
  | solve t = 0 .. 1
  $ vessiot decompose models/decompose/lines.ves --set n=3 --set 'slope=0.5' --component 9
  ! vessiot: there are 8 components, but --component asks for number 9
  [2]
  $ vessiot decompose models/decompose/lines.ves --set n=3 --component 8 --out lines.ves | grep -E 'result|more|written'
  |   result       8 components over the rational numbers, all smooth
  |                and 18 more pairs that meet; --full shows all
  |   written      lines.ves: the model with component 8 in place of its constraints
  $ grep -E '^(parameter|constraint)' lines.ves
  | parameter n = 3
  | constraint x[3] - 2*y[3] = 0
  | constraint x[2] - 2*y[2] = 0
  | constraint x[1] - 2*y[1] = 0
  $ vessiot decompose models/decompose/lines.ves --set n=1000
  ! vessiot: lines has more than 200 constraints on positions: a decomposition treats some ten constraints, and 200 at most. Try it with a smaller size (--set n=4)
  [2]

Quotients and roots

  $ vessiot decompose models/decompose/quotient.ves --out quotient.ves
  | quotient: 1 constraint on x and y
  |   result       1 component, smooth: over the rational numbers with sqrt(3) the
  |                constraints cannot be split
  |   component 1  dimension 1, smooth; the start point is on it
  |                x - y + sqrt(3) = 0
  |   note         line 6: multiplied by x - r, which must not be 0
  |   note         1 component left out: something is divided by 0 everywhere on it
  |   note         the start values of the model do not satisfy the constraints, or
  |                not all are given; meant is the consistent point near them, from
  |                which a run starts
  |   written      quotient.ves: the model with component 1 in place of its
  |                constraints
  $ cat quotient.ves
  | # A quotient, a square root of a number, an equation without multiplier
  | # parameter r = sqrt(3)
  | unknown   x, y
  |
  | x' = -x
  | # y = (x^2 - 3)/(x - r)
  | # component 1 of 1 of the constraints above, by vessiot decompose, for r = 1.7320508075688772
  | x - y + sqrt(3) = 0
  |
  | start x = 1
  | solve t = 0 .. 1
  $ vessiot solve quotient.ves | grep result
  |   result       reached t = 1

The start point where components meet: the velocity decides

  $ vessiot decompose models/decompose/cross.ves | tail -4
  |   start point  on components 1 and 2, where they meet; its velocity is along
  |                component 2
  |   written      cross_component_2.ves: the model with component 2 in place of its
  |                constraints
  $ vessiot decompose models/decompose/cross.ves --set v=0 --out cross.ves | tail -2
  |   start point  on components 1 and 2, where they meet; its velocity does not
  |                decide: choose one with --component K
  ! vessiot: cross.ves is not written: it is not clear which component is meant; choose one with --component K
  $ vessiot decompose models/decompose/cross.ves --set v=0 --component 1 --out cross.ves | tail -2
  |   start point  on components 1 and 2, where they meet
  |   written      cross.ves: the model with component 1 in place of its constraints

Points off the constraints, singular points, components that count twice

  $ vessiot decompose models/decompose/cusp.ves --out cusp.ves
  | cusp: 1 constraint on x and y
  |   result       2 components over the rational numbers
  |   component 1  dimension 1, smooth, no real points
  |                x^2 + y^2 + 1 = 0
  |   component 2  dimension 1, not smooth: its singular points have dimension 0;
  |                the start point is on it
  |                x^3 - y^2 = 0
  |   singular     at (x, y) = (0, 0)
  |   meeting      components 1 and 2 at x^2 + y^2 + 1 = 0, x*y^2 + y^2 + x = 0, y^4
  |                + 3*y^2 + x + 1 = 0 (no real points)
  |   note         the start values of the model do not satisfy the constraints, or
  |                not all are given; meant is the consistent point near them, from
  |                which a run starts
  |   written      cusp.ves: the model with component 2 in place of its constraints
  $ vessiot solve models/decompose/cusp.ves --component 1
  ! vessiot: component 1 is empty: it has no real points (x^2 + y^2 + 1 = 0)
  [2]
  $ vessiot decompose models/decompose/twice.ves --out twice.ves
  | twice: 1 constraint on x and y
  |   result       1 component, smooth: over the rational numbers the constraints
  |                cannot be split
  |   component 1  dimension 1, smooth; the start point is on it
  |                x^2 + y^2 - 1 = 0
  |   multiplicity the constraints have multiple zeros (their ideal is not radical):
  |                their derivatives may be dependent all along a component; those
  |                of its own equations are not
  |   written      twice.ves: the model with component 1 in place of its constraints

JSON

  $ vessiot decompose four_bar_singular --json
  | {
  |   "model": "four_bar_singular",
  |   "status": "success",
  |   "message": "2 components; the start point is on component 2",
  |   "constraints": 3,
  |   "unknowns": [
  |     "y1",
  |     "y2",
  |     "y3",
  |     "y4"
  |   ],
  |   "components": [
  |     {
  |       "dimension": 1,
  |       "generators": [
  |         "y3^2 + y4^2 - 4*y3 + 3",
  |         "y2 - y4",
  |         "y1 - y3 + 2"
  |       ],
  |       "minimal": true,
  |       "complex": false,
  |       "smooth": true,
  |       "singular_points": [],
  |       "start": false,
  |       "start_residual": 2.0
  |     },
  |     {
  |       "dimension": 1,
  |       "generators": [
  |         "y3^2 + y4^2 - 4*y3 + 3",
  |         "4*y2*y3 - 3*y2 + 3*y4",
  |         "4*y2*y4 + 3*y1 - 3*y3 + 6"
  |       ],
  |       "minimal": true,
  |       "complex": false,
  |       "smooth": true,
  |       "singular_points": [],
  |       "start": true,
  |       "start_residual": 0.0
  |     }
  |   ],
  |   "meetings": [
  |     {
  |       "components": [
  |         1,
  |         2
  |       ],
  |       "places": [
  |         {
  |           "dimension": 0,
  |           "equations": [
  |             "y4 = 0",
  |             "y3 - 3 = 0",
  |             "y2 = 0",
  |             "y1 - 1 = 0"
  |           ],
  |           "complex": false
  |         },
  |         {
  |           "dimension": 0,
  |           "equations": [
  |             "y4 = 0",
  |             "y3 - 1 = 0",
  |             "y2 = 0",
  |             "y1 + 1 = 0"
  |           ],
  |           "complex": false
  |         }
  |       ]
  |     }
  |   ],
  |   "radical": true,
  |   "chosen": 2,
  |   "file": "four_bar_singular_component_2.ves",
  |   "notes": []
  | }
  $ VESSIOT_SINGULAR=models/decompose/fake/memory vessiot decompose four_bar_singular --json
  | {
  |   "status": "failed",
  |   "message": "Singular needs more memory than this machine has: the constraints are too large to be decomposed"
  | }
  ! vessiot: Singular needs more memory than this machine has: the constraints are too large to be decomposed
  [1]
  $ vessiot decompose models/decompose/root.ves --json
  | {
  |   "status": "invalid",
  |   "message": "models/decompose/root.ves:3:1: 'sqrt(x^2 + y^2)' is no polynomial: a decomposition needs constraints made of +, -, *, /, whole powers, and sin, cos and tan of sums of unknowns. Square the equation, or make an unknown r of it, with the equation r^2 = x^2 + y^2.\n    constraint sqrt(x^2 + y^2) = 1\n    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
  | }
  ! models/decompose/root.ves:3:1: 'sqrt(x^2 + y^2)' is no polynomial: a decomposition needs constraints made of +, -, *, /, whole powers, and sin, cos and tan of sums of unknowns. Square the equation, or make an unknown r of it, with the equation r^2 = x^2 + y^2.
  !     constraint sqrt(x^2 + y^2) = 1
  !     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  [2]

Constraints that are no polynomials

  $ vessiot decompose models/decompose/root.ves
  ! models/decompose/root.ves:3:1: 'sqrt(x^2 + y^2)' is no polynomial: a decomposition needs constraints made of +, -, *, /, whole powers, and sin, cos and tan of sums of unknowns. Square the equation, or make an unknown r of it, with the equation r^2 = x^2 + y^2.
  !     constraint sqrt(x^2 + y^2) = 1
  !     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  [2]
  $ vessiot decompose models/decompose/rolling.ves
  ! models/decompose/rolling.ves:3:1: 'theta' stands inside of sin or cos and, in line 3, outside of them too: no polynomials say how these two depend on each other
  !     constraint x + sin(theta)
  !     ^~~~~~~~~~~~~~~~~~~~~~~~~
  [2]
  $ vessiot decompose models/decompose/angle.ves
  ! models/decompose/angle.ves:3:1: 'sin(x*y)' is no polynomial, and 'x*y' is no sum of unknowns with constant coefficients: only of these can sin and cos be replaced by variables c, s with c^2 + s^2 = 1
  !     constraint sin(x*y) = 0
  !     ^~~~~~~~~~~~~~~~~~~~~~~
  [2]
  $ vessiot decompose models/decompose/exponential.ves
  ! models/decompose/exponential.ves:3:1: 'exp(y)' is no polynomial: a decomposition needs constraints made of +, -, *, /, whole powers, and sin, cos and tan of sums of unknowns. Try to write the constraint without it.
  !     x = exp(y)
  !     ^~~~~~~~~~
  [2]
  $ vessiot decompose models/decompose/number.ves
  ! models/decompose/number.ves:4:1: 'l' = 3.141592653589793 is neither rational nor made of square roots of rational numbers, as the coefficients of polynomials must be here: give it a value with few digits, or make it an unknown with an equation of its own
  !     constraint x^2 + l*y^2 = 1
  !     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  [2]

Nothing to decompose, a contradiction, a statement that cannot be replaced

  $ vessiot decompose kepler
  ! vessiot: kepler has no constraints on positions (equations without derivatives): there is nothing to decompose
  [2]
  $ vessiot decompose models/decompose/contradiction.ves
  ! vessiot: models/decompose/contradiction.ves: the 2 constraints contradict each other: no point satisfies all of them, not even a complex one
  [2]
  $ vessiot decompose models/decompose/vector.ves
  ! models/decompose/vector.ves:2:1: only some components of this equation are free of derivatives: write these on a line of their own, so that they can be replaced
  !     [x', y^2] = [z, x^2]
  !     ^~~~~~~~~~~~~~~~~~~~
  [2]

Wrong options

  $ vessiot decompose
  ! vessiot: 'vessiot decompose' needs a model, for example: vessiot decompose four_bar_singular
  [2]
  $ vessiot decompose nowhere.ves
  ! vessiot: the file nowhere.ves does not exist
  [2]
  $ vessiot decompose four_bar_singular --time-limit 0
  ! vessiot: --time-limit needs a number of seconds above 0, but found '0'
  [2]
  $ vessiot decompose four_bar_singular --time-limit soon
  ! vessiot: --time-limit needs a number of seconds above 0, but found 'soon'
  [2]
  $ vessiot decompose four_bar_singular --component 0
  ! vessiot: there are 2 components, but --component asks for number 0
  [2]
  $ vessiot decompose four_bar_singular --component 3
  ! vessiot: there are 2 components, but --component asks for number 3
  [2]
  $ vessiot decompose four_bar_singular --outt a.ves
  ! vessiot: 'vessiot decompose' has no option '--outt'; did you mean '--out'? 'vessiot help decompose' lists what it has.
  [2]

Singular: not there, killed, too slow, without memory, not understood

  $ PATH=${PATH%%:*} vessiot decompose four_bar_singular
  ! vessiot: a decomposition needs the program Singular, which is not found; on Debian: apt-get install singular (elsewhere: www.singular.uni-kl.de, and its path in the environment variable VESSIOT_SINGULAR)
  [1]
  $ VESSIOT_SINGULAR=/nowhere/Singular vessiot decompose four_bar_singular
  ! vessiot: the environment variable VESSIOT_SINGULAR names '/nowhere/Singular', but there is no such program
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/slow vessiot decompose four_bar_singular --time-limit 0.2
  ! vessiot: Singular was not ready after 0.2 s; --time-limit SECONDS gives it more
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/killed vessiot decompose four_bar_singular
  ! vessiot: Singular was killed by signal 9 (Killed): perhaps the memory of this machine is not enough
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/memory vessiot decompose four_bar_singular
  ! vessiot: Singular needs more memory than this machine has: the constraints are too large to be decomposed
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/silent vessiot decompose four_bar_singular
  ! vessiot: Singular ended with status 3; it said nothing
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/strange vessiot decompose four_bar_singular
  ! vessiot: the answer of Singular (models/decompose/fake/strange) is not understood: @component one
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/error vessiot decompose four_bar_singular
  ! vessiot: Singular reports an error: cannot open primdec.lib
  [1]
  $ VESSIOT_SINGULAR=models/decompose/fake/endless vessiot decompose four_bar_singular
  ! vessiot: Singular wrote more than 64 MB and was stopped
  [1]

What it did until then is kept, where all components are known

  $ VESSIOT_SINGULAR=models/decompose/fake/partial vessiot decompose models/decompose/cross.ves --time-limit 0.3 --out cross.ves
  | cross: 1 constraint on x and y
  |   result       2 components over the rational numbers
  |   component 1  dimension 1, smooth or not: not decided; the start point is on it
  |                x = 0
  |   component 2  dimension 1, smooth or not: not decided; the start point is on it
  |                y = 0
  |   start point  on components 1 and 2, where they meet; its velocity is along
  |                component 2
  |   not decided  Singular was not ready after 0.3 s; --time-limit SECONDS gives it
  |                more
  |   written      cross.ves: the model with component 2 in place of its constraints

Solving on a component: that of the start point, by number, by equation; from one to another where they meet

  $ vessiot solve four_bar_singular --component auto --at 5 | grep -E 'note|result'
  |   note         on component 2 of 2 of the constraints: y3^2 + y4^2 - 4*y3 + 3
  |   result       reached t = 5
  $ vessiot solve four_bar_singular --component 2 --set m1=0.3 --set b=2 --at 5 | grep -E 'result'
  |   result       reached t = 5
  $ vessiot solve four_bar_singular --component other --at 5 | grep -E 'events|component = |result'
  |                component = 1
  |   events       change_2 at 1.44166
  |   result       reached t = 5
  $ vessiot solve four_bar_singular --component '2, y2 - y4 = 0' --at 5 --json | jq -c '[.status, .events[0].name]'
  | ["success","change_2"]
  $ vessiot solve four_bar_singular --component 1
  ! vessiot: the start point is not on component 1: it is on component 2. Start lines, or --start, with a point of that component are needed, or --component 2,1 to change to it where they meet
  [2]
  $ vessiot solve four_bar_singular --component 1 --start y3=2.5 --start 'y4=sqrt(3)/2' --start y1=0.5 --start 'y2=sqrt(3)/2' --at 0.1 | grep result
  |   result       reached t = 5
  $ vessiot solve four_bar_singular --component nowhere
  ! vessiot: --component takes auto, other, a number from 1 to 2, or an equation of the component as 'vessiot decompose' shows it, and two of them with a comma to change from the first to the second where they meet; but found 'nowhere'
  [2]
  $ vessiot solve four_bar_singular --component 1,1
  ! vessiot: --component asks for a change from component 1 to component 1
  [2]
  $ vessiot solve lotka_volterra --component auto
  ! vessiot: lotka_volterra has no constraints on positions (equations without derivatives): there is nothing to decompose
  [2]
  $ vessiot solve four_bar_singular --time-limit 3
  ! vessiot: --time-limit says how long the decomposition of --component may take, which is not given
  [2]
  $ VESSIOT_SINGULAR=nowhere vessiot solve four_bar_singular --component auto --json
  | {
  |   "status": "failed",
  |   "message": "the environment variable VESSIOT_SINGULAR names 'nowhere', but there is no such program"
  | }
  ! vessiot: the environment variable VESSIOT_SINGULAR names 'nowhere', but there is no such program
  [1]

Ctrl-C ends both programs

  $ VESSIOT_SINGULAR=models/decompose/fake/slow timeout --preserve-status -s INT 0.5 vessiot decompose four_bar_singular
  ! vessiot: interrupted; nothing is written
  [130]
  $ ls
  | cross.ves
  | cross_component_2.ves
  | cusp.ves
  | four_bar_singular_component_2.ves
  | lines.ves
  | models
  | other.ves
  | parallel.ves
  | parallelogram_component_1.ves
  | quotient.ves
  | text
  | twice.ves
