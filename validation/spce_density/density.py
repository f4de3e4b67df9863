#!/usr/bin/env python3
"""Mean density of a run at constant pressure, with its error by block averaging.

usage: density.py TRAJECTORY.h5md [--skip PS]

Needs h5py and numpy (Debian: python3-h5py python3-numpy).
"""
import argparse

import h5py
import numpy as np

U_PER_NM3 = 1.66053906660e-3  # g/cm3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trajectory")
    parser.add_argument("--skip", type=float, default=50.0, help="leave out the first so many ps")
    arguments = parser.parse_args()

    with h5py.File(arguments.trajectory, "r") as file:
        time = file["energies/time"][:]
        kept = time >= time[0] + arguments.skip
        mass = file["particles/trajectory/mass"][:].sum()
        density = mass / file["energies/volume"][:][kept] * U_PER_NM3
        rows = {name: file[f"energies/{name}"][:][kept] for name in ("temperature", "pressure", "potential_energy")}

    def error(values):
        """The largest standard error of the mean over divisions into 5 to 40 blocks."""
        return max(np.std(means, ddof=1) / np.sqrt(len(means))
                   for blocks in (5, 10, 20, 40)
                   for means in [np.array([b.mean() for b in np.array_split(values, blocks)])])

    print(f"{kept.sum()} rows over {time[kept][-1] - time[kept][0]:.1f} ps")
    print(f"density      {density.mean():.5f} +- {error(density):.5f} g/cm3")
    for name, values in rows.items():
        print(f"{name:12} {values.mean():.4f} +- {error(values):.4f}")


if __name__ == "__main__":
    main()
