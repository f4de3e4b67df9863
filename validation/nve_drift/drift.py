#!/usr/bin/env python3
"""Drift of the conserved quantity of a run, with its error bar.

usage: drift.py TRAJECTORY.h5md [--skip PS]

Needs h5py and numpy (Debian: python3-h5py python3-numpy).

Under force noise the energy walks at random: Var[E(t + tau) - E(t)] = 2 P tau / ndf + constant, with E
in kT a degree of freedom and P the heating power in kT/ns/dof. The slope of one run therefore has the
standard error sqrt(2 P / (ndf t)) at least. Where the energy only fluctuates about a constant, the
error of the least-squares slope, by block averages of the residuals, is the larger one. Both are
printed, and the larger is the error bar.
"""
import argparse
import sys

import h5py
import numpy as np

BOLTZMANN = 0.00831446261815324  # kJ/mol/K


def error_from_residuals(residual, length):
    """Of a slope through residuals about it: the largest over means of 1, 2, 4, ... rows, 10 means
    at least, so that what is correlated over a tenth of the run is counted."""
    errors = []
    rows = 1
    while len(residual) // rows >= 10:
        n = len(residual) // rows
        means = residual[: n * rows].reshape(n, rows).mean(axis=1)
        errors.append(np.sqrt(12 * np.mean(means**2) / n) / length)
        rows *= 2
    return max(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trajectory")
    parser.add_argument("--skip", type=float, default=0.0, help="leave out the first so many ps")
    arguments = parser.parse_args()

    with h5py.File(arguments.trajectory, "r") as file:
        rows = file["energies"]
        time = rows["time"][:]
        kept = time >= time[0] + arguments.skip
        time = time[kept]
        energy = rows["conserved_energy"][:][kept]
        kinetic = rows["kinetic_energy"][:][kept]
        temperature = rows["temperature"][:][kept]
        atoms = file["particles/trajectory/mass"].shape[0]
    if len(time) < 20:
        sys.exit(f"{arguments.trajectory}: {len(time)} rows of energies are too few for an error bar. "
                 "Run longer, or write energies more often.")

    mean_temperature = temperature.mean()
    freedom = round(2 * kinetic.mean() / (BOLTZMANN * mean_temperature))
    e = energy / (freedom * BOLTZMANN * mean_temperature)  # kT a degree of freedom
    t = time / 1000  # ns
    length = t[-1] - t[0]
    interval = length / (len(t) - 1)

    slope, offset = np.polyfit(t, e, 1)
    residual = e - (slope * t + offset)
    from_residual = error_from_residuals(residual, length)

    print(f"rows                {len(t)} over {length * 1000:.3f} ps, {atoms} atoms, {freedom} degrees of freedom")
    print(f"temperature         {mean_temperature:.2f} K")
    print(f"sigma of the energy {np.sqrt(np.mean(residual**2)) * freedom * BOLTZMANN * mean_temperature:.4f} kJ/mol "
          f"= {np.sqrt(np.mean(residual**2)):.3e} kT/dof")
    lag = max(1, len(t) // 16)
    spread = [np.var(e[k:] - e[:-k]) for k in (lag, 4 * lag)]
    walks = spread[1] - spread[0] > 0.5 * spread[0]  # a walk gives 3 times, noise about a constant nothing
    power = (spread[1] - spread[0]) * freedom / (2 * 3 * lag * interval) if walks else 0.0
    print(f"heating power       P = {power:.2e} kT/ns/dof, from increments over {lag * interval * 1e3:.2f} and "
          f"{4 * lag * interval * 1e3:.2f} ps" + ("" if walks else ": no walk is seen"))
    from_walk = np.sqrt(2 * power / (freedom * length))
    error = max(from_residual, from_walk)
    print(f"error of the slope  {from_residual:.2e} (residuals), {from_walk:.2e} (random walk) kT/ns/dof")
    print(f"drift               {slope:+.2e} +- {error:.2e} kT/ns/dof "
          f"= {slope * freedom * BOLTZMANN * mean_temperature / atoms / 1000:+.2e} kJ/mol/ps an atom")


if __name__ == "__main__":
    main()
