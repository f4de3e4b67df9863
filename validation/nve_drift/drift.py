#!/usr/bin/env python3
"""Drift of the conserved quantity of a run, with its error bar.

usage: drift.py TRAJECTORY.h5md [--skip PS]

Needs h5py and numpy (Debian: python3-h5py python3-numpy).

The slope is that of the straight line of least squares. Its error is the one of `DriftLine` (io/run_statistics.hpp, which has
the formulas), so that the log of a run of one part tells the same: the larger of block averages of the residuals and of a random
walk, where one is seen. Under force noise the energy walks: Var[E(t + tau) - E(t)] = 2 P tau / ndf + constant, with E in kT a
degree of freedom and P the heating power in kT/ns/dof, and the slope is no better known than sqrt(12 P / (5 ndf t)).
"""
import argparse
import sys

import h5py
import numpy as np

BOLTZMANN = 0.00831446261815324  # kJ/mol/K


def drift(time, energy):
    """Slope, its error from fluctuations and from a walk, and the variance the walk gains in a unit of time (0: none is seen)."""
    n, span = len(time), time[-1] - time[0]
    slope, offset = np.polyfit(time - time[0], energy, 1)
    blocks = energy - offset - slope * (time - time[0])
    length, errors = span / (n - 1), []
    while not errors or len(blocks) >= 8:
        m = len(blocks)
        errors.append(np.sqrt(12 * np.sum(blocks**2) / ((m - 2) * m * (m * m - 1))) / length)
        blocks = blocks[:m // 2 * 2].reshape(-1, 2).mean(axis=1)
        length *= 2
    lag = n // 16
    early, late = (np.var(energy[k:] - energy[:-k]) for k in (lag, 4 * lag)) if lag else (0, 0)
    diffusion = (late - early) / (0.1175 * span) if late > 1.3 * early else 0.0
    return slope, max(errors), np.sqrt(1.2 * diffusion / span), diffusion


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
    slope, from_fluctuations, from_walk, diffusion = drift(time / 1000, e)  # ns
    error = max(from_fluctuations, from_walk)

    print(f"rows                {len(time)} over {time[-1] - time[0]:.3f} ps, {atoms} atoms, {freedom} degrees of freedom")
    print(f"temperature         {mean_temperature:.2f} K")
    print(f"heating power       P = {diffusion * freedom / 2:.2e} kT/ns/dof" + ("" if diffusion else ": no walk is seen"))
    print(f"error of the slope  {from_fluctuations:.2e} (fluctuations), {from_walk:.2e} (random walk) kT/ns/dof")
    print(f"drift               {slope:+.2e} +- {error:.2e} kT/ns/dof "
          f"= {slope * freedom * BOLTZMANN * mean_temperature / atoms / 1000:+.2e} kJ/mol/ps an atom")


if __name__ == "__main__":
    main()
