import copy
import pickle

import numpy as np
import pytest

import vessiot as vs

PENDULUM = """
parameter g = 9.81, l = 1
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = l^2
start x = l, y = 0, x' = 0, y' = 0
solve t = 0 .. 10
output tension = lambda*l
"""


def pendulum():
    m = vs.Model(name="pendulum")
    g, l = m.parameter("g", 9.81), m.parameter("l", 1)
    x, y, lam = m.unknown("x", "y", "lambda")
    m.equation(x.d(2) == -lam * x, y.d(2) == -lam * y - g, x**2 + y**2 == l**2)
    m.start(x == l, y == 0, x.d() == 0, y.d() == 0)
    m.interval(0, 10)
    m.output("tension", lam * l)
    return m


def chain(n):
    m = vs.Model(name="chain")
    c = m.parameter("c", 10)
    x, y = m.unknown("x", shape=n), m.unknown("y", shape=n)
    i, j, link = m.index("i", 1, n), m.index("j", 1, n - 2), m.index("k", 1, n - 1)

    def squared(a, b):
        return (x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2

    kinetic = vs.sum(i, (x[i].d() ** 2 + y[i].d() ** 2) / 2)
    m.lagrangian(kinetic - c / 2 * vs.sum(j, squared(j, j + 2)))
    m.constraint((squared(link, link + 1) - 1) / 2 == 0, loops=link)
    m.force(x[i] == -0.1 * x[i].d(), loops=i)
    m.start(x[i] == i, loops=i)
    m.start(y[i] == vs.if_(i % 2 == 0, 0.1, 0), loops=i)
    m.hold(y)
    return m


CHAIN = """
parameter c = 10, n = 5
unknown x[n], y[n]
lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2) - c/2*sum(j = 1..n-2, (x[j] - x[j+2])^2 + (y[j] - y[j+2])^2)
for k = 1..n-1: constraint ((x[k] - x[k+1])^2 + (y[k] - y[k+1])^2 - 1)/2 = 0
for i = 1..n: force x[i] = -0.1*x[i]'
for i = 1..n: start x[i] = i
for i = 1..n: start y[i] = if(mod(i, 2) == 0, 0.1, 0)
hold y
"""


def rotation():
    m = vs.Model(name="rotation")
    Y = m.matrix("Y", (3, 3), "SO(3)")
    m.equation(Y.d() == vs.skew(vs.cos(m.t), Y[1, 2], 1) @ Y)
    m.start(Y == vs.identity(3))
    return m


ROTATION = """
matrix Y[3,3] in SO(3)
Y' = skew([cos(t), Y[1,2], 1])*Y
start Y = identity(3)
"""


def ball():
    m = vs.Model(name="ball")
    y = m.unknown("y")
    hits = m.discrete("hits", 0)
    m.equation(y.d(2) == -9.81)
    m.start(y == 1, y.d() == 0)
    m.event("hit", y == 0, direction="falling", then=[y.d() == -0.8 * y.d(), hits == hits + 1])
    return m


BALL = """
unknown y
discrete hits = 0
y'' = -9.81
start y = 1, y' = 0
event hit: y = 0 falling then y' = -0.8*y', hits = hits + 1
"""

TWINS = {
    "pendulum": (pendulum, PENDULUM, 10),
    "chain": (lambda: chain(5), CHAIN, 1),
    "rotation": (rotation, ROTATION, 2),
    "ball": (ball, BALL, 1.5),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_model_built_in_python_is_the_text_bit_for_bit(name):
    built, text, end = TWINS[name]
    a = built().solve((0, end), rtol=1e-8)
    b = vs.Model(text=text, name=name).solve((0, end), rtol=1e-8)
    assert a.success and a.names == b.names
    assert np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y)
    assert a.message == b.message


def test_names_and_values():
    m = vs.Model(text=PENDULUM, name="pendulum")
    assert m.unknowns == ["x", "y", "lambda"]
    assert m.parameters == {"g": 9.81, "l": 1.0}
    assert m.outputs == ["tension"] and m.events == []
    sol = m.solve((0, 2), rtol=1e-9)
    assert sol.names == ["x", "x'", "y", "y'", "lambda"]
    assert sol.y.shape == (5, len(sol.t))
    assert np.array_equal(sol["tension"], sol["lambda"])
    assert np.allclose(sol["x"] ** 2 + sol["y"] ** 2, 1, atol=1e-14)
    assert sol.residual < 1e-13


def test_inspection_is_the_page_of_the_command_line():
    found = vs.Model(text=PENDULUM, name="pendulum").inspect()
    assert found["index"] == 3
    assert "hidden    2*x*x' + 2*y*y' = 0" in str(found)
    html = found._repr_html_()
    assert "Hidden constraints" in html and "index 3" in html


def test_parameters_and_start_values_of_a_solve():
    m = vs.Model(text=PENDULUM, name="pendulum")
    moon = m.solve((0, 3), params={"g": 1.62}, start={"x": 0.6, "y": -0.8}, rtol=1e-9)
    other = vs.Model(text=PENDULUM.replace("9.81", "1.62").replace("x = l, y = 0", "x = 0.6, y = -0.8"))
    assert np.array_equal(moon.y, other.solve((0, 3), rtol=1e-9).y)


def test_parameters_that_size_something_are_read_anew():
    m = vs.Model(text=CHAIN, name="chain")
    assert len(m.solve((0, 0.1), params={"n": 3, "c": 5}).names) == 3 * 2 * 2 + 2
    assert len(m.solve((0, 0.1)).names) == 5 * 2 * 2 + 4
    with pytest.raises(vs.InvalidInput, match="sizes an array"):
        m.compile().solve((0, 0.1), params={"n": 3})


def test_array_parameters():
    m = vs.Model(name="linear")
    K = m.parameter("K", [[0, 1], [-1, 0]])
    x = m.unknown("x", shape=2)
    i, j = m.index("i", 1, 2), m.index("j", 1, 2)
    m.equation(x[i].d() == vs.sum(j, K[i, j] * x[j]), loops=i)
    m.start(x[1] == 1)
    assert m.parameters["K"].tolist() == [[0, 1], [-1, 0]]
    sol = m.solve((0, 1), rtol=1e-10, atol=1e-12)
    assert np.allclose(sol.y[:, -1], [np.cos(1), -np.sin(1)], atol=1e-9)
    still = m.solve((0, 1), params={"K": np.zeros((2, 2))})
    assert still.y[:, -1].tolist() == [1, 0]


def test_events_of_a_text_model():
    m = vs.Model(text=PENDULUM, name="pendulum")
    sol = m.solve((0, 3), events={"low": "x = 0", "left": "x = -0.5 falling stop"}, rtol=1e-9)
    assert sol.t_events["low"].shape == (1,) and sol.y_events["left"].shape == (1, 5)
    assert sol.t[-1] == sol.t_events["left"][0]
    assert sol("left" and sol.t_events["low"][0], "x") == pytest.approx(0, abs=1e-9)


def test_a_wrong_model_shows_the_place():
    with pytest.raises(vs.ModelError) as found:
        vs.Model(text="unknown theta\ntheta'' = -sin(thta)\n", name="swing.ves")
    lines = str(found.value).splitlines()
    assert lines[0] == "swing.ves:2:16: 'thta' is not a name of this model; did you mean 'theta'?"
    assert lines[2].strip() == "^~~~" and lines[2].index("^") == lines[1].index("thta")


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (lambda m: m.equation(True), TypeError, "lhs == rhs"),
        (lambda m: m.unknown("x"), vs.ModelError, "already"),
        (lambda m: m.unknown("2x"), vs.ModelError, "cannot be a name"),
        (lambda m: m.event("e"), TypeError, "either"),
        (lambda m: m.event("e", m.t == 1, direction="up"), vs.ModelError, "both, rising or falling"),
        (lambda m: m.solve((0, 1)), vs.ModelError, "determine|equation"),
        (lambda m: vs.Model(name="other").unknown("y") + m.t, ValueError, "model"),
    ],
)
def test_wrong_statements(wrong, error, text):
    m = vs.Model(name="m")
    m.unknown("x")
    with pytest.raises(error, match=text):
        wrong(m)


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (dict(rtoll=1e-3), ValueError, "did you mean rtol"),
        (dict(rtol=-1), ValueError, "rtol"),
        (dict(method="dop85"), ValueError, "dop853"),
        (dict(projection="newtn"), ValueError, "did you mean 'newton'"),
        (dict(params={"h": 1}), ValueError, "no parameter"),
        (dict(params={"g": [1, 2]}), ValueError, "one number"),
        (dict(start={"z": 1}), ValueError, "z"),
        (dict(start={"x": "a"}), TypeError, "must be a number"),
        (dict(t_eval=[[1]]), ValueError, "dimensions"),
        (dict(streams="a.txt"), ValueError, "csv"),
    ],
)
def test_wrong_arguments(wrong, error, text):
    m = vs.Model(text=PENDULUM, name="pendulum")
    with pytest.raises(error, match=text):
        m.solve((0, 1), **wrong)
    assert m.solve((0, 0.1)).success


def test_wrong_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        vs.Model(tmp_path / "none.ves")
    (tmp_path / "bad.ves").write_bytes(b"unknown \xff")
    with pytest.raises(vs.ModelError, match="UTF-8"):
        vs.Model(tmp_path / "bad.ves")
    with pytest.raises(TypeError, match="both"):
        vs.Model("a.ves", text="")


def test_every_option_is_known_by_its_name():
    known = vs.options()
    assert {"rtol", "projection", "h_max", "sensitivity"} <= known.keys()
    sol = vs.Model(text=PENDULUM).solve((0, 1), projection="newton", h_max=0.01, max_steps="1e6", precision="double")
    assert sol.method["projection"] == "newton" and np.diff(sol.t).max() <= 0.01 + 1e-15


def test_gallery_and_methods():
    assert "pendulum" in vs.gallery() and "pendulum" in repr(vs.gallery())
    assert vs.gallery("pendulum").solve((0, 1)).success
    with pytest.raises(vs.ModelError, match="did you mean 'pendulum'"):
        vs.gallery("pendulm")
    assert any(m["name"] == "dop853" and m["order"] == 8 for m in vs.methods())


def test_every_model_of_the_gallery_can_be_read():
    for name in vs.gallery():
        assert vs.gallery(name).unknowns, name


def test_sensitivities():
    sol = vs.Model(text=PENDULUM).solve((0, 1), rtol=1e-10, sensitivity=["g", "start:y'"], t_eval=[0.5, 1])
    h = 1e-5
    m = vs.Model(text=PENDULUM)
    up, down = (m.solve((0, 1), params={"g": 9.81 + d}, rtol=1e-12, atol=1e-13)(1.0, "x") for d in (h, -h))
    assert sol.sensitivity("x", "g")[-1] == pytest.approx((up - down) / (2 * h), rel=1e-5)
    assert sol.sensitivity("x", "g", 0.7) == pytest.approx(sol.sensitivity("x", "g", 0.7))


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_pickles(copied):
    m = vs.Model(text=PENDULUM, name="pendulum")
    p = m.compile(rtol=1e-9)
    sol = p.solve((0, 2), params={"g": 3.7})
    assert np.array_equal(copied(m).solve((0, 1)).y, m.solve((0, 1)).y)
    assert np.array_equal(copied(p).solve((0, 2), params={"g": 3.7}).y, sol.y)
    again = copied(sol)
    assert np.array_equal(again.y, sol.y) and again.message == sol.message and again.stats == sol.stats
    assert again(1.3, "x") == sol(1.3, "x")  # the run is repeated for the curve


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_models_built_in_python_pickle(name, copied):
    built, _, end = TWINS[name]
    m = built()
    again = copied(m)
    a, b = (x.solve((0, end), rtol=1e-8) for x in (m, again))
    assert a.names == b.names and np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y)
    assert m.parameters == again.parameters and m.events == again.events
    twice = copied(again.compile(rtol=1e-8)).solve((0, end))
    assert np.array_equal(a.y, twice.y)


def test_a_pickled_model_can_be_told_more():
    m = pickle.loads(pickle.dumps(pendulum()))
    z = m.unknown("z")
    m.equation(z.d() == m.t)
    m.start(z == 0)
    assert m.solve((0, 1), rtol=1e-9)["z"][-1] == pytest.approx(0.5)
    assert "z" not in pendulum().unknowns


def test_damaged_pickles_say_so():
    function, (version, name, independent, notes, told, n) = pendulum().__reduce__()
    for wrong in (notes[:-3], notes + b"x", b"", b"\xff" * 40):
        with pytest.raises(vs.InvalidInput):
            function(version, name, independent, wrong, told, n)
    with pytest.raises(vs.InvalidInput, match="cannot be made again"):
        function(version, name, independent, notes, told, n + 1)
    with pytest.raises(vs.InvalidInput, match="0.0.1"):
        function("0.0.1", name, independent, notes, told, n)


def test_pickles_of_other_versions_say_so():
    function, (version, *rest) = vs.Model(text=PENDULUM).__reduce__()
    with pytest.raises(vs.InvalidInput, match="0.0.1"):
        function("0.0.1", *rest)


def test_equalities_are_conditions_where_one_is_needed():
    m = vs.Model(name="m")
    a, x = m.parameter("a", 2), m.unknown("x")
    rates = [vs.if_(a == 2, 1, 0), vs.if_((a == 2) & (a == 3), 1, 0), vs.if_((a == 3) | (a > 1), 1, 0), vs.if_(~(a == 3), 1, 0)]
    m.equation(x.d() == rates[0] + 10 * rates[1] + 100 * rates[2] + 1000 * rates[3])
    m.start(x == 0)
    assert m.solve((0, 1))["x"][-1] == pytest.approx(1101)
