"""Opens trajectories written by h5md_sample with h5py and MDAnalysis and compares every number with
its closed form. Exit status 77: skipped, because a module is missing (said so)."""
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing}; install python3-h5py to check written trajectories")
    sys.exit(77)
try:
    warnings.simplefilter("ignore")
    import MDAnalysis
except ImportError as missing:
    MDAnalysis = None

GRID = 2.0**-10  # nm: what positions of the packed file are rounded to
SINGLE = 1e-6  # a float32 of positions below 10 nm: half a unit in the last place is 5e-7
faults = []


def check(condition, what):
    if not condition:
        faults.append(what)
        print("FAULT:", what)


def near(a, b, tolerance, what):
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        check(False, f"{what}: shape {a.shape}, right {b.shape}")
    elif a.size and not np.all(np.abs(a - b) <= tolerance):
        check(False, f"{what}: off by {np.abs(a - b).max():.3g}, allowed {tolerance}")


def path_at(frame):
    i = np.arange(10.0)
    t = 0.5 * frame
    return np.stack([0.2 * i + t * i, np.full(10, 0.3 - 2 * t), np.full(10, 0.4 + 0.5 * t)], 1)


def edges_at(frame):
    return 1.001**frame * np.array([[2, 0, 0], [0.5, 3, 0], [-0.25, 0.75, 4]])


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check_growing(path, frames, tolerance):
    name = os.path.basename(path)
    with h5py.File(path, "r") as f:
        check(list(f["h5md"].attrs["version"]) == [1, 1], f"{name}: version")
        check(text(f["h5md/creator"].attrs["name"]) == "Tessera", f"{name}: creator")
        check(text(f["h5md/author"].attrs["name"]) == "someone", f"{name}: author")
        check("units" in f["h5md/modules"], f"{name}: units module")
        p = f["particles/trajectory"]
        steps = 250 * np.arange(frames)
        for element in ("position", "velocity", "force", "image", "box/edges"):
            near(p[element]["step"], steps, 0, f"{name}: {element} step")
            near(p[element]["time"], 0.5 * np.arange(frames), 0, f"{name}: {element} time")
            check(p[element]["value"].shape[0] == frames, f"{name}: {element} rows")
            check(p[element]["step"].id.get_type().get_size() == 8, f"{name}: step is int64")
            same = h5py.h5o.get_info(p[element]["step"].id).addr
            check(same == h5py.h5o.get_info(p["position/step"].id).addr, f"{name}: shared step")
        for element, unit in (("position", "nm"), ("velocity", "nm ps-1"),
                              ("force", "kJ mol-1 nm-1"), ("box/edges", "nm")):
            check(text(p[element]["value"].attrs["unit"]) == unit, f"{name}: unit of {element}")
        check(text(p["position/time"].attrs["unit"]) == "ps", f"{name}: unit of time")
        check(text(p["mass"].attrs["unit"]) == "u", f"{name}: unit of mass")
        check(text(p["charge"].attrs["unit"]) == "e", f"{name}: unit of charge")
        check(p["box"].attrs["dimension"] == 3, f"{name}: dimension")
        check([text(b) for b in p["box"].attrs["boundary"]] == ["periodic"] * 3,
              f"{name}: boundary")
        check(p["velocity"].attrs["time_offset"] == -0.001, f"{name}: time of velocities")
        near(p["mass"], np.full(10, 39.948), 0, f"{name}: mass")
        for k in range(frames):
            edges = p["box/edges/value"][k]
            near(edges, edges_at(k), 1e-15, f"{name}: edges of frame {k}")
            x = p["position/value"][k].astype(float)
            image = p["image/value"][k]
            near(x + image @ edges, path_at(k), tolerance, f"{name}: path of frame {k}")
            fraction = x @ np.linalg.inv(edges)
            check(np.all((fraction > -tolerance) & (fraction < 1 + tolerance)),
                  f"{name}: frame {k} lies in the cell")
            near(p["velocity/value"][k][:, 0], np.arange(10.0), 0, f"{name}: velocity {k}")
            near(p["force/value"][k][:, 2], np.full(10, -30.0 * k), 0, f"{name}: force {k}")
        if frames >= 5:
            check(np.abs(p["image/value"][-1]).max() >= 2, f"{name}: an atom left the cell twice")
        near(f["observables/temperature/value"], 300.0 + np.arange(frames), 0, f"{name}: observable")
        near(f["observables/pressure/step"], steps, 0, f"{name}: observable step")
        near(f["energies/step"], 50 * np.arange(5 * frames), 0, f"{name}: energies step")
        near(f["energies/time"], 0.1 * np.arange(5 * frames), 1e-12, f"{name}: energies time")
        near(f["energies/potential"], np.tile(-100.0 + np.arange(5), frames), 0,
             f"{name}: energies")
        check(text(f["energies/potential"].attrs["unit"]) == "kJ mol-1", f"{name}: energy unit")
        check(text(f["parameters/provenance/deck"][()]) == "[run]\nsteps = 40\n", f"{name}: deck")
        check(f["parameters/provenance"].attrs["seed_run"] == 42, f"{name}: seed")


def check_packed(path):
    with h5py.File(path, "r") as f:
        for element in ("position", "velocity", "force", "image"):
            value = f["particles/trajectory"][element]["value"]
            check((value.compression, value.compression_opts, value.shuffle) == ("gzip", 4, True), f"packed: {element}")
            check(value.chunks == (1, 10, 3), f"packed: chunks of {element}")
        check(f["particles/trajectory/position/step"].compression is None, "packed: steps are not")
        position = f["particles/trajectory/position/value"]
        check(position.attrs["rounded_to"] == GRID, "packed: what positions are rounded to")
        turns = position[()].astype(float) / GRID
        check(np.all(turns == np.rint(turns)), "packed: positions are multiples of what they are rounded to")
    with h5py.File(path.replace("packed", "five"), "r") as f:
        check("rounded_to" not in f["particles/trajectory/position/value"].attrs, "five: not rounded")
        check(f["particles/trajectory/position/value"].compression is None, "five: not packed")


def check_mdanalysis(path, frames, tolerance):
    name = "MDAnalysis on " + os.path.basename(path)
    universe = MDAnalysis.Universe(path)
    check(universe.trajectory.n_frames == frames, f"{name}: frames")
    check(universe.atoms.n_atoms == 10, f"{name}: atoms")
    for k, frame in enumerate(universe.trajectory):
        near(frame.time, 0.5 * k, 1e-6, f"{name}: time")
        edges = 10 * edges_at(k)
        near(frame.triclinic_dimensions, edges, 1e-4, f"{name}: cell of frame {k}")
        x = frame.positions.astype(float)
        turns = (x - 10 * path_at(k)) @ np.linalg.inv(edges)
        near(turns, np.rint(turns), max(1e-6, tolerance), f"{name}: positions of frame {k}")
        near(frame.velocities[:, 0], 10 * np.arange(10.0), 1e-5, f"{name}: velocities")
        near(frame.forces[:, 1], np.full(10, 2.0), 1e-6, f"{name}: forces")
        near(frame.data["temperature"], 300.0 + k, 0, f"{name}: observable")


def check_continued(path):
    with h5py.File(path, "r") as f:
        position = f["particles/trajectory/position"]
        near(position["step"], [0, 10, 20, 30, 40], 0, "continued: step")
        near(position["time"], [0, 0.02, 0.04, 0.06, 0.08], 1e-15, "continued: time")
        near(position["value"][:, 0, 0], 1 + 0.1 * np.array([0, 0.02, 0.04, 0.06, 0.08]), SINGLE,
             "continued: x(t)")
        near(f["energies/step"], np.arange(41), 0, "continued: energies step")
        near(f["energies/potential"], np.arange(41.0), 0, "continued: energies")


def check_strides(path, periodic):
    name = os.path.basename(path)
    with h5py.File(path, "r") as f:
        particles = f["particles"]
        check(list(particles)[0] == "trajectory", f"{name}: the frames' group is the first")
        check("velocity" not in particles["trajectory"] and "force" not in particles["trajectory"],
              f"{name}: no vectors of another stride beside the positions")
        right = {"trajectory/position": [0, 10, 20, 30, 40], "trajectory_velocity/velocity": [0, 20, 40],
                 "trajectory_force/force": [0, 30]}
        for element, steps in right.items():
            time = 0.002 * np.array(steps)
            e = particles[element]
            near(e["step"], steps, 0, f"{name}: step of {element}")
            near(e["time"], time, 1e-15, f"{name}: time of {element}")
            check(e["step"].dtype == np.int64 and e["time"].dtype == np.float64, f"{name}: types of {element}")
            check(e["value"].shape == (len(steps), 1, 3), f"{name}: rows of {element}")
            if not element.endswith("velocity"):
                near(e["value"][:, 0, 0], 1 + 0.1 * time, SINGLE, f"{name}: {element}")
            else:
                near(e["value"][:, 0, 2], time, SINGLE, f"{name}: {element}")
            box = particles[element.split("/")[0] + "/box"]
            check(box.attrs["dimension"] == 3, f"{name}: dimension beside {element}")
            if periodic:
                near(box["edges/step"], steps, 0, f"{name}: step of the cell of {element}")
                near(box["edges/value"][:, 1, 1], 3 + time, 1e-15, f"{name}: cell of {element}")
            else:
                check("edges" not in box, f"{name}: no cell beside {element}")
        check(particles["trajectory_velocity/velocity"].attrs["time_offset"] == -0.001,
              f"{name}: time of velocities")
    if MDAnalysis:
        universe = MDAnalysis.Universe(path)
        check(universe.trajectory.n_frames == 5, f"MDAnalysis on {name}: frames")
        near([10 * (1 + 0.1 * f.time) for f in universe.trajectory],
             [f.positions[0, 0] for f in universe.trajectory], 1e-5, f"MDAnalysis on {name}: positions")


def check_open(path):
    with h5py.File(path, "r") as f:
        p = f["particles/trajectory"]
        check("edges" not in p["box"] and "image" not in p, "open: no cell")
        check([text(b) for b in p["box"].attrs["boundary"]] == ["none"] * 3, "open: boundary")
        check(f["connectivity/bonds"][()].tolist() == [[0, 1], [1, 2]], "open: bonds")
        target = f[f["connectivity/bonds"].attrs["particles_group"]]
        check(target.name == "/particles/trajectory", "open: bonds name their particles")
        names = [text(n) for n in f["parameters/topology/atom_name"]]
        check(names == ["C1", "C2", "C3"], "open: atom names")
    if MDAnalysis:
        universe = MDAnalysis.Universe(path)
        check(universe.dimensions is None, "MDAnalysis on open: no cell")
        near(universe.atoms.positions[:, 0], [0, 1, 2], 1e-6, "MDAnalysis on open: positions")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    for name, frames, tolerance in (("empty", 0, SINGLE), ("one", 1, SINGLE), ("five", 5, SINGLE),
                                    ("double", 3, 1e-14), ("packed", 5, GRID / 2)):
        check_growing(f"{folder}/{name}.h5md", frames, tolerance)
        if MDAnalysis and frames:
            check_mdanalysis(f"{folder}/{name}.h5md", frames, tolerance)
    check_packed(f"{folder}/packed.h5md")
    check_continued(f"{folder}/continued.h5md")
    check_strides(f"{folder}/strides.h5md", True)
    check_strides(f"{folder}/strides_open.h5md", False)
    check_open(f"{folder}/open.h5md")

if not MDAnalysis:
    print("NOTE: MDAnalysis is missing; only h5py looked. Install python3-mdanalysis.")
print(f"{len(faults)} faults")
sys.exit(1 if faults else 0)
