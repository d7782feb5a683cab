Events: what is met, what is set, sections.

  $ vessiot solve bouncing_ball --to 2 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); e = d["events"]; print(d["message"], len(e), *e[0]); print(*[round(x["values_after"]["y'"'"'"] / x["values"]["y'"'"'"], 9) for x in e])'
  | reached t = 2 3 name t values values_after
  | -0.9 -0.9 -0.9
  $ models/failing/masked vessiot solve bouncing_ball --to 20 --quiet
  | vessiot: the event 'impact' is met faster and faster: the time between its jumps shrinks by a factor of about 0.9, and they accumulate at t = N, beyond which nothing is said. End the run before, with an event that has `stop` (a speed that gets small, say) or --to
  [1]
  $ models/failing/masked vessiot solve circle_billiard --max-events 7 --quiet
  | vessiot: 7 crossings of events by t = N (the last one is 'wall'), which is the limit. A larger --max-events allows more; an event with `stop` ends the run
  [1]
  $ vessiot solve circle_billiard --max-events 0
  ! vessiot: max_events = 0, but it must be positive and finite (--max-events on the command line)
  [2]
  $ models/failing/masked vessiot solve models/failing/reset.ves --quiet
  | vessiot: the run ended at t = N: what the event 'wall' sets (x, y) contradicts the constraints, whatever the other values are: equation 3 (x^2 + y^2 = 1) is off by 3; hidden: its derivative by 6.63. Set fewer values, or such that the constraints can be satisfied
  [1]
  $ models/failing/points vessiot solve models/failing/reset.ves --json
  | failed: many points from t = 0 to 0.35
  [1]
  $ vessiot solve pendulum_wall --method dae_radau5
  ! vessiot: the event 'wall' sets values, after which a point on all constraints is needed, hidden ones included; the method dae_radau5 works on the equations as they stand and does not know them. Take a method on the constraints, such as radau5
  [2]

Sections

  $ vessiot solve henon_heiles --to 100 --section section | grep 'section'
  |   section      31 crossings of section
  $ vessiot solve henon_heiles --to 100 --section section --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(len(d["t"]), len(d["events"]), max(map(abs, d["values"]["y1"])) < 1e-13)'
  | 31 0 True
  $ vessiot solve henon_heiles --to 10 --section crossing
  ! vessiot: --section shows the crossings of an event, but 'crossing' is no event of henon_heiles. It has: section
  [2]
  $ vessiot solve henon_heiles --to 10 --section section --every 1
  ! vessiot: section = section reports the crossings of an event and nothing else, but points were asked for with every too: leave one of them out
  [2]
  $ vessiot solve henon_heiles --to 10 --axes y1,y2
  ! vessiot: --axes says what --plot draws, but there is no --plot
  [2]
  $ vessiot solve henon_heiles --to 10 --plot s.png --axes y1,z
  ! vessiot: --axes names unknowns and outputs, but 'z' is none of henon_heiles
  [2]
  $ vessiot solve henon_heiles --to 10 --plot s.png --axes y1
  ! vessiot: --axes names two unknowns or outputs, or three, as in --axes x,y, but found 'y1'
  [2]
