"""p.f, p.df, p.direction: the parts of a problem as functions of numpy arrays."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import vessiot as vs


@pytest.fixture(scope="module")
def problem():
    return vs.gallery("pendulum").compile(rtol=1e-9)


def point(x, y, u, v, g=9.81):
    """x, x', x'', y, y', y'', lambda of the pendulum of length 1, as the equations want them."""
    force = u * u + v * v - g * y
    return np.array([x, u, -force * x, y, v, -force * y - g, force])


def test_the_equations(problem):
    assert problem.coordinates == ["x", "x'", "x''", "y", "y'", "y''", "lambda"]
    z = point(0.6, -0.8, 0.8, 0.6)
    assert np.abs(problem.f(0.0, z)).max() < 1e-14
    off = z + np.array([0.1, 0, 0, 0, 0, 0, 0])
    assert np.abs(problem.f(0.0, off)).max() > 0.1


def test_many_points_at_once(problem):
    z = np.stack([point(np.cos(a), np.sin(a), 0, 0) for a in np.linspace(0, 6, 11)], axis=1)
    f = problem.f(np.zeros(11), z)
    assert f.shape == (3, 11) and np.abs(f).max() < 1e-13
    df = problem.df(0.0, z)
    assert df.shape == (3, 7, 11) and np.array_equal(df[:, :, 4], problem.df(0.0, z[:, 4]))


def test_the_derivative_is_that_of_differences(problem):
    z, h = point(0.6, -0.8, 0.8, 0.6) + 0.1, 1e-6
    df = problem.df(0.0, z)
    for k in range(7):
        e = np.zeros(7)
        e[k] = h
        assert np.allclose(df[:, k], (problem.f(0.0, z + e) - problem.f(0.0, z - e)) / (2 * h), atol=1e-8)


def test_parameters(problem):
    z = point(0.6, -0.8, 0.8, 0.6, g=1.62)
    assert np.abs(problem.f(0.0, z, params={"g": 1.62})).max() < 1e-14
    assert np.abs(problem.f(0.0, z)).max() > 1  # those of one call are not those of the next
    y = np.array([0.6, 0.8, -0.8, 0.6, np.nan])
    moon, earth = problem.direction(0.0, y, params={"g": 1.62}), problem.direction(0.0, y)
    assert moon[3] == pytest.approx(z[5]) and earth[3] != pytest.approx(z[5])


def test_the_direction_is_the_slope_of_the_curve(problem):
    sol = problem.solve((0, 3))
    t = np.linspace(0.1, 2.9, 7)
    rates = problem.direction(t, sol(t))
    assert problem.names == sol.names and rates.shape == (5, 7)
    h = 1e-5
    slopes = (sol(t + h) - sol(t - h)) / (2 * h)
    assert np.allclose(rates[:4], slopes[:4], atol=1e-4)
    assert np.isnan(rates[4]).all()  # lambda
    assert np.array_equal(problem.direction(t[2], sol(t)[:, 2])[:4], rates[:4, 2])


def test_directions_where_equations_switch():
    p = vs.Model(text="unknown x\nx' = if(x > 1, -2, 3)\nstart x = 0\n", name="switch").compile()
    assert p.direction(0.0, [[0.5, 2.0]]).tolist() == [[3, -2]]
    q = vs.Model(text="unknown x\nx' = if(t > 1, -2, 3)\nstart x = 0\n", name="switch").compile()
    assert q.direction([0.5, 2.0], [[0.0, 0.0]]).tolist() == [[3, -2]]


def test_an_integrator_has_its_direction(problem):
    run = problem.begin((0, 10))
    run.step()
    assert np.allclose(run.direction[:4], problem.direction(run.t, run.point)[:4], rtol=1e-9, atol=1e-9)


def test_threads(problem):
    z = point(0.6, -0.8, 0.8, 0.6) + 0.1
    alone = problem.df(0.0, z)
    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(a, alone) for a in pool.map(lambda _: problem.df(0.0, z), range(100)))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda p: p.f(0.0, [1, 2]), r"\(7,\)"),
        (lambda p: p.df(0.0, np.zeros((7, 2, 2))), r"\(7, m\)"),
        (lambda p: p.f([0.0, 1.0], np.zeros((7, 3))), "3 points"),
        (lambda p: p.direction(0.0, [1, 2]), r"\(5,\)"),
        (lambda p: p.direction(0.0, [2, 0, 0, 0, 0]), "x|constraint"),
        (lambda p: p.direction(np.nan, [1, 0, 0, 0, 0]), "finite|nan"),
        (lambda p: p.f(0.0, np.zeros(7), params={"h": 1}), "h"),
    ],
)
def test_wrong_arguments(problem, call, text):
    with pytest.raises(ValueError, match=text):
        call(problem)
