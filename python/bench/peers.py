"""One way of solving for each package: make(problem, name) gives solve(rtol) -> the values at the end, or None."""

from __future__ import annotations

import numpy as np

from problems import DIFFSL


def vessiot(p, name, method):
    import vessiot as vs

    if "text" in p:
        m = vs.Model(text=p["text"], name=name.replace(" ", "_"))
    elif "gallery" in p:
        m = vs.gallery(p["gallery"])
    else:
        m = vs.Model(name=name.replace(" ", "_"))
        y = m.unknown("y", shape=len(p["y0"]))
        ys = [y[k + 1] for k in range(len(p["y0"]))]
        m.equation(*[a.d() == b for a, b in zip(ys, p["f"](0, ys))])
        m.start(*[a == float(b) for a, b in zip(ys, p["y0"])])
    made = {}

    def solve(rtol):
        if rtol not in made:
            made[rtol] = m.compile(method=method, rtol=rtol, atol=rtol * p["atol"], dense_output=False,
                                   backend="jit")  # warm: native code is there, as that of the others
        sol = made[rtol].solve((0, p["end"]))
        if not sol.success:
            raise RuntimeError(sol.message)
        if name == "brusselator":
            return sol.y[:, -1].reshape(2, -1).T.ravel()
        return np.array([sol[v][-1] for v in p["values"]]) if "values" in p else sol.y[:, -1]

    return solve


def scipy(p, name, method):
    from scipy.integrate import solve_ivp

    extra = {}
    if p.get("banded"):
        if method == "LSODA":
            extra = dict(lband=2, uband=2)
        else:
            from scipy.sparse import diags

            n = len(p["y0"])
            extra = dict(jac_sparsity=diags([1, 1, 1, 1, 1], [-2, -1, 0, 1, 2], shape=(n, n))) if p["stiff"] else {}

    def solve(rtol):
        sol = solve_ivp(p["f"], (0, p["end"]), p["y0"], method=method, rtol=rtol, atol=rtol * p["atol"], **extra)
        return sol.y[:, -1]

    return solve


def pydiffsol(p, name, method):
    import pydiffsol as ds

    if name not in DIFFSL:
        return None
    ode = ds.Ode(DIFFSL[name], matrix_type=ds.nalgebra_dense)
    ode.ode_solver = getattr(ds, method)

    def solve(rtol):
        ode.rtol, ode.atol = rtol, rtol * p["atol"]
        return np.asarray(ode.solve(np.array([]), float(p["end"])).ys)[:, -1]

    return solve


def heyoka(p, name, method):
    import heyoka as hy

    if p["stiff"] or p.get("numbers_only"):
        return None
    xs = hy.make_vars(*[f"y{k}" for k in range(len(p["y0"]))])
    made = {}

    def solve(rtol):
        if rtol not in made:
            made[rtol] = hy.taylor_adaptive(list(zip(xs, p["f"](0, xs))), [float(v) for v in p["y0"]], tol=rtol)
        ta = made[rtol]
        ta.time = 0.0
        ta.state[:] = p["y0"]
        ta.propagate_until(float(p["end"]))
        return ta.state.copy()

    return solve


def diffrax(p, name, method):
    import diffrax as dx
    import jax
    import jax.numpy as jnp

    if p.get("banded"):
        return None
    jax.config.update("jax_enable_x64", True)
    solver = getattr(dx, method)()
    right_side = p.get("jax") or (lambda y: jnp.stack(p["f"](0, y)))
    term = dx.ODETerm(lambda t, y, args: right_side(y))

    @jax.jit
    def run(y0, rtol):
        control = dx.PIDController(rtol=rtol, atol=rtol * p["atol"])
        return dx.diffeqsolve(term, solver, 0.0, float(p["end"]), 1e-6 if p["stiff"] else 1e-3, y0,
                              stepsize_controller=control, max_steps=10**6).ys[-1]

    return lambda rtol: np.asarray(run(jnp.asarray(p["y0"], dtype=float), rtol))


def casadi(p, name, method):
    import casadi as ca

    if p.get("banded"):
        return None
    y = ca.SX.sym("y", len(p["y0"]))
    made = {}

    def solve(rtol):
        if rtol not in made:
            right_side = p.get("casadi") or (lambda y: ca.vertcat(*p["f"](0, [y[k] for k in range(len(p["y0"]))])))
            dae = {"x": y, "ode": right_side(y)}
            made[rtol] = ca.integrator("F", "cvodes", dae, 0, float(p["end"]), {
                "reltol": rtol, "abstol": rtol * p["atol"], "max_num_steps": 10**7,
                "linear_multistep_method": method})
        return np.asarray(made[rtol](x0=p["y0"])["xf"]).ravel()

    return solve


def sundae(p, name, method):
    from sksundae.cvode import CVODE

    def rhs(t, y, yp):
        yp[:] = p["f"](t, y)

    extra = dict(linsolver="band", lband=2, uband=2) if p.get("banded") else {}
    y0 = np.asarray(p["y0"], dtype=float)

    def solve(rtol):
        made = CVODE(rhs, method=method, rtol=rtol, atol=rtol * p["atol"], max_num_steps=10**7, **extra)
        return made.solve(np.array([0.0, float(p["end"])]), y0).y[-1]

    return solve


PEERS = [
    ("vessiot", vessiot, ["dop853", "taylor"], ["radau5", "radau9"]),
    ("scipy", scipy, ["DOP853", "LSODA"], ["LSODA", "Radau", "BDF"]),
    ("pydiffsol", pydiffsol, ["tsit45"], ["bdf", "esdirk34"]),
    ("heyoka", heyoka, ["taylor"], []),
    ("diffrax", diffrax, ["Dopri8"], ["Kvaerno5"]),
    ("casadi", casadi, ["adams"], ["bdf"]),
    ("scikit-sundae", sundae, ["Adams"], ["BDF"]),
]
