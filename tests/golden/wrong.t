Wrong input: one message, exit status 2, and nothing on standard output.

The command line

  $ vessiot
  ! vessiot: a command is missing, for example: vessiot inspect pendulum. 'vessiot help' lists all.
  [2]
  $ vessiot inspekt models/pendulum.ves
  ! vessiot: 'inspekt' is not a command of vessiot; did you mean 'inspect'? 'vessiot help' lists what it has.
  [2]
  $ vessiot models/pendulum.ves
  ! vessiot: 'models/pendulum.ves' is not a command of vessiot; to solve the model: vessiot solve models/pendulum.ves
  [2]
  $ vessiot help inspekt
  ! vessiot: 'inspekt' is not a command of vessiot; did you mean 'inspect'? 'vessiot help' lists what it has.
  [2]
  $ vessiot --verson
  ! vessiot: '--verson' is not an option of vessiot; did you mean '--version'? 'vessiot help' lists what it has.
  [2]
  $ vessiot inspect
  ! vessiot: 'vessiot inspect' needs a model, for example: vessiot inspect gallery/pendulum.ves
  [2]
  $ vessiot inspect models/pendulum.ves models/chain.ves
  ! vessiot: 'models/chain.ves' is one argument too many: vessiot inspect MODEL
  [2]
  $ vessiot inspect models/pendulum.ves --jsn
  ! vessiot: 'vessiot inspect' has no option '--jsn'; did you mean '--json'? 'vessiot help inspect' lists what it has.
  [2]
  $ vessiot inspect models/pendulum.ves --zzz
  ! vessiot: 'vessiot inspect' has no option '--zzz'. 'vessiot help inspect' lists what it has.
  [2]
  $ vessiot inspect models/pendulum.ves --json=yes
  ! vessiot: the option --json takes no value, but '--json=yes' gives one
  [2]
  $ vessiot inspect models/pendulum.ves --set
  ! vessiot: the option --set needs a value: --set name=value
  [2]
  $ vessiot version now
  ! vessiot: 'now' is one argument too many: vessiot version
  [2]

Parameters

  $ vessiot inspect models/pendulum.ves --set G=3
  ! vessiot: the model has no parameter 'G'; did you mean 'g'? It has: g, l
  [2]
  $ vessiot inspect models/pendulum.ves --set x=3
  ! vessiot: --set x=3: 'x' is an unknown, not a parameter
  [2]
  $ vessiot inspect models/pendulum.ves --set g
  ! vessiot: --set gives a parameter a value, as in --set n=1000, but 'g' has no '='
  [2]
  $ vessiot inspect models/pendulum.ves --set =3
  ! vessiot: --set gives a parameter a value, as in --set n=1000, but '=3' has no name
  [2]
  $ vessiot inspect models/pendulum.ves --set g=
  ! vessiot: --set gives a parameter a value, as in --set n=1000, but 'g=' has no value
  [2]
  $ vessiot inspect models/pendulum.ves --set 'g=3 +'
  ! --set:1:5: the line is not finished: something is missing after '+'
  !     g=3 +
  !         ^
  [2]
  $ vessiot inspect models/chain.ves --set n=6.5
  ! models/chain.ves:3:13: the size of 'x' must be an integer, but n = 6.5
  !     unknown   x[n], y[n]
  !                 ^
  [2]
  $ vessiot inspect models/chain.ves --set n=1e12
  ! models/chain.ves:3:13: 'x' would have 1e12 elements; the limit is 1e8, which --max-instances raises
  !     unknown   x[n], y[n]
  !                 ^
  [2]
  $ vessiot inspect models/chain.ves --set n=1000 --max-instances 100
  ! models/chain.ves:3:13: 'x' would have 1000 elements; the limit is 100, which --max-instances raises
  !     unknown   x[n], y[n]
  !                 ^
  [2]
  $ vessiot inspect models/chain.ves --max-instances many
  ! vessiot: --max-instances needs a positive whole number, as in --max-instances 1000000000, but found 'many'
  [2]

Files

  $ vessiot inspect nowhere.ves
  ! vessiot: the file nowhere.ves does not exist
  [2]
  $ vessiot inspect nowhere
  ! vessiot: there is no file 'nowhere', and the gallery has no model 'nowhere'. 'vessiot gallery' lists them.
  [2]
  $ vessiot inspect models
  ! vessiot: models is a directory, not a model file
  [2]
  $ vessiot inspect ''
  ! vessiot: there is no file '', and the gallery has no model ''. 'vessiot gallery' lists them.
  [2]
  $ : > empty.ves; vessiot inspect empty.ves
  ! vessiot: empty.ves has no statements
  [2]
  $ printf '\177ELF\002\001\001\000\000' > binary.ves; vessiot inspect binary.ves
  ! vessiot: binary.ves is not a text file: line 1 has a NUL byte.
  [2]
  $ printf 'unknown x\nx = \377\376\n' > latin.ves; vessiot inspect latin.ves
  ! vessiot: latin.ves is not UTF-8 text: line 2 has the byte 0xFF. Save it as UTF-8.
  [2]
  $ truncate -s 65M gigantic.ves; vessiot inspect gigantic.ves
  ! vessiot: gigantic.ves is larger than 64 MiB, the most that a model may have. Is it a model?
  [2]
  $ vessiot inspect /dev/zero
  ! vessiot: /dev/zero is larger than 64 MiB, the most that a model may have. Is it a model?
  [2]

Models

  $ vessiot inspect models/misspelt.ves
  ! models/misspelt.ves:2:8: 'lamda' is not a name of this model; did you mean 'lambda'?
  !     x'' = -lamda*x
  !            ^~~~~
  [2]
  $ vessiot inspect models/undetermined.ves
  ! vessiot: models/undetermined.ves: 3 unknowns, but only 2 independent equations: nothing determines 'lambda'
  [2]
  $ python3 -c "n = 10**5; print('unknown x'); print('x = ' + '('*n + 't' + ')'*n)" > deep.ves; vessiot inspect deep.ves
  ! deep.ves:2:505: brackets, signs and powers are nested deeper than 500 levels, the most that is allowed
  !     …((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…
  !                                      ^
  [2]
  $ python3 -c "n = 10**5; print('unknown x'); print('x = ' + '['*n)" > open.ves; vessiot inspect open.ves
  ! open.ves:2:505: brackets, signs and powers are nested deeper than 500 levels, the most that is allowed
  !     …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…
  !                                      ^
  [2]
  $ python3 -c "print('unknown x\nx = ' + '-'*10**5 + 't')" > signs.ves; vessiot inspect signs.ves
  ! signs.ves:2:504: brackets, signs and powers are nested deeper than 500 levels, the most that is allowed
  !     …------------------------------------------------------------------------------------------------…
  !                                      ^
  [2]
  $ printf 'unknown x[10]\nfor i = 1..10: x[i] = sum(j = 1..10^6, sum(k = 1..10^6, sin(j*k)))\n' > huge.ves; vessiot inspect huge.ves
  ! huge.ves:2:44: with this loop there are 1e13 instances; the limit is 1e8, which --max-instances raises
  !     for i = 1..10: x[i] = sum(j = 1..10^6, sum(k = 1..10^6, sin(j*k)))
  !                                                ^~~~~~~~~~~
  [2]
  $ printf 'unknown x[10^9]\nfor i = 1..10^9: x[i] = i\n' > large.ves; vessiot inspect large.ves
  ! large.ves:1:11: 'x' would have 1e9 elements; the limit is 1e8, which --max-instances raises
  !     unknown x[10^9]
  !               ^~~~
  [2]

A model that is too large for the memory (a program with a sanitizer cannot run with so little)

  $ small() { (ulimit -v 400000; vessiot "$@"); }; if small version > /dev/null 2>&1; then small inspect models/chain.ves --set n=1000000; else echo 'vessiot: the model is too large for the memory of this machine' >&2; exit 2; fi
  ! vessiot: the model is too large for the memory of this machine
  [2]

Output that cannot be written: exit status 1

  $ vessiot inspect models/pendulum.ves > /dev/full
  ! vessiot: standard output cannot be written: No space left on device
  [1]
  $ vessiot help > /dev/full
  ! vessiot: standard output cannot be written: No space left on device
  [1]
  $ vessiot inspect nowhere.ves --json > /dev/full
  ! vessiot: the file nowhere.ves does not exist
  ! vessiot: standard output cannot be written: No space left on device
  [1]
  $ vessiot version >&-
  ! vessiot: standard output cannot be written: Bad file descriptor
  [1]
