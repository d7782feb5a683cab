"""Functions of Python: in the words of SciPy, with an invariant, a mass matrix, and a system of index 3."""

from typing import Any

import numpy as np

import vessiot as vs


def swing(t: Any, y: Any) -> list[Any]:
    return [y[1], -np.sin(y[0])]


def energy(t: Any, y: Any) -> Any:
    return y[1] ** 2 / 2 - np.cos(y[0])


sol = vs.solve_ivp(swing, (0, 100), [1, 0], rtol=1e-6, invariants=energy)
print(f"traced: {sol.traced}, energy is kept: {np.ptp(energy(0, sol.y)) < 1e-13}")


def circuit(t: Any, y: Any) -> list[Any]:
    return [-y[1], y[0] - y[1]]


sol = vs.solve_ivp(circuit, (0, 1), [1, 1], mass=np.diag([1, 0]), rtol=1e-9, atol=1e-12)
print(f"index {sol.system['index']}: y(1) = {sol.y[0, -1]:.6f}")


def rod(t: Any, y: Any, yp: Any) -> list[Any]:
    return [yp[0] - y[2], yp[1] - y[3], yp[2] + y[4] * y[0], yp[3] + y[4] * y[1] + 9.81, y[0] ** 2 + y[1] ** 2 - 1]


sol = vs.solve_dae(rod, (0, 10), [1, 0, 0, 0, 0], rtol=1e-8, atol=1e-8)
print(f"index {sol.system['index']}, length kept to round-off: {abs(np.hypot(*sol.y[:2]) - 1).max() < 1e-13}")
