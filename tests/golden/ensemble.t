Ensembles: members, results, statistics, shards, what is refused.

  $ vessiot ensemble pendulum --vary g=1..20:4 --out g.csv | grep -v '^  time'
  | pendulum: 4 members, g varied
  |   reached      4 members
  |   result       all members reached the end
  $ cut -d, -f1-5 g.csv
  | member,g,status,steps,t
  | 0,1,success,82,10
  | 1,7.333333333333333,success,216,10
  | 2,13.666666666666666,success,293,10
  | 3,20,success,354,10
  $ vessiot solve pendulum --set g=20 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); row = [line for line in open("g.csv")][-1].split(","); print(float(row[5]) == d["values"]["x"][-1], int(row[3]) == d["stats"]["steps"])'
  | True True
  $ vessiot ensemble pendulum --vary "g=log(1..100):3" --vary "start:x'=[0,1]" --outputs x --every 5 --out p.csv --quiet; cut -d, -f1-6 p.csv | head -5; wc -l < p.csv
  | member,g,start:x',status,steps,t
  | 0,1,0,success,82,0
  | 0,1,0,success,82,5
  | 0,1,0,success,82,10
  | 1,1,1,success,82,0
  | 19
  $ vessiot ensemble pendulum --vary "g=normal(9.81,0.5)" --samples 2000 --sampling sobol --outputs lambda --reduce "mean,quantile(0.5),histogram(lambda,0..40,4)" --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["members"], d["status"], d["statistics"]["lambda"]["count"], sum(d["histograms"][0]["counts"]) + d["histograms"][0]["below"] + d["histograms"][0]["above"])'
  | 2000 {'success': 2000, 'failed': 0, 'no_start': 0, 'interrupted': 0, 'stopped': 0} [2000] 2000

Pictures

  $ vessiot ensemble pendulum --vary g=1..20:5 --vary l=1..2:3 --plot map.svg --quiet; vessiot ensemble pendulum --vary g=1..20:5 --every 1 --plot fan.svg --quiet; vessiot ensemble pendulum --vary g=1..20:5 --plot over.svg --quiet; grep -c '</svg>' map.svg fan.svg over.svg
  | map.svg:1
  | fan.svg:1
  | over.svg:1
  $ vessiot ensemble pendulum --vary g=1..20:5 --plot g.pdf
  ! vessiot: --plot draws .svg and .png files, but found 'g.pdf'
  [2]
  $ vessiot ensemble pendulum --vary g=1..20:5 --record all --outputs x,y --plot all.svg --quiet; grep -c '</svg>' all.svg; vessiot ensemble pendulum --vary g=1..20:5 --record all --outputs x --plot g.png
  | 1
  ! vessiot: a picture of all points of the members shows two values, one over the other: name two with --outputs
  [2]

Threads, shards, a log that was cut: the same file

  $ E="vessiot ensemble pendulum --vary g=1..20:2500 --to 1 --outputs x,lambda --quiet"; $E --out one.csv --threads 1; $E --out three.csv --threads 3 --checkpoint log.part; for k in 0 1 2; do $E --shard $k/3 --out $k.part; done; vessiot merge merged.csv 2.part 0.part 1.part --quiet; head -c 30000 log.part > cut.part; $E --out resumed.csv --resume cut.part; for f in three merged resumed; do cmp one.csv $f.csv && echo same; done
  | same
  | same
  | same
  $ vessiot merge merged.csv 2.part 0.part
  ! vessiot: shard 1/3 is missing
  [2]
  $ vessiot merge 2.part 0.part 1.part
  ! vessiot: --out writes .csv and .h5 files, but found '2.part'
  [2]
  $ vessiot merge merged.csv g.csv
  ! vessiot: 'g.csv' is no part of an ensemble: those are written by 'vessiot ensemble' with --checkpoint FILE, or --shard and --out FILE.part
  [2]

Members that fail keep their status

  $ printf "parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0..1\n" > blow.ves; models/failing/masked vessiot ensemble blow.ves --vary a=[0.5,2,0.1] | grep -v '^  time'
  | blow: 3 members, a varied
  |   reached      2 members
  |   ended early  1 member
  |                1, first member 1: the run ended at t = N (step N, h = N, the step floor): the error estimate stays N times above the tolerance, and x grows without bound (x = N). The solution seems to end there; end the run before, with --to or an event that stops it
  |                again: vessiot solve blow.ves --set a=2
  |   result       2 of 3 members reached the end
  $ printf "parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0..1\n" > blow.ves; vessiot ensemble blow.ves --vary a=0..10:5000 --max-failures 2 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["result"], d["status"])'
  | failed {'success': 500, 'failed': 2, 'no_start': 0, 'interrupted': 4498, 'stopped': 0}

What varied, and how, is in the object for programs

  $ vessiot ensemble pendulum --vary g=1..20:4 --vary "l=normal(1,0.1)" --samples 2 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["members"], d["varied"], d["columns"])'
  | 8 {'g': '1..20:4', 'l': 'normal(1,0.1)'} ['x', "x'", 'y', "y'", 'lambda']

What is refused

  $ vessiot ensemble pendulum --vary g=1..20:1000000000000000 --out x.h5 2>&1 | sed 's/for [0-9.e+]* GB where/for N GB where/'; ls x.h5
  | vessiot: 1000000000000000 members with 5 values at 1 points: 7.2e+07 GB in an .h5 file or a log, but there is room for N GB where x.h5 is written: keep fewer values (--outputs), statistics only (--reduce without --out), or shards
  ! ls: cannot access 'x.h5': No such file or directory
  [2]
  $ vessiot ensemble pendulum
  ! vessiot: nothing varies: say what, as in --vary g=1..20:100, or give a table with --members
  [2]
  $ vessiot ensemble pendulum --vary gg=1..2:3
  ! vessiot: 'gg' is no parameter of pendulum. It has: g, l
  [2]
  $ vessiot ensemble mech --vary n=[3,4]
  ! vessiot: the parameter n of mech sizes an array or bounds a loop: it is fixed when the problem is made, with --set or the settings of Model::load
  [2]
  $ vessiot ensemble pendulum --vary g=1..2
  ! vessiot: --vary g needs a..b:N, log(a..b):N, [v1,v2], uniform(a,b), normal(m,s), lognormal(m,s), triangular(a,b,c) or file.csv:column, but found '1..2'
  [2]
  $ vessiot ensemble pendulum --vary "g=uniform(2,1)" --samples 3
  ! vessiot: --vary g: uniform(2,1) needs a < b
  [2]
  $ vessiot ensemble pendulum --vary "g=uniform(1,2)"
  ! vessiot: how many random members there are is missing, as in --samples 1000
  [2]
  $ vessiot ensemble pendulum --vary "g=lognormal(1)" --samples 3
  ! vessiot: --vary g: lognormal needs mean and deviation of the logarithm, lognormal(m,s), but 1 numbers were given
  [2]
  $ vessiot ensemble pendulum --vary "g=triangular(0,1,2)" --samples 3
  ! vessiot: --vary g: triangular(0,1,2) needs a < b, and the peak c between them
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --set g=3
  ! vessiot: --set g=3: g varies between members: leave one of the two out
  [2]
  $ printf 'g,l\n1,2\n3\n' > t.csv; vessiot ensemble pendulum --members t.csv
  ! vessiot: t.csv:3: 1 cells, but the first line has 2 names
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:1e12 --checkpoint nowhere/big.part
  ! vessiot: 1000000000000 members with 5 values at 1 points: 7.2e+04 GB in an .h5 file or a log
  ! vessiot: 'nowhere/big.part' cannot be written: No such file or directory
  [1]
  $ vessiot ensemble pendulum --vary g=1..2:3000 --to 0.1 --shard 0/2 --out 0.part --quiet; vessiot ensemble pendulum --vary g=1..3:3000 --to 0.1 --shard 1/2 --out 1.part --quiet; vessiot merge m.csv 0.part 1.part
  ! vessiot: '0.part' and '1.part' are parts of different ensembles: model, options, what varies and the number of shards must be the same
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:0
  ! vessiot: --vary g: the grid has 0 values, so there would be no members
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:1e9 --vary l=1..2:1e9
  ! vessiot: the grids and samples have more than 9007199254740992 members together
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --out g.txt
  ! vessiot: --out writes .csv and .h5 files, but found 'g.txt'
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --shard 3/3 --out g.part
  ! vessiot: --shard 3/3: parts of 3 are numbered 0 to 2
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --shard 0/3 --out g.csv
  ! vessiot: a shard writes a part for 'vessiot merge', --out FILE.part, but found 'g.csv'
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --reduce median
  ! vessiot: --reduce knows mean, std, min, max, quantile(p,…) and histogram(NAME,a..b,bins), but found 'median'
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --reduce "histogram(z,0..1,3)"
  ! vessiot: the histogram is of 'z', which is not among what is kept: x, x', y, y', lambda
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --outputs xx
  ! vessiot: the solution has no value 'xx'
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --record all --reduce mean
  ! vessiot: statistics over members need the same points of all of them: --record last, --every or --at
  [2]
  $ printf 'g\n1\nx\n' > t.csv; vessiot ensemble pendulum --members t.csv
  ! vessiot: t.csv:3: g needs a number or a formula of numbers, such as 2*pi, but 'x' is none
  [2]
  $ vessiot ensemble pendulum --members nowhere.csv
  ! vessiot: the table 'nowhere.csv' cannot be read: No such file or directory
  [2]
  $ printf 'g\n1\n' > t.csv; vessiot ensemble pendulum --vary g=t.csv:h
  ! vessiot: the table 't.csv' has no column 'h'
  [2]
  $ printf 'g\n1\n' > t.csv; vessiot ensemble pendulum --vary g=t.csv:g --out t.csv; cat t.csv
  | g
  | 1
  ! vessiot: --vary t.csv and --out t.csv are one file, and one would be lost: give each a name of its own
  $ vessiot ensemble pendulum --members .
  ! vessiot: the table '.' cannot be read: Is a directory
  [2]
  $ vessiot ensemble pendulum --vary g=1..2:3 --shard 0/1 --out one.part --quiet; vessiot merge one.csv one.part --quiet; wc -l < one.csv
  | 4
  $ printf 'parameter a = 1\nunknown x\nx'"'"' = a\nstart x = 0\nsolve t = 0 .. 1\noutput at 0.5\n' > to.ves; vessiot ensemble to.ves --vary a=1..2:3 --checkpoint to.part --out to.csv --quiet; cat to.csv; sed -i 's/0 .. 1/0 .. 9/' to.ves; vessiot ensemble to.ves --vary a=1..2:3 --resume to.part
  | member,a,status,steps,t,x
  | 0,1,success,5,1,0.9999999999999998
  | 1,1.5,success,5,1,1.5
  | 2,2,success,5,1,1.9999999999999996
  ! vessiot: 'to.part' belongs to another ensemble: model, options and what varies must be as they were
  [2]
