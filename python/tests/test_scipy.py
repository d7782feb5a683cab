"""SciPy's own tests of solve_ivp, from the installed package, with only solve_ivp exchanged."""

import importlib.util
import inspect
import pathlib
import re

import pytest

scipy_tests = importlib.util.find_spec("scipy.integrate._ivp.tests.test_ivp") if importlib.util.find_spec("scipy") else None
if scipy_tests is None or scipy_tests.origin is None:
    pytest.skip("SciPy's tests are not installed", allow_module_level=True)

import vessiot

# Why a test cannot pass, by its name; docs/from_scipy.md has the same table.
KNOWN = {
    "test_integration_complex": "a bound on factorisations of SciPy's BDF",
}

with open(scipy_tests.origin, encoding="utf-8") as _file:
    _source = _file.read()
_namespace = {"__name__": "scipy_test_ivp"}
exec(compile(_source, scipy_tests.origin, "exec"), _namespace)
_traced = []


def _solve_ivp(*args, **keywords):
    sol = vessiot.solve_ivp(*args, **keywords)
    _traced.append(sol.traced)
    return sol


_namespace["solve_ivp"] = _solve_ivp

for _name, _test in list(_namespace.items()):
    if not _name.startswith("test_") or "solve_ivp" not in inspect.getsource(_test):
        continue
    if _name in KNOWN:
        _test = pytest.mark.xfail(reason=KNOWN[_name], strict=True)(_test)
    globals()[_name] = _test


def test_the_calls_above_are_traced():
    assert sum(_traced) >= 0.95 * len(_traced)


def test_the_page_lists_those_that_do_not_pass():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "from_scipy.md").read_text(encoding="utf-8")
    table = page[page.index("## SciPy's tests"):]
    assert re.findall(r"^\| `(test_\w+)`", table, re.MULTILINE) == list(KNOWN)
