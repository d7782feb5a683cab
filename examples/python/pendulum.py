"""A pendulum with its rod as a constraint: built in Python, compiled once, solved for several parameters."""

import vessiot as vs


def pendulum() -> vs.Model:
    m = vs.Model(name="pendulum")
    g, l = m.parameter("g", 9.81), m.parameter("l", 1.0)
    x, y, lam = m.unknown("x", "y", "lambda")
    m.equation(x.d(2) == -lam * x, y.d(2) == -lam * y - g, x**2 + y**2 == l**2)
    m.start(x == l, y == 0, x.d() == 0, y.d() == 0)
    m.output("tension", lam * l)
    return m


problem = pendulum().compile(method="dop853", rtol=1e-10)
for g in (9.81, 3.7, 1.62):
    sol = problem.solve((0, 4), params={"g": g})
    print(f"g = {g:.2f}: x(3.7) = {sol(3.7, 'x'):9.6f}, largest tension {sol['tension'].max():6.2f}")

run = problem.begin((0, 10), start={"x": 0.6, "y": -0.8})
while run["x"] > 0 and run.step():
    pass
print(f"x' = {run['x' + chr(39)]:.4f} behind the lowest position")
