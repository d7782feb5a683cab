Wrong options of solve: one message, exit status 2, nothing computed.

Names and words

  $ vessiot solve
  ! vessiot: 'vessiot solve' needs a model, for example: vessiot solve pendulum
  [2]
  $ vessiot solve pendulum --rtoll 1e-8
  ! vessiot: 'vessiot solve' has no option '--rtoll'; did you mean '--rtol'? 'vessiot help solve' lists what it has.
  [2]
  $ vessiot solve pendulum --method dopri45
  ! vessiot: unknown method "dopri45". Did you mean "dopri54"? `vessiot methods` lists all.
  [2]
  $ vessiot solve pendulum --projection nweton
  ! vessiot: --projection must be one of auto, simplified, newton, chord, inexact, ray, gradient-ray, post, group, partition, tangent, none, but found 'nweton'; did you mean 'newton'?
  [2]
  $ vessiot solve pendulum --newton-stop print
  ! vessiot: --newton-stop must be one of auto, sound, printed, residual, increment, but found 'print'; did you mean 'printed'?
  [2]
  $ vessiot solve pendulum --distribution kernel-rgc
  ! vessiot: --distribution must be one of auto, explicit, submatrix, solve, kkt, kkt-cg, kernel-qr, kernel-svd, kernel-rcg, but found 'kernel-rgc'; did you mean 'kernel-rcg'?
  [2]
  $ vessiot solve kepler --distribution kkt-cg
  ! vessiot: --distribution kkt-cg does not fit kepler: it is no mechanical system with multipliers. Leave it out, or use --distribution solve.
  [2]
  $ vessiot solve pendulum --partition on
  ! vessiot: partition = on acts on projection ray and group preserving methods, but the projection is simplified and the method is dopri54: leave it out
  [2]
  $ vessiot solve pendulum --control pid
  ! vessiot: --control must be one of auto, pi, elementary, doubling, tuomela, but found 'pid'; did you mean 'pi'?
  [2]
  $ vessiot solve pendulum --progress yes
  ! vessiot: --progress must be one of auto, always, never, but found 'yes'
  [2]

Numbers

  $ vessiot solve pendulum --rtol 0
  ! vessiot: rtol = 0, but it must be positive and finite (--rtol on the command line)
  [2]
  $ vessiot solve pendulum --rtol nan
  ! vessiot: --rtol needs a finite number, but found 'nan'
  [2]
  $ vessiot solve pendulum --atol -1
  ! vessiot: atol = -1, but it must be positive and finite (--atol on the command line)
  [2]
  $ vessiot solve pendulum --step -0.1
  ! vessiot: step = -0.1, but it must be positive and finite, or 0 (--step on the command line)
  [2]
  $ vessiot solve pendulum --to soon
  ! vessiot: --to needs a number or a formula of numbers, such as 2*pi, but 'soon' is none
  [2]
  $ vessiot solve pendulum --to '2*'
  ! vessiot: --to needs a number or a formula of numbers, such as 2*pi, but found '2*': the line is not finished: something is missing after '*'
  [2]
  $ vessiot solve pendulum --max-steps 0.5
  ! vessiot: --max-steps must be a whole number up to 1e18, but found '0.5'
  [2]
  $ vessiot solve pendulum --at 1,,2
  ! vessiot: --at needs a number or a formula of numbers, such as 2*pi, but found ''
  [2]
  $ vessiot solve pendulum --start x
  ! vessiot: --start gives an unknown its start value, as in "x[3]'=0.5", but 'x' has no '='
  [2]
  $ vessiot solve pendulum --start "x'=far"
  ! vessiot: --start x' needs a number or a formula of numbers, such as 2*pi, but 'far' is none
  [2]

Contradictions

  $ vessiot solve pendulum --projection none --project stages
  ! vessiot: project = stages says what is projected, but projection = none projects nothing: leave one of them out
  [2]
  $ vessiot solve pendulum --precision quad --backend jit
  ! vessiot: native code (backend = jit) computes in double, but precision = quad was asked for: use backend = auto or interpreter
  [2]
  $ vessiot solve pendulum --to-s 5
  ! vessiot: to_s = 5 ends a run at an arclength: it needs parametrisation = arclength (--parametrisation arclength), not auto
  [2]
  $ vessiot solve pendulum --h-min 1 --h-max 0.1
  ! vessiot: h_min = 1 is larger than h_max = 0.1
  [2]

Files

  $ VESSIOT_HDF5=nowhere.so vessiot solve pendulum --out result.h5
  ! vessiot: there are no .h5 files here: nowhere.so: cannot open shared object file: No such file or directory. Write a .csv file instead
  [2]
  $ vessiot solve pendulum --out result.txt
  ! vessiot: --out writes .csv, .h5 and .json files, but found 'result.txt'
  [2]
  $ vessiot solve pendulum --plot result.pdf
  ! vessiot: --plot draws .svg and .png files, but found 'result.pdf'
  [2]
  $ vessiot solve nowhere.ves
  ! vessiot: the file nowhere.ves does not exist
  [2]

Options of a model

  $ printf "unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\noption rtol = 0\n" > zero.ves; vessiot solve zero.ves
  ! vessiot: line 5 of zero: rtol = 0, but it must be positive and finite (--rtol on the command line)
  [2]
  $ printf "unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\noption projection = cord\n" > cord.ves; vessiot solve cord.ves
  ! vessiot: line 5 of cord: projection must be one of auto, simplified, newton, chord, inexact, ray, gradient-ray, post, group, partition, tangent, none, but found 'cord'; did you mean 'chord'?
  [2]

For programs

  $ vessiot solve pendulum --rtol 0 --json
  | {
  |   "status": "invalid",
  |   "message": "rtol = 0, but it must be positive and finite (--rtol on the command line)"
  | }
  ! vessiot: rtol = 0, but it must be positive and finite (--rtol on the command line)
  [2]
