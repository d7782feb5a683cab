How to use the program, and each of its commands.

  $ vessiot help
  | Vessiot: differential equations as curves on manifolds.
  |
  | usage: vessiot COMMAND [ARGUMENTS] [OPTIONS]
  |
  |   solve MODEL                 the solution of a model, and how the run went
  |   ensemble MODEL              many runs of a model, with other parameters and start values
  |   merge OUT FILE...           the parts of an ensemble as one result
  |   methods                     the methods, with their orders and sources
  |   inspect MODEL               what a model is: class, order, equations, structure
  |   convert MODEL               a Base Modelica text as a model file
  |   decompose MODEL             the components of constraints, each by itself
  |   gallery [NAME]              the worked models that come with Vessiot
  |   reproduce [PAPER [TABLE]]   published tables, recomputed
  |   help [COMMAND]              this list, or how to use one command
  |   version                     the version of the program
  |
  | 'vessiot help COMMAND' says more. To begin: vessiot solve pendulum
  $ diff <(vessiot help) <(vessiot --help) && diff <(vessiot help) <(vessiot -h)
  $ vessiot help solve
  | usage: vessiot solve MODEL [OPTIONS]
  |
  | Solves a model: finds its hidden constraints and a consistent start point,
  | follows the solution without leaving the constraints, and says in a few lines
  | what was found and done. Option lines of the model give defaults for the
  | options below, written with _ for -.
  |
  | MODEL is a file, or the name of a model of the gallery. Ctrl-C ends a run and
  | writes what there is. Exit status: 0 success, 1 the run ended early or a file
  | could not be written, 2 wrong input, 130 Ctrl-C.
  |
  | The run
  |   --method NAME           one of 'vessiot methods'; auto: by rtol and stiffness
  |   --rtol R                relative tolerance of a step (1e-6)
  |   --atol A                absolute tolerance of a step (1e-9)
  |   --step H                constant steps of this size, of arclength in that parametrisation
  |   --from T                start of the interval
  |   --to T                  end of the interval; before its start to run backwards
  |   --to-s S                end at this arclength, with --parametrisation arclength
  |   --start name=value      start value (repeatable): x[3]'=0.5
  |   --homotopy name=value   for values at both ends: solve first with this value of a parameter, then move to its own (repeatable)
  |   --max-steps N           give up after so many steps, accepted and rejected (1e7)
  |   --max-events N          give up after so many crossings of events (1e6)
  |   --tableau FILE          a Runge-Kutta method from a JSON file with a, b, b_hat, c; its order is found
  |   --multistep FILE        a linear multistep method from a JSON file with alpha, beta; its order is found
  |   --set name=value        give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)
  |   --parameters FILE       values of parameters from a .json file, an object of names and values (repeatable)
  |   --component WORD        solve on a component of the constraints: auto, a number; other, or 2,1, changes at a meeting
  |   --time-limit SECONDS    how long Singular may take for --component (60)
  |   --max-instances N       allow loops and arrays of up to N elements
  |   --model NAME            of a Base Modelica text with several models: which one (the last)
  |   --variables NAMES       of Base Modelica: what is in the results beside the unknowns, as in a.v,frame_?.r*
  |
  | Results
  |   --at T1,T2,…                 report at these points, not at every step
  |   --every DT                   report at multiples of DT from the start, and at the end
  |   --section NAME               report the crossings of this event of the model, and nothing else
  |   --sensitivity P1,P2,…        derivatives by parameters g, m[2], by start values start:x'; all: by all parameters
  |   --checkpoint-every SECONDS   seconds between two writings of the checkpoint (10)
  |   --checkpoint-steps N         steps after which it may be written (1000)
  |   --out FILE                   write all points to a .csv, .h5 or .json file (repeatable)
  |   --plot FILE                  draw the solution and the run into a .svg or .png file (repeatable)
  |   --axes X,Y                   what --plot draws against each other: two or three unknowns or outputs; repeatable
  |   --report FILE                an .html or .htm page to look at the solution and the run in a browser (repeatable)
  |   --cone                       of gps and mgps with --step: |x| and the element G of SO(n, 1) of each step, as outputs
  |   --json                       one JSON object on standard output, for programs
  |   --quiet                      no summary
  |   --progress WORD              auto, always, never: show how far the run is
  |   --checkpoint FILE            write there, every few seconds, what a run needs to go on
  |   --resume FILE                go on from a checkpoint, with the other options as they were
  |
  | How it is solved
  |   --parametrisation WORD       auto, time, arclength: variable of integration: time, or the arclength of the curve
  |   --projection WORD            auto, simplified, newton, chord, inexact, ray, gradient-ray, post, group, partition, tangent, none: how points are brought onto the constraints
  |   --init WORD                  on, off: begin the search for the nearest point with a step in closed form
  |   --newton-start WORD          a, curvature: begin that search at the point itself (a), or corrected for the curvature
  |   --newton-stop WORD           auto, sound, printed, residual, increment: stopping rule of the iteration: round-off (sound), those of the papers (printed, increment), of rays (residual, increment)
  |   --newton-tol R               tolerance of the stopping rules printed, residual and increment; 0: theirs
  |   --forcing EPS0,DECAY         of the projection inexact: its linear systems are solved to EPS0, EPS0*DECAY, EPS0*DECAY^2, … (0.1,0.8)
  |   --partition SETS             for rays: sets of unknowns, as many as constraints, each of which keeps its direction: [[x, y], [z]]
  |   --fallback WORD              orthogonal, none: what to do where a ray misses the constraints
  |   --project WORD               auto, steps, stages, symmetric: which points are projected: steps only, or stages as well
  |   --distribution WORD          auto, explicit, submatrix, solve, kkt, kkt-cg, kernel-qr, kernel-svd, kernel-rcg: how the direction of the curve is computed
  |   --formulation WORD           auto, general, invariants, holonomic: formulation of the equations
  |   --invariants WORD            check, impose: an invariant that the equations do not conserve: report it, or impose it
  |   --conditions WORD            locate, ignore: locate where if, abs, max, … switch and end steps there, or ignore it
  |   --continue WORD              auto, high, low: which result of an embedded pair is continued, the one of higher or lower order
  |   --control WORD               auto, pi, elementary, doubling, tuomela: step size control
  |   --safety S                   safety factor of the step size control, below 1; 0: its default
  |   --factor-min F               smallest ratio of a step to the one before; 0: its default
  |   --factor-max F               largest ratio of a step to the one before; 0: its default
  |   --error-norm WORD            rms, max: norm of the error estimate
  |   --sensitivity-control WORD   on, off: include the errors of sensitivities in the error estimate
  |   --max-order N                highest order of methods of variable order; 0: that of the method
  |   --h-first H                  size of the first step; 0: chosen
  |   --h-min H                    smallest step; the run ends where a smaller one would be needed; 0: round-off
  |   --h-max H                    largest step; 0: the interval
  |   --order P                    order of the method taylor, 1 to 30; 0: by the tolerances
  |   --precision WORD             double, quad: 16 or 34 digits
  |   --backend WORD               auto, jit, interpreter: what evaluates the equations; jit is native code
  |
  | Examples
  |   vessiot solve pendulum                                             a model of the gallery, with a summary of the run
  |   vessiot solve my.ves --rtol 1e-10 --method dop853                  a file, to ten digits
  |   vessiot solve pendulum --set g=1.62 --start x=0.6 --start y=-0.8   on the moon, from another point
  |   vessiot solve pendulum --plot pendulum.svg                         a picture of the solution and of the run
  |   vessiot solve pendulum --report pendulum.html                      a page for the browser, to zoom, choose and turn
  |   vessiot solve pendulum --every 0.01 --out pendulum.csv             a table
  |   vessiot solve pendulum --at 1,2,pi --json | jq .values.x           for a program
  $ diff <(vessiot help solve) <(vessiot solve --help)
  $ vessiot help methods
  | usage: vessiot methods [OPTIONS]
  |
  | Lists the methods that --method of solve can name: order, order of the dense
  | output (what is between the steps), stages, whether they choose their own
  | steps, what they need of a system, and where they come from. Then the names that
  | --projection, --distribution and --control can be.
  |
  | Options
  |   --tableau FILE     the method of a JSON file, as --tableau of solve reads it: its order, and what it is
  |   --multistep FILE   the same of a linear multistep method, as --multistep of solve reads it
  |   --json             one JSON object on standard output, for programs
  |
  | Examples
  |   vessiot methods                                 the table, and the works the methods come from
  |   vessiot methods --json | jq '.methods[].name'   for a program
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
  |   --set name=value    give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)
  |   --parameters FILE   values of parameters from a .json file, an object of names and values (repeatable)
  |   --json              one JSON object on standard output, for programs
  |   --full              shorten nothing
  |   --compile           make native code as well: its size, the time it takes
  |   --max-instances N   allow loops and arrays of up to N elements
  |   --model NAME        of a Base Modelica text with several models: which one (the last)
  |   --variables NAMES   of Base Modelica: what is in the results beside the unknowns, as in a.v,frame_?.r*
  |
  | Examples
  |   vessiot inspect gallery/pendulum.ves          a model file
  |   vessiot inspect pendulum                      by its name in the gallery
  |   vessiot inspect mech --set n=1000 --set c=2   with other parameters
  |   vessiot inspect pendulum --json | jq .class   for a program
  $ diff <(vessiot help inspect) <(vessiot inspect --help)
  $ diff <(vessiot help inspect) <(vessiot inspect some.ves --json -h)
  $ vessiot help decompose
  | usage: vessiot decompose MODEL [OPTIONS]
  |
  | Splits the constraints on positions of a model (equations without derivatives)
  | into irreducible components: for each its equations, its dimension, whether it
  | is smooth, where it meets the others, and whether the start point is on it. A
  | new model has the equations of that component in place of the constraints:
  | where two components meet, the constraints of the old one are dependent, those
  | of the new one are not.
  |
  | Constraints may have +, -, *, /, whole powers, and sin, cos, tan of sums of
  | unknowns; parameters have their values. The work is done by the program Singular
  | (Debian: apt-get install singular). MODEL is a file, or the name of a model of
  | the gallery. Exit status: 0 success, 1 Singular failed or a file could not be
  | written, 2 wrong input, 130 Ctrl-C.
  |
  | Options
  |   --out FILE             write the model there; without it: NAME_component_K.ves, in this folder
  |   --component K          write the model of component K, not of the one of the start point; K,L changes where they meet
  |   --time-limit SECONDS   how long Singular may take (60)
  |   --set name=value       give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)
  |   --parameters FILE      values of parameters from a .json file, an object of names and values (repeatable)
  |   --json                 one JSON object on standard output, for programs
  |   --full                 shorten nothing
  |   --max-instances N      allow loops and arrays of up to N elements
  |
  | Examples
  |   vessiot decompose four_bar_singular                               two components, and a model of the one of the start point
  |   vessiot decompose my.ves --out crossed.ves                        the same for a file, into a file of this name
  |   vessiot decompose my.ves --component 1                            a model of another component
  |   vessiot decompose my.ves --json | jq '.components[].generators'   for a program
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
  |   vessiot help         the list of commands
  |   vessiot help solve   the same as vessiot solve --help
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
