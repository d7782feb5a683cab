The methods: a table for people, an object for programs.

  $ vessiot methods
  | method            order  embedded  dense  stages  steps     needs        family                source
  | euler                 1         -      1       1  doubling  any          explicit Runge-Kutta  HNW93
  | rk2                   2         1      2       2  adaptive  any          explicit Runge-Kutta  Run95
  | heun                  2         1      2       2  adaptive  any          explicit Runge-Kutta  Heu00
  | rk3                   3         -      3       3  doubling  any          explicit Runge-Kutta  Kut01
  | rk4                   4         -      3       4  doubling  any          explicit Runge-Kutta  Kut01
  | bs32                  3         2      3       4  adaptive  any          explicit Runge-Kutta  BS89
  | rkf45                 4         5      3       6  adaptive  any          explicit Runge-Kutta  Feh69
  | dopri54               5         4      4       7  adaptive  any          explicit Runge-Kutta  DP80
  | tsit54                5         4      4       7  adaptive  any          explicit Runge-Kutta  Tsi11
  | dop853                8         5      7      12  adaptive  any          explicit Runge-Kutta  HNW93
  | feagin108            10         8      3      17  adaptive  any          explicit Runge-Kutta  Fea07
  | symplectic_euler      1         -      1       1  doubling  mechanical   mechanical            Hai11
  | constrained_euler     1         -      1       1  doubling  mechanical   mechanical            Hai11
  | shake                 2         -      2       1  doubling  mechanical   mechanical            RCB77
  | rattle                2         -      2       1  doubling  mechanical   mechanical            And83
  | rattle4               4         -      3       5  doubling  mechanical   mechanical            Suz90
  | rattle6               6         -      3       9  doubling  mechanical   mechanical            KL97
  | rattle8               8         -      3      17  doubling  mechanical   mechanical            KL97
  | lobatto3ab            4         -      3       3  doubling  mechanical   mechanical            Jay96
  | magnus2               2         -      2       1  doubling  Y' = A(t) Y  Lie group             Hai11
  | magnus4               4         -      3       2  doubling  Y' = A(t) Y  Lie group             Hai11
  | magnus6               6         -      3       3  doubling  Y' = A(t) Y  Lie group             BCR00
  | cg3                   3         -      3       3  doubling  Y' = A Y     Lie group             CG93
  | cg4                   4         -      3       5  doubling  Y' = A Y     Lie group             OM99
  | rkmk_euler            1         -      1       1  doubling  Y' = A Y     Lie group             MK99
  | rkmk_rk2              2         1      2       2  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_heun             2         1      2       2  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_rk3              3         -      3       3  doubling  Y' = A Y     Lie group             MK99
  | rkmk_rk4              4         -      3       4  doubling  Y' = A Y     Lie group             MK99
  | rkmk_bs32             3         2      3       4  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_rkf45            4         5      3       6  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_dopri54          5         4      3       7  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_tsit54           5         4      3       7  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_dop853           8         5      3      12  adaptive  Y' = A Y     Lie group             MK99
  | rkmk_feagin108       10         8      3      17  adaptive  Y' = A Y     Lie group             MK99
  |
  | In local coordinates, every explicit Runge-Kutta method
  |   partition  generalised coordinate partitioning: --projection partition   WH82
  |   tangent    tangent space parametrisation: --projection tangent           PR91
  |
  | Sources
  |   And83     Andersen, H. C.: Rattle: a ``velocity'' version of the Shake algorithm for molecular dynamics calculations, 1983
  |   BCR00     Blanes, S.; Casas, F.; Ros, J.: Improved high order integrators based on the Magnus expansion, 2000
  |   BS89      Bogacki, P.; Shampine, L. F.: A 3(2) pair of Runge–Kutta formulas, 1989
  |   CG93      Crouch, P. E.; Grossman, R.: Numerical integration of ordinary differential equations on manifolds, 1993
  |   DP80      Dormand, J. R.; Prince, P. J.: A family of embedded Runge–Kutta formulae, 1980
  |   Fea07     Feagin, T.: A tenth-order Runge–Kutta method with error estimate, 2007
  |   Feh69     Fehlberg, E.: Low-order classical Runge–Kutta formulas with stepsize control and their application to some heat transfer problems, 1969
  |   HNW93     Hairer, E.; Nørsett, S. P.; Wanner, G.: Solving Ordinary Differential Equations I. Nonstiff Problems, 1993
  |   Hai11     Hairer, E.: Solving Differential Equations on Manifolds, 2011
  |   Heu00     Heun, K.: Neue Methoden zur approximativen Integration der Differentialgleichungen einer unabhängigen Veränderlichen, 1900
  |   Jay96     Jay, L.: Symplectic partitioned Runge–Kutta methods for constrained Hamiltonian systems, 1996
  |   KL97      Kahan, W.; Li, R.-C.: Composition constants for raising the orders of unconventional schemes for ordinary differential equations, 1997
  |   Kut01     Kutta, W.: Beitrag zur näherungsweisen Integration totaler Differentialgleichungen, 1901
  |   MK99      Munthe-Kaas, H.: High order Runge–Kutta methods on manifolds, 1999
  |   OM99      Owren, B.; Marthinsen, A.: Runge–Kutta methods adapted to manifolds and based on rigid frames, 1999
  |   PR91      Potra, F. A.; Rheinboldt, W. C.: On the numerical solution of Euler–Lagrange equations, 1991
  |   RCB77     Ryckaert, J.-P.; Ciccotti, G.; Berendsen, H. J. C.: Numerical integration of the cartesian equations of motion of a system with constraints: molecular dynamics of n-alkanes, 1977
  |   Run95     Runge, C.: Ueber die numerische Auflösung von Differentialgleichungen, 1895
  |   Suz90     Suzuki, M.: Fractal decomposition of exponential operators with applications to many-body theories and Monte Carlo simulations, 1990
  |   Tsi11     Tsitouras, Ch.: Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying assumption, 2011
  |   WH82      Wehage, R. A.; Haug, E. J.: Generalized coordinate partitioning for dimension reduction in analysis of constrained dynamic systems, 1982
  $ vessiot methods --json | python3 -c 'import json, sys; m = json.load(sys.stdin)["methods"]; print(len(m), *m[0])'
  | 35 name family order embedded_order dense_order stages evaluations adaptive estimate needs cite source
  $ vessiot methods --json | python3 -c 'import json, sys; print(*[x["name"] for x in json.load(sys.stdin)["methods"] if not x["source"]])'
  |
  $ vessiot methods dopri54
  ! vessiot: 'dopri54' is one argument too many: vessiot methods
  [2]
