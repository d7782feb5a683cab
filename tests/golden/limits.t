Limits of the machine

Where no thread can be started, nothing is compiled, and the run goes on

  $ ulimit -s 100000000; vessiot solve pendulum --to 100 | grep result
  |   result       reached t = 100
