"""What there is to choose from, methods of one's own, models in Base Modelica, and arguments that are none."""

import copy
import json
import pickle
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

import vessiot as vs

DECAY = """//! base 0.1.0
package 'Decay'
  model 'Slow'
    Real 'x'(start = 1.0, fixed = true);
  equation
    der('x') = -'x';
  end 'Slow';
  model 'Decay'
    parameter Real 'k' = 2.0;
    Real 'x'(start = 1.0, fixed = true); Real 'twice';
  equation
    der('x') = -'k' * 'x'; 'twice' = 2.0 * 'x';
    annotation(experiment(StopTime = 1));
  end 'Decay';
end 'Decay';
"""


def test_methods_say_what_they_can_do():
    methods = {m["name"]: m for m in vs.methods()}
    assert methods["radau5"]["is_implicit"] and not methods["dop853"]["is_implicit"]
    assert methods["dop853"]["is_adaptive"] and not methods["rk4"]["is_adaptive"]
    assert methods["bdf3"]["is_direct"] and methods["dop853"]["has_quad"] and methods["dop853"]["help"]
    assert "newton" in [p["name"] for p in vs.projections() if p["finds_nearest"]]
    assert "kkt" in [d["name"] for d in vs.distributions()]


def test_why_a_method_does_not_fit():
    p = vs.gallery("lotka_volterra").compile()
    assert p.misfit("dop853") == "" and "rattle" in p.misfit("rattle")
    assert p.distribution_misfit("kkt") != "" and vs.gallery("pendulum").compile().distribution_misfit("kkt") == ""
    assert vs.gallery("pendulum").compile().projection_misfit("newton") == ""
    with pytest.raises(vs.InvalidInput, match="dop853"):
        p.misfit("dop85")


def end(**options):
    return vs.gallery("pendulum").solve((0, 1), step=0.01, **options).y[:, -1]


def test_a_tableau_of_ones_own(tmp_path):
    made = vs.add_tableau("my_rk4", [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, Fraction(1, 2), 0, 0], [0, 0, 1, 0]],
                          ["1/6", "1/3", "1/3", "1/6"])
    assert made["name"] == "my_rk4" and made["order"] == 4 and made["stages"] == 4
    assert np.allclose(end(method="my_rk4"), end(method="rk4"), rtol=1e-14)
    sol = vs.solve_ivp(lambda t, y: -y, (0, 1), [1], method="my_rk4", rtol=1e-8, atol=1e-10)
    assert sol.y[0, -1] == pytest.approx(np.exp(-1), rel=1e-6)
    (tmp_path / "heun_too.json").write_text(json.dumps({"a": [[0, 0], [1, 0]], "b": ["1/2", "1/2"], "b_hat": [1, 0]}))
    assert vs.load_tableau(tmp_path / "heun_too.json")["order"] == 2
    assert end(method="heun_too") == pytest.approx(end(method="rk4"), abs=1e-2)
    with pytest.raises(vs.InvalidInput, match="order"):
        vs.add_tableau("worse", [[0, 0], [1, 0]], ["1/2", "1/2"], order=3)
    with pytest.raises(vs.InvalidInput):
        vs.add_tableau("shapeless", [[0, 0], [1]], [1, 2, 3])


def test_a_multistep_formula_of_ones_own(tmp_path):
    assert vs.add_multistep("milne", [-1, 0, 1], ["1/3", "4/3", "1/3"])["order"] == 4
    assert end(method="milne") == pytest.approx(end(method="rk4"), abs=1e-5)
    (tmp_path / "two_step.json").write_text(json.dumps({"alpha": [0, -1, 1], "beta": ["-1/2", "3/2", 0]}))
    assert vs.load_multistep(tmp_path / "two_step.json")["order"] == 2
    with pytest.raises(vs.InvalidInput):  # rho has a root of 2
        vs.add_multistep("unstable", [2, -3, 1], [-1, 0, 0])
    with pytest.raises(ValueError, match="manifold"):
        vs.add_multistep("elsewhere", [-1, 1], [1, 0], on="circle")


@pytest.mark.parametrize("copied", [lambda x: x, lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_base_modelica(tmp_path, copied):
    (tmp_path / "Decay.bmo").write_text(DECAY)
    m = copied(vs.Model(tmp_path / "Decay.bmo", variables="twice"))
    assert m.parameters == {"k": 2.0}
    sol = m.solve(params={"k": 3}, rtol=1e-9)
    assert sol.t[-1] == 1 and sol["x"][-1] == pytest.approx(np.exp(-3), rel=1e-7)
    assert np.allclose(sol["twice"], 2 * sol["x"])
    slow = copied(vs.Model(text=DECAY, model="Slow"))
    assert slow.solve((0, 2), rtol=1e-9)["x"][-1] == pytest.approx(np.exp(-2), rel=1e-7)
    assert m.outputs == ["twice"]


def test_base_modelica_that_is_wrong():
    with pytest.raises(vs.ModelError, match="Fast"):
        vs.Model(text=DECAY, model="Fast")
    with pytest.raises(vs.ModelError, match="Base Modelica"):
        vs.Model(text="unknown x\nx' = -x\n", variables=["x"])
    with pytest.raises(TypeError, match="Base Modelica"):
        vs.Model(variables=["x"])
    with pytest.raises(TypeError, match="text must be a str"):
        vs.Model(text=DECAY.encode())


def test_parameters_that_are_none():
    m = vs.gallery("pendulum")
    for wrong in ("a", None, [1, "b"], {"a": 1}):
        with pytest.raises(TypeError, match="the parameter g must be a number"):
            m.solve((0, 1), params={"g": wrong})
    for name in ("params", "start", "events"):
        with pytest.raises(TypeError, match=f"{name} must be a dictionary"):
            m.solve((0, 1), **{name: [("g", 1)]})
    view = MappingProxyType({"g": Fraction(3, 2)})
    assert np.array_equal(m.solve((0, 1), params=view).y, m.solve((0, 1), params={"g": 1.5}).y)
    with pytest.raises(ValueError, match="t_eval has no points"):
        m.solve((0, 1), t_eval=[])


def test_what_a_solution_does_not_have():
    sol = vs.gallery("pendulum").solve((0, 1), dense_output=False)
    with pytest.raises(KeyError, match="it has x, x', y"):
        sol["z"]
    with pytest.raises(TypeError, match="by names"):
        sol[0]
    assert list(sol) == sol.names and "x'" in sol and "z" not in sol and 0 not in sol
    with pytest.raises(ValueError, match="dense_output=True"):
        sol(0.5)
    with pytest.raises(ValueError, match=r"sensitivity=\['g'\]"):
        sol.sensitivity("x", "g")
    with pytest.raises(KeyError, match="z"):
        vs.gallery("pendulum").compile().begin((0, 1))["z"]


def test_a_model_without_unknowns_says_how_they_are_declared():
    with pytest.raises(vs.ModelError, match=r'example: x = m.unknown\("x"\)'):
        vs.Model().solve((0, 1))


def test_arrays_by_their_names():
    sol = vs.gallery("spherical_pendulum").solve((0, 1))
    assert sol["q"].shape == (len(sol), 3) and np.array_equal(sol["q"], sol.array("q")) and "q'" in sol
    assert np.array_equal(sol["q"][:, 1], sol["q[2]"])


def test_pictures_of_arrays():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = vs.gallery("spherical_pendulum").solve((0, 1)).plot("q")
    assert [line.get_label() for line in ax.lines] == ["q[1]", "q[2]", "q[3]"]
    sol = vs.gallery("heat").solve()
    ax = sol.plot()
    n = sum("'" not in name for name in sol.names)
    assert len(ax.lines) == 12 and ax.get_title(loc="left") == f"heat: 12 of {n}"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 12
    matplotlib.pyplot.close("all")
