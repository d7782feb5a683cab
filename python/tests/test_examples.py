"""What the examples print, that the notebook runs, and that types fit."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def test_pendulum():
    lines = output(sys.executable, EXAMPLES / "pendulum.py").splitlines()
    assert lines[0].startswith("g = 9.81: x(3.7) = ") and lines[0].endswith("largest tension  29.43")
    assert len(lines) == 4


def test_functions():
    assert output(sys.executable, EXAMPLES / "functions.py").splitlines() == [
        "traced: True, energy is kept: True",
        "index 1: y(1) = 0.367879",
        "index 3, length kept to round-off: True",
    ]


RECIPES = {"with_processes": [], "with_joblib": ["joblib"], "with_dask": ["dask", "distributed"], "with_mpi": ["mpi4py"]}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes(name):
    for package in RECIPES[name]:
        pytest.importorskip(package)
    command = [sys.executable, EXAMPLES / "recipes" / f"{name}.py"]
    environment = dict(os.environ)
    if name == "with_mpi":
        mpiexec = shutil.which("mpiexec") or pytest.skip("mpiexec is not installed")
        command = [mpiexec, "-n", "2", sys.executable, "-m", "mpi4py.futures", command[1]]
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                           PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip().endswith("same bits: True")


def blocks(page):
    """The blocks of Python of a page of docs/, in their order."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["from_scipy.md", "from_others.md"])
def test_pages(page):
    """What stands on a page runs, in one session; a block that imports what is not installed is left out."""
    session: dict[str, object] = {}
    for block in blocks(page):
        packages = re.findall(r"^import (\w+)", block, re.MULTILINE)
        if all(find_spec(p) for p in packages):
            exec(compile(block, page, "exec"), session)
    ends = [np.ravel(session[name]) for name in ("end_of_heyoka", "end_of_diffrax", "end_of_casadi") if name in session]
    for other in ends:
        assert np.allclose(other, session["end"], atol=1e-3)  # chaos makes 1e-12 to that in 20


def test_notebook():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(EXAMPLES / "pendulum.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [kind for cell in notebook.cells for o in cell.get("outputs", []) for kind in o.get("data", {})]
    assert shown.count("image/png") == 2 and shown.count("text/html") == 2


def test_types(tmp_path):
    pytest.importorskip("mypy")
    if np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("this numpy gives its operators types that mypy cannot call")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path]
    examples = [*EXAMPLES.glob("*.py"), *(EXAMPLES / "recipes").glob("*.py")]
    run = subprocess.run([*command, ROOT / "python" / "vessiot", *examples], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout
