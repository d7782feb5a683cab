How to use the program, and each of its commands.

  $ vessiot help
  | Vessiot: differential equations as curves on manifolds.
  |
  | usage: vessiot COMMAND [ARGUMENTS] [OPTIONS]
  |
  |   inspect MODEL    what a model is: class, order, equations, structure
  |   gallery [NAME]   the worked models that come with Vessiot
  |   help [COMMAND]   this list, or how to use one command
  |   version          the version of the program
  |
  | 'vessiot help COMMAND' says more. To begin: vessiot inspect pendulum
  $ diff <(vessiot help) <(vessiot --help) && diff <(vessiot help) <(vessiot -h)
  $ vessiot help inspect
  | usage: vessiot inspect MODEL [OPTIONS]
  |
  | Says what a model is, without solving it: its class and order, the unknowns and
  | their roles, the equations, those derived from a lagrangian or hamiltonian too,
  | the parameters and the start point, the nonzeros of the first and second
  | derivatives (df, d2f) of the equations, and how many operations they take.
  |
  | MODEL is a file, or the name of a model of the gallery.
  |
  | Options
  |   --set name=value    give a parameter another value (repeatable)
  |   --json              one JSON object on standard output, for programs
  |   --full              shorten nothing
  |   --compile           make native code as well: its size, the time it takes
  |   --max-instances N   allow loops and arrays of up to N elements
  |
  | Examples
  |   vessiot inspect gallery/pendulum.ves          a model file
  |   vessiot inspect pendulum                      by its name in the gallery
  |   vessiot inspect mech --set n=1000 --set c=2   with other parameters
  |   vessiot inspect pendulum --json | jq .class   for a program
  $ diff <(vessiot help inspect) <(vessiot inspect --help)
  $ diff <(vessiot help inspect) <(vessiot inspect some.ves --json -h)
  $ vessiot help gallery
  | usage: vessiot gallery [NAME] [OPTIONS]
  |
  | Lists the models that come with Vessiot, or shows the text of one.
  |
  | Options
  |   --json   one JSON object on standard output, for programs
  |
  | Examples
  |   vessiot gallery                     the list: name and title of each model
  |   vessiot gallery pendulum            the text of one
  |   vessiot gallery pendulum > my.ves   a copy to change
  $ diff <(vessiot help gallery) <(vessiot gallery --help)
  $ vessiot help help
  | usage: vessiot help [COMMAND]
  |
  | Says how to use vessiot, or one of its commands.
  |
  | Examples
  |   vessiot help           the list of commands
  |   vessiot help inspect   the same as vessiot inspect --help
  $ vessiot help version
  | usage: vessiot version
  |
  | Prints the version of the program.
  |
  | Examples
  |   vessiot version   the same as vessiot --version
  $ vessiot version | sed 's/[0-9][0-9.]*/N/'
  | vessiot N
  $ diff <(vessiot version) <(vessiot --version)
