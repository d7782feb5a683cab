Runs that are long: files that grow with them, checkpoints, and going on.

A checkpoint, and a run that ended early

  $ vessiot solve pendulum --quiet --out a.csv --checkpoint c --checkpoint-steps 50 --checkpoint-every 0
  $ vessiot solve pendulum --quiet --out b.csv --checkpoint d --checkpoint-steps 50 --checkpoint-every 0 --max-steps 120
  ! vessiot: 120 steps used at t = 4.181699979 of 10 (h = 0.0303, 10 % rejected). Looser tolerances, another method, or a larger --max-steps may help
  ! vessiot: to continue, repeat the command with --resume d
  [1]
  $ vessiot solve pendulum --quiet --out b.csv --resume d --checkpoint-steps 50 --checkpoint-every 0; cmp a.csv b.csv && wc -l < b.csv
  | 253

The distance of its checkpoints goes on as it was, or is another one

  $ vessiot solve pendulum --quiet --out e.csv --checkpoint e --checkpoint-steps 50 --checkpoint-every 0 --max-steps 120 2> said
  [1]
  $ cp e f; cp e.csv f.csv; vessiot solve pendulum --quiet --out e.csv --resume e; cmp a.csv e.csv && echo same
  | same
  $ vessiot solve pendulum --quiet --out f.csv --resume f --checkpoint-steps 7; tail -1 f.csv | cut -c -9; rm e f e.csv f.csv said
  | 10,0.2750

Longer than it was

  $ vessiot solve pendulum --quiet --out a.csv --resume c --checkpoint-steps 50 --to 12; tail -1 a.csv | cut -c -3
  | 12,

Points that are kept here are few where a file has all

  $ vessiot solve kepler --method rk4 --step 1e-4 --to 21 --out k.csv --progress never | grep -E 'last|note'; wc -l < k.csv
  |   last point   t = 21, one of 210001 reported
  |   note         for plots and JSON 1 in 4 of the 210001 points is kept; .csv and
  | 210002

What cannot be resumed

  $ vessiot solve kepler --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of another model: there 'pendulum: holonomic system, order 2, 3 unknowns, 3 equations', here 'kepler: explicit system with invariants, order 2, 2 unknowns, 2 equations'. Resume with the model, the --set and the --start of that run, or start anew without --resume
  [2]
  $ vessiot solve pendulum --set g=1.62 --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of another model: there 'g = 9.81, l = 1', here 'g = 1.62, l = 1'. Resume with the model, the --set and the --start of that run, or start anew without --resume
  [2]
  $ vessiot solve pendulum --start x=0.8 --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of a run with no --start, and this one has --start x=0.8: resume with the options of that run (--to and --max-steps may be others)
  [2]
  $ vessiot solve pendulum --method dop853 --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of a run with --method auto, and this one has --method dop853: resume with the options of that run (--to and --max-steps may be others)
  [2]
  $ vessiot solve pendulum --every 1 --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of a run with --every 0, and this one has --every 1: resume with the options of that run (--to and --max-steps may be others)
  [2]
  $ vessiot solve pendulum --resume d --checkpoint-steps 50
  ! vessiot: d is a checkpoint of a run whose points go to b.csv, and those of this one go to no file: give the same --out files, .csv and .h5, in the same order
  [2]
  $ vessiot solve pendulum --to 2 --out b.csv --resume d --checkpoint-steps 50
  ! vessiot: the checkpoint d is at t = 9.97337599, and the run ends at 2: there is nothing left to compute. Give a later --to
  [2]
  $ vessiot solve pendulum --resume nowhere
  ! vessiot: the checkpoint nowhere cannot be read: No such file or directory
  [2]
  $ vessiot solve pendulum --json --resume nowhere
  | {
  |   "status": "invalid",
  |   "message": "the checkpoint nowhere cannot be read: No such file or directory"
  | }
  ! vessiot: the checkpoint nowhere cannot be read: No such file or directory
  [2]
  $ vessiot solve pendulum --resume a.csv
  ! vessiot: a.csv is no checkpoint of vessiot: it does not begin with 'vessiot checkpoint '
  [2]
  $ head -c 300 d > e; vessiot solve pendulum --out b.csv --resume e --checkpoint-steps 50 2> said; echo $?; sed 's/where [0-9]* are/where N are/' said; rm said
  | 2
  | vessiot: the checkpoint e is damaged: it has 263 bytes where N are announced. It cannot be used; start anew without --resume
  $ sed 's/checkpoint 4/checkpoint 7/' d > e; vessiot solve pendulum --out b.csv --resume e --checkpoint-steps 50
  ! vessiot: the checkpoint e has the format 7, and this version of vessiot reads 4: resume with the version that wrote it, or start anew without --resume
  [2]
  $ sed 's/9.81/9.82/' d > e; vessiot solve pendulum --out b.csv --resume e --checkpoint-steps 50
  ! vessiot: the checkpoint e is damaged: its bytes are not those that were written. It cannot be used; start anew without --resume
  [2]
  $ head -3 b.csv > e.csv; vessiot solve pendulum --out e.csv --resume d --checkpoint-steps 50
  ! vessiot: the output e.csv cannot be continued: it has 164 bytes, and had 29117 when the checkpoint was written. Resume with the file as the run left it, or start anew without --resume
  [2]
  $ vessiot solve pendulum --out nowhere.csv --resume d --checkpoint-steps 50
  ! vessiot: the output nowhere.csv cannot be continued: No such file or directory. Resume with the file as the run left it, or start anew without --resume
  [2]

What cannot be written

  $ vessiot solve pendulum --checkpoint nowhere/c
  ! vessiot: nowhere/c cannot be written: No such file or directory; nothing was computed
  [1]
  $ vessiot solve pendulum --quiet --checkpoint models
  ! vessiot: models cannot be written: Is a directory; nothing was computed
  [1]
  $ vessiot solve pendulum --quiet --checkpoint ''
  ! vessiot: --checkpoint needs the name of a file
  [2]
  $ vessiot solve pendulum --quiet --checkpoint c --checkpoint-steps 0
  ! vessiot: checkpoint_steps = 0, but it must be positive and finite (--checkpoint-steps on the command line)
  [2]
  $ vessiot solve pendulum --quiet --checkpoint c --checkpoint-every -1
  ! vessiot: checkpoint_every = -1, but it must be positive and finite, or 0 (--checkpoint-every on the command line)
  [2]
  $ ls
  | a.csv
  | b.csv
  | c
  | d
  | e
  | e.csv
  | k.csv
  | models
