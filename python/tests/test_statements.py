"""Statements that came after the first ones: ends, tables, parts, functions of Python. Twins of texts, bit for bit."""

import copy
import pickle

import numpy as np
import pytest

import vessiot as vs


def bratu():
    m = vs.Model(name="bratu")
    y = m.unknown("y")
    m.equation(y.d(2) == -vs.exp(y))
    m.start(y == 0)
    m.guess(y.d() == 0.5)
    m.end(y == 0)
    m.interval(0, 1)
    return m


BRATU = """
unknown y
y'' = -exp(y)
start y = 0
guess y' = 0.5
end   y = 0
solve t = 0 .. 1
"""


def cycle():
    m = vs.Model(name="cycle")
    T = m.parameter("T", 6.5)
    x = m.unknown("x")
    m.equation(x.d(2) == (1 - x**2) * x.d() - x)
    m.guess(x == 2)
    m.periodic(x, x.d())
    m.free(T)
    m.interval(0, T)
    return m


CYCLE = """
parameter T = 6.5
unknown   x
x'' = (1 - x^2)*x' - x
guess     x = 2
periodic  x, x'
free      T
solve     t = 0 .. T
"""


def driven():
    m = vs.Model(name="driven")
    drive = m.table("drive", [0, 0.5, 1, 4], [0, 12, 10, 0])
    drag = m.table("drag", np.array([-10, 0, 10]), [-30, 0, 30], between="monotone", outside="extend")
    mass = m.parameter("m", 2)
    x = m.unknown("x")
    m.equation(mass * x.d(2) == drive(m.t) - drag(x.d()))
    m.start(x == 0, x.d() == 0)
    m.interval(0, 4)
    return m


DRIVEN = """
table     drive(s) = [0: 0, 0.5: 12, 1: 10, 4: 0]
table     drag(v)  = [-10: -30, 0: 0, 10: 30] monotone outside extend
parameter m = 2
unknown   x
m*x'' = drive(t) - drag(x')
start x = 0, x' = 0
solve t = 0 .. 4
"""


def pendulum(m, g, mass, length):
    """A component."""
    k, l = m.parameter("m", mass), m.parameter("l", length)
    x, y = m.unknown("x", "y")
    m.lagrangian(k / 2 * (x.d() ** 2 + y.d() ** 2) - k * g * y)
    m.constraint(x**2 + y**2 == l**2)
    m.start(x == l, y == 0)
    return x, y


def two():
    m = vs.Model(name="two")
    g = m.parameter("g", 9.81)
    with m.part("a"):
        ax, _ = pendulum(m, g, 1, 2)
    with m.part("b"):
        bx, _ = pendulum(m, g, 3, 1)
    m.output("distance", bx - ax)
    m.interval(0, 3)
    return m


TWO = """
parameter g = 9.81
component Pendulum(m, l):
    unknown x, y
    lagrangian m/2*(x'^2 + y'^2) - m*g*y
    constraint x^2 + y^2 = l^2
    start x = l, y = 0
part a = Pendulum(1, 2)
part b = Pendulum(3, 1)
output distance = b.x - a.x
solve t = 0 .. 3
"""



def hops():
    m = vs.Model(name="hops")
    x, y = m.unknown("x", "y")
    z = m.unknown("z", shape=2)
    i = m.index("i", 1, 2)
    m.lagrangian((x.d() ** 2 + y.d() ** 2 + z[1].d() ** 2 + z[2].d() ** 2) / 2 - y - z[1] - z[2])
    m.contact("floor", y, restitution=0.8, friction=0.3, along=x.d())
    m.contact("touch", z[i], restitution=0.5, loops=i)
    m.start(x == 0, x.d() == 2, y == 1, y.d() == 0)
    m.start(z[i] == i, z[i].d() == 0, loops=i)
    m.interval(0, 6)
    return m


HOPS = """
unknown x, y, z[2]
lagrangian (x'^2 + y'^2 + z[1]'^2 + z[2]'^2)/2 - y - z[1] - z[2]
contact floor: y >= 0, restitution 0.8, friction 0.3 along x'
for i = 1..2:
    contact touch: z[i] >= 0, restitution 0.5
start x = 0, x' = 2, y = 1, y' = 0
for i = 1..2:
    start z[i] = i, z[i]' = 0
solve t = 0 .. 6
"""

def sampled():
    m = vs.Model(name="sampled")
    K, low = m.parameter("K", 2), m.parameter("low", 0.5)
    u, count, s = m.discrete("u", 0), m.discrete("count", 0), m.discrete("s", [1, 2])
    x = m.unknown("x")
    m.equation(x.d() == u + s[1] * vs.sin(m.t))
    m.start(x == 1)
    m.event("tick", every=0.25, then=[u == -K * x, count == count + 1])
    m.event("down", x == low, direction="falling", then=[s[1] == s[2]])
    m.interval(0, 4)
    return m


SAMPLED = """
parameter K = 2, low = 0.5
discrete u = 0, count = 0, s[2] = [1, 2]
unknown x
x' = u + s[1]*sin(t)
start x = 1
event tick: every 0.25 then u = -K*x, count = count + 1
event down: x = low falling then s[1] = s[2]
solve t = 0 .. 4
"""


def thermostat():
    m = vs.Model(name="thermostat")
    on, T = m.discrete("on", 0), m.unknown("T")
    m.equation(T.d() == -0.1 * (T - 10) + vs.if_(on == 1, 3, 0))
    m.start(T == 22)
    m.event("thermostat", always=True, then=[on == vs.if_(T < vs.if_(on == 1, 25, 20), 1, 0)])
    m.interval(0, 24)
    return m


THERMOSTAT = """
discrete on = 0
unknown T
T' = -0.1*(T - 10) + if(on == 1, 3, 0)
start T = 22
event thermostat: always then on = if(T < if(on == 1, 25, 20), 1, 0)
solve t = 0 .. 24
"""


def steady():
    m = vs.Model(name="steady")
    mass, g = m.parameter("m", 2), m.parameter("g", 9.81)
    x, v, k = m.unknown("x", "v", "k")
    m.equation(x.d() == v, mass * v.d() == mass * g - k * x, k.d() == 0)
    m.start(x == 0.1, v == 0)
    m.hold(x)
    m.initially(v.d() == 0)
    m.interval(0, 5)
    return m


STEADY = """
parameter m = 2, g = 9.81
unknown x, v, k
x' = v
m*v' = m*g - k*x
k' = 0
start x = 0.1, v = 0
hold  x
initially v' = 0
solve t = 0 .. 5
"""


def body():
    m = vs.Model(name="body")
    c, y, z = m.parameter("c", 0.1), m.unknown("m", shape=3), m.unknown("z")
    m.equation(z.d() == y[1])
    m.hamiltonian(y[1] ** 2 / 2 + y[2] ** 2 / 4 + y[3] ** 2 / 6)
    m.poisson([[0, -y[3], y[2]], [y[3], 0, -y[1]], [-y[2], y[1], 0]], y)
    m.force(y[2] == -c * y[2])
    m.start(y[1] == 1, y[2] == 0.5, y[3] == 0.2, z == 0)
    m.interval(0, 10)
    return m


BODY = """
parameter c = 0.1
unknown m[3], z
z' = m[1]
hamiltonian m[1]^2/2 + m[2]^2/4 + m[3]^2/6
poisson skew(m) for m
force m[2] = -c*m[2]
start m = [1, 0.5, 0.2], z = 0
solve t = 0 .. 10
"""


TWINS = {"body": (body, BODY), "bratu": (bratu, BRATU), "cycle": (cycle, CYCLE), "driven": (driven, DRIVEN), "two": (two, TWO), "hops": (hops, HOPS),
         "sampled": (sampled, SAMPLED), "thermostat": (thermostat, THERMOSTAT), "steady": (steady, STEADY)}


@pytest.mark.parametrize("name", TWINS)
def test_twins(name):
    built, text = TWINS[name]
    a = built().solve(rtol=1e-8)
    b = vs.Model(text=text, name=name).solve(rtol=1e-8)
    assert a.success and a.names == b.names and a.output_names == b.output_names
    assert np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y) and np.array_equal(a.outputs, b.outputs)


@pytest.mark.parametrize("name", TWINS)
def test_pickles(name):
    m = TWINS[name][0]()
    first = m.solve(rtol=1e-8)
    for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert np.array_equal(again.solve(rtol=1e-8).y, first.y)


def test_what_was_found_at_the_ends():
    sol = cycle().solve(rtol=1e-9, atol=1e-11)
    assert sol.t[-1] == pytest.approx(6.66328685933, abs=1e-8)  # the period of van der Pol's oscillator, mu = 1


def test_tables_of_two_arguments():
    x, y = np.linspace(0, 2, 9), np.linspace(-3, 1, 7)  # u goes from -0.5 down to -2.6
    m = vs.Model(name="map")
    K = m.table("K", x, np.add.outer(x, 2 * y), y=y)
    u = m.unknown("u")
    m.equation(u.d() == K(m.t, u))
    m.start(u == -0.5)
    exact = -0.25 - m_half(1.0)
    assert m.solve((0, 1), rtol=1e-10, atol=1e-12)["u"][-1] == pytest.approx(exact, abs=1e-8)


def m_half(t):
    """u' = t + 2 u, u(0) = -1/2: u = -t/2 - 1/4 - e^(2t)/4."""
    return t / 2 + np.exp(2 * t) / 4


def cold():
    m = vs.Model(name="cold")
    K = m.table("K", [0, 1, 2], [[1, 2], [3, 5], [4, 9]], y=[-1, 1], outside="hold")
    u = m.unknown("u")
    m.equation(u.d() == -K(m.t, u) * u)
    m.start(u == 0.9)
    m.interval(0, 2)
    return m


def test_twin_of_a_table_of_two_arguments(tmp_path):
    (tmp_path / "map.csv").write_text("0,-1,1\n0,1,2\n1,3,5\n2,4,9\n")
    (tmp_path / "cold.ves").write_text(
        'table K(s, x) = file "map.csv" outside hold\nunknown u\nu\' = -K(t, u)*u\nstart u = 0.9\nsolve t = 0 .. 2\n')
    a, b = cold().solve(rtol=1e-9), vs.Model(tmp_path / "cold.ves").solve(rtol=1e-9)
    assert a.success and np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y)


def test_outside_of_a_table_the_run_ends_and_says_so():
    m = vs.Model(name="short")
    T = m.table("T", [0, 1], [1, 2])
    u = m.unknown("u")
    m.equation(u.d() == T(m.t))
    m.start(u == 0)
    sol = m.solve((0, 2))
    assert not sol.success and "T" in sol.message and sol.t[-1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (lambda m: m.table("T", [0, 1], [1]), ValueError, "shape"),
        (lambda m: m.table("T", [1, 0], [1, 2]), vs.ModelError, "point 2"),
        (lambda m: m.table("T", [0, np.nan], [1, 2]), vs.ModelError, "finite"),
        (lambda m: m.table("T", [0, 1], [1, np.inf]), vs.ModelError, "finite"),
        (lambda m: m.table("T", [], []), vs.ModelError, "point"),
        (lambda m: m.table("T", [0, 1], [1, 2], between="smooth"), vs.ModelError, "monotone"),
        (lambda m: m.table("T", [0, 1], [1, 2], outside="wrap"), vs.ModelError, "periodic"),
        (lambda m: m.table("x", [0, 1], [1, 2]), vs.ModelError, "already"),
        (lambda m: m.table("T", [0, 1], [1, 2])(m.t, m.t), vs.ModelError, "1 argument"),
        (lambda m: m.end(True), TypeError, "lhs == rhs"),
        (lambda m: m.free(m.t), vs.ModelError, "parameter"),
        (lambda m: m.periodic(m.t), vs.ModelError, "unknown"),
        (lambda m: m.unknown("a..x"), vs.ModelError, "cannot be a name"),
        (lambda m: m.unknown("a."), vs.ModelError, "cannot be a name"),
        (lambda m: m.unknown(), TypeError, "name"),
        (lambda m: m.poisson([[0, 1], [-1, 0]], m.unknown("y")), vs.ModelError, "1 coordinates"),
        (lambda m: m.poisson([[0, 1], [1, 0]], *m.unknown("y", "z")), vs.ModelError, "antisymmetric"),
        (lambda m: m.poisson([[0, 1], [-1]], *m.unknown("y", "z")), ValueError, "lengths"),
        (lambda m: m.poisson([[0]], "x"), TypeError, "str"),
        (lambda m: m.contact("x", m.t), vs.ModelError, "already"),
        (lambda m: m.contact("floor", m.t, friction=0.3), vs.ModelError, "along"),
        (lambda m: m.contact("floor", "y"), TypeError, "str"),
    ],
)
def test_wrong_statements(wrong, error, text):
    m = vs.Model(name="m")
    m.unknown("x")
    with pytest.raises(error, match=text):
        wrong(m)


def test_parts_inside_of_parts_and_after_errors():
    m = vs.Model(name="nested")
    with m.part("car"):
        with m.part("wheel"):
            x = m.unknown("x")
        y = m.unknown("y")
    with pytest.raises(RuntimeError):
        with m.part("broken"):
            raise RuntimeError
    z = m.unknown("z")
    m.equation(x.d() == -x, y.d() == x, z.d() == y)
    m.start(x == 1, y == 0, z == 0)
    assert m.solve((0, 1)).names == ["car.wheel.x", "car.y", "z"]


def test_components_of_the_library_in_texts():
    sol = vs.Model(text="""
include "mechanics"
part a = Body2(m = 1, J = 0.1)
part p = Pivot2(a, [-0.5, 0], [0, 0])
start a.r = [0.5, 0]
solve t = 0 .. 1
""", name="arm").solve(rtol=1e-8)
    assert sol.success and sol.residual < 1e-12


def test_files_are_found_from_the_folder_of_the_model(tmp_path):
    (tmp_path / "decay.ves").write_text("component Decay(k):\n    unknown x\n    x' = -k*x\n    start x = 1\n")
    (tmp_path / "wind.csv").write_text("time,speed\n0,0\n1,1\n")
    (tmp_path / "model.ves").write_text(
        'include "decay.ves"\ntable wind(s) = file "wind.csv"\npart d = Decay(2)\nunknown y\ny\' = wind(t)\nstart y = 0\nsolve t = 0 .. 1\n')
    m = vs.Model(tmp_path / "model.ves")
    sol = m.solve(rtol=1e-9)
    assert sol["d.x"][-1] == pytest.approx(np.exp(-2), rel=1e-7) and sol["y"][-1] == pytest.approx(0.5)
    assert np.array_equal(pickle.loads(pickle.dumps(m)).solve(rtol=1e-9).y, sol.y)


def cube(x):
    return x**3


def test_functions_of_python_in_formulas():
    m = vs.Model(name="called")
    f = m.external("f", cube)
    both = m.external("both", lambda a, b: (a + b, a - b), n_results=2)
    x, y = m.unknown("x", "y")
    total, difference = both(x, y)
    m.equation(x.d() == -f(x) + 0 * difference, y.d() == total - x - y)
    m.start(x == 1, y == 2)
    sol = m.solve((0, 1), rtol=1e-9, atol=1e-12)
    assert sol["x"][-1] == pytest.approx(1 / np.sqrt(3), rel=1e-7) and sol["y"][-1] == pytest.approx(2)


def test_models_with_functions_pickle_where_the_functions_do():
    m = vs.Model(name="called")
    f = m.external("f", cube)
    x = m.unknown("x")
    m.equation(x.d() == -f(x))
    m.start(x == 1)
    assert np.array_equal(pickle.loads(pickle.dumps(m)).solve((0, 1)).y, m.solve((0, 1)).y)
    m.external("g", lambda x: x)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(m)
