"""SciPy's own tests of solve_ivp, from the installed package, with only solve_ivp exchanged."""

import importlib.util
import inspect

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
_namespace["solve_ivp"] = vessiot.solve_ivp

for _name, _test in list(_namespace.items()):
    if not _name.startswith("test_") or "solve_ivp" not in inspect.getsource(_test):
        continue
    if _name in KNOWN:
        _test = pytest.mark.xfail(reason=KNOWN[_name], strict=True)(_test)
    globals()[_name] = _test
