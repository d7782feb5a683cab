Published tables, recomputed.

  $ vessiot reproduce
  | tuomela-normi
  |   Tuomela, Arponen, Normi: On the numerical solution of involutive ordinary differential systems:
  |   enhanced linear algebra
  |     1     rigid body with dissipation, general case, exact Newton
  |     2     rigid body with dissipation, general case, inexact Newton
  |     3     rigid body with dissipation, system with invariants, exact Newton
  |     4     rigid body with dissipation, system with invariants, inexact Newton
  |     5     two phase plug flow, system with invariants, exact Newton
  |     6     two phase plug flow, system with invariants, inexact Newton
  |     7     particle in a magnetic field, general case, exact Newton
  |     8     particle in a magnetic field, general case, inexact Newton
  |     9     particle in a magnetic field, system with invariants, exact Newton
  |     10    particle in a magnetic field, system with invariants, inexact Newton
  |     11    ideal 3D magnetohydrodynamics, general case, exact Newton
  |     12    ideal 3D magnetohydrodynamics, system with invariants, exact Newton
  |     13    chain of 6 particles, holonomic case (dopri54, adaptive)
  |     14    chain of 24 particles, holonomic case (dopri54, adaptive)
  |     15    chain of 50 particles, holonomic case (dopri54, adaptive)
  |     cpu   CPU times of Tables 1 to 15, as parts of the total of exact Newton without INIT in the same column
  |
  | tuomela-arponen
  |   Tuomela, Arponen: On the numerical solution of involutive ordinary differential systems: higher
  |   order methods (BIT 2001), and the report A409 with the same tables
  |     fig6.1    order of dopri54 in the first example, by slopes (Figure 3.1 of the report)
  |     fig6.2    Hénon-Heiles, points of the section y1 = 0 up to x = 1100
  |     6.1       Hénon-Heiles, number of steps (Table 1 of the report)
  |     6.2       stiff pendulum, eps = 0.01, number of steps (Table 2 of the report)
  |     6.3       stiff pendulum, eps = 0.1, number of steps (Table 3 of the report)
  |     conj4.7   conjecture 4.7: orders of Runge-Kutta methods with projected stages, beside the classical ones
  |
  | liu
  |   Liu: Preserving constraints of differential equations by numerical methods based on integrating
  |   factors (CMES 2006)
  |     1       example 4, index 2: errors at t = 1.5, h = 1e-5
  |     2       example 8, Kepler's problem of eccentricity 0.6
  |     fig4    example 1, Lotka and Volterra: the largest error of the invariant up to t = 20
  |     fig5    examples 2, 3 and 6 (figures 5, 6 and 10): the largest error of an invariant
  |     fig13   example 8, eps = 0.01, h = 0.1, up to t = 500
  |
  | hairer
  |   Hairer: Solving Differential Equations on Manifolds (lecture notes, Geneva 2011)
  |     I.2            rigid body on the sphere (figure I.2): drift from the sphere, and of the energy
  |     I.2-implicit   rigid body on the sphere (figure I.2), h = 1: largest errors of the energy and of the length
  |     V.1            spherical pendulum (figure V.1), h = 0.01: error of the energy, of 25.89
  |     III.1          rigid body on the sphere, t = 5: errors and orders
  |     I.2-arm        robot arm with the path of a circle, t = 2 pi: errors and orders
  |     V.5            spherical pendulum, positions at t = 1: errors and orders
  |     III.2          spherical pendulum, positions and velocities at t = 1: errors and orders
  |     III.4          linear equation on SO(3), t = 5: errors and orders of Magnus methods
  |     III.4-airy     Airy's equation on SL(2), t = 5: errors and orders of Magnus methods
  |     V              orders of methods on systems of index 1, 2 and 3 as they stand, beside those of theory
  |     V.6            exercise V.6.2: order of z with the implicit Euler method, which converges for eta > -1/2
  |     V.4-energy     Hénon-Heiles by the method of Störmer and Verlet up to t = 1000: orders of what energies change by
  |
  | vessiot reproduce PAPER [TABLE] recomputes them.
  $ vessiot reproduce --json | head -n 8
  | [
  |   {
  |     "paper": "tuomela-normi",
  |     "title": "Tuomela, Arponen, Normi: On the numerical solution of involutive ordinary differential systems: enhanced linear algebra",
  |     "tables": [
  |       {
  |         "table": "1",
  |         "title": "rigid body with dissipation, general case, exact Newton"

One table, in which the printed and the computed numbers stand side by side.

  $ vessiot reproduce tuomela-normi 9
  | tuomela-normi, table 9: particle in a magnetic field, system with invariants, exact Newton
  |                               steps        rejected  Newton mean  Newton max
  |   no INIT Euler (constant)    2860 = 2860            1.43 = 1.43  2 = 2
  |   no INIT Euler (adaptive)    1596 = 1596  10 = 10   1.93 ≃ 1.93  2 = 2
  |   no INIT dopri54 (constant)  2860 = 2860               0 ≃ 0     0 = 0
  |   no INIT dopri54 (adaptive)    44 = 44    11 ≈ 10   1.47 ≈ 1.4   3 = 3
  |   w/INIT Euler (constant)     2860 = 2860            1.43 = 1.43  2 = 2
  |   w/INIT Euler (adaptive)     1596 = 1596  10 = 10   1.93 ≃ 1.93  2 = 2
  |   w/INIT dopri54 (constant)   2860 = 2860               0 ≃ 0     0 = 0
  |   w/INIT dopri54 (adaptive)     44 = 44    11 ≈ 10   1.47 ≈ 1.4   3 = 3
  |   Reading: steps of unit speed in the space of M, x included; the one that crosses the end is not counted;
  |     errors as in Hairer, Norsett, Wanner, (4.11) (printed)
  |   Reading: Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|; iterations of all steps by
  |     their number (printed)
  |   Reading: Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)| (printed)
  |   Reading: Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|; ceil(s/3) averaged over
  |     steps, the one that crosses the end included, s the iterations of a step (inferred)
  |   Reading: Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|; ceil(s/7) averaged over
  |     steps, the one that crosses the end included, s the iterations of a step (inferred)
  |   Reading: Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|; floor(s/8) averaged over
  |     steps, the one that crosses the end included, s the iterations of a step (inferred)
  |
  | tuomela-normi: 24 exact (4 of them fitted), 4 close, 0 differ of 28 published numbers (= to the printed digits, ≃ the same with an inferred reading, ≈ within 10 %)
  $ vessiot reproduce tuomela-normi 9 --json | head -n 10
  | [
  |   {
  |     "paper": "tuomela-normi",
  |     "table": "9",
  |     "row": "no INIT Euler (constant)",
  |     "column": "steps",
  |     "published": 2860,
  |     "computed": 2860,
  |     "verdict": "exact",
  |     "reading": "steps of unit speed in the space of M, x included; the one that crosses the end is not counted; errors as in Hairer, Norsett, Wanner, (4.11)",
  $ vessiot reproduce tuomela-normi 9 --json | grep -c verdict
  | 28
  $ vessiot reproduce tuomela-normi 9 --markdown page.md > out && sed -n 1,12p page.md && diff out <(vessiot reproduce tuomela-normi 9)
  | # Published tables, recomputed
  |
  | This page is made by `vessiot reproduce all --markdown docs/reproduction.md`; only the printed numbers are
  | typed in. A cell shows the printed number, the verdict and the computed number:
  |
  | - `=` exact: the computed number rounds to the printed digits (a printed 0: below 1e-12)
  | - `≃` fitted: the same, with a reading of what the text leaves open that was inferred from its numbers
  | - `≈` close: within 10 %
  | - `≠` differs; a number in brackets leads to what is known about it
  |
  | Numbers that stand beside ours as a reference, not as published, come from a theorem or from programs of our own;
  | they are not counted as reproduced.

What is not there.

  $ vessiot reproduce tuomela-norma
  ! vessiot: there is no paper 'tuomela-norma'; did you mean 'tuomela-normi'? 'vessiot reproduce' lists them.
  [2]
  $ vessiot reproduce tuomela-normi 16
  ! vessiot: tuomela-normi has no table '16'. 'vessiot reproduce' lists them.
  [2]
  $ vessiot reproduce tuomela-normi 9 --markdown nowhere/page.md > out
  ! vessiot: nowhere/page.md cannot be written: No such file or directory
  [1]
  $ vessiot reproduce tuomela-normi 9 extra
  ! vessiot: 'extra' is one argument too many: vessiot reproduce [PAPER [TABLE]]
  [2]
  $ vessiot help reproduce
  | usage: vessiot reproduce [PAPER [TABLE]] [OPTIONS]
  |
  | Recomputes tables of papers, and puts the printed and the computed numbers side
  | by side: = where they agree to the printed digits, ≈ within 10 %, ≠ beyond, with
  | the reason if it is known. Without PAPER it lists what there is; with "all" it
  | takes all papers. CPU times are compared as ratios.
  |
  | Options
  |   --json            a list of objects on standard output, one for each number
  |   --markdown FILE   write a page with all tables
  |   --plot FOLDER     draw the figures into this folder
  |   --progress WORD   auto, always, never: show what is computed
  |
  | Examples
  |   vessiot reproduce                                                 the papers and their tables
  |   vessiot reproduce tuomela-normi 7                                 one table
  |   vessiot reproduce tuomela-normi --json | jq '.[].verdict'         for a program
  |   vessiot reproduce all --markdown reproduction.md --plot figures   all of it
