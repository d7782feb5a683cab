Files of a run: none is written over another one, and no name acts on the terminal.

An output that is the model, by whatever name

  $ printf "unknown x\nlet k = 2\nx' = -k*x\nstart x = 1\nsolve t = 0 .. 1\n" > model; ln model hard.csv; ln -s model soft.svg; mkdir folder; cp model kept
  $ vessiot solve model --out hard.csv
  ! vessiot: --out hard.csv is the model itself (model), which would be lost: give another name
  [2]
  $ vessiot solve model --plot soft.svg
  ! vessiot: --plot soft.svg is the model itself (model), which would be lost: give another name
  [2]
  $ vessiot solve model --checkpoint ./model
  ! vessiot: --checkpoint ./model is the model itself (model), which would be lost: give another name
  [2]
  $ vessiot solve model --checkpoint folder/../model
  ! vessiot: --checkpoint folder/../model is the model itself (model), which would be lost: give another name
  [2]
  $ vessiot solve model --resume model
  ! vessiot: --resume model is the model itself, which would be lost: give another name
  [2]
  $ cmp model kept

Two outputs that are one file, also where it is not there yet

  $ vessiot solve model --out run.csv --checkpoint ./run.csv
  ! vessiot: --out run.csv and --checkpoint ./run.csv are one file, and one would be lost: give each a name of its own
  [2]
  $ vessiot solve model --out run.csv --out folder/../run.csv
  ! vessiot: --out run.csv and --out folder/../run.csv are one file, and one would be lost: give each a name of its own
  [2]
  $ ln -s ../run.csv folder/later.csv; vessiot solve model --out run.csv --out folder/later.csv
  ! vessiot: --out run.csv and --out folder/later.csv are one file, and one would be lost: give each a name of its own
  [2]
  $ vessiot solve model --out run.json --checkpoint run.json --report page.html
  ! vessiot: --out run.json and --checkpoint run.json are one file, and one would be lost: give each a name of its own
  [2]
  $ ls
  | folder
  | hard.csv
  | kept
  | model
  | models
  | soft.svg
  $ vessiot solve model --quiet --out run.csv --out run.json --checkpoint state --report page.html && ls
  | folder
  | hard.csv
  | kept
  | model
  | models
  | page.html
  | run.csv
  | run.json
  | soft.svg
  | state

A checkpoint belongs to all of the model: a definition that is not shown in its equations counts, a comment does not

  $ vessiot solve model --quiet --checkpoint state --checkpoint-steps 5 --checkpoint-every 0 --step 0.01 --method rk4 --to 0.5
  $ sed -i 's/k = 2/k = 3/' model; vessiot solve model --quiet --resume state --checkpoint-steps 5 --checkpoint-every 0 --step 0.01 --method rk4
  ! vessiot: state is a checkpoint of another model: there 'x' = -2*x', here 'x' = -3*x'. Resume with the model, the --set and the --start of that run, or start anew without --resume
  [2]
  $ sed -i 's/k = 3/k = 2.00000000000000000000001/' model; vessiot solve model --quiet --resume state --checkpoint-steps 5 --checkpoint-every 0 --step 0.01 --method rk4
  ! vessiot: state is a checkpoint of another model: its formulas read alike, but a number, a definition or a table in them is not the same. Resume with the model of that run, or start anew without --resume
  [2]
  $ sed 's/^let/# as before\nlet/' kept > model; vessiot solve model --quiet --resume state --checkpoint-steps 5 --checkpoint-every 0 --step 0.01 --method rk4 --to 2

A checkpoint is a file that can be read again; a link to it stays one

  $ vessiot solve model --quiet --checkpoint /dev/null
  ! vessiot: /dev/null cannot be written: a checkpoint needs a file that can be read again; nothing was computed
  [1]
  $ ln -s state link; vessiot solve model --quiet --checkpoint link --checkpoint-steps 5 --step 0.01 --method rk4; test -L link && head -c 18 state
  | vessiot checkpoint\

Control characters in names

  $ cp kept $'a\e[31mb\xc2\x9bc.ves'; vessiot solve $'a\e[31mb\xc2\x9bc.ves' | head -1
  | a\x1b[31mb\x9bc: explicit system, order 1, index 0, 1 unknown, 1 equation
  $ vessiot solve $'a\e[31mb\xc2\x9bc.ves' --json | sed -n 2p
  |   "model": "a\u001b[31mb\u009bc",
  $ vessiot solve model --method $'\e[31m'
  ! vessiot: unknown method "\x1b[31m". `vessiot methods` lists all.
  [2]
  $ vessiot solve $'no\e]0;file\a.ves'
  ! vessiot: the file no\x1b]0;file\x07.ves does not exist
  [2]
  $ vessiot solve $'a\e[31mb\xc2\x9bc.ves' --quiet --plot picture.svg --report page.html; grep -c $'\e' picture.svg page.html
  | picture.svg:0
  | page.html:0
  [1]

A library of Singular that lies in this folder is not loaded

  $ mkdir trap; cd trap; echo 'system("sh", "touch caught");' > primdec.lib; cp primdec.lib .singularrc; cp primdec.lib general.lib; SINGULARPATH=. vessiot decompose four_bar_singular --out ../other.ves | sed -n 2p; ls
  |   result       2 components over the rational numbers, both smooth
  | general.lib
  | primdec.lib

SIGTERM and SIGHUP end a run as Ctrl-C does, and what was computed is written

  $ timeout --preserve-status -s TERM 1 vessiot solve models/failing/stiff.ves --method dopri54 --json --progress never --every 1e-3 --max-steps 1000000000 2> said > c.json; echo $?; models/failing/points cat c.json | cut -d ' ' -f -3
  | 143
  | interrupted: many points
  $ timeout --preserve-status -s HUP 1 vessiot solve models/failing/stiff.ves --method dopri54 --json --progress never --every 1e-3 --max-steps 1000000000 2> said > c.json; echo $?; models/failing/points cat c.json | cut -d ' ' -f -3
  | 129
  | interrupted: many points

A signal while nobody reads what is written: what can be written is, and the status is that of the signal

  $ printf "unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 100\noutput every 0.01\n" > many.ves; (timeout --preserve-status -s INT 3 vessiot solve many.ves --json --progress never 2> said; echo $? > status) | (sleep 6; wc -c > size); cat status; grep -c 'system call' said
  | 130
  | 0
  [1]
