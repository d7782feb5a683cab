The methods: a table for people, an object for programs.

  $ vessiot methods
  | method              order  embedded  dense  stages  steps     needs           family                        source
  | euler                   1         -      1       1  doubling  any             explicit Runge-Kutta          HNW93
  | rk2                     2         1      2       2  adaptive  any             explicit Runge-Kutta          Run95
  | heun                    2         1      2       2  adaptive  any             explicit Runge-Kutta          Heu00
  | rk3                     3         -      3       3  doubling  any             explicit Runge-Kutta          Kut01
  | rk4                     4         -      3       4  doubling  any             explicit Runge-Kutta          Kut01
  | bs32                    3         2      3       4  adaptive  any             explicit Runge-Kutta          BS89
  | rkf45                   4         5      3       6  adaptive  any             explicit Runge-Kutta          Feh69
  | dopri54                 5         4      4       7  adaptive  any             explicit Runge-Kutta          DP80
  | tsit54                  5         4      4       7  adaptive  any             explicit Runge-Kutta          Tsi11
  | dop853                  8         5      7      12  adaptive  any             explicit Runge-Kutta          HNW93
  | feagin108              10         8      9      17  adaptive  any             explicit Runge-Kutta          Fea07
  | implicit_euler          1         1      1       1  adaptive  any             implicit Runge-Kutta          HW96
  | implicit_midpoint       2         -      2       1  doubling  any             implicit Runge-Kutta          HLW06
  | trapezoidal             2         -      2       2  doubling  any             implicit Runge-Kutta          HW96
  | radau_i3                3         -      3       2  doubling  any             implicit Runge-Kutta          But64
  | radau_i5                5         -      3       3  doubling  any             implicit Runge-Kutta          But64
  | radau3                  3         2      2       2  adaptive  any             implicit Runge-Kutta          Ehl69
  | radau5                  5         3      3       3  adaptive  any             implicit Runge-Kutta          Ehl69
  | radau9                  9         5      5       5  adaptive  any             implicit Runge-Kutta          Ehl69
  | lobatto4                4         -      3       3  doubling  any             implicit Runge-Kutta          Ehl69
  | gauss4                  4         -      3       2  doubling  any             implicit Runge-Kutta          But64
  | gauss6                  6         -      3       3  doubling  any             implicit Runge-Kutta          But64
  | gauss8                  8         -      4       4  doubling  any             implicit Runge-Kutta          But64
  | dae_radau1              1         1      1       1  adaptive  square          direct, implicit Runge-Kutta  HW96
  | dae_radau3              3         2      2       2  adaptive  square          direct, implicit Runge-Kutta  HW96
  | dae_radau5              5         3      3       3  adaptive  square          direct, implicit Runge-Kutta  HW96
  | dae_radau9              9         5      5       5  adaptive  square          direct, implicit Runge-Kutta  HW96
  | dae_radau             1-9         3      1       3  adaptive  square          direct, implicit Runge-Kutta  HW99
  | dae_gauss2              2         -      1       1  doubling  square          direct, implicit Runge-Kutta  HW96
  | dae_gauss4              4         -      2       2  doubling  square          direct, implicit Runge-Kutta  HW96
  | dae_gauss6              6         -      3       3  doubling  square          direct, implicit Runge-Kutta  HW96
  | bdf1                    1         1      1       1  adaptive  square          direct, linear multistep      HW96
  | bdf2                    2         2      2       1  adaptive  square          direct, linear multistep      HW96
  | bdf3                    3         3      3       1  adaptive  square          direct, linear multistep      HW96
  | bdf4                    4         4      4       1  adaptive  square          direct, linear multistep      HW96
  | bdf5                    5         5      5       1  adaptive  square          direct, linear multistep      HW96
  | bdf6                    6         6      6       1  adaptive  square          direct, linear multistep      HW96
  | ida                   1-5         -      1       1  adaptive  any             linear multistep              HBG05
  | ab2                     2         2      2       1  adaptive  any             linear multistep              HNW93
  | ab3                     3         3      3       1  adaptive  any             linear multistep              HNW93
  | ab4                     4         4      4       1  adaptive  any             linear multistep              HNW93
  | ab5                     5         5      5       1  adaptive  any             linear multistep              HNW93
  | ab6                     6         6      6       1  adaptive  any             linear multistep              HNW93
  | am3                     3         3      3       1  adaptive  any             linear multistep              HNW93
  | am4                     4         4      4       1  adaptive  any             linear multistep              HNW93
  | am5                     5         5      5       1  adaptive  any             linear multistep              HNW93
  | am6                     6         6      6       1  adaptive  any             linear multistep              HNW93
  | gear2                   2         2      2       1  adaptive  any             linear multistep              HW96
  | gear3                   3         3      3       1  adaptive  any             linear multistep              HW96
  | gear4                   4         4      4       1  adaptive  any             linear multistep              HW96
  | gear5                   5         5      5       1  adaptive  any             linear multistep              HW96
  | gear6                   6         6      6       1  adaptive  any             linear multistep              HW96
  | meuler                  1         -      1       1  doubling  constraints     explicit Runge-Kutta, rays    Liu06
  | mrk2                    2         1      2       2  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mheun                   2         1      2       2  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mrk3                    3         -      3       3  doubling  constraints     explicit Runge-Kutta, rays    Liu06
  | mrk4                    4         -      3       4  doubling  constraints     explicit Runge-Kutta, rays    Liu06
  | mbs32                   3         2      3       4  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mrkf45                  4         5      3       6  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mdopri54                5         4      4       7  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mtsit54                 5         4      4       7  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mdop853                 8         5      7      12  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | mfeagin108             10         8      9      17  adaptive  constraints     explicit Runge-Kutta, rays    Liu06
  | gps                     1         -      1       1  doubling  any             group preserving              Liu01
  | mgps                    1         -      1       1  doubling  constraints     group preserving, rays        Liu06
  | hgps                    1         -      1       1  doubling  one constraint  group preserving              Liu06
  | hmgps                   1         -      1       1  doubling  one constraint  group preserving, rays        Liu06
  | verlet                  2         -      2       1  doubling  separable       splitting                     HLW06
  | forest_ruth             4         -      3       3  doubling  separable       splitting                     FR90
  | yoshida4                4         -      3       3  doubling  separable       splitting                     Yos90
  | yoshida6                6         -      3       7  doubling  separable       splitting                     Yos90
  | yoshida8                8         -      3      15  doubling  separable       splitting                     SU93
  | kahan                   2         -      2       1  doubling  quadratic       linearly implicit             Kah93
  | projected_midpoint      2         -      2       1  doubling  any             implicit                      AP91
  | symplectic_euler        1         -      1       1  doubling  mechanical      mechanical                    Hai11
  | constrained_euler       1         -      1       1  doubling  mechanical      mechanical                    Hai11
  | shake                   2         -      2       1  doubling  mechanical      mechanical                    RCB77
  | rattle                  2         -      2       1  doubling  mechanical      mechanical                    And83
  | rattle4                 4         -      3       5  doubling  mechanical      mechanical                    Suz90
  | rattle6                 6         -      3       9  doubling  mechanical      mechanical                    KL97
  | rattle8                 8         -      3      17  doubling  mechanical      mechanical                    KL97
  | lobatto3ab              4         -      3       3  doubling  mechanical      mechanical                    Jay96
  | magnus2                 2         -      2       1  doubling  Y' = A(t) Y     Lie group                     Hai11
  | magnus4                 4         -      3       2  doubling  Y' = A(t) Y     Lie group                     Hai11
  | magnus6                 6         -      3       3  doubling  Y' = A(t) Y     Lie group                     BCR00
  | cg3                     3         -      3       3  doubling  Y' = A Y        Lie group                     CG93
  | cg4                     4         -      3       5  doubling  Y' = A Y        Lie group                     OM99
  | rkmk_euler              1         -      1       1  doubling  Y' = A Y        Lie group                     MK99
  | rkmk_rk2                2         1      2       2  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_heun               2         1      2       2  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_rk3                3         -      3       3  doubling  Y' = A Y        Lie group                     MK99
  | rkmk_rk4                4         -      3       4  doubling  Y' = A Y        Lie group                     MK99
  | rkmk_bs32               3         2      3       4  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_rkf45              4         5      3       6  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_dopri54            5         4      3       7  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_tsit54             5         4      3       7  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_dop853             8         5      3      12  adaptive  Y' = A Y        Lie group                     MK99
  | rkmk_feagin108         10         8      3      17  adaptive  Y' = A Y        Lie group                     MK99
  | cayley_rk2              2         1      2       2  adaptive  Y' = A Y        Lie group                     HLW06
  | cayley_rk4              4         -      3       4  doubling  Y' = A Y        Lie group                     HLW06
  | cayley_dopri54          5         4      3       7  adaptive  Y' = A Y        Lie group                     HLW06
  | cayley_dop853           8         5      3      12  adaptive  Y' = A Y        Lie group                     HLW06
  | taylor1                 1         -      1       1  doubling  any             Taylor                        TA01
  | taylor2                 2         -      2       1  doubling  any             Taylor                        TA01
  | taylor3                 3         -      3       1  doubling  any             Taylor                        TA01
  | taylor3_normal          3         -      3       1  doubling  any             Taylor                        TA01
  | taylor               1-30         -   1-30       1  adaptive  any             Taylor                        JZ05
  |
  | Projections (--projection), which bring points onto the constraints
  |   simplified    along the gradients at the start of the step, frozen
  |   newton        the nearest point, by Newton's method
  |   chord         the nearest point, with matrices that serve three iterations
  |   inexact       the nearest point, with linear systems solved by iteration
  |   ray           along rays from the origin: lengths of sets of unknowns change
  |   gradient-ray  along a ray of the gradient
  |   post          one linear step towards the constraints
  |   group         matrices back into their groups, by formulas of their own
  |   partition     local coordinates: some of the unknowns, by generalised coordinate partitioning (WH82)
  |   tangent       local coordinates in the tangent space (PR91)
  |   none          points stay where the method puts them
  |
  | Distributions (--distribution), which find the direction at a point
  |   explicit    formulas for the highest derivatives
  |   submatrix   as many independent equations as there are unknowns, chosen
  |   solve       one linear system for all highest derivatives
  |   kkt         the multipliers first, by a factorisation of their matrix
  |   kkt-cg      the multipliers first, by conjugate gradients
  |   kernel-qr   the tangent as kernel of a matrix, by QR
  |   kernel-svd  the tangent as kernel of a matrix, by its singular values
  |   kernel-rcg  the tangent as kernel of a matrix, by conjugate gradients
  |
  | Controls (--control), which choose the size of steps
  |   pi          PI control
  |   elementary  elementary control
  |   doubling    errors estimated by two steps of half the size
  |   tuomela     the conventions of the tables of Tuomela, Arponen and Normi
  |
  | Sources
  |   AP91      Ascher, U. M.; Petzold, L. R.: Projected implicit Runge–Kutta methods for differential-algebraic equations, 1991
  |   And83     Andersen, H. C.: Rattle: a ``velocity'' version of the Shake algorithm for molecular dynamics calculations, 1983
  |   BCR00     Blanes, S.; Casas, F.; Ros, J.: Improved high order integrators based on the Magnus expansion, 2000
  |   BS89      Bogacki, P.; Shampine, L. F.: A 3(2) pair of Runge–Kutta formulas, 1989
  |   But64     Butcher, J. C.: Integration processes based on Radau quadrature formulas, 1964
  |   CG93      Crouch, P. E.; Grossman, R.: Numerical integration of ordinary differential equations on manifolds, 1993
  |   DP80      Dormand, J. R.; Prince, P. J.: A family of embedded Runge–Kutta formulae, 1980
  |   Ehl69     Ehle, B. L.: On Padé approximations to the exponential function and A-stable methods for the numerical solution of initial value problems, 1969
  |   FR90      Forest, E.; Ruth, R. D.: Fourth-order symplectic integration, 1990
  |   Fea07     Feagin, T.: A tenth-order Runge–Kutta method with error estimate, 2007
  |   Feh69     Fehlberg, E.: Low-order classical Runge–Kutta formulas with stepsize control and their application to some heat transfer problems, 1969
  |   HBG05     Hindmarsh, A. C.; Brown, P. N.; Grant, K. E.; Lee, S. L.; Serban, R.; Shumaker, D. E.; Woodward, C. S.: SUNDIALS: suite of nonlinear and differential/algebraic equation solvers, 2005
  |   HLW06     Hairer, E.; Lubich, Ch.; Wanner, G.: Geometric Numerical Integration. Structure-Preserving Algorithms for Ordinary Differential Equations, 2006
  |   HNW93     Hairer, E.; Nørsett, S. P.; Wanner, G.: Solving Ordinary Differential Equations I. Nonstiff Problems, 1993
  |   HW96      Hairer, E.; Wanner, G.: Solving Ordinary Differential Equations II. Stiff and Differential-Algebraic Problems, 1996
  |   HW99      Hairer, E.; Wanner, G.: Stiff differential equations solved by Radau methods, 1999
  |   Hai11     Hairer, E.: Solving Differential Equations on Manifolds, 2011
  |   Heu00     Heun, K.: Neue Methoden zur approximativen Integration der Differentialgleichungen einer unabhängigen Veränderlichen, 1900
  |   JZ05      Jorba, A.; Zou, M.: A software package for the numerical integration of ODEs by means of high-order Taylor methods, 2005
  |   Jay96     Jay, L.: Symplectic partitioned Runge–Kutta methods for constrained Hamiltonian systems, 1996
  |   KL97      Kahan, W.; Li, R.-C.: Composition constants for raising the orders of unconventional schemes for ordinary differential equations, 1997
  |   Kah93     Kahan, W.: Unconventional numerical methods for trajectory calculations, 1993
  |   Kut01     Kutta, W.: Beitrag zur näherungsweisen Integration totaler Differentialgleichungen, 1901
  |   Liu01     Liu, C.-S.: Cone of non-linear dynamical system and group preserving schemes, 2001
  |   Liu06     Liu, C.-S.: Preserving constraints of differential equations by numerical methods based on integrating factors, 2006
  |   MK99      Munthe-Kaas, H.: High order Runge–Kutta methods on manifolds, 1999
  |   OM99      Owren, B.; Marthinsen, A.: Runge–Kutta methods adapted to manifolds and based on rigid frames, 1999
  |   PR91      Potra, F. A.; Rheinboldt, W. C.: On the numerical solution of Euler–Lagrange equations, 1991
  |   RCB77     Ryckaert, J.-P.; Ciccotti, G.; Berendsen, H. J. C.: Numerical integration of the cartesian equations of motion of a system with constraints: molecular dynamics of n-alkanes, 1977
  |   Run95     Runge, C.: Ueber die numerische Auflösung von Differentialgleichungen, 1895
  |   SU93      Suzuki, M.; Umeno, K.: Higher-order exponential product formulas and its application to quantum Monte Carlo simulations, 1993
  |   Suz90     Suzuki, M.: Fractal decomposition of exponential operators with applications to many-body theories and Monte Carlo simulations, 1990
  |   TA01      Tuomela, J.; Arponen, T.: On the numerical solution of involutive ordinary differential systems: higher order methods, 2001
  |   Tsi11     Tsitouras, Ch.: Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying assumption, 2011
  |   WH82      Wehage, R. A.; Haug, E. J.: Generalized coordinate partitioning for dimension reduction in analysis of constrained dynamic systems, 1982
  |   Yos90     Yoshida, H.: Construction of higher order symplectic integrators, 1990
  $ vessiot methods --json | python3 -c 'import json, sys; m = json.load(sys.stdin)["methods"]; print(len(m), *m[0])'
  | 107 name family order max_order embedded_order dense_order stages evaluations adaptive estimate needs projection sensitivities cite source
  $ vessiot methods --json | python3 -c 'import json, sys; print(*[x["name"] for x in json.load(sys.stdin)["methods"] if not x["source"]])'
  |
  $ vessiot methods dopri54
  ! vessiot: 'dopri54' is one argument too many: vessiot methods
  [2]
