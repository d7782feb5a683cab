"""What becomes of functions with matrices, and of those that raise."""

import warnings

import numpy as np
import pytest

import vessiot as vs

START = np.sin(np.linspace(0, 3, 6)) + 0.1


def solved(f, **options):
    return vs.solve_ivp(f, (0, 1), START, rtol=1e-9, atol=1e-12, **options)


def same_as_numbers(f):
    """Traced, and with the values of the same function called for every value."""
    formulas, numbers = solved(f), solved(f, trace=False)
    assert formulas.traced, formulas.reason
    assert not numbers.traced and np.abs(formulas.y[:, -1] - numbers.y[:, -1]).max() < 1e-7


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "lil", "dok", "bsr"])
@pytest.mark.parametrize("write", [lambda A, y: A @ y, lambda A, y: A.dot(y), lambda A, y: y @ A])
def test_sparse_matrices_of_scipy(form, write):
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.diags([1.0, -2.0, 0.5], [-1, 0, 1], shape=(6, 6)).asformat(form)
    same_as_numbers(lambda t, y: write(A, y))


def test_sparse_matrices_are_as_they_were_after_a_trace():
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csr_matrix(np.diag(np.arange(6.0)))
    same_as_numbers(lambda t, y: -(A * y) + (A[:3, :3] @ y.reshape(3, 2)).ravel())
    assert np.array_equal(A @ START, np.arange(6.0) * START) and (A @ START).dtype == float
    with pytest.raises(ValueError, match="mismatch"):
        solved(lambda t, y: A[:, :5] @ y)


def test_thousands_of_unknowns_with_a_sparse_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    n = 3000
    A = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n), format="csr")
    mode = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    sol = vs.solve_ivp(lambda t, y: A @ y, (0, 1), mode, method="Radau", rtol=1e-8)
    rate = 2 * np.cos(np.pi / (n + 1)) - 2
    assert sol.traced and np.allclose(sol.y[:, -1], np.exp(rate) * mode, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("f", [
    lambda t, y: np.gradient(y, 0.5),
    lambda t, y: np.gradient(np.gradient(y, [0, 1, 3, 4, 6, 9], edge_order=2), 2),
    lambda t, y: sum(np.gradient(y.reshape(2, 3))).ravel(),
    lambda t, y: np.gradient(y.reshape(2, 3), 0.5, axis=1).ravel(),
    lambda t, y: -np.linalg.solve(np.diag([1.0, 2, 3, 4, 5, 6]) + 0.1, y),
])
def test_functions_of_numpy_that_are_matrices(f):
    same_as_numbers(f)


def test_what_numpy_refuses_is_refused():
    with pytest.raises(TypeError):
        solved(lambda t, y: np.gradient(y, 1, 2, 3))
    with pytest.raises(np.linalg.LinAlgError):
        solved(lambda t, y: np.linalg.solve(np.zeros((6, 6)), y))


def late(t):
    if t > 0.5:
        raise LookupError("late")


@pytest.mark.parametrize("trace", ["auto", False])
def test_what_an_event_raises_reaches_the_caller(trace):
    def event(t, y):
        late(t)
        return 1.0

    with pytest.raises(LookupError, match="late") as caught:
        vs.solve_ivp(lambda t, y: -y, (0, 5), [1], events=event, trace=trace)
    assert caught.value.solution.t[0] == 0


@pytest.mark.parametrize("part", ["constraints", "invariants"])
def test_what_a_constraint_raises_reaches_the_caller(part):
    def circle(t, y):
        late(t)
        return y[0] ** 2 + y[1] ** 2 - 1

    with pytest.raises(LookupError, match="late") as caught:
        vs.solve_ivp(lambda t, y: [-y[1], y[0]], (0, 5), [1, 0], **{part: circle})
    assert 0 < caught.value.solution.t[-1] <= 0.5


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", [None, float("nan")])
def test_tolerances_that_are_no_numbers(name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be a number"):
        vs.solve_ivp(lambda t, y: -y, (0, 1), [1], **{name: value})


def test_no_value_at_the_start_is_an_error_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(vs.InvalidInput, match="no value at the start"):
            vs.solve_ivp(lambda t, y: [np.divide(1, y[0], where=True) if y.dtype == object else np.inf], (0, 1), [0.0])


def test_functions_of_numbers_with_many_unknowns():
    """None of their second derivatives, of which there are n^3, is made."""
    rates = -np.arange(1, 151) / 150
    sol = vs.solve_ivp(lambda t, y: rates * y, (0, 1), np.ones(150), method="DOP853", rtol=1e-8, trace=False)
    assert not sol.traced and np.allclose(sol.y[:, -1], np.exp(rates), rtol=1e-6)
