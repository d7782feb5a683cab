"""What a model built in Python is told: the words of the model language. It is kept, so that a copy can be told again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Union

from . import _core
from ._core import Array, Equality, Expr, External, Index, Matrix, MatrixEquality, TableFunction

Formula = Union[Expr, Index, int, float]
Told = list[tuple[str, tuple[Any, ...]]]


def _loops(loops: Index | Sequence[Index] | None) -> list[Index]:
    if loops is None:
        return []
    return [loops] if isinstance(loops, Index) else list(loops)


def _extent(shape: int | Sequence[int]) -> list[int]:
    return [shape] if isinstance(shape, int) else [int(n) for n in shape]


def _encoded(core: _core.Model, x: Any) -> Any:
    """An argument of a statement without handles of its model: lists as ("list", …), formulas by their numbers."""
    if isinstance(x, (list, tuple)):
        return ("list", [_encoded(core, item) for item in x])
    if x is None or isinstance(x, (str, bool, int, float)):
        return x
    handle = core.encoded(x)
    return ("value", x) if handle is None else handle


def _decoded(core: _core.Model, x: Any) -> Any:
    if not isinstance(x, tuple):
        return x
    if x[0] == "list":
        return [_decoded(core, item) for item in x[1]]
    return x[1] if x[0] == "value" else core.decoded(x)


def retell(core: _core.Model, told: Told, leave_out: frozenset[str] = frozenset()) -> Told:
    """The statements once more, to a model with the same notes; those that were made."""
    made = [(word, arguments) for word, arguments in told if word not in leave_out]
    for word, arguments in made:
        getattr(core, word)(*[_decoded(core, a) for a in arguments])
    return made


class Statements:
    """Statements of `Model`."""

    _core: _core.Model
    _told: Told
    _prefix: str

    def _forget_problems(self) -> None:
        raise NotImplementedError

    def _tell(self, word: str, *arguments: Any) -> Any:
        """One statement. NOTE: what it names has to have its number before it is made: a statement can add notes."""
        kept = tuple(_encoded(self._core, a) for a in arguments)
        made = getattr(self._core, word)(*arguments)
        self._told.append((word, kept))
        self._forget_problems()
        return made

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Names that are declared inside belong to a part: `left.x`, as those of a `part` of the model language.

            >>> def pendulum(m, g): ...          # a component: statements about m
            >>> with m.part("left"): pendulum(m, g)
            >>> with m.part("right"): pendulum(m, g)
            >>> m.solve((0, 1))["left.x"]
        """
        before = self._prefix
        self._prefix = f"{before}{name}."
        try:
            yield
        finally:
            self._prefix = before

    # ---- names ----

    @property
    def t(self) -> Expr:
        """The independent variable."""
        return self._core.t()

    def unknown(self, *names: str, shape: int | Sequence[int] | None = None) -> Any:
        """Declares unknowns: one, a tuple of several, or an array where a shape is given. Indices count from 1.

            >>> x, y = m.unknown("x", "y")
            >>> q = m.unknown("q", shape=3)      # q[1], q[2], q[3]
        """
        if not names:
            raise TypeError("unknown needs a name")
        made = [self._tell("unknown", self._prefix + n) if shape is None else
                self._tell("unknowns", self._prefix + n, _extent(shape)) for n in names]
        return made[0] if len(made) == 1 else tuple(made)

    def matrix(self, name: str, shape: Sequence[int], group: str = "") -> Matrix:
        """A matrix of unknowns, and the group that it stays in: "SO(3)", "Stiefel(4,2)"."""
        made: Matrix = self._tell("matrix", self._prefix + name, _extent(shape), group)
        return made

    def parameter(self, name: str, value: Any) -> Any:
        """A parameter with its value: a number, or an array of numbers in nested lists or numpy."""
        return self._values("parameter", name, value)

    def discrete(self, name: str, value: Any) -> Any:
        """A quantity that events change and nothing else; the value is that at the start."""
        return self._values("discrete", name, value)

    def _values(self, word: str, name: str, value: Any) -> Any:
        if isinstance(value, (int, float)):
            return self._tell(word, self._prefix + name, float(value))
        import numpy

        numbers = numpy.asarray(value, dtype=float)
        if numbers.ndim == 0:
            return self._tell(word, self._prefix + name, float(numbers))
        return self._tell(word + "s", self._prefix + name, list(numbers.shape), numbers.ravel().tolist())

    def index(self, name: str, first: int | Index, last: int | Index) -> Index:
        """A loop index from first to last, both included."""
        made: Index = self._tell("index", name, first, last)
        return made

    def let(self, name: str, loops: Index | Sequence[Index], value: Formula) -> Array:
        """A named quantity for all values of the loops, computed once for each."""
        made: Array = self._tell("let", self._prefix + name, _loops(loops), value)
        return made

    def multipliers(self) -> Array:
        """lambda[1], lambda[2], … of the constraints of a lagrangian or hamiltonian."""
        return self._core.multipliers()

    def table(self, name: str, x: Any, values: Any, *, y: Any = None, between: str = "linear",
              outside: str = "error") -> TableFunction:
        """A function that is given by points: values at x, or, of two arguments, values[i, j] at (x[i], y[j]).

        between: linear, step, cubic (a spline) or monotone. outside of the points: error, hold, extend, periodic.

            >>> torque = m.table("torque", [0, 0.5, 1, 4], [0, 12, 10, 0], between="monotone", outside="hold")
            >>> m.equation(w.d() == torque(w))
        """
        import numpy

        grid = [numpy.asarray(axis, dtype=float) for axis in ([x] if y is None else [x, y])]
        numbers = numpy.asarray(values, dtype=float)
        shape = tuple(len(axis) for axis in grid if axis.ndim == 1)
        if len(shape) != len(grid) or numbers.shape != shape:
            raise ValueError(f"table '{name}' needs values of the shape {shape}, one for each point, but found {numbers.shape}")
        made: TableFunction = self._tell("table", self._prefix + name, [axis.tolist() for axis in grid],
                                               numbers.ravel().tolist(), between, outside)
        return made

    def external(self, name: str, function: Callable[..., Any], n_arguments: int | None = None, n_results: int = 1) -> Any:
        """A function of Python inside of formulas: called with numbers for every value, derivatives by differences.

            >>> drag = m.external("drag", lambda v: wind_tunnel(v))
            >>> m.equation(v.d() == -drag(v))

        With n_results above 1 it returns that many numbers, and a call gives a list of formulas.
        """
        if n_arguments is None:
            from inspect import signature

            n_arguments = len(signature(function).parameters)
        made = self._tell("external", self._prefix + name, n_arguments, n_results, NumbersOf(function))
        return made if n_results > 1 else OneResult(made)

    # ---- the system ----

    def equation(self, *equations: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """lhs == rhs, of any order; with loops for all their values."""
        self._state("equation", equations, loops)

    def constraint(self, *equations: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """A holonomic constraint of a lagrangian or hamiltonian; otherwise an equation."""
        self._state("constraint", equations, loops)

    def force(self, *forces: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x == value: a generalised force on the equation of x."""
        self._state("force", forces, loops)

    def invariant(self, *quantities: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """A conserved quantity, kept at its value at the start, or at the one given: E == 1."""
        self._state("invariant", quantities, loops)

    def lagrangian(self, L: Formula) -> None:
        """The equations of motion follow from it, with a multiplier for each constraint."""
        self._tell("lagrangian", L)

    def hamiltonian(self, H: Formula, pairs: Iterable[tuple[Any, Any]] = ()) -> None:
        """q' = H_p, p' = -H_q for the pairs (q, p) of unknowns or arrays; without pairs beside `poisson`."""
        self._tell("hamiltonian", H, [list(pair) for pair in pairs])

    def poisson(self, B: Matrix | Sequence[Sequence[Formula]], *coordinates: Any) -> None:
        """y' = B grad H, beside a hamiltonian without pairs: brackets that are not canonical, of unknowns and arrays y.

            >>> y = m.unknown("m", shape=3)      # a rigid body in its own frame
            >>> m.hamiltonian(y[1]**2/2 + y[2]**2/4 + y[3]**2/6)
            >>> m.poisson(vs.skew(y[1], y[2], y[3]), y)
        """
        self._tell("poisson", B if isinstance(B, Matrix) else Matrix(B), list(coordinates))

    # ---- start point, ends, interval, output ----

    def start(self, *values: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x == 1, x.d() == 0: values at the start; those of parameters and indices."""
        self._state("start", values, loops)

    def guess(self, *values: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """Where unknowns that the equations determine are looked for."""
        self._state("guess", values, loops)

    def hold(self, *unknowns: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """Unknowns that are not moved when the start point is made consistent."""
        for x in unknowns:
            self._tell("hold", _loops(loops), x)

    def initially(self, *equations: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """Equations of the start point alone, such as those of a steady state.

            >>> m.initially(x.d() == 0)
        """
        self._state("initially", equations, loops)

    def end(self, *values: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x == 0, x.d() == 1: values at the end of the interval; what nobody gave at the start is found.

            >>> m.equation(y.d(2) == -vs.exp(y)); m.start(y == 0); m.end(y == 0); m.interval(0, 1)
        """
        self._state("end", values, loops)

    def periodic(self, *unknowns: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x, x.d(): what is the same at both ends."""
        for x in unknowns:
            self._tell("periodic", _loops(loops), x)

    def free(self, *parameters: Any) -> None:
        """Parameters that are found as well, from their values as first guesses: eigenvalues, periods."""
        for p in parameters:
            self._tell("free", p)

    def _state(self, word: str, statements: Sequence[Any], loops: Index | Sequence[Index] | None) -> None:
        for s in statements:
            if isinstance(s, bool) or (word != "invariant" and not isinstance(s, (Equality, MatrixEquality))):
                raise TypeError(f"{word} takes lhs == rhs of formulas, but found {s!r}")
            if isinstance(s, MatrixEquality):
                if word not in ("equation", "start"):
                    raise TypeError(f"{word} takes lhs == rhs of numbers, but found one of matrices")
                self._tell(word, s)
            else:
                self._tell(word, _loops(loops), s)

    def interval(self, start: Formula, end: Formula) -> None:
        """Where a run begins and ends, if solve is not told."""
        self._tell("interval", start, end)

    def event(
        self,
        name: str,
        crossing: Equality | None = None,
        *,
        every: Formula | None = None,
        always: bool = False,
        direction: str = "both",
        stop: bool = False,
        then: Sequence[Equality] = (),
        guess: Sequence[Equality] = (),
    ) -> None:
        """Where lhs == rhs is crossed (both, rising, falling), or every so often; `then` sets values there.

        always: wherever a condition switches or another event happens, until `then` changes nothing.

            >>> m.event("hit", y == 0, direction="falling", then=[y.d() == -0.9 * y.d()])
        """
        if (crossing is not None) + (every is not None) + always != 1:
            raise TypeError("event takes either a crossing, lhs == rhs, or every=, or always=True")
        if always and (stop or guess or direction != "both"):
            raise TypeError("event: with always=True nothing but then= is said")
        name = self._prefix + name
        if always:
            self._tell("event_always", name, list(then))
            return
        if crossing is not None:
            self._tell("event", name, crossing, direction, stop, list(then), list(guess))
        else:
            self._tell("event_every", name, every, stop, list(then), list(guess))

    def contact(
        self,
        name: str,
        gap: Formula,
        *,
        restitution: Formula = 0,
        friction: Formula = 0,
        along: Formula | Sequence[Formula] = (),
        loops: Index | Sequence[Index] | None = None,
    ) -> None:
        """gap >= 0 beside a lagrangian or hamiltonian: impacts, rest, friction along one or two velocities.

            >>> m.contact("floor", y, restitution=0.8, friction=0.3, along=x.d())
        """
        velocities = list(along) if isinstance(along, (list, tuple)) else [along]
        self._tell("contact", self._prefix + name, _loops(loops), gap, restitution, friction, velocities)

    def output(self, name: str, value: Formula) -> None:
        """A named column of the results."""
        self._tell("output", self._prefix + name, value)

    def output_every(self, interval: Formula) -> None:
        """The points to report: multiples of this, and the end."""
        self._tell("output_every", interval)

    def output_at(self, times: Sequence[float]) -> None:
        """The points to report."""
        self._tell("output_at", [float(t) for t in times])

    def output_section(self, event: str) -> None:
        """The points to report are the crossings of this event."""
        self._tell("output_section", event)

    def option(self, name: str, value: Any) -> None:
        """An option of solve that this model is meant for."""
        self._tell("option", name, value)


class NumbersOf:
    """A function of numbers as one of an array, for the library."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, z: Any) -> Any:
        import numpy

        return numpy.ascontiguousarray(numpy.ravel(self.function(*z.tolist())), dtype=float)


class OneResult:
    """A function with one result, in formulas."""

    def __init__(self, function: External) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Expr:
        return self._function(*arguments)[0]
