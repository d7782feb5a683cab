Runs that fail: one message that says what was found, what was needed, where, and what to try; exit status 1, and all
points up to there are kept. Exit status 2 where the model or its start point is wrong. Numbers that differ from machine
to machine are masked (N); models/failing/points prints what a script sees of the points.

Where the solution ends

  $ models/failing/masked vessiot solve models/failing/blow_up.ves --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the error estimate stays N times above the tolerance, and y grows without bound (y = N). The solution seems to end there; end the run before, with --to or an event that stops it
  [1]
  $ models/failing/points vessiot solve models/failing/blow_up.ves --json
  | failed: many points from t = 0 to 1
  [1]
  $ models/failing/points vessiot solve models/failing/blow_up.ves --json --at 0.5,0.9,1.5,2
  | failed: 2 points from t = 0.5 to 0.9
  [1]
  $ vessiot solve models/failing/blow_up.ves --quiet --at 0.5,0.9,1.5,2 2>&1 | grep -o '[0-9] of the points.*'
  | 2 of the points asked for were not reached
  $ models/failing/masked vessiot solve models/failing/blow_up.ves --quiet --precision quad
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the tolerances ask for smaller steps, and y grows without bound (y = N). The solution seems to end there; end the run before, with --to or an event that stops it
  [1]
  $ models/failing/masked vessiot solve models/failing/blow_up.ves --quiet --parametrisation arclength
  | vessiot: the run ended near t = N (step N): y grows without bound (y = N) while t stands still to its tolerance. The solution seems to end there; end the run before, with --to-s or an event that stops it, or follow it further with a smaller rtol
  [1]
  $ vessiot solve models/failing/blow_up.ves --quiet --to -2
  $ models/failing/masked vessiot solve models/failing/impasse.ves --quiet --parametrisation time
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the equations no longer determine y'. If t turns back there (an impasse point), try --parametrisation arclength
  [1]
  $ models/failing/points vessiot solve models/failing/impasse.ves --json --parametrisation time
  | failed: many points from t = 0 to 1
  [1]
  $ vessiot solve models/failing/impasse.ves --quiet --parametrisation arclength

Out of the domain of a function: named, with the place

  $ models/failing/masked vessiot solve models/failing/drain.ves --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): sqrt(h) at h = N has no finite value. The solution seems to end there; end the run before, with --to or an event that stops it
  [1]
  $ models/failing/points vessiot solve models/failing/drain.ves --json
  | failed: many points from t = 0 to 1.5
  [1]
  $ models/failing/masked vessiot solve models/failing/logarithm.ves --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): log(x) at x = N has no finite value. The solution seems to end there; end the run before, with --to or an event that stops it
  [1]
  $ models/failing/masked vessiot solve models/failing/division.ves --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the error estimate stays N times above the tolerance, and x changes without bound (x' = N at x = N). If t turns back there (an impasse point), try --parametrisation arclength
  [1]
  $ vessiot solve models/failing/division.ves --quiet --step 0.25
  ! vessiot: the run ended at t = 0.75 (step 4, h = 0.25, a constant step): the divisor t - 1 is 0 at t = 1. Try a smaller --step, or leave it out
  [1]
  $ models/failing/masked vessiot solve models/failing/overflow.ves --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): x grows beyond the largest number. The solution seems to end there; end the run before, with --to or an event that stops it
  [1]
  $ models/failing/masked vessiot solve models/failing/growth.ves --quiet --to 1e308
  | vessiot: the run ended at t = N (step N, h = N, the step floor): x grows beyond the largest number. The solution seems to end there; end the run before, with --to or an event that stops it
  [1]

Constraints that become dependent: named, with the rank

  $ models/failing/masked vessiot solve four_bar_singular --rtol 1e-13 --atol 1e-13 --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): the constraints become dependent there (rank 5 of 6): ((d - y3)^2 + y4^2 - c^2)/2 = 0 depends on the others. Branches of the motion may cross; if the constraints are polynomials, 'vessiot decompose' separates them
  [1]
  $ vessiot solve four_bar_singular --start y1=1 --start y2=0 --start y3=3 --start y4=0
  ! vessiot: the constraints are dependent at the start point (rank 4 of 6): ((d - y3)^2 + y4^2 - c^2)/2 = 0; the derivative of ((d - y3)^2 + y4^2 - c^2)/2 = 0 depend on the others. Leave out what is written twice, or start elsewhere.
  [2]
  $ vessiot solve models/failing/twice.ves | grep -v ' time '
  | twice: holonomic system, order 2, index 3, 4 unknowns, 4 equations
  |   manifold     dimension 3, 1 degree of freedom, 2 hidden constraints
  |   method       dopri54 (order 5), direction shortest, projection simplified
  |   tolerances   rtol 1e-6, atol 1e-9
  |   steps        12, and 0 rejected
  |   work         104 directions, 12 projections of 4.00 iterations
  |   residual     3.0e-15 of the constraints (absolute 3.0e-15)
  |   last point   t = 1, one of 13 reported
  |                x = 0.879548133   x' = -0.464157343   y = -0.475809922
  |                y' = -0.85800801   lambda[1] = 0.356857427
  |                lambda[2] = 0.356857427
  |   note         start: no value was given for y': 0 is taken
  |   note         lambda[1], lambda[2] are not unique, since constraints are
  |                redundant; the motion is. The smallest values are taken
  |   result       reached t = 1
  $ vessiot solve models/failing/contradiction.ves
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 2 (x^2 + y^2 = 4) is off by 3. They may contradict each other: they are dependent there (rank 2 of 4): x^2 + y^2 = 4; the derivative of x^2 + y^2 = 4 depend on the others.
  [2]

No start point

  $ vessiot solve models/failing/no_point.ves
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 2 (x^2 + y^2 = -1) is off by 2. Give start values that are nearer, or check that all can be satisfied.
  [2]
  $ models/failing/points vessiot solve models/failing/no_point.ves --json
  | invalid: no start point that satisfies all constraints was found near the one given: equation 2 (x^2 + y^2 = -1) is off by 2. Give start values that are nearer, or check that all can be satisfied.
  [2]
  $ vessiot solve models/failing/held.ves
  ! vessiot: no start point that satisfies all constraints was found near the one given: equation 2 (x^2 + y^2 = 1) is off by 3. Give start values that are nearer, or check that all can be satisfied; or hold fewer unknowns.
  [2]
  $ vessiot solve models/failing/outside.ves
  ! vessiot: the direction of the solution has no value at the start point: log(x) at x = -1. Check the start values and parameters.
  [2]
  $ vessiot solve models/failing/outside.ves --start x=1 --quiet
  $ vessiot solve models/failing/growth.ves --start z=1
  ! vessiot: 'z' is no unknown of growth and no derivative of one that a start value could be given for. It has: x, x'
  [2]
  $ vessiot solve models/failing/growth.ves --start "x''=1"
  ! vessiot: 'x''' is no unknown of growth and no derivative of one that a start value could be given for; did you mean 'x''?
  [2]

What is not finite

  $ vessiot solve models/failing/not_a_number.ves
  ! models/failing/not_a_number.ves:1:15: the value of 'a' is not a finite number
  !     parameter a = 0/0
  !                   ^~~
  [2]
  $ vessiot solve models/failing/start_infinite.ves
  ! vessiot: line 4 of start_infinite: the start value of x is not finite: inf
  [2]
  $ vessiot solve models/failing/end_infinite.ves
  ! models/failing/end_infinite.ves:5:16: the end of the interval has no value: it is not a finite number
  !     solve t = 0 .. 1/a
  !                    ^~~
  [2]
  $ vessiot solve models/failing/growth.ves --set g=nan
  ! --set:1:3: 'nan' is not a name of this model
  !     g=nan
  !       ^~~
  [2]
  $ vessiot solve models/failing/growth.ves --set g=0/0
  ! --set:1:3: the value of 'g' is not a finite number
  !     g=0/0
  !       ^~~
  [2]
  $ vessiot solve models/failing/growth.ves --set g=1e400
  ! --set:1:3: this number is too large; the largest is about 1.8e308
  !     g=1e400
  !       ^~~~~
  [2]
  $ vessiot solve models/failing/growth.ves --start x=inf
  ! vessiot: --start x needs a finite number, but found 'inf'
  [2]

Equations that say too little, or too much

  $ vessiot solve models/failing/undetermined.ves
  ! vessiot: models/failing/undetermined.ves: 3 unknowns and 3 equations, but only 2 of these are independent: nothing determines 'z'
  [2]
  $ vessiot solve models/failing/misleading.ves | grep -v ' time '
  | misleading: semi-explicit system, order 1, index 1, 2 unknowns, 2 equations
  |   manifold     dimension 2, 1 degree of freedom, 1 hidden constraint
  |   method       dopri54 (order 5), direction submatrix, projection simplified
  |   tolerances   rtol 1e-6, atol 1e-9
  |   steps        4, and 0 rejected
  |   work         42 directions, 4 projections of 0.00 iterations
  |   residual     0.0e+00 of the constraints (absolute 0.0e+00)
  |   last point   t = 1, one of 5 reported
  |                x = 1.39561243   y = 2.79122486
  |   note         hidden: 2*x - y = 0 follows from the equations
  |   result       reached t = 1
  $ models/failing/masked vessiot solve models/failing/parting.ves
  | vessiot: the equations of parting contradict each other: x' = N; x = 2*t together say that 1 = 0, after 1 round of differentiation.
  [2]
  $ models/failing/masked vessiot solve models/failing/friction.ves
  | vessiot: the invariant x^2 + y^2 is not conserved: along the solution it changes at the relative rate N. Check the equations and the invariant, or force it with `option invariants = impose` (--invariants impose).
  [2]
  $ models/failing/points vessiot solve models/failing/friction.ves --invariants impose --json
  | success: many points from t = 0 to 5

Too many steps, or too small ones

  $ models/failing/masked vessiot solve models/failing/stiff.ves --method dopri54 --max-steps 100 --quiet
  | vessiot: 100 steps used at t = N of 1000 (h = N, N % rejected). The problem may be stiff: try --method radau5 or auto. Looser tolerances, another method, or a larger --max-steps may help
  [1]
  $ models/failing/points vessiot solve models/failing/stiff.ves --method dopri54 --max-steps 100 --json
  | failed: many points from t = 0 to 0.00023
  [1]
  $ vessiot solve models/failing/stiff.ves --method dopri54 --max-steps 1 --quiet 2>&1 | cut -c -32
  | vessiot: 1 step used at t = 0 of
  $ models/failing/masked vessiot solve models/failing/stiff.ves --max-steps 100 --step 1e-5 --method rk4 --quiet
  | vessiot: 100 steps used at t = N of 1000 (h = N, a constant step). Give a larger --step or a larger --max-steps; 1e+08 are needed
  [1]
  $ models/failing/masked vessiot solve models/failing/stiff.ves --step 0.01 --to 10 --quiet
  | vessiot: the run ended at t = N (step N, h = N, a constant step): overflow of 1000000*(x - cos(t)) at x = N, t = N. Try a smaller --step, or leave it out
  [1]
  $ models/failing/points vessiot solve models/failing/stiff.ves --step 0.01 --to 10 --json
  | failed: many points from t = 0 to 0.14
  [1]
  $ vessiot solve models/failing/growth.ves --step 1e-20 --from 1 --to 2 --quiet
  ! vessiot: the run ended at t = 1 (step 1, h = 1e-20, a constant step): it is lost in the round-off of t. Give a larger --step
  [1]
  $ models/failing/masked vessiot solve models/failing/growth.ves --h-min 0.5 --quiet
  | vessiot: the run ended at t = N (step N, h = N, below h_min = N): the tolerances ask for smaller steps. A smaller --h-min or looser tolerances may help
  [1]
  $ models/failing/masked vessiot solve models/failing/growth.ves --rtol 1e-300 --atol 1e-300 --quiet
  | vessiot: the run ended at t = N (step N, h = N, the step floor): rtol = N asks for more digits than double precision has. Loosen it, or use --precision quad
  [1]

The interval, and the points in it

  $ vessiot solve models/failing/no_interval.ves
  ! vessiot: no_interval says nothing about the interval: add a line `solve t = 0 .. 10` to the model, or give --to
  [2]
  $ vessiot solve models/failing/no_interval.ves --to 1 --quiet
  $ vessiot solve models/failing/growth.ves --to 0
  ! vessiot: the interval has length zero: it starts and ends at t = 0
  [2]
  $ vessiot solve models/failing/growth.ves --from -1e308 --to 1e308
  ! vessiot: the interval from -1e+308 to 1e+308 is longer than the largest number
  [2]
  $ vessiot solve models/failing/far.ves
  ! vessiot: the interval from t = 1e+20 is shorter than the round-off of t there: use --precision quad, or move it nearer to 0
  [2]
  $ vessiot solve models/failing/far.ves --precision quad --quiet
  $ vessiot solve models/failing/growth.ves --from 1e16 --to 1e16+200 --quiet
  ! vessiot: the run ended at t = 1e+16 (step 1, h = 0.0464): the tolerances ask for steps that are lost in the round-off of t, whose neighbours are 2.2 apart here. Move the start of the interval nearer to 0, or use --precision quad
  [1]
  $ vessiot solve models/failing/growth.ves --at 5
  ! vessiot: the point t = 5 to be reported is not between 0 and 1
  [2]
  $ vessiot solve models/failing/late_output.ves
  ! vessiot: the point t = 3 to be reported is not between 0 and 1
  [2]
  $ vessiot solve models/failing/growth.ves --every 1e-12
  ! vessiot: --every 1e-12 asks for 1e+12 points; at most 1e8 are possible: give a larger one, or write them to a .csv or .h5 file
  [2]
  $ models/failing/points vessiot solve models/failing/growth.ves --to -1 --json
  | success: many points from t = 0 to -1
  $ models/failing/points vessiot solve models/failing/growth.ves --parametrisation arclength --to-s 1 --json
  | success: many points from t = 0 to 0.59
  $ vessiot solve models/failing/event_at_start.ves --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["message"][:24], [round(e["t"], 6) for e in d["events"]])'
  | stopped by the event 'ba [3.141593, 3.141593]

Files: a run that failed writes what it has; a file that cannot be written fails the run, and loses nothing else

  $ vessiot solve models/failing/blow_up.ves --quiet --out a.json --out a.csv 2> /dev/null; echo $?; models/failing/points cat a.json; head -2 a.csv
  | 1
  | failed: many points from t = 0 to 1
  | t,y
  | 0,1
  $ ln -s /dev/full full.json; vessiot solve models/failing/growth.ves --quiet --out full.json
  ! vessiot: full.json cannot be written: No space left on device
  [1]
  $ ln -s /dev/full full.svg; vessiot solve models/failing/growth.ves --quiet --plot full.svg
  ! vessiot: full.svg cannot be written: No space left on device
  [1]
  $ ln -s /dev/full full.png; models/failing/points vessiot solve models/failing/growth.ves --json --plot full.png
  | failed: many points from t = 0 to 1
  [1]
  $ touch file; vessiot solve models/failing/growth.ves --quiet --out file/a.csv --plot file/a.svg
  ! vessiot: file/a.svg cannot be drawn: there are no points
  ! vessiot: file/a.csv cannot be written: Not a directory; nothing was computed
  [1]
  $ mkdir folder.csv; vessiot solve models/failing/growth.ves --quiet --out folder.csv
  ! vessiot: folder.csv cannot be written: Is a directory; nothing was computed
  [1]
  $ ls
  | a.csv
  | a.json
  | file
  | folder.csv
  | full.json
  | full.png
  | full.svg
  | models

Ctrl-C: what there is, as it would have been

  $ timeout --preserve-status -s INT 1 vessiot solve models/failing/stiff.ves --method dopri54 --json --progress never --every 1e-3 --max-steps 1000000000 2> /dev/null > c.json; echo $?; models/failing/points cat c.json | cut -d ' ' -f -3
  | 130
  | interrupted: many points

One Ctrl-C that comes as two signals is one.

  $ vessiot solve models/failing/stiff.ves --method dopri54 --json --progress never --every 1e-3 2> /dev/null > d.json & sleep 0.5; kill -INT $!; kill -INT $!; wait $!; echo $?; models/failing/points cat d.json | cut -d ' ' -f -3
  | 130
  | interrupted: many points

Implicit methods

  $ models/failing/masked vessiot solve models/failing/stiff.ves --quiet
  $ vessiot solve models/failing/stiff.ves --json | python3 -c 'import json, sys; m = json.load(sys.stdin)["method"]; print(m["name"], m["choice"].split(":")[0])'
  | radau5 radau5 at the start, stiff
  $ models/failing/masked vessiot solve models/failing/stiff.ves --method radau5 --max-steps 5 --quiet
  | vessiot: 5 steps used at t = N of 1000 (h = N, N % rejected). Looser tolerances, another method, or a larger --max-steps may help
  [1]
  $ models/failing/masked vessiot solve models/failing/root.ves --method radau5 --quiet
  | vessiot: the run ended at t = N (step N, h = N): the derivative of x' = N + sqrt(y) by y has no finite value there, which radau5 needs. An explicit method, such as dopri54, does without it
  [1]
  $ vessiot solve models/failing/root.ves --quiet
  $ models/failing/masked vessiot solve models/failing/slide.ves --conditions ignore --method implicit_euler --step 0.1 --quiet
  | vessiot: the run ended at t = N (step N, h = N, a constant step): the iteration for the stages of implicit_euler does not converge. Try a smaller --step, or leave it out
  [1]
  $ models/failing/masked vessiot solve models/failing/slide.ves --conditions ignore --method radau5 --max-steps 1000 --quiet
  | vessiot: 1000 steps used at t = N of 1 (h = N, N % rejected, most because the iteration for the step did not converge). The equations may jump there, or have no smooth solution. Looser tolerances, another method, or a larger --max-steps may help
  [1]
  $ models/failing/masked vessiot solve models/failing/slide.ves --method radau5 --quiet
  | vessiot: the run ended at t = N: a sliding mode at the condition sign(x). On each of its sides the solution is driven back to the other, so that it could only stay where the condition switches, which these equations do not say. Write what holds there: an equation that keeps the solution on the surface (a mode of its own: event … then …), a continuous function in place of the jump (tanh(x/0.001) for sign(x)), or two thresholds instead of one
  [1]
  $ vessiot solve models/failing/stiff.ves --method radau5 --continue low
  ! vessiot: continue = low acts on explicit methods with an embedded one, such as dopri54, but the method is radau5: leave it out
  [2]

The reason of a failed run stands last in the summary, and on standard error. Lines of the model that a warning shows
are not in the report.

  $ vessiot solve models/failing/growth.ves --max-steps 3 | grep -A 4 result
  |   result       failed: 3 steps used at t = 0.3277053889 of 1
  |                (h = 0.194, 0 % rejected). Looser tolerances, another method, or
  |                a larger --max-steps may help
  ! vessiot: 3 steps used at t = 0.3277053889 of 1 (h = 0.194, 0 % rejected). Looser tolerances, another method, or a larger --max-steps may help
  $ printf "parameter kappa = 2\nunknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n" > w.ves; vessiot solve w.ves --quiet --report w.html; grep -c "used nowhere" w.html; grep -c "\^~" w.html; true
  | 2
  | 0
  ! w.ves:1:11: warning: the parameter 'kappa' is used nowhere
  !     parameter kappa = 2
  !               ^~~~~
