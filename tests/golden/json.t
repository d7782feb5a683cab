What inspect says to programs.

  $ vessiot inspect models/pendulum.ves --json
  | {
  |   "model": "pendulum",
  |   "status": "success",
  |   "class": "holonomic",
  |   "order": 2,
  |   "unknowns": 3,
  |   "equations": 3,
  |   "determination": "square",
  |   "algebraic_unknowns": 1,
  |   "multipliers": 1,
  |   "templates": 3,
  |   "unknown_list": [
  |     {
  |       "name": "x",
  |       "shape": [],
  |       "order": 2,
  |       "role": "differential"
  |     },
  |     {
  |       "name": "y",
  |       "shape": [],
  |       "order": 2,
  |       "role": "differential"
  |     },
  |     {
  |       "name": "lambda",
  |       "shape": [],
  |       "order": 0,
  |       "role": "multiplier"
  |     }
  |   ],
  |   "equation_list": [
  |     {
  |       "kind": "equation",
  |       "text": "x'' = -lambda*x",
  |       "domain": null,
  |       "count": 1,
  |       "line": 5
  |     },
  |     {
  |       "kind": "equation",
  |       "text": "y'' = -lambda*y - g",
  |       "domain": null,
  |       "count": 1,
  |       "line": 6
  |     },
  |     {
  |       "kind": "equation",
  |       "text": "x^2 + y^2 = l^2",
  |       "domain": null,
  |       "count": 1,
  |       "line": 7
  |     }
  |   ],
  |   "forces": [],
  |   "derived": [],
  |   "invariants": [
  |     {
  |       "kind": "invariant",
  |       "text": "(x'^2 + y'^2)/2 + g*y",
  |       "domain": null,
  |       "count": 1,
  |       "line": 9
  |     }
  |   ],
  |   "parameters": {
  |     "g": 9.81,
  |     "l": 1.0
  |   },
  |   "start": [
  |     {
  |       "name": "x",
  |       "text": "l",
  |       "domain": null,
  |       "count": 1,
  |       "value": 1.0,
  |       "line": 11
  |     },
  |     {
  |       "name": "y",
  |       "text": "0",
  |       "domain": null,
  |       "count": 1,
  |       "value": 0.0,
  |       "line": 11
  |     },
  |     {
  |       "name": "x'",
  |       "text": "0",
  |       "domain": null,
  |       "count": 1,
  |       "value": 0.0,
  |       "line": 11
  |     },
  |     {
  |       "name": "y'",
  |       "text": "0",
  |       "domain": null,
  |       "count": 1,
  |       "value": 0.0,
  |       "line": 11
  |     }
  |   ],
  |   "guesses": [],
  |   "hold": [],
  |   "independent": "t",
  |   "interval": [
  |     0.0,
  |     10.0
  |   ],
  |   "options": {
  |     "method": "dopri54",
  |     "rtol": "1e-8",
  |     "atol": "1e-10"
  |   },
  |   "output": {
  |     "every": 0.05,
  |     "columns": []
  |   },
  |   "events": [
  |     {
  |       "name": "lowest",
  |       "text": "x = 0",
  |       "direction": "rising",
  |       "stop": false
  |     }
  |   ],
  |   "sparsity": {
  |     "df": {
  |       "rows": 3,
  |       "columns": 7,
  |       "nonzeros": 8
  |     },
  |     "d2f_lower": {
  |       "rows": 7,
  |       "columns": 7,
  |       "nonzeros": 4
  |     }
  |   },
  |   "operations": {
  |     "f": {
  |       "code": 9,
  |       "work": 9
  |     },
  |     "f_df": {
  |       "code": 11,
  |       "work": 11
  |     },
  |     "f_df_d2f": {
  |       "code": 12,
  |       "work": 12
  |     }
  |   },
  |   "warnings": [],
  |   "structural_index": 3,
  |   "degrees_of_freedom": 1,
  |   "manifold_dimension": 3,
  |   "hidden_constraints": 2,
  |   "offsets": {
  |     "equations": [
  |       {
  |         "text": "x'' = -lambda*x",
  |         "domain": null,
  |         "count": 1,
  |         "c": 0
  |       },
  |       {
  |         "text": "y'' = -lambda*y - g",
  |         "domain": null,
  |         "count": 1,
  |         "c": 0
  |       },
  |       {
  |         "text": "x^2 + y^2 = l^2",
  |         "domain": null,
  |         "count": 1,
  |         "c": 2
  |       }
  |     ],
  |     "unknowns": [
  |       {
  |         "name": "x",
  |         "count": 1,
  |         "d": 2
  |       },
  |       {
  |         "name": "y",
  |         "count": 1,
  |         "d": 2
  |       },
  |       {
  |         "name": "lambda",
  |         "count": 1,
  |         "d": 0
  |       }
  |     ]
  |   },
  |   "blocks": {
  |     "count": 1,
  |     "largest": 3
  |   },
  |   "index": 3,
  |   "numbers": {
  |     "checked": true,
  |     "problem": null,
  |     "index": 3,
  |     "degrees_of_freedom": 1,
  |     "manifold_dimension": 2,
  |     "hidden_constraints": 2,
  |     "condition": 2.6180339887498953,
  |     "constraints": [
  |       {
  |         "hidden": false,
  |         "text": "x^2 + y^2 = l^2",
  |         "domain": null,
  |         "count": 1,
  |         "origin": null
  |       },
  |       {
  |         "hidden": true,
  |         "text": "2*x*x' + 2*y*y' = 0",
  |         "domain": null,
  |         "count": 1,
  |         "origin": "the derivative of x^2 + y^2 = l^2"
  |       }
  |     ],
  |     "redundant": [],
  |     "involution": {
  |       "order": 2,
  |       "jet_dimension": 10,
  |       "projections": [
  |         {
  |           "name": "R_2",
  |           "dimension": 7,
  |           "symbol": 1,
  |           "involutive": false
  |         },
  |         {
  |           "name": "R_2^(1)",
  |           "dimension": 6,
  |           "symbol": 1,
  |           "involutive": false
  |         },
  |         {
  |           "name": "R_2^(2)",
  |           "dimension": 5,
  |           "symbol": 1,
  |           "involutive": false
  |         },
  |         {
  |           "name": "R_2^(3)",
  |           "dimension": 4,
  |           "symbol": 1,
  |           "involutive": false
  |         },
  |         {
  |           "name": "R_2^(4)",
  |           "dimension": 3,
  |           "symbol": 0,
  |           "involutive": true
  |         }
  |       ],
  |       "differentiations": 4,
  |       "equations_up_to_order": 6
  |     },
  |     "linear": null,
  |     "consistent_start": {
  |       "values": {
  |         "x": 1.0,
  |         "x'": 0.0,
  |         "y": 0.0,
  |         "y'": 0.0,
  |         "x''": 0.0,
  |         "y''": -9.81,
  |         "lambda": 0.0
  |       },
  |       "violated": [],
  |       "moved": [],
  |       "notes": []
  |     },
  |     "branches": [],
  |     "methods": {
  |       "euler": null,
  |       "rk2": null,
  |       "heun": null,
  |       "rk3": null,
  |       "rk4": null,
  |       "bs32": null,
  |       "rkf45": null,
  |       "dopri54": null,
  |       "tsit54": null,
  |       "dop853": null,
  |       "feagin108": null,
  |       "implicit_euler": null,
  |       "implicit_midpoint": null,
  |       "trapezoidal": null,
  |       "radau_i3": null,
  |       "radau_i5": null,
  |       "radau3": null,
  |       "radau5": null,
  |       "radau9": null,
  |       "lobatto4": null,
  |       "gauss4": null,
  |       "gauss6": null,
  |       "gauss8": null,
  |       "dae_radau1": null,
  |       "dae_radau3": null,
  |       "dae_radau5": null,
  |       "dae_radau9": null,
  |       "dae_radau": null,
  |       "dae_gauss2": "equations of index 1 at most, but those of pendulum have index 3",
  |       "dae_gauss4": "equations of index 1 at most, but those of pendulum have index 3",
  |       "dae_gauss6": "equations of index 2 at most, but those of pendulum have index 3",
  |       "bdf1": null,
  |       "bdf2": null,
  |       "bdf3": null,
  |       "bdf4": null,
  |       "bdf5": null,
  |       "bdf6": null,
  |       "ida": null,
  |       "ab2": null,
  |       "ab3": null,
  |       "ab4": null,
  |       "ab5": null,
  |       "ab6": null,
  |       "am3": null,
  |       "am4": null,
  |       "am5": null,
  |       "am6": null,
  |       "gear2": null,
  |       "gear3": null,
  |       "gear4": null,
  |       "gear5": null,
  |       "gear6": null,
  |       "meuler": null,
  |       "mrk2": null,
  |       "mheun": null,
  |       "mrk3": null,
  |       "mrk4": null,
  |       "mbs32": null,
  |       "mrkf45": null,
  |       "mdopri54": null,
  |       "mtsit54": null,
  |       "mdop853": null,
  |       "mfeagin108": null,
  |       "gps": null,
  |       "mgps": null,
  |       "hgps": "one constraint or invariant, whose gradient it follows, but pendulum has 3",
  |       "hmgps": "one constraint or invariant, whose gradient it follows, but pendulum has 3",
  |       "verlet": "two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it has constraints",
  |       "forest_ruth": "two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it has constraints",
  |       "yoshida4": "two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it has constraints",
  |       "yoshida6": "two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it has constraints",
  |       "yoshida8": "two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which pendulum does not have: it has constraints",
  |       "kahan": "a field of degree 2 at most, which that of pendulum is not: it has constraints",
  |       "projected_midpoint": null,
  |       "symplectic_euler": null,
  |       "constrained_euler": null,
  |       "shake": null,
  |       "rattle": null,
  |       "rattle4": null,
  |       "rattle6": null,
  |       "rattle8": null,
  |       "lobatto3ab": null,
  |       "magnus2": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "magnus4": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "magnus6": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cg3": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cg4": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_euler": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_rk2": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_heun": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_rk3": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_rk4": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_bs32": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_rkf45": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_dopri54": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_tsit54": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_dop853": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "rkmk_feagin108": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cayley_rk2": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cayley_rk4": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cayley_dopri54": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "cayley_dop853": "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)",
  |       "taylor1": null,
  |       "taylor2": null,
  |       "taylor3": null,
  |       "taylor3_normal": null,
  |       "taylor": null
  |     }
  |   }
  | }
  $ vessiot inspect models/chain.ves --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["class"], d["unknowns"], d["unknown_list"][2], [e["domain"] for e in d["derived"]][2])'
  | holonomic 17 {'name': 'lambda', 'shape': [5], 'order': 0, 'role': 'multiplier'} i = 3..4
  $ vessiot inspect models/unused.ves --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["warnings"])'
  | ["models/unused.ves:2:18: warning: the parameter 'spare' is used nowhere\n    parameter k = 1, spare = 2\n                     ^~~~~"]

Mistakes are an object, too, and the exit status says so

  $ vessiot inspect models/misspelt.ves --json
  | {
  |   "status": "invalid",
  |   "message": "models/misspelt.ves:2:8: 'lamda' is not a name of this model; did you mean 'lambda'?\n    x'' = -lamda*x\n           ^~~~~"
  | }
  ! models/misspelt.ves:2:8: 'lamda' is not a name of this model; did you mean 'lambda'?
  !     x'' = -lamda*x
  !            ^~~~~
  [2]
  $ vessiot inspect nowhere.ves --json
  | {
  |   "status": "invalid",
  |   "message": "the file nowhere.ves does not exist"
  | }
  ! vessiot: the file nowhere.ves does not exist
  [2]
  $ vessiot inspect --json
  | {
  |   "status": "invalid",
  |   "message": "'vessiot inspect' needs a model, for example: vessiot inspect gallery/pendulum.ves"
  | }
  ! vessiot: 'vessiot inspect' needs a model, for example: vessiot inspect gallery/pendulum.ves
  [2]
  $ vessiot decompose --json
  | {
  |   "status": "invalid",
  |   "message": "'vessiot decompose' needs a model, for example: vessiot decompose four_bar_singular"
  | }
  ! vessiot: 'vessiot decompose' needs a model, for example: vessiot decompose four_bar_singular
  [2]
