Implicit methods, direct ones and ida: what they say of equations that they cannot solve. Exit status 2 where the model or an
option is wrong, 1 where a run ends early. Numbers that differ from machine to machine are masked (N).

The eta-problem: for every eta the same easy solution; implicit Euler on the equations as they stand converges for eta > -1/2,
blows up below, and has no solution at -1

  $ vessiot solve eta_problem --method dae_radau1 --step 1/160 --set eta=1 --quiet
  $ vessiot solve eta_problem --method dae_radau1 --step 1/160 --set eta=-0.3 --quiet
  $ models/failing/masked vessiot solve eta_problem --method dae_radau1 --step 1/160 --set eta=-0.6 --quiet
  | vessiot: reached t = N, but the values there have nothing to do with the solution: the hidden constraints are off by 1.7 of their largest term. dae_radau1 does not converge on these equations as they stand with such steps; a method on the constraints, such as radau5, does
  [1]
  $ models/failing/masked vessiot solve eta_problem --method dae_radau1 --step 1/160 --set eta=-2 --quiet
  | vessiot: reached t = N, but the values there have nothing to do with the solution: the hidden constraints are off by 0.5 of their largest term. dae_radau1 does not converge on these equations as they stand with such steps; a method on the constraints, such as radau5, does
  [1]
  $ models/failing/masked vessiot solve eta_problem --method dae_radau1 --step 1/160 --set eta=-1 --quiet
  | vessiot: the run ended at t = N (step N, h = N, a constant step): the equations of a step of dae_radau1 have no unique solution, whatever its size: their pencil is singular there. dae_radau1 works on the equations as they stand; a method on the constraints, such as radau5, may do. Try a smaller --step, or leave it out
  [1]
  $ models/failing/masked vessiot solve eta_problem --method dae_radau1 --set eta=-1 --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the equations of a step of dae_radau1 have no unique solution, whatever its size: their pencil is singular there. dae_radau1 works on the equations as they stand; a method on the constraints, such as radau5, may do
  [1]
  $ vessiot solve eta_problem --method radau5 --set eta=-1 --quiet
  $ vessiot solve eta_problem --method radau5 --set eta=-2 --quiet

A pencil that is singular: what is missing, or the equation that says nothing

  $ vessiot solve models/implicit/pencil.ves --method dae_radau5 --quiet
  ! vessiot: 2 unknowns, but the equations of pencil give only 1 independent condition for them, however often they are differentiated: nothing determines y' (x' + y' = 1; 2*x' + 2*y' = 2 + x - y - (x - y) depend on each other). Another equation is needed.
  [2]
  $ models/failing/masked vessiot solve models/implicit/vanishing.ves --method dae_radau5 --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the constraints become dependent there (rank 0 of 1): p*x + p*y = N depends on the others. Branches of the motion may cross; if the constraints are polynomials, 'vessiot decompose' separates them
  [1]
  $ models/failing/masked vessiot solve models/implicit/vanishing.ves --method radau5 --quiet
  | vessiot: the run ended at t = N (step N, h = N): the equations no longer determine x', y. If t turns back there (an impasse point), try --parametrisation arclength
  [1]

A start that is not consistent, of index 2 and 3

  $ vessiot solve models/implicit/held_index2.ves --method dae_radau5 --quiet
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 2 (y2' = y1^2*y2^2 - 3*y2^2*z) is off by 9; equation 3 (y1^2*y2 = 1) is off by 2. Give start values that are nearer, or check that all can be satisfied; or hold fewer unknowns.
  [2]
  $ vessiot solve models/implicit/held_index3.ves --method dae_radau5 --quiet
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 3 (x^2 + y^2 = 1) is off by 3. Give start values that are nearer, or check that all can be satisfied; or hold fewer unknowns.
  [2]
  $ vessiot solve models/implicit/held_index3.ves --method ida --quiet
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 3 (x^2 + y^2 = 1) is off by 3. Give start values that are nearer, or check that all can be satisfied; or hold fewer unknowns.
  [2]

A derivative without a finite value: named

  $ models/failing/masked vessiot solve models/implicit/root.ves --method radau5 --quiet
  | vessiot: the run ended at t = N (step N, h = N): the derivative of x' = N + sqrt(x) by x has no finite value there, which radau5 needs. An explicit method, such as dopri54, does without it
  [1]
  $ models/failing/masked vessiot solve models/implicit/root.ves --method dae_radau5 --quiet
  | vessiot: the run ended at t = N (step N, h = N): the derivative of x' = N + sqrt(x) by x has no finite value there, which dae_radau5 needs. An explicit method, such as dopri54, does without it
  [1]

An iteration that never converges

  $ models/failing/masked vessiot solve models/implicit/chatter.ves --conditions ignore --method radau5 --step 0.3 --quiet
  | vessiot: the run ended at t = N (step N, h = N, a constant step): the iteration for the stages of radau5 does not converge. Try a smaller --step, or leave it out
  [1]
  $ models/failing/masked vessiot solve models/implicit/chatter.ves --conditions ignore --method dae_radau5 --step 0.3 --quiet
  | vessiot: the run ended at t = N (step N, h = N, a constant step): the iteration for a step of dae_radau5 does not converge. dae_radau5 works on the equations as they stand; a method on the constraints, such as radau5, may do. Try a smaller --step, or leave it out
  [1]
  $ models/failing/masked vessiot solve models/implicit/chatter.ves --conditions ignore --method radau5 --max-steps 2000 --quiet
  | vessiot: 2000 steps used at t = N of 3 (h = N, N % rejected, most because the iteration for the step did not converge). The equations may jump there, or have no smooth solution. Looser tolerances, another method, or a larger --max-steps may help
  [1]
  $ models/failing/masked vessiot solve models/implicit/chatter.ves --conditions ignore --method dae_radau5 --max-steps 2000 --quiet
  | vessiot: 2000 steps used at t = N of 3 (h = N, N % rejected, most because the iteration for the step did not converge). The equations may jump there, or have no smooth solution. Looser tolerances, another method, or a larger --max-steps may help
  [1]

Options that do not fit

  $ vessiot solve pendulum --method ida --step 0.1
  ! vessiot: the method ida chooses its own steps, but step = 0.1 (constant steps) was asked for: leave it out, or take another method, such as bdf3 or radau5
  [2]
  $ vessiot solve pendulum --method ida --precision quad
  ! vessiot: the method ida computes in double, but precision = quad was asked for: leave it out, or take another method, such as radau9
  [2]
  $ vessiot solve pendulum --method ida --parametrisation arclength
  ! vessiot: the method ida makes steps in time, but parametrisation = arclength was asked for: set it to time (--parametrisation time), or take another method, such as dopri54
  [2]
  $ vessiot solve pendulum --method ida --control pi
  ! vessiot: the method ida chooses its own steps, but control = pi was asked for: leave it out, or take another method, such as radau5
  [2]
  $ vessiot solve pendulum --method ida --max-order 6
  ! vessiot: max_order = 6, but the highest order of ida is 5
  [2]
  $ vessiot solve pendulum --method radau5 --max-order 3
  ! vessiot: max_order = 3, but the order of radau5 does not vary: it is 5. Methods whose order varies: dae_radau (up to 9), ida (up to 5)
  [2]
  $ vessiot solve heat --set n=500 --method radau5 --parametrisation arclength
  ! vessiot: implicit methods in arclength are for systems of up to 100 coordinates with as many equations as unknowns; here are 500 coordinates, and 500 equations for 500 unknowns. Take an explicit method, such as dopri54, or --parametrisation time.
  [2]
  $ vessiot solve pendulum --method dae_radau --parametrisation arclength
  ! vessiot: the method "dae_radau" works in time, not in arclength: leave out --parametrisation arclength, or take one such as "dopri54" or "radau5"
  [2]
