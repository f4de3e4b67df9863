"""Known faults of other engines that show in files and memory of `tessera run` (tests/known_faults.md).

usage: known_faults_test.py TESSERA SOURCE_DIR [long]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
except ImportError:
    h5py = None

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
LONG = sys.argv[3:] == ["long"]

LONE_ATOM = """one atom that drifts along x
    1
    1AR      AR    1   1.000   1.000   1.000  0.1000  0.0000  0.0000
   5.00000   5.00000   5.00000
"""
DECK = """[system]
topology    = "topol.top"
coordinates = "start.gro"

[nonbonded]
cutoff         = "1.0 nm"
electrostatics = "none"

[run]
timestep          = "2 fs"
steps             = 40
remove_com_motion = 0

[output]
every              = "20 fs"
energies_every     = "20 fs"
velocities         = true
position_precision = "float64"

[compute]
precision = "fp64"
"""


class KnownFaults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write_system(self, deck, coordinates, atoms):
        (self.folder / "run.toml").write_text(deck)
        (self.folder / "start.gro").write_text(coordinates)
        text = (SOURCE / "inputs/argon/topol.top").read_text()
        (self.folder / "topol.top").write_text(text.replace("AR  864", "AR  %d" % atoms))

    def run_deck(self, *arguments):
        run = subprocess.run([TESSERA, "run", "run.toml"] + list(arguments), capture_output=True, text=True,
                             cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)


@unittest.skipIf(LONG, "the short ones are tests of their own")
class RowsOfATrajectory(KnownFaults):
    def expect_rows_in_line(self):
        with h5py.File(self.folder / "traj.h5md") as file:
            group = file["particles/trajectory"]
            for name in ("position", "velocity", "box/edges"):
                element = group[name]
                self.assertEqual(element["step"].dtype, "int64")
                self.assertEqual(element["time"].dtype, "float64")
                self.assertEqual(list(element["step"]), [0, 10, 20, 30, 40], name)
                self.assertEqual(list(element["time"]), [step * 0.002 for step in (0, 10, 20, 30, 40)], name)
                self.assertEqual(len(element["value"]), 5, name)
            for row, time in enumerate(group["position/time"]):
                # no force: the grid of positions (2^-48 nm) a step
                self.assertAlmostEqual(group["position/value"][row][0][0], 1 + 0.1 * time, delta=1e-12)
                self.assertAlmostEqual(group["velocity/value"][row][0][0], 0.1, delta=1e-7)
            self.assertEqual(list(file["energies/step"]), [0, 10, 20, 30, 40])

    def test_b33_step_time_and_value_agree(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        self.write_system(DECK, LONE_ATOM, 1)
        self.run_deck()
        self.expect_rows_in_line()

    def test_b33_step_time_and_value_agree_after_a_restart_on_and_between_frames(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        for middle in (20, 25):
            self.write_system(DECK, LONE_ATOM, 1)
            self.run_deck("--set", "run.steps=%d" % middle)
            self.run_deck("--continue")
            self.expect_rows_in_line()


def fluid(edge=10, apart=0.37):
    lines = ["a thousand atoms", "%5d" % edge**3]
    for k in range(edge**3):
        x, y, z = (apart * (c + 0.5) for c in (k % edge, k // edge % edge, k // edge**2))
        lines.append("%5d%-5s%5s%5d%8.3f%8.3f%8.3f" % (k + 1, "AR", "AR", k + 1, x, y, z))
    return "\n".join(lines + ["%10.5f%10.5f%10.5f" % (3 * (edge * apart,))]) + "\n"


@unittest.skipUnless(LONG, "minutes: run with the word long")
class MemoryOfALongRun(KnownFaults):
    def test_b45_ten_times_the_steps_take_no_more_memory(self):
        deck = DECK.replace("remove_com_motion = 0", 'velocities = "maxwell-boltzmann"\ntemperature = "100 K"')
        deck = deck.replace('"1.0 nm"', '"0.7 nm"').replace("velocities         = true\n", "")
        self.write_system(deck, fluid(), 1000)
        resident = {}
        for steps in (10000, 100000):
            frames = "%d fs" % (2 * steps // 50)  # 50 of them in both: HDF5's caches fill with frames, up to a limit
            process = subprocess.Popen([TESSERA, "run", "run.toml", "--threads", "1", "--set", "run.steps=%d" % steps,
                                        "--set", "output.every=" + frames, "--set", "output.energies_every=" + frames],
                                       stdout=subprocess.DEVNULL, cwd=self.folder)
            while process.poll() is None:  # its own peak: what wait() tells holds this Python's before exec
                peak = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path("/proc/%d/status" % process.pid).read_text())
                resident[steps] = max(resident.get(steps, 0), 1024 * int(peak.group(1)) if peak else 0)
                time.sleep(0.1)
            self.assertEqual(process.returncode, 0)
        print("resident:", resident)
        self.assertGreater(resident[10000], 1e6)
        self.assertLess(resident[100000] - resident[10000], 1e6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
