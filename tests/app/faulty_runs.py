"""Runs of `tessera run` in which a file operation goes wrong, by way of file_faults.c, and what their files must hold. Where h5py is missing,
whoever imports this is skipped."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import h5py
    import numpy as np
except ImportError as missing:
    if missing.name not in ("h5py", "numpy"):
        raise
    print("SKIPPED: %s; install python3-h5py to compare runs" % missing)
    sys.exit(77)

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "io"))
from file_faults import read_journal

try:
    warnings.simplefilter("ignore")
    import MDAnalysis
except ImportError:
    MDAnalysis = None

DECK = """[system]
topology = "topol.top"
coordinates = "start.gro"
[nonbonded]
cutoff = "0.9 nm"
electrostatics = "%(electrostatics)s"
[run]
timestep = "2 fs"
steps = 12
velocities = "maxwell-boltzmann"
temperature = "%(temperature)s K"
seed = 42
[thermostat]
kind = "v-rescale"
temperature = "%(temperature)s K"
%(barostat)s
[output]
every = "6 fs"
energies_every = "4 fs"
checkpoint_every = "1e-9 s" # after every step
compression = "%(compression)s"
position_rounding = "%(rounding)s"
velocities = %(velocities)s
forces = %(forces)s
[compute]
precision = "%(precision)s"
threads = 1
"""
BAROSTAT = '[barostat]\nkind = "c-rescale"\npressure = "1000 bar"\ntime_constant = "0.1 ps"\n'
LAUNCHER = shutil.which("mpirun.mpich")
SYSTEMS = {  # system, ensemble, precision
    "argon-nvt-fp64": ("argon", "", "fp64"),
    "argon-npt-mixed": ("argon", BAROSTAT, "mixed"),
    "spce-npt-fp64": ("spce", BAROSTAT, "fp64"),
    "spce-nvt-mixed": ("spce", "", "mixed"),
    "argon-npt-apart": ("argon", BAROSTAT, "mixed"),
    "spce-nvt-packed": ("spce", "", "mixed"),
    "spce-npt-packed-apart": ("spce", BAROSTAT, "mixed"),
}
APART = {"velocities": '"4 fs"', "forces": '"8 fs"'}  # strides of their own: groups of their own


def argon_crystal(cells=4, edge=0.5788):
    """An fcc crystal of 4 cells^3 atoms, in nm, as .gro."""
    corners = ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5))
    sites = [[(i + c[0]) * edge, (j + c[1]) * edge, (k + c[2]) * edge] for i in range(cells) for j in range(cells)
             for k in range(cells) for c in corners]
    lines = ["argon", str(len(sites))]
    lines += ["%5d%-5s%5s%5d%8.3f%8.3f%8.3f" % (n + 1, "AR", "AR", n + 1, *x) for n, x in enumerate(sites)]
    return "\n".join(lines + ["%10.5f%10.5f%10.5f" % ((cells * edge,) * 3), ""])


def write_inputs(folder, source, system):
    """The files of one of SYSTEMS, in a new folder."""
    substance, barostat, precision = SYSTEMS[system]
    inputs = pathlib.Path(source) / "inputs" / substance
    topology = (inputs / "topol.top").read_text()
    if substance == "argon":
        (folder / "start.gro").write_text(argon_crystal())
        topology = topology.replace("864", "256")
    else:
        shutil.copy(inputs / "start.gro", folder)
    (folder / "topol.top").write_text(topology)
    packing = ("deflate-1", "0.001 nm") if "packed" in system else ("none", "none")
    vectors = APART if system.endswith("apart") else {"velocities": "true", "forces": "true"}
    (folder / "run.toml").write_text(DECK % (vectors | {
        "electrostatics": "none" if substance == "argon" else "pme", "precision": precision, "barostat": barostat,
        "compression": packing[0], "rounding": packing[1],
        "temperature": "94.4" if substance == "argon" else "300"}))


class Folder:
    """A run's folder, its program and the library that makes its file operations fail."""

    def __init__(self, path, program, faults, source, system):
        self.path = pathlib.Path(path).resolve()
        self.program, self.faults, self.system = program, faults, system
        write_inputs(self.path, source, system)

    def run(self, *arguments, timeout=120, **how):
        return self.finished(self.start(*arguments, **how), timeout)

    def start(self, *arguments, ranks=1, fault=None, only=None, journal=None, sets=(),
              command=("run", "run.toml", "--quiet")):
        """`fault` is that of the first of the ranks, which alone has files."""
        command = [self.program, *command, *arguments]
        if ranks > 1:
            command = [LAUNCHER, "-n", str(ranks)] + command
        for text in sets:
            command += ["--set", text]
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        if fault or journal:
            environment.update(LD_PRELOAD=str(self.faults), FILE_FAULTS_FOLDER=str(self.path))
            for name, value in (("FILE_FAULTS", fault), ("FILE_FAULTS_ONLY", only), ("FILE_FAULTS_JOURNAL", journal)):
                if value is not None:
                    environment[name] = str(value)
        return subprocess.Popen(command, cwd=self.path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def processes(self):
        """Those that work in the folder, as (id, name): of a run on ranks the launcher's too; the first rank comes before
        the others."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "cwd") == str(self.path):
                    found.append((int(process.name), (process / "comm").read_text().strip()))
            except OSError:
                pass  # it has ended
        return sorted(found)

    def ranks(self):
        return [number for number, name in self.processes() if name == pathlib.Path(self.program).name]

    @staticmethod
    def finished(process, timeout=120):
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def clear(self):
        for file in self.path.iterdir():
            if file.name not in ("run.toml", "topol.top", "start.gro"):
                file.unlink()

    def step_of(self, checkpoint):
        with h5py.File(self.path / checkpoint, "r") as f:
            return int(f["state"].attrs["step"])

    def arrays(self, name):
        return arrays(self.path / name)


def arrays(file):
    """Every dataset of an HDF5 file by name."""
    out = {}
    with h5py.File(file, "r") as f:
        f.visititems(lambda name, item: out.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return out


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def counted_by(name):
    """The dataset whose rows say how many are whole in the growing dataset `name`; None: it does not grow."""
    if name.startswith("energies/"):
        return name
    for element in ("velocity", "force"):
        if name.startswith("particles/trajectory_%s/" % element):
            return "particles/trajectory_%s/%s/value" % (element, element)
    if name.startswith(("particles/trajectory/", "observables/")) and not name.endswith(("species", "mass", "charge")):
        return "particles/trajectory/position/value"
    return None


def faults_of_trajectory(file, whole):
    """What is wrong with a trajectory found at any moment: every frame that readers count (by the positions) must be
    one of the unbroken run `whole`, in all its parts."""
    try:
        with h5py.File(file, "r") as f:  # the count before the data: the file may be growing
            counts = {name: len(f[name]) for name in {counted_by(name) for name in whole} - {None}}
        found = arrays(file)
    except Exception as fault:
        return ["h5py cannot read it: %s" % fault]
    faults = []
    rows = min(len(found[n]) for n in found if n.startswith("energies/")) if "energies/step" in found else 0
    for name, values in whole.items():
        if name not in found:
            faults.append("%s is missing" % name)
        elif counted_by(name):
            count = rows if name.startswith("energies/") else counts[counted_by(name)]
            if len(found[name]) < count:
                faults.append("%s has %d rows of %d" % (name, len(found[name]), count))
            elif not same(found[name][:count], values[:count]):
                faults.append("%s differs in its first %d rows" % (name, count))
        elif not name.startswith("parameters/provenance") and not same(found[name], values):
            faults.append("%s differs" % name)
    return faults


def faults_in_mdanalysis(file, whole):
    if MDAnalysis is None:
        return []
    positions = whole["particles/trajectory/position/value"]
    frames = 0
    try:
        with h5py.File(file, "r") as f:
            frames = len(f["particles/trajectory/position/value"])
        if frames == 0:
            return []  # MDAnalysis opens no trajectory without a frame
        universe = MDAnalysis.Universe(str(file))
        try:
            for frame in universe.trajectory:
                if not np.allclose(frame.positions, 10 * positions[frame.frame], atol=1e-5):
                    return ["MDAnalysis reads frame %d otherwise" % frame.frame]
            if universe.trajectory.n_frames != frames:
                return ["MDAnalysis counts other frames"]
        finally:
            universe.trajectory.close()  # else this process would see its old content for ever
    except Exception as fault:
        return ["MDAnalysis cannot read it (%d frames): %s" % (frames, fault)]
    return []


def different(found, whole):
    """Names of the datasets in which two finished runs differ."""
    names = [n for n in set(found) | set(whole) if not n.startswith("parameters/provenance")]
    return sorted(n for n in names if n not in found or n not in whole or not same(found[n], whole[n]))


class FailingRuns(unittest.TestCase):
    """For runs of `systems` by `program`; each has an unbroken one, whose file operations are known, to be compared with."""
    systems, program, library, source = (), "", "", ""

    @classmethod
    def setUpClass(cls):
        cls.unbroken = {}
        for system in cls.systems:
            scratch = tempfile.TemporaryDirectory()
            cls.addClassCleanup(scratch.cleanup)
            folder = Folder(scratch.name, cls.program, cls.library, cls.source, system)
            journal = folder.path.parent / (folder.path.name + ".journal")
            run = folder.run(journal=journal)
            assert run.returncode == 0, run.stderr
            folder.calls = read_journal(journal)
            journal.unlink()
            folder.whole, folder.state = folder.arrays("traj.h5md"), folder.arrays("state.h5")
            cls.unbroken[system] = folder

    def assert_readable(self, folder, moment):
        """What was left behind, before any repair: whole frames, whole checkpoints."""
        trajectory = folder.path / "traj.h5md"
        if trajectory.exists():
            self.assertEqual(faults_of_trajectory(trajectory, folder.whole), [], moment)
            self.assertEqual(faults_in_mdanalysis(trajectory, folder.whole), [], moment)
        for name in ("state.h5", "state.h5.prev"):
            if (folder.path / name).exists():
                self.assertEqual(set(folder.arrays(name)), set(folder.state), moment)

    def assert_told(self, run, words, moment):
        """A fault of the disk: the file, the cause and what is left, in one line; status 4."""
        self.assertEqual(run.returncode, 4, "%s: %s" % (moment, run.stderr))
        self.assertRegex(run.stderr, r"^(state|traj|run)\.(h5|h5md|log)\S*: cannot ", moment)
        self.assertIn(words, run.stderr, moment)
        self.assertEqual((run.stderr.count("\n"), run.stdout), (1, ""), run.stderr)

    def assert_goes_on(self, folder, moment, **how):
        run = folder.run("--continue=if-present", **how)
        self.assertEqual(run.returncode, 0, "%s: %s" % (moment, run.stderr))
        self.assertEqual(different(folder.arrays("state.h5"), folder.state), [], moment)
        self.assertEqual(different(folder.arrays("traj.h5md"), folder.whole), [], moment)
