"""The problems: right sides that work on numbers and on formulas of every package, start, end, and our model."""

from __future__ import annotations

import numpy as np

import andrews


def robertson(t, y):
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [b - a, a - b - c, c]


def lorenz(t, y):
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def pendulum(t, y):  # x, y, u, v with the force of the rod put in
    force = y[2] * y[2] + y[3] * y[3] - 9.81 * y[1]
    return [y[2], y[3], -force * y[0], -force * y[1] - 9.81]


def van_der_pol(t, y):
    return [y[1], 1e3 * (1 - y[0] * y[0]) * y[1] - y[0]]


N = 250  # points of the Brusselator: 500 unknowns, u and v in turn
_c = 1 / 50 * (N + 1) ** 2


def brusselator(t, y):
    u, v = np.concatenate(([1.0], y[0::2], [1.0])), np.concatenate(([3.0], y[1::2], [3.0]))
    a, b = u[1:-1], v[1:-1]
    r = a * a * b
    dy = np.empty_like(y)
    dy[0::2] = 1 + r - 4 * a + _c * (u[:-2] - 2 * a + u[2:])
    dy[1::2] = 3 * a - r + _c * (v[:-2] - 2 * b + v[2:])
    return dy


_x = np.arange(1, N + 1) / (N + 1)
_start = np.empty(2 * N)
_start[0::2], _start[1::2] = 1 + np.sin(2 * np.pi * _x), 3.0

PENDULUM = """parameter g = 9.81
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = 1
start x = 1, y = 0, x' = 0, y' = 0
"""
BRUSSELATOR = f"""parameter n = {N}, c = {_c!r}
unknown u[n], v[n]
for i = 1..n: u[i]' = 1 + u[i]^2*v[i] - 4*u[i] + c*(if(i > 1, u[i-1], 1) - 2*u[i] + if(i < n, u[i+1], 1))
for i = 1..n: v[i]' = 3*u[i] - u[i]^2*v[i] + c*(if(i > 1, v[i-1], 3) - 2*v[i] + if(i < n, v[i+1], 3))
for i = 1..n: start u[i] = 1 + sin(2*pi*i/(n + 1)), v[i] = 3
"""
DIFFSL = {
    "robertson": "u_i { x = 1, y = 0, z = 0 } F_i { 1e4*y*z - 0.04*x, 0.04*x - 1e4*y*z - 3e7*y*y, 3e7*y*y }",
    "lorenz": "u_i { x = 1, y = 1, z = 1 } F_i { 10*(y - x), x*(28 - z) - y, x*y - 8/3*z }",
    "van der Pol": "u_i { x = 2, y = 0 } F_i { y, 1e3*(1 - x*x)*y - x }",
    "pendulum": "u_i { x = 1, y = 0, p = 0, q = 0 } F_i { p, q, -(p*p + q*q - 9.81*y)*x, -(p*p + q*q - 9.81*y)*y - 9.81 }",
}

# name: right side, start, end, stiff, tolerance for the absolute part; our model, where it is more than the right side
# (text, or a name of the gallery) and the names of the values; right sides for packages with formulas of their own
PROBLEMS = {
    "robertson": dict(f=robertson, y0=[1, 0, 0], end=4e5, stiff=True, atol=1e-4),
    "lorenz": dict(f=lorenz, y0=[1, 1, 1], end=10, stiff=False, atol=1),
    "pendulum": dict(f=pendulum, y0=[1, 0, 0, 0], end=10, stiff=False, atol=1, text=PENDULUM,
                     values=["x", "y", "x'", "y'"]),
    "andrews": dict(f=andrews.numbers, y0=andrews.START, end=0.03, stiff=False, atol=1, gallery="andrews",
                    values=andrews.VALUES, casadi=andrews.of_casadi, jax=andrews.of_jax, numbers_only=True),
    "van der Pol": dict(f=van_der_pol, y0=[2, 0], end=1500, stiff=True, atol=1),
    "brusselator": dict(f=brusselator, y0=_start, end=10, stiff=True, atol=1, text=BRUSSELATOR, banded=True),
}
