"""What the examples print, that the notebook runs, and that types fit."""

import pathlib
import subprocess
import sys

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
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path]
    run = subprocess.run([*command, ROOT / "python" / "vessiot", *EXAMPLES.glob("*.py")], capture_output=True, text=True,
                         cwd=ROOT)
    assert run.returncode == 0, run.stdout
