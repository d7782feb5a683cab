A linear multistep method of one's own: what it is, and a run with it.

  $ vessiot methods --multistep models/multistep/milne.json
  | milne: implicit linear multistep method, 2 steps
  |   order      4, error constant -0.00555556
  |   rho        the root condition holds
  |   sigma      a zero outside of the unit circle
  |   works on   the manifold, of every index

  $ vessiot methods --multistep models/multistep/bdf2.json --json
  | {
  |   "name": "my_bdf2",
  |   "kind": "implicit",
  |   "order": 2,
  |   "error_constant": -0.3333333333333333,
  |   "steps": 2,
  |   "sigma_inside": true,
  |   "on": "equations",
  |   "max_index": 3
  | }

  $ vessiot solve models/pendulum.ves --multistep models/multistep/milne.json --step 0.01 --to 1 --json | grep -A1 '"method"' | head -1
  |   "method": {"name": "milne", "order": 4, "projection": "simplified", "distribution": "kkt", "parametrisation": "time", "project": "steps", "precision": "double", "rtol": 1e-08, "atol": 1e-10, "step": 0.01},

Wrong ones:

  $ vessiot methods --multistep models/multistep/unstable.json
  ! vessiot: models/multistep/unstable.json: unstable: the root condition does not hold, for rho has the zero -5. Zeros must not lie outside of the unit circle, and those on it must be simple; else errors grow however small the step
  [2]

  $ vessiot solve models/pendulum.ves --multistep models/multistep/inconsistent.json
  ! vessiot: models/multistep/inconsistent.json: inconsistent: rho'(1) - sigma(1) = -1 (with alpha_k = 1), but it must be 0
  [2]

  $ vessiot solve models/pendulum.ves --multistep nowhere.json
  ! vessiot: the multistep formula 'nowhere.json' cannot be read: no such file, or it is empty
  [2]

  $ vessiot solve models/pendulum.ves --multistep models/multistep/milne.json --tableau models/tableaux/heun_euler.json
  ! vessiot: a run has one method, but it was given with --tableau and with --multistep: leave out all but one of them
  [2]

  $ vessiot solve models/pendulum.ves --multistep models/multistep/milne.json --checkpoint run.checkpoint
  ! vessiot: --checkpoint knows a method by its name, which says nothing about the file of --multistep: leave one of them out
  [2]

  $ vessiot solve models/pendulum.ves --multistep models/multistep/bdf2.json
  ! vessiot: the method "my_bdf2" makes constant steps where equations have index 3: give --step, or take "dae_radau5", which finds their size, or a method on the constraints, such as "gear3"
  [2]

  $ vessiot solve models/pendulum.ves --method ab4 --control doubling
  ! vessiot: the method "ab4" estimates its error from the points behind it: leave out control = doubling
  [2]

  $ vessiot solve models/pendulum.ves --method gear3 --project symmetric
  ! vessiot: the method "gear3" goes on from several points, and has no symmetric projection: leave out project = symmetric
  [2]

  $ vessiot solve models/pendulum.ves --method gear3 --project stages
  ! vessiot: project = stages acts on the projected points of Runge-Kutta methods (stages), or of all (symmetric), but the method is gear3: leave it out
  [2]
