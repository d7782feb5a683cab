"""An ensemble over the workers of a dask cluster: here two processes of this machine."""

import numpy as np
from dask.distributed import Client, LocalCluster

import vessiot as vs


def main() -> None:
    problem = vs.gallery("pendulum").compile(method="dop853", rtol=1e-8)
    g = np.linspace(1, 20, 40)
    options = dict(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with LocalCluster(**options) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call, unused-ignore]
        spread = problem.ensemble({"g": g}, (0, 2), executor=client.get_executor())
    alone = problem.ensemble({"g": g}, (0, 2))
    print(f"{len(spread)} members, same bits: {np.array_equal(spread.values, alone.values)}")


if __name__ == "__main__":
    main()
