"""An ensemble over the ranks of MPI: mpiexec -n 2 python -m mpi4py.futures with_mpi.py"""

import numpy as np
from mpi4py.futures import MPIPoolExecutor

import vessiot as vs


def main() -> None:
    problem = vs.gallery("pendulum").compile(method="dop853", rtol=1e-8)
    g = np.linspace(1, 20, 40)
    with MPIPoolExecutor() as pool:
        spread = problem.ensemble({"g": g}, (0, 2), executor=pool, chunk=10)
    alone = problem.ensemble({"g": g}, (0, 2))
    print(f"{len(spread)} members, same bits: {np.array_equal(spread.values, alone.values)}")


if __name__ == "__main__":
    main()
