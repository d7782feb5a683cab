A Runge-Kutta method of one's own: what it is, and a run with it.

  $ vessiot methods --tableau models/tableaux/heun_euler.json
  | heun_euler: explicit Runge-Kutta method, 2 stages
  |   order      2
  |   embedded   order 1
  |   last stage not the result of the step

  $ vessiot methods --tableau models/tableaux/sdirk3.json --json
  | {
  |   "name": "norsett3",
  |   "kind": "diagonally implicit",
  |   "order": 3,
  |   "embedded_order": 0,
  |   "stages": 2,
  |   "evaluations": 2,
  |   "stiffly_accurate": false
  | }

  $ vessiot solve models/pendulum.ves --tableau models/tableaux/sdirk3.json --step 0.01 --to 1 --json | grep -A1 '"method"' | head -1
  |   "method": {"name": "norsett3", "order": 3, "projection": "simplified", "distribution": "kkt", "parametrisation": "time", "project": "steps", "precision": "double", "rtol": 1e-08, "atol": 1e-10, "step": 0.01},

Wrong ones:

  $ vessiot methods --tableau models/tableaux/claims.json
  ! vessiot: models/tableaux/claims.json: the order is said to be 3, but it is 2: the condition of the tree [o o] is off by 0.167
  [2]

  $ vessiot methods --tableau models/tableaux/shape.json
  ! vessiot: models/tableaux/shape.json: b has 2 weights, so there must be 2 stages, but row 2 of a has 1 number
  [2]

  $ vessiot solve models/pendulum.ves --tableau models/tableaux/inconsistent.json
  ! vessiot: models/tableaux/inconsistent.json: inconsistent: row 2 of a sums to 1, but c[2] = 0.5
  [2]

  $ vessiot solve models/pendulum.ves --tableau nowhere.json
  ! vessiot: the tableau 'nowhere.json' cannot be read: no such file, or it is empty
  [2]

  $ vessiot solve models/pendulum.ves --tableau models/tableaux/heun_euler.json --method rk4
  ! vessiot: a run has one method, but it was given with --method and with --tableau: leave out all but one of them
  [2]

  $ vessiot solve models/pendulum.ves --tableau models/tableaux/heun_euler.json --checkpoint run.checkpoint
  ! vessiot: --checkpoint knows a method by its name, which says nothing about the file of --tableau: leave one of them out
  [2]
