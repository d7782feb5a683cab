"""Many threads at once, with the interpreter's lock and without it."""

import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import vessiot as vs

is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def at_once(n, action):
    """The results of action(0) … action(n - 1), begun together in as many threads."""
    barrier = threading.Barrier(n)

    def run(k):
        barrier.wait()
        return action(k)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


@pytest.mark.skipif(not is_free, reason="this Python has a lock")
def test_the_lock_stays_off():
    program = "import sys, vessiot as vs\nvs.gallery('pendulum').solve((0, 1))\nassert not sys._is_gil_enabled()\n"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=300)


def test_one_problem():
    p = vs.gallery("pendulum").compile(rtol=1e-9)
    alone = p.solve((0, 5), params={"g": 3.7})
    for k, sol in enumerate(at_once(8, lambda k: p.solve((0, 5), params={"g": 3.7 + k % 2}))):
        if k % 2 == 0:
            assert np.array_equal(sol.y, alone.y) and np.array_equal(sol(np.linspace(0, 5, 50)), alone(np.linspace(0, 5, 50)))


def test_one_model_with_many_options():
    m = vs.gallery("pendulum")
    alone = [vs.gallery("pendulum").solve((0, 1), rtol=10.0**-k).y for k in range(4, 12)]
    for found, y in zip(at_once(8, lambda k: m.solve((0, 1), rtol=10.0 ** -(k + 4)).y), alone):
        assert np.array_equal(found, y)


def test_models_made_at_once():
    def built(k):
        m = vs.Model(name=f"model{k}")
        x = m.unknown("x", shape=20)
        i = m.index("i", 1, 20)
        m.equation(x[i].d() == -(k + 1) * x[i] / i, loops=i)
        m.start(x[i] == 1, loops=i)
        return m.solve((0, 1), rtol=1e-9)["x[20]"][-1]

    assert np.allclose(at_once(8, built), np.exp(-(np.arange(8) + 1) / 20), rtol=1e-7)


def test_functions_traced_and_called_at_once():
    def solved(k):
        def f(t, y):
            dy = np.empty(2)
            dy[0], dy[1] = y[1], -((k + 1) ** 2) * y[0]
            return dy

        return vs.solve_ivp(f, (0, 1), [1, 0], rtol=1e-9, atol=1e-12, method="DOP853", trace=k % 2 == 0)

    found = at_once(8, solved)
    assert [sol.traced for sol in found] == [True, False] * 4
    assert np.allclose([sol.y[0, -1] for sol in found], np.cos(np.arange(8) + 1), atol=1e-7)


def test_one_integrator_is_stepped_by_all():
    run = vs.gallery("pendulum").compile(rtol=1e-8).begin((0, 1000))

    def steps(k):
        for _ in range(200):
            run.step()
            point = dict(zip(run.names, run.point))  # of one step; run["x"] and run["y"] may be of two
            assert len(point) == 5 and abs(np.hypot(point["x"], point["y"]) - 1) < 1e-12
        return len(run.solution.t)

    at_once(8, steps)
    assert len(run.solution.t) == 1601


def test_a_function_may_look_at_the_integrator_that_calls_it():
    seen = []
    m = vs.Model(name="watched")
    x = m.unknown("x")
    f = m.external("f", lambda v: (seen.append(run["x"] if run else 0.0), -v)[1])
    run = None
    m.equation(x.d() == f(x))
    m.start(x == 1)
    run = m.compile(rtol=1e-6).begin((0, 1))
    while run.step():
        pass
    assert run["x"] == pytest.approx(np.exp(-1), rel=1e-5) and 1.0 in seen


def test_views_outlive_their_solutions_in_all_threads():
    """Views of a solution that another thread frees."""
    p = vs.gallery("pendulum").compile()

    def look(k):
        total = 0.0
        for _ in range(50):
            y = p.solve((0, 1)).y
            total += y[0, -1]
        return total

    assert len(set(at_once(8, look))) == 1
