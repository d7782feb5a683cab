What solve says and writes. Numbers differ from machine to machine and are masked (N), times are left out.

  $ vessiot solve models/pendulum.ves | grep -v '^  time\|^               ' | sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'
  | pendulum: holonomic system, order N, index N, N unknowns, N equations
  |   manifold     dimension N, N degree of freedom, N hidden constraints
  |   method       dopriN (order N), direction kkt, projection simplified
  |   tolerances   rtol N, atol N
  |   steps        N, and N rejected (N by error)
  |   work         N directions, N projections of N iterations
  |   residual     N of the constraints (absolute N)
  |   invariants   N off at most
  |   last point   t = N, one of N reported
  |   events       lowest at N, N, N, N
  |   result       reached t = N
  $ vessiot solve models/pendulum.ves --quiet
  $ vessiot solve models/unused.ves --quiet --to 1
  ! models/unused.ves:2:18: warning: the parameter 'spare' is used nowhere
  !     parameter k = 1, spare = 2
  !                      ^~~~~

The points asked for

  $ vessiot solve models/pendulum.ves --json --at 2,0.5 | python3 -c 'import json, sys; print(json.load(sys.stdin)["t"])'
  | [0.5, 2.0]
  $ vessiot solve models/pendulum.ves --json --every 3 | python3 -c 'import json, sys; print(json.load(sys.stdin)["t"])'
  | [0.0, 3.0, 6.0, 9.0, 10.0]
  $ vessiot solve models/pendulum.ves --json --to pi/2 --at pi/2 | python3 -c 'import json, sys; print(json.load(sys.stdin)["t"])'
  | [1.5707963267948966]
  $ vessiot solve models/pendulum.ves --at 11
  ! vessiot: the point t = 11 to be reported is not between 0 and 10
  [2]

The object for programs

  $ vessiot solve models/pendulum.ves --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*d); print(*d["values"]); print(*d["system"]); print(*d["method"]); print(*d["stats"]); print(*d["stats"]["seconds"]); print(*d["events"][0])'
  | model status message start notes system method t values outputs events constraint_residual_max constraint_residual_absolute invariant_drift_max stats
  | x x' y y' lambda
  | class order unknowns equations hidden_constraints index structural_index degrees_of_freedom manifold_dimension invariants
  | name order projection distribution parametrisation project precision rtol atol step
  | steps rejected stages newton_iterations newton_mean newton_max direction_evaluations jacobian_evaluations factorisations rejected_error rejected_projection rejected_direction rejected_iteration stage_iterations projections fallbacks seconds
  | total compile integrate distribution projection
  | name t values

Files

  $ vessiot solve models/pendulum.ves --quiet --every 2 --out a.csv; head -1 a.csv; wc -l < a.csv
  | t,x,x',y,y',lambda
  | 7
  $ vessiot solve models/pendulum.ves --quiet --out a.json; python3 -c 'import json; print(json.load(open("a.json"))["status"])'
  | success
  $ ln -s /dev/full full.csv; vessiot solve models/pendulum.ves --quiet --out b.csv --out full.csv; wc -l < b.csv
  | 1
  ! vessiot: full.csv cannot be written: No space left on device; nothing was computed
  $ vessiot solve models/pendulum.ves --quiet --out nowhere/a.json
  ! vessiot: nowhere/a.json cannot be written: No such file or directory
  [1]
  $ vessiot solve models/pendulum.ves --json --at 1 --out nowhere/a.json 2> /dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], len(d["t"])); print(d["message"])'
  | failed 1
  | reached t = 10; nowhere/a.json cannot be written: No such file or directory
  $ vessiot solve models/pendulum.ves --json > /dev/full
  ! vessiot: standard output cannot be written: No space left on device
  [1]
  $ PATH=$(dirname $(command -v vessiot)) vessiot solve models/pendulum.ves --quiet --plot a.svg
  ! vessiot: a.svg cannot be drawn: there is no gnuplot; on Debian, install gnuplot-nox
  [1]
  $ ls
  | a.csv
  | a.json
  | b.csv
  | full.csv
  | models

A run that ends early keeps what it has; Ctrl-C does as well

  $ vessiot solve models/pendulum.ves --json --max-steps 20 2> /dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], d["stats"]["steps"] + d["stats"]["rejected"])'
  | failed 20
  $ vessiot solve models/pendulum.ves --quiet --max-steps 20 2> /dev/null
  [1]
  $ timeout --preserve-status -s INT 1 vessiot solve robertson --method dopri54 --quiet --progress never 2> /dev/null
  [130]

Reports

  $ vessiot solve models/pendulum.ves --quiet --report a.html; head -1 a.html; grep -c '</html>' a.html
  | <!DOCTYPE html>
  | 1
  $ vessiot solve models/pendulum.ves --quiet --to 1 --report a.html --report b.htm --plot a.svg; ls a.html b.htm a.svg
  | a.html
  | a.svg
  | b.htm
  $ vessiot solve models/pendulum.ves --quiet --report nowhere/a.html
  ! vessiot: nowhere/a.html cannot be written: No such file or directory
  [1]
  $ rm -f full.html; ln -s /dev/full full.html; vessiot solve models/pendulum.ves --quiet --report full.html --out c.csv; ls c.csv
  | c.csv
  ! vessiot: full.html cannot be written: No space left on device
  $ vessiot solve models/pendulum.ves --report a.pdf
  ! vessiot: --report writes .html and .htm files, but found 'a.pdf'
  [2]
  $ vessiot solve models/pendulum.ves --quiet --max-steps 5 --report failed.html 2> /dev/null; grep -o '"status":"[a-z]*"' failed.html
  | "status":"failed"
