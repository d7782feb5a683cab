"""Solves as differentiable functions of jax and torch, by forward sensitivities.

    >>> from vessiot.gradients import jax_solve
    >>> f = jax_solve(vs.gallery("pendulum"), ["g", "l"], t_eval=[1.0, 2.0], names=["x"], rtol=1e-9)
    >>> jax.grad(lambda p: f(p).sum())(jnp.array([9.81, 1.0]))

The function takes the values of the parameters (or start values, "start:x'"), in their order, and returns the values of
`names` at the points, shape (number of names, number of points).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._model import Model


class _Solver:
    """Values, and their derivatives by the parameters, of one compiled problem."""

    def __init__(self, model: Model, parameters: Sequence[str], t_eval: Any, names: Sequence[str] | None,
                 t_span: Sequence[float] | None, options: dict[str, Any]) -> None:
        self._parameters = list(parameters)
        self._t = np.atleast_1d(np.asarray(t_eval, dtype=float))
        self._span = t_span if t_span is not None else (0.0, float(self._t[-1]))
        self._plain = model.compile(dense_output=False, **options)
        self._with = model.compile(dense_output=False, sensitivity=self._parameters, **options)
        self._names = list(names) if names is not None else list(self._plain.solve((self._span[0],) * 2).names)

    def _run(self, problem: Any, values: np.ndarray[Any, Any]) -> Any:
        params = {n: float(v) for n, v in zip(self._parameters, values) if not n.startswith("start:")}
        start = {n[6:]: float(v) for n, v in zip(self._parameters, values) if n.startswith("start:")}
        sol = problem.solve(self._span, params=params, start=start, t_eval=self._t)
        if not sol.success:
            raise RuntimeError(f"the solution ended early: {sol.message}")
        return sol

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._names), len(self._t)

    def values(self, parameters: Any) -> np.ndarray[Any, Any]:
        sol = self._run(self._plain, np.asarray(parameters, dtype=float))
        return np.array([sol[n] for n in self._names])

    def both(self, parameters: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Values, and derivatives with a last axis for the parameters."""
        sol = self._run(self._with, np.asarray(parameters, dtype=float))
        derivatives = [[sol.sensitivity(n, p) for p in self._parameters] for n in self._names]
        return np.array([sol[n] for n in self._names]), np.moveaxis(np.array(derivatives), 1, -1)


def jax_solve(model: Model, parameters: Sequence[str], t_eval: Any, *, names: Sequence[str] | None = None,
              t_span: Sequence[float] | None = None, **options: Any) -> Any:
    """A function of jax, with jax.custom_vjp; it works inside of jit and grad (in 64 bits: jax_enable_x64)."""
    import jax

    solver = _Solver(model, parameters, t_eval, names, t_span, options)
    n = len(solver._parameters)

    def result(shape: tuple[int, ...], p: Any) -> Any:
        return jax.ShapeDtypeStruct(shape, p.dtype)  # type: ignore[no-untyped-call, unused-ignore]

    def values(p: Any) -> Any:
        return jax.pure_callback(lambda q: solver.values(q).astype(q.dtype), result(solver.shape, p), p)

    def forward(p: Any) -> Any:
        found = jax.pure_callback(lambda q: tuple(a.astype(q.dtype) for a in solver.both(q)),
                                  (result(solver.shape, p), result((*solver.shape, n), p)), p)
        return found[0], found[1]

    def backward(derivatives: Any, bar: Any) -> Any:
        return (jax.numpy.einsum("ij,ijk->k", bar, derivatives),)

    solve = jax.custom_vjp(values)
    solve.defvjp(forward, backward)
    return solve


def torch_solve(model: Model, parameters: Sequence[str], t_eval: Any, *, names: Sequence[str] | None = None,
                t_span: Sequence[float] | None = None, **options: Any) -> Any:
    """A function of torch, with torch.autograd.Function."""
    import torch

    solver = _Solver(model, parameters, t_eval, names, t_span, options)

    class Solve(torch.autograd.Function):  # type: ignore[misc,name-defined,unused-ignore]
        @staticmethod
        def forward(context: Any, p: Any) -> Any:
            given = p.detach().cpu().double().numpy()
            if not p.requires_grad:
                return torch.as_tensor(solver.values(given), dtype=p.dtype, device=p.device)
            found, derivatives = solver.both(given)
            context.save_for_backward(torch.as_tensor(derivatives, dtype=p.dtype, device=p.device))
            return torch.as_tensor(found, dtype=p.dtype, device=p.device)

        @staticmethod
        def backward(context: Any, bar: Any) -> Any:
            (derivatives,) = context.saved_tensors
            return torch.einsum("ij,ijk->k", bar, derivatives)

    return Solve.apply
