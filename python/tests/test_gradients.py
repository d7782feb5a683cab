import numpy as np
import pytest

import vessiot as vs

P = [9.81, 1.0, 0.3]
NAMES = ["g", "l", "start:y'"]


def solver():
    from vessiot.gradients import _Solver

    return _Solver(vs.gallery("pendulum"), NAMES, [0.4, 0.9], ["x", "lambda"], None, dict(rtol=1e-10, atol=1e-12))


def test_derivatives_are_those_of_differences():
    s = solver()
    values, derivatives = s.both(P)
    assert values.shape == (2, 2) and derivatives.shape == (2, 2, 3)
    for k in range(3):
        h = 1e-5
        up, down = (s.values([v + d * (j == k) for j, v in enumerate(P)]) for d in (h, -h))
        assert np.allclose(derivatives[:, :, k], (up - down) / (2 * h), rtol=1e-5, atol=1e-6)


def test_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from vessiot.gradients import jax_solve

    f = jax_solve(vs.gallery("pendulum"), NAMES, [0.4, 0.9], names=["x", "lambda"], rtol=1e-10, atol=1e-12)
    p = jax.numpy.array(P)
    loss = jax.jit(lambda q: (f(q) ** 2).sum())
    gradient = jax.grad(loss)(p)
    values, derivatives = solver().both(P)
    assert np.allclose(gradient, np.einsum("ij,ijk->k", 2 * values, derivatives), rtol=1e-9)
    from jax.test_util import check_grads

    check_grads(f, (p,), order=1, modes=["rev"], rtol=1e-3, atol=1e-3)


def test_torch():
    torch = pytest.importorskip("torch")
    from vessiot.gradients import torch_solve

    f = torch_solve(vs.gallery("pendulum"), NAMES, [0.4, 0.9], names=["x", "lambda"], rtol=1e-10, atol=1e-12)
    p = torch.tensor(P, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (p,), eps=1e-5, atol=1e-4, rtol=1e-4)
