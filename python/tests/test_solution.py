import gc
import weakref

import numpy as np
import pytest

import vessiot as vs


@pytest.fixture(scope="module")
def sol():
    return vs.gallery("pendulum").solve((0, 3), rtol=1e-8)


def test_arrays_are_views_that_cannot_be_written(sol):
    assert sol.y.base is not None and not sol.y.flags.writeable and not sol.t.flags.writeable
    assert sol["x"].__array_interface__["data"][0] == sol.y.__array_interface__["data"][0]
    assert np.shares_memory(sol["y'"], sol.y)
    with pytest.raises(ValueError):
        sol.t[0] = 1


def test_arrays_of_the_model_have_their_shapes():
    sol = vs.Model(
        text="component Point(k = 1):\n    unknown r[2]\n    r'' = -k*r\n    start r = [k, 1], r' = [0, k]\n"
        "part b[i = 1..3] = Point(k = i)\nunknown u[2,3]\nu' = -u\nfor i = 1..2, j = 1..3: start u[i,j] = 10*i + j\n"
    ).solve((0, 1), t_eval=[0, 0.5, 1])
    assert sol.array("u").shape == (3, 2, 3)
    assert sol.array("u")[0].tolist() == [[11, 12, 13], [21, 22, 23]]
    assert sol.array("b.r").shape == (3, 3, 2)
    assert (sol.array("b.r")[:, 2, 0] == sol["b[3].r[1]"]).all()
    assert (sol.array("b.r'")[:, 1, 1] == sol["b[2].r[2]'"]).all()
    assert not sol.array("u").flags.writeable
    with pytest.raises(KeyError, match="there is no array 'b.q' in this solution; did you mean"):
        sol.array("b.q")


def test_arrays_keep_their_owner_alive():
    sol = vs.gallery("pendulum").solve((0, 1))
    y, copy = sol.y, sol.y.copy()
    core = sol._core
    del sol
    gc.collect()
    del core
    gc.collect()
    junk = [np.ones(1000) for _ in range(100)]
    assert np.array_equal(y, copy) and len(junk) == 100


def test_the_curve(sol):
    assert sol(1.0).shape == (5,) and sol([1.0, 2.0]).shape == (5, 2)
    assert sol(np.ones((2, 3)), "x").shape == (2, 3)
    assert isinstance(sol(1.0, "x"), float)
    assert np.array_equal(sol.sol(sol.t), sol(sol.t))
    assert np.allclose(sol(sol.t), sol.y, atol=1e-15)
    middle = sol(np.linspace(0, 3, 500))
    assert np.abs(middle[0] ** 2 + middle[2] ** 2 - 1).max() < 1e-13
    with pytest.raises(vs.InvalidInput):
        sol(4.0)
    with pytest.raises(KeyError, match="z"):
        sol["z"]
    assert vs.gallery("pendulum").solve((0, 1), dense_output=False).sol is None


def test_words_about_it(sol):
    assert "reached t = 3" in repr(sol) and "reached t = 3" in sol._repr_html_()
    assert sol.stats["steps"] == len(sol.t) - 1
    assert sol.system["index"] == 3 and sol.method["name"] == "dop853"


def test_tables(sol):
    pandas = pytest.importorskip("pandas")
    table = sol.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table.columns) == sol.names and table.index.name == "t"
    assert np.array_equal(table["x'"].to_numpy(), sol["x'"])


def test_datasets(sol):
    pytest.importorskip("xarray")
    data = sol.to_xarray()
    assert np.array_equal(data["x"].sel(t=sol.t[3]), sol["x"][3]) and data.attrs["model"] == "pendulum"


def test_pictures(sol, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = sol.plot("x", "y")
    assert ax.get_xlabel() == "x" and len(ax.lines[0].get_xdata()) == 1000
    ax.figure.savefig(tmp_path / "plane.png")
    assert len(sol.plot().lines) == 3
    assert sol.plot("x", "y", "lambda").get_zlabel() == "lambda"
    assert sol.plot("x").get_ylabel() == "x"
    with pytest.raises(ValueError, match="two or three"):
        sol.plot("x", "y", "x'", "y'")


def test_files(sol, tmp_path):
    sol.save(tmp_path / "run.csv")
    assert len((tmp_path / "run.csv").read_text().splitlines()) == len(sol.t) + 1
    sol.save(tmp_path / "run.json")
    sol.save(tmp_path / "run.npz")
    assert np.array_equal(np.load(tmp_path / "run.npz")["x"], sol["x"])
    sol.report(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()[:500]
    with pytest.raises(ValueError, match="csv"):
        sol.save("run.txt")
    h5py = pytest.importorskip("h5py")
    sol.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.array_equal(file["x'"][:], sol["x'"])


def test_solutions_are_freed():
    sol = vs.gallery("pendulum").solve((0, 1))
    y = sol.y
    alive = weakref.ref(y)
    del y
    gc.collect()
    assert alive() is None


def test_the_cell_magic():
    from vessiot._magic import run_cell

    class Shell:
        user_ns: dict = {}

    text = "unknown x\nx' = -x\nstart x = 1\n"
    run_cell(Shell, "decay --rtol 1e-8 --to 2", text)
    assert Shell.user_ns["decay"].t[-1] == 2 and Shell.user_ns["decay_model"].unknowns == ["x"]
    with pytest.raises(ValueError, match="rtoll"):
        run_cell(Shell, "--rtoll 1", text)


