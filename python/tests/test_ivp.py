import copy
import pickle
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import vessiot as vs


def pendulum(t, y):
    return [y[1], -np.sin(y[0])]


def test_fields_of_scipy():
    sol = vs.solve_ivp(pendulum, (0, 5), [1, 0], rtol=1e-9, atol=1e-12, dense_output=True)
    assert sol.traced and sol.reason == "" and sol.success and sol.status == 0
    assert sol.t[0] == 0 and sol.t[-1] == 5 and sol.y.shape == (2, len(sol.t))
    assert sol.t_events is None and sol.y_events is None
    assert sol.nfev > 0 and sol["status"] == 0 and np.array_equal(sol["t"], sol.t)
    assert sol.sol(2.0).shape == (2,) and sol.sol([1, 2]).shape == (2, 2)
    assert vs.solve_ivp(pendulum, (0, 1), [1, 0]).sol is None


def test_answers_of_scipy():
    integrate = pytest.importorskip("scipy.integrate")
    t = np.linspace(0, 5, 30)
    for method in ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"):
        options = dict(method=method, t_eval=t, rtol=1e-8, atol=1e-10)
        ours, theirs = (f(pendulum, (0, 5), [1, 0], **options) for f in (vs.solve_ivp, integrate.solve_ivp))
        assert np.abs(ours.y - theirs.y).max() < 1e-6


# ---- what can be traced ----

RIGHT_SIDES = {
    "list": lambda t, y: [y[1], -y[0]],
    "tuple": lambda t, y: (y[1], -y[0]),
    "array": lambda t, y: np.array([y[1], -y[0]]),
    "matrix": lambda t, y: np.array([[0, 1], [-1, 0]]) @ y,
    "dot": lambda t, y: np.dot([[0, 1], [-1, 0]], y),
    "slices": lambda t, y: np.concatenate((y[1:], -y[:1])),
    "reversed": lambda t, y: y[::-1] * np.array([1, -1]),
    "stack": lambda t, y: np.hstack((y[1], -y[0])),
    "unpacked": lambda t, y: (lambda a, b: [b, -a])(*y),
    "roll": lambda t, y: np.roll(y, 1) * [1, -1],
    "functions": lambda t, y: [y[1], -np.sqrt(y[0] ** 2) * np.sign(y[0])],
    "where": lambda t, y: [y[1], np.where(y[0] > 100, 0, -y[0])],
    "masks": lambda t, y: [y[1], -y[0] * (y[0] < 100)],
    "clip": lambda t, y: [np.clip(y[1], -5, 5), -np.minimum(y[0], 7)],
    "sum": lambda t, y: [np.sum(y) - y[0], y[1] - y.sum()],
    "time": lambda t, y: [y[1] + 0 * np.cos(t), -y[0] + 0.0 * t],
    "numpy scalars": lambda t, y: [np.float64(1) * y[1], np.int64(-1) * y[0]],
    "norm": lambda t, y: [y[1], -y[0] * np.linalg.norm(y) / np.sqrt(y @ y)],
    "linear algebra": lambda t, y: np.einsum("ij,j->i", np.array([[0.0, 1], [-1, 0]]), y),
}


def empty_like(t, y):
    dy = np.empty_like(y)
    dy[0], dy[1] = y[1], -y[0]
    return dy


def in_place(t, y):
    dy = np.zeros_like(y)
    dy[0] += y[1]
    dy[1] -= y[0]
    return dy


def zeros(t, y):
    dy = np.zeros(2)
    dy[0] = y[1]
    dy[1:] = -y[:1]
    return dy


def full(t, y):
    dy = np.full((2,), 0.0)
    dy[:] = np.ones(len(y)) * y[::-1]
    dy[1] *= -1
    return dy


RIGHT_SIDES.update(empty_like=empty_like, in_place=in_place, zeros=zeros, full=full)


def test_numpy_is_as_it_was_after_a_trace():
    makers = np.zeros, np.empty, np.ones, np.full
    vs.solve_ivp(zeros, (0, 1), [0, 1])
    assert (np.zeros, np.empty, np.ones, np.full) == makers and np.zeros(2).dtype == float


@pytest.mark.parametrize("name", RIGHT_SIDES)
def test_right_sides_are_traced(name):
    sol = vs.solve_ivp(RIGHT_SIDES[name], (0, 3), [0, 1], rtol=1e-9, atol=1e-12)
    assert sol.traced, sol.reason
    assert np.allclose(sol.y[:, -1], [np.sin(3), np.cos(3)], atol=1e-7)


def test_traced_functions_are_compiled_once():
    from vessiot import _ivp

    def make(a):
        return lambda t, y: [-a * y[0]]

    first = vs.solve_ivp(make(2.0), (0, 1), [1])
    again = vs.solve_ivp(make(2.0), (0, 1), [3])
    other = vs.solve_ivp(make(3.0), (0, 1), [1])
    assert again.problem is first.problem and other.problem is not first.problem
    assert other.y[0, -1] == pytest.approx(np.exp(-3), rel=1e-2)
    assert len(_ivp._problems) <= _ivp._KEPT


def test_vectorized_and_args():
    sol = vs.solve_ivp(lambda t, y, k: -k * y, (0, 1), [1, 2], args=(2,), vectorized=True, rtol=1e-8)
    assert np.allclose(sol.y[:, -1], np.exp(-2) * np.array([1, 2]), rtol=1e-6)


def test_complex_numbers():
    sol = vs.solve_ivp(lambda t, z: 1j * z + 0 * z * z, (0, 2), [1 + 0j], rtol=1e-9, atol=1e-12, dense_output=True)
    assert sol.y.dtype == complex and sol.y[0, -1] == pytest.approx(np.exp(2j), abs=1e-7)
    assert sol.sol(1.0)[0] == pytest.approx(np.exp(1j), abs=1e-7)


# ---- what SciPy does not have ----


def test_invariants_are_kept():
    def energy(t, y):
        return y[1] ** 2 / 2 - np.cos(y[0])

    free = vs.solve_ivp(pendulum, (0, 200), [1, 0], rtol=1e-4, atol=1e-4)
    kept = vs.solve_ivp(pendulum, (0, 200), [1, 0], rtol=1e-4, atol=1e-4, invariants=energy)
    start = energy(0, [1, 0])
    assert np.abs(energy(0, free.y) - start).max() > 1e-4
    assert np.abs(energy(0, kept.y) - start).max() < 1e-13


def test_constraints_are_kept():
    def rotation(t, y):
        return [-y[1], y[0]]

    sol = vs.solve_ivp(rotation, (0, 50), [1, 0], rtol=1e-3, constraints=lambda t, y: y[0] ** 2 + y[1] ** 2 - 1)
    assert np.abs(np.hypot(*sol.y) - 1).max() < 1e-14 and sol.residual < 1e-13


def test_mass_matrices():
    # a constant, a singular, and a function of y
    sol = vs.solve_ivp(lambda t, y: [-y[0], y[0]], (0, 1), [1, 2], mass=[[2, 0], [0, 4]], rtol=1e-9, atol=1e-12)
    assert sol.y[0, -1] == pytest.approx(np.exp(-0.5), rel=1e-7)
    index1 = vs.solve_ivp(lambda t, y: [-y[1], y[0] - y[1]], (0, 1), [1, 1], mass=np.diag([1, 0]), rtol=1e-9, atol=1e-12)
    assert np.allclose(index1.y[:, -1], np.exp(-1), rtol=1e-7)
    state = vs.solve_ivp(lambda t, y: [1], (0, 1), [1], mass=lambda t, y: [[2 * y[0]]], rtol=1e-9, atol=1e-12)
    assert state.y[0, -1] == pytest.approx(np.sqrt(2), rel=1e-7)


def pendulum_dae(t, y, yp):
    return [yp[0] - y[2], yp[1] - y[3], yp[2] + y[4] * y[0], yp[3] + y[4] * y[1] + 9.81, y[0] ** 2 + y[1] ** 2 - 1]


def test_a_dae_of_index_3():
    sol = vs.solve_dae(pendulum_dae, (0, 10), [1, 0, 0, 0, 0], rtol=1e-9, atol=1e-9, dense_output=True)
    text = vs.gallery("pendulum").solve((0, 10), rtol=1e-9, atol=1e-9)
    assert sol.traced and sol.system["index"] == 3 and sol.residual < 1e-12
    assert sol.y[0, -1] == pytest.approx(text["x"][-1], abs=1e-6)
    assert np.abs(np.hypot(*sol.sol(np.linspace(0, 10, 300))[:2]) - 1).max() < 1e-12


# ---- events ----


def test_events_end_a_run():
    def low(t, y):
        return y[0]

    low.terminal = True
    sol = vs.solve_ivp(pendulum, (0, 50), [1, 0], events=[low, lambda t, y: y[1] + 0.5], rtol=1e-9, dense_output=True)
    assert sol.status == 1 and sol.message == "A termination event occurred."
    assert len(sol.t_events[0]) == 1 and sol.t[-1] == sol.t_events[0][0]
    assert sol.y_events[0].shape == (1, 2) and abs(sol.y_events[0][0, 0]) < 1e-12
    low.terminal = 3
    third = vs.solve_ivp(pendulum, (0, 50), [1, 0], events=low, rtol=1e-9)
    assert len(third.t_events[0]) == 3 and third.t[-1] <= third.t_events[0][2]


def test_outside_of_the_run_the_equations_go_on():
    def end(t, y):
        return t - 1

    end.terminal = True
    sol = vs.solve_ivp(lambda t, y: -y, (0, np.inf), [1], events=end, dense_output=True, rtol=1e-9, atol=1e-12)
    assert sol.t[-1] == pytest.approx(1) and sol.sol(3.0)[0] == pytest.approx(np.exp(-3), rel=1e-6)


# ---- bad input ----


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: vs.solve_ivp(pendulum, (0, 1), [[1, 0]]), ValueError, "1-dimensional"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), ["a", "b"]), ValueError, "y0"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [np.nan, 0]), ValueError, "finite"),
        (lambda: vs.solve_ivp(pendulum, (0,), [1, 0]), ValueError, "t_span"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], method="RK99"), ValueError, "method"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], t_eval=[2]), ValueError, "t_eval"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], t_eval=[0.5, 0.2]), ValueError, "sorted"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], first_step=-1), ValueError, "first_step"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], first_step=5), ValueError, "first_step"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], max_stp=1), ValueError, "max_stp"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], args=3), TypeError, "unpacked"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], trace="yes"), ValueError, "trace"),
        (lambda: vs.solve_ivp(pendulum, (0, 1), [1, 0], mass=np.eye(3), trace=True), ValueError, "2 x 2"),
        (lambda: vs.solve_dae(pendulum_dae, (0, 1), [1, 0, 0, 0, 0], [1, 0]), ValueError, "yp0"),
    ],
)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    "function, error, text",
    [
        (lambda t, y: [y[0], y[1], 0], ValueError, "shape"),
        (lambda t, y: [[y[0]], [y[1]]], ValueError, "shape"),
        (lambda t, y: [1j * y[0], y[1]], TypeError, "complex"),
        (lambda t, y: None, TypeError, "None"),
        (lambda t, y: ["a", "b"], ValueError, "float"),
        (lambda t, y: y[5], IndexError, "5"),
    ],
)
def test_wrong_results(function, error, text):
    with pytest.raises(error, match=text):
        vs.solve_ivp(function, (0, 1), [1, 0])


def test_events_and_constraints_that_return_nothing():
    for part in (dict(events=lambda t, y: None), dict(constraints=lambda t, y: None), dict(invariants=lambda t, y: None)):
        with pytest.raises(TypeError, match="returns None"):
            vs.solve_ivp(pendulum, (0, 1), [1, 0], **part)
    with pytest.raises(TypeError, match="returns None"):
        vs.solve_dae(lambda t, y, yp: None, (0, 1), [1])


def test_integers_reversed_and_empty_intervals():
    assert vs.solve_ivp(lambda t, y: -y, (0, 1), [1]).y.dtype == float
    back = vs.solve_ivp(lambda t, y: -y, (1, 0), np.array([1]), rtol=1e-8)
    assert back.t[-1] == 0 and back.y[0, -1] == pytest.approx(np.e, rel=1e-6)
    still = vs.solve_ivp(lambda t, y: -y, (2, 2), [3], dense_output=True)
    assert still.t.tolist() == [2] and still.sol(2)[0] == 3


def test_threads():
    answers = {}

    def solve(k):
        answers[k] = vs.solve_ivp(pendulum, (0, 10), [0.1 * k, 0], rtol=1e-8).y[:, -1]

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for k in range(8):
        assert np.array_equal(answers[k], vs.solve_ivp(pendulum, (0, 10), [0.1 * k, 0], rtol=1e-8).y[:, -1])


# ---- decisions by values ----


def test_branches_become_choices():
    def friction(t, y):
        force = -0.5 if y[1] > 0 else 0.5
        if abs(y[1]) < 1e-12 and abs(y[0]) < 0.5:
            return [0, 0]
        return [y[1], -y[0] + force]

    sol = vs.solve_ivp(friction, (0, 3), [2.2, 0], rtol=1e-9, atol=1e-12, dense_output=True)
    assert sol.traced, sol.reason
    t = np.linspace(0, 3, 50)
    assert np.allclose(sol.sol(t)[0], 0.5 + 1.7 * np.cos(t), atol=1e-7)


def test_switches_in_time_are_located():
    def pulse(t, y):
        return [1.0 if 1 < t <= 2 else 0.0]

    sol = vs.solve_ivp(pulse, (0, 5), [0], rtol=1e-3)
    assert sol.traced and sol.y[0, -1] == pytest.approx(1, abs=1e-12)


def test_min_max_and_loops():
    def f(t, y):
        total = 0
        for v in y:
            total = max(total, v)
        return [-min(y[0], 1.0), -total]

    sol = vs.solve_ivp(f, (0, 0.5), [2, 1], rtol=1e-9, atol=1e-12)
    assert sol.traced and sol.y[0, -1] == pytest.approx(1.5)


def test_a_function_that_raises_somewhere():
    def f(t, y):
        if t > 1:
            raise RuntimeError("not there")
        return -y

    assert vs.solve_ivp(f, (0, 1), [1]).success
    with pytest.raises(RuntimeError, match="not there") as found:
        vs.solve_ivp(f, (0, 2), [1])
    assert found.value.solution.t[-1] == pytest.approx(1, abs=1e-6)


def test_a_function_that_always_raises():
    def f(t, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        vs.solve_ivp(f, (0, 1), [1])


def test_loops_that_end_by_a_value_cannot_be_traced():
    def f(t, y):
        x = y[0]
        while x * x > 1e-3:
            x = x / 2
        return [x]

    with pytest.raises(vs.TraceError, match="24 times"):
        vs.solve_ivp(f, (0, 1), [1], trace=True)


# ---- functions that are called ----


def loop(t, y):
    """Cannot be traced: the loop ends by a value."""
    x = float(y[0])
    while x > 1e3:
        x /= 2
    return [y[1], -y[0]]


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_functions_are_called_where_they_cannot_be_traced(method):
    sol = vs.solve_ivp(loop, (0, 3), [0, 1], method=method, rtol=1e-7, atol=1e-9, dense_output=True)
    assert not sol.traced and "float" in sol.reason or "number" in sol.reason
    assert sol.success and sol.message.splitlines()[1].startswith("The function was called for every value: ")
    assert np.allclose(sol.y[:, -1], [np.sin(3), np.cos(3)], atol=1e-5)
    assert np.allclose(sol.sol(1.0), [np.sin(1), np.cos(1)], atol=1e-5)


def test_trace_can_be_chosen():
    called = vs.solve_ivp(pendulum, (0, 2), [1, 0], trace=False, rtol=1e-8)
    traced = vs.solve_ivp(pendulum, (0, 2), [1, 0], trace=True, rtol=1e-8)
    assert not called.traced and traced.traced and np.allclose(called.y[:, -1], traced.y[:, -1], atol=1e-6)


def test_called_functions_with_everything():
    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = True, -1
    sol = vs.solve_ivp(loop, (0, 9), [0, 1], events=hit, rtol=1e-9, atol=1e-12, trace=False,
                       invariants=lambda t, y: y[0] ** 2 + y[1] ** 2)
    assert sol.status == 1 and sol.t_events[0][0] == pytest.approx(np.pi, abs=1e-7)
    assert np.abs(np.hypot(*sol.y) - 1).max() < 1e-12
    sphere = vs.solve_ivp(loop, (0, 9), [0, 1], constraints=lambda t, y: y[0] ** 2 + y[1] ** 2 - 1, trace=False)
    assert np.abs(np.hypot(*sphere.y) - 1).max() < 1e-12
    massive = vs.solve_ivp(lambda t, y: -y, (0, 1), [1.0], mass=[[2]], trace=False, rtol=1e-8)
    assert massive.y[0, -1] == pytest.approx(np.exp(-0.5), rel=1e-6)
    complex_ = vs.solve_ivp(lambda t, z: 1j * z, (0, 1), [1 + 0j], trace=False, rtol=1e-8)
    assert complex_.y[0, -1] == pytest.approx(np.exp(1j), abs=1e-6)


def test_a_jacobian_is_used_where_the_function_is_called():
    calls = []

    def jac(t, y):
        calls.append(t)
        return np.array([[0, 1], [-1, 0]])

    options = dict(method="Radau", rtol=1e-8, atol=1e-10, trace=False)
    given = vs.solve_ivp(loop, (0, 3), [0, 1], jac=jac, **options)
    assert calls and np.allclose(given.y[:, -1], [np.sin(3), np.cos(3)], atol=1e-6) and given.njev > 0
    constant = vs.solve_ivp(loop, (0, 3), [0, 1], jac=[[0, 1], [-1, 0]], **options)
    assert np.allclose(constant.y[:, -1], given.y[:, -1], atol=1e-12) and constant.njev == 0
    pattern = vs.solve_ivp(loop, (0, 3), [0, 1], jac=jac, jac_sparsity=np.array([[0, 1], [1, 0]]), **options)
    assert np.allclose(pattern.y[:, -1], given.y[:, -1], atol=1e-9)
    in_time = vs.solve_ivp(lambda t, y: [np.cos(float(t)) - float(y[0])], (0, 2), [0], jac=[[-1]], **options)
    assert in_time.y[0, -1] == pytest.approx((np.cos(2) + np.sin(2) - np.exp(-2)) / 2, abs=1e-7)
    with pytest.raises(ValueError, match="shape"):
        vs.solve_ivp(loop, (0, 3), [0, 1], jac=[[1]], **options)


def hit(t, y):
    return y[0] - 0.5


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_solutions_pickle(copied):
    hit.terminal = 2
    options = dict(rtol=1e-8, dense_output=True, events=hit)
    sol = vs.solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0, 10), [1, 0], **options)
    again = copied(sol)
    assert np.array_equal(again.t, sol.t) and np.array_equal(again.y, sol.y) and again.message == sol.message
    assert again.status == 1 and np.array_equal(again.t_events[0], sol.t_events[0]) and again.traced
    assert np.array_equal(again.sol([1.0, 2.0]), sol.sol([1.0, 2.0]))
    assert np.array_equal(again.sol(sol.t[-1] + 1), sol.sol(sol.t[-1] + 1))  # beyond the run, without the event
    called = vs.solve_ivp(loop, (0, 3), [0, 1], dense_output=True)
    again = copied(called)
    assert np.array_equal(again.y, called.y) and not again.traced and again.message == called.message
    with pytest.raises(ValueError, match="not pickled"):
        again.sol(1.0)
    wave = vs.solve_ivp(lambda t, z: 1j * z, (0, 2), [1 + 0j], dense_output=True)
    assert np.array_equal(copied(wave).sol(1.0), wave.sol(1.0))


def test_solutions_come_back_from_other_processes():
    with ProcessPoolExecutor(1) as pool:
        sol = pool.submit(vs.solve_ivp, pendulum, (0, 1), [1, 0]).result()
    assert np.array_equal(sol.y, vs.solve_ivp(pendulum, (0, 1), [1, 0]).y)


def test_the_tolerances_of_dense_output_are_told():
    options = dict(method="Radau", rtol=1e-6, atol=1e-8)
    plain, dense = (vs.solve_ivp(pendulum, (0, 5), [1, 0], dense_output=d, **options) for d in (False, True))
    assert plain.method["rtol"] == 1e-6 and dense.method["rtol"] == pytest.approx(2e-7)
    t = np.linspace(0, 5, 200)
    exact = vs.solve_ivp(pendulum, (0, 5), [1, 0], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True).sol(t)
    assert np.abs(dense.sol(t) - exact).max() < 1e-5  # ten tolerances


def test_an_exception_in_the_middle_of_a_run_reaches_the_caller():
    class Mine(Exception):
        pass

    def f(t, y):
        if float(t) > 1:
            raise Mine("enough")
        return -y

    with pytest.raises(Mine, match="enough") as found:
        vs.solve_ivp(f, (0, 2), [1], trace=False)
    assert len(found.value.solution.t) > 1 and found.value.solution.t[-1] <= 1


def test_nan_ends_a_run():
    sol = vs.solve_ivp(lambda t, y: [np.nan if float(t) > 1 else 1.0], (0, 2), [0], trace=False)
    assert not sol.success and sol.status == -1 and 0.9 < sol.t[-1] <= 1.1


def test_called_functions_in_threads():
    def solve(k):
        return vs.solve_ivp(loop, (0, 3), [0.1 * k, 0], rtol=1e-8, trace=False).y[:, -1]

    alone = [solve(k) for k in range(4)]
    found = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: solve(k)})) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(found[k], alone[k]) for k in range(4))


def test_called_functions_are_freed():
    import gc
    import weakref

    class Function:
        def __call__(self, t, y):
            return [-float(y[0])]

    function = Function()
    alive = weakref.ref(function)
    vs.solve_ivp(function, (0, 1), [1])
    del function
    gc.collect()
    assert alive() is None


# ---- what SciPy's users rely on ----


def cannon(t, y):
    return [y[1], -9.81]


def crossing(terminal=None, direction=0):
    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = terminal, direction
    return hit


@pytest.mark.parametrize("trace", [True, False])
def test_an_event_that_is_met_at_the_start_counts(trace):
    land = 2 * 10 / 9.81
    options = dict(rtol=1e-8, trace=trace)
    both = vs.solve_ivp(cannon, (0, 3), [0, 10], events=crossing(), **options)
    assert both.t_events[0] == pytest.approx([0, land]) and both.y_events[0][0].tolist() == [0, 10]
    at_once = vs.solve_ivp(cannon, (0, 3), [0, 10], events=crossing(True), **options)
    assert at_once.status == 1 and at_once.t.tolist() == [0] and at_once.y[:, -1].tolist() == [0, 10]
    down = vs.solve_ivp(cannon, (0, 3), [0, 10], events=crossing(True, -1), **options)
    assert down.status == 1 and down.t_events[0] == pytest.approx([land])
    up = vs.solve_ivp(cannon, (0, 3), [0, 10], events=crossing(True, 1), t_eval=[1, 2], **options)
    assert up.status == 1 and len(up.t) == 0 and up.t_events[0].tolist() == [0]


def test_the_crossing_that_ends_a_run_is_its_last_point():
    # the third of them ends it, with the start among them; the interval has no end
    sol = vs.solve_ivp(lambda t, y: [y[1], -y[0]], (0, np.inf), [0, 1], events=crossing(3), rtol=1e-8, dense_output=True)
    assert sol.status == 1 and sol.t_events[0] == pytest.approx([0, np.pi, 2 * np.pi], abs=1e-6)
    assert sol.t[-1] == sol.t_events[0][-1] and np.array_equal(sol.y[:, -1], sol.y_events[0][-1])
    assert np.all(np.diff(sol.t) > 0) and sol.y.shape == (2, len(sol.t))
    again = pickle.loads(pickle.dumps(sol))
    assert np.array_equal(again.y, sol.y) and np.array_equal(again.sol(1.0), sol.sol(1.0))
    called = vs.solve_ivp(loop, (0, np.inf), [0, 1], events=crossing(3), rtol=1e-8)
    assert called.t_events[0] == pytest.approx(sol.t_events[0], abs=1e-6)
    at_points = vs.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 50), [0, 1], events=crossing(3), t_eval=[1, 2, 40])
    assert at_points.t.tolist() == [1, 2]


def test_no_points_and_no_time():
    sol = vs.solve_ivp(pendulum, (0, 1), [1, 0], t_eval=[], dense_output=True)
    assert len(sol.t) == 0 and len(sol.y) == 0 and sol.success
    assert np.isnan(sol.sol(np.nan)).all() and np.isnan(sol.sol([0.5, np.nan])[:, 1]).all()


def test_arguments_must_fit_each_other():
    for name in ("rtol", "atol"):
        with pytest.raises(ValueError, match=f"`{name}` has wrong shape"):
            vs.solve_ivp(pendulum, (0, 1), [1, 0], **{name: [1e-3, 1e-3, 1e-3]})
        assert vs.solve_ivp(pendulum, (0, 1), [1, 0], **{name: [1e-3, 1e-4]}).success
    for jac in ([[1]], lambda t, y: [[1]]):
        with pytest.raises(ValueError, match="shape"):
            vs.solve_ivp(pendulum, (0, 1), [1, 0], method="Radau", jac=jac)


def test_start_values_of_any_kind():
    exact = vs.solve_ivp(pendulum, (0, 1), [1.0, 0.0]).y
    for y0 in (np.array([1, 0], dtype=object), np.array([1, 0], dtype=np.float32), (True, False), np.array([1, 0])):
        assert np.array_equal(vs.solve_ivp(pendulum, (0, 1), y0).y, exact)
    with pytest.raises(ValueError, match="1-dimensional"):
        vs.solve_ivp(pendulum, (0, 1), None)


def test_results_are_read_as_dictionaries():
    sol = vs.solve_ivp(pendulum, (0, 1), [1, 0])
    assert "t" in sol and "speed" not in sol and sol.get("speed", 3) == 3 and sol.get("status") == 0
    assert set(dict(sol)) == set(sol) and dict(sol.items())["success"] is True
    assert np.array_equal(dict(**sol)["y"], sol.y)


def test_sliding_along_a_condition_is_told():
    def thermostat(t, y):
        return [-1.0] if y[0] > 0.5 else [0.3]

    sol = vs.solve_ivp(thermostat, (0, 1), [1])
    assert sol.status == -1 and "sliding mode" in sol.message and "trace=False" in sol.message
    assert sol.t[-1] == pytest.approx(0.5)
    chattering = vs.solve_ivp(thermostat, (0, 1), [1], trace=False)
    assert chattering.success and chattering.y[0, -1] == pytest.approx(0.5, abs=0.02)


def test_a_function_that_hides_that_it_cannot_be_traced_is_called():
    def f(t, y):
        try:
            rate = float(t)
        except TypeError:
            rate = 0.0
        return [rate]

    sol = vs.solve_ivp(f, (0, 1), [1])
    assert not sol.traced and "goes on without it" in sol.reason and sol.y[0, -1] == pytest.approx(1.5)


@pytest.mark.parametrize(
    "factor",
    [np.array(2.0), np.array(2), np.float32(2), np.array([2.0])[0], 2, np.array(2, dtype=object)],
    ids=["0-d", "0-d whole", "float32", "element", "int", "object"],
)
def test_formulas_meet_arrays_without_dimensions(factor):
    for f in (lambda t, y: [-y[0] * factor], lambda t, y: [-factor * y[0]], lambda t, y: [-y[0] - y[0] / (factor / 2)]):
        sol = vs.solve_ivp(f, (0, 1), [1], rtol=1e-8, atol=1e-10)
        assert sol.traced and sol.y[0, -1] == pytest.approx(np.exp(-2), rel=1e-6)


def test_polynomials_of_numpy_are_traced():
    sol = vs.solve_ivp(lambda t, y: [np.polyval([1, 2, 3], t) + 10**30 * 0 * t], (0, 1), [0], rtol=1e-8)
    assert sol.traced and sol.y[0, -1] == pytest.approx(1 / 3 + 1 + 3)


def test_exceptions_of_called_functions_have_a_result_of_solve_ivp():
    def f(t, y):
        if t > 5:
            raise KeyError("boom")
        return -y

    with pytest.raises(KeyError) as caught:
        vs.solve_ivp(f, (0, 10), [1.0], rtol=1e-6, trace=False)
    sol = caught.value.solution
    assert isinstance(sol, vs.IvpSolution) and sol.status == -1 and not sol.traced
    assert len(sol.t) > 5 and 4 < sol.t[-1] <= 5 and sol.y.shape == (1, len(sol.t))


def test_numbers_that_are_none_are_said():
    with pytest.raises(ValueError, match="finite numbers"):
        vs.solve_ivp(lambda t, y: [np.nan], (0, 1), [1])
    with pytest.raises(ValueError, match="mass"):
        vs.solve_ivp(lambda t, y: -y, (0, 1), [1], mass=[[np.nan]])


def test_many_unknowns():
    begin = time.process_time()
    sol = vs.solve_ivp(lambda t, y: -y, (0, 1), np.ones(4000))
    assert sol.traced and sol.y.shape[0] == 4000
    assert time.process_time() - begin < 4  # by a search among all names for each it was 4 times as much
