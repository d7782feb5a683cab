The models that come with the program.

  $ vessiot gallery | grep '^pendulum '
  | pendulum                        Pendulum in Cartesian coordinates
  $ vessiot gallery pendulum | head -n 1
  | # Pendulum in Cartesian coordinates
  $ diff <(vessiot gallery pendulum) <(vessiot gallery pendulum.ves)
  $ vessiot gallery --json | python3 -c 'import json, sys; print("pendulum" in [m["name"] for m in json.load(sys.stdin)["models"]])'
  | True
  $ vessiot inspect pendulum | head -n 1
  | pendulum: holonomic system, order 2, 3 unknowns, 3 equations
  $ vessiot inspect pendulun
  ! vessiot: there is no file 'pendulun', and the gallery has no model 'pendulun'; did you mean 'pendulum'? 'vessiot gallery' lists them.
  [2]
  $ vessiot gallery nothing_like_it
  ! vessiot: the gallery has no model 'nothing_like_it'. 'vessiot gallery' lists them.
  [2]
