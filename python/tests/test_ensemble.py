from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import vessiot as vs

G = np.linspace(1, 20, 30)


@pytest.fixture(scope="module")
def problem():
    return vs.gallery("pendulum").compile(method="dop853", rtol=1e-8)


def test_members_have_the_bits_of_a_solve(problem):
    ens = problem.ensemble({"g": G}, (0, 5), t_eval=[2.5, 5])
    assert ens["x"].shape == (30, 2) and ens.success.all() and ens.counts["success"] == 30
    for k in (0, 7, 29):
        assert np.array_equal(ens["x"][k], problem.solve((0, 5), params={"g": G[k]}, t_eval=[2.5, 5])["x"])
    assert ens.t.tolist() == [2.5, 5] and "30 success" in repr(ens)


def test_arrays_are_broadcast(problem):
    ens = problem.ensemble({"g": G[:, None]}, (0, 2), start={"x'": np.zeros(3)}, outputs=["x"])
    assert ens["x"].shape == (30, 3) and ens.names == ["x"]
    assert np.array_equal(ens["x"][4, 1], problem.solve((0, 2), params={"g": G[4]})["x"][-1])


def test_reductions(problem):
    ens = problem.ensemble({"g": G}, (0, 5), t_eval=[2.5, 5])
    few = problem.ensemble({"g": G}, (0, 5), t_eval=[2.5, 5], reduce=["mean", "max", "quantile(0.5)"])
    assert np.allclose(few.reduced["mean"]["x"], ens["x"].mean(axis=0), rtol=1e-13)
    assert np.array_equal(few.reduced["max"]["x"], ens["x"].max(axis=0))
    assert few.reduced["quantile(0.5)"]["x"].shape == (2,)
    with pytest.raises(KeyError, match="not kept"):
        few["x"]


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors(problem, pool):
    alone = problem.ensemble({"g": G}, (0, 2))
    with pool(2) as executor:
        spread = problem.ensemble({"g": G}, (0, 2), executor=executor, chunk=7)
    assert np.array_equal(alone.values, spread.values) and spread.success.all()


def test_failures_of_workers_know_their_members():
    growth = vs.Model(text="parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\n", name="growth").compile()
    with ThreadPoolExecutor(2) as executor:
        ens = growth.ensemble({"a": [0.1, 0.2, 0.3, 5.0]}, (0, 1), executor=executor, chunk=2)
    assert ens.success.tolist() == [True, True, True, False] and ens.failures[0][2] == 3


def test_models_built_in_python_reach_other_processes():
    m = vs.Model(name="decay")
    k, x = m.parameter("k", 1), m.unknown("x")
    m.equation(x.d() == -k * x)
    m.start(x == 1)
    p = m.compile(rtol=1e-8)
    with ProcessPoolExecutor(2) as executor:
        spread = p.ensemble({"k": G}, (0, 1), executor=executor, chunk=10)
    assert np.array_equal(spread.values, p.ensemble({"k": G}, (0, 1)).values)


def test_dask(problem):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            spread = problem.ensemble({"g": G}, (0, 2), executor=client.get_executor(), chunk=10)
    assert np.array_equal(spread.values, problem.ensemble({"g": G}, (0, 2)).values)


def test_joblib(problem):
    joblib = pytest.importorskip("joblib")
    ends = joblib.Parallel(n_jobs=2)(joblib.delayed(end_of)(problem, g) for g in G[:6])
    assert np.array_equal(ends, problem.ensemble({"g": G[:6]}, (0, 2))["x"])


def end_of(problem, g):
    return problem.solve((0, 2), params={"g": g})["x"][-1]


def test_a_graphics_processor_is_used_or_missed(problem):
    try:
        ens = problem.ensemble({"g": G}, (0, 2), device="gpu")
    except vs.InvalidInput as error:
        assert "graphics processor" in str(error)
        return
    assert ens.device != "cpu"
    assert np.allclose(ens.values, problem.ensemble({"g": G}, (0, 2)).values, atol=1e-6)


def test_members_that_fail_are_told(problem):
    growth = vs.Model(text="parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\n", name="growth").compile()
    ens = growth.ensemble({"a": [0.1, 5.0, 0.2]}, (0, 1))
    assert ens.success.tolist() == [True, False, True] and ens.counts["failed"] == 1
    assert ens.failures[0][1] == 1 and ens.t_end[1] < 1


@pytest.mark.parametrize(
    "wrong, text",
    [
        (dict(params={"g": 3}), "at least one array"),
        (dict(params={"g": G, "l": np.ones(4)}), "shapes"),
        (dict(params={"h": G}), "h"),
        (dict(params={"g": G}, device="moon"), "device"),
        (dict(params={"g": G}, reduce="median"), "median"),
        (dict(params={"g": G}, outputs=["z"]), "z"),
    ],
)
def test_wrong_arguments(problem, wrong, text):
    with pytest.raises(ValueError, match=text):
        problem.ensemble(t_span=(0, 1), **wrong)
