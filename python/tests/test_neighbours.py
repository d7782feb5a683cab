"""Other packages that bring a compiler, in one process with ours, whichever comes first."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

OURS = """
import vessiot as vs
sol = vs.gallery("pendulum").solve((0, 1), backend="jit", rtol=1e-9)
assert sol.success and sol.residual < 1e-12
"""
OTHERS = {
    "numba": "import numba\nassert numba.njit(lambda x: x * x + 1)(3) == 10\n",
    "llvmlite": """
import llvmlite.binding as b
try:
    b.initialize()
except RuntimeError:
    pass  # newer ones do it themselves
b.initialize_native_target()
b.initialize_native_asmprinter()
assert b.Target.from_default_triple()
""",
    "heyoka": """
import heyoka as hy
x, v = hy.make_vars("x", "v")
ta = hy.taylor_adaptive([(x, v), (v, -hy.sin(x))], [0.05, 0.0])
ta.propagate_until(1.0)
""",
    "torch": "import torch\nassert torch.ones(3).sum().item() == 3\n",
    "casadi": "import casadi\nx = casadi.SX.sym('x')\nassert casadi.Function('f', [x], [x * x])(3) == 9\n",
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("is_first", [True, False])
def test_neighbours(name, is_first):
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    other = OTHERS[name]
    program = OURS + other + OURS if is_first else other + OURS + other
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_all_of_them():
    there = [code for name, code in OTHERS.items() if find_spec(name) is not None]
    if len(there) < 2:
        pytest.skip("at most one of them is installed")
    for program in (OURS + "".join(there) + OURS, "".join(there) + OURS, "".join(reversed(there)) + OURS):
        subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
