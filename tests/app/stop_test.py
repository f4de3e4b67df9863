"""Runs stopped by signals, checkpoints that are damaged, trajectories that are read while they grow. Exit status 77:
skipped, because a module is missing (said so).

usage: stop_test.py TESSERA SOURCE_DIR FILE_FAULTS_LIBRARY [long]
"""
import pathlib
import random
import signal
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(sys.argv[2])
import faulty_runs

IS_LONG = sys.argv[4:] == ["long"]
RANDOM = random.Random(9)
LASTING = ["run.steps=3000", "output.every=100 fs", "output.energies_every=40 fs", "output.checkpoint_every=1 h"]


class Stops(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = faulty_runs.Folder(scratch.name, sys.argv[1], sys.argv[3], SOURCE, "argon-npt-mixed")

    def size_of_trajectory(self):
        file = self.folder.path / "traj.h5md"
        return file.stat().st_size if file.exists() else -1

    def test_by_signals_leave_a_checkpoint_from_which_the_same_bits_follow(self):
        """At moments of the run's own progress, the size of its trajectory: the machine may have other work to do."""
        self.assertEqual(self.folder.run(sets=LASTING).returncode, 0)
        size = (self.folder.path / "traj.h5md").stat().st_size
        whole, state = self.folder.arrays("traj.h5md"), self.folder.arrays("state.h5")
        stopped = 0
        for trial in range(30 if IS_LONG else 6):
            number = (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT)[trial % 4]
            with self.subTest(signal=number, trial=trial):
                self.folder.clear()
                process = self.folder.start(sets=LASTING)
                wanted = 0.8 * RANDOM.random() * size
                while process.poll() is None and self.size_of_trajectory() < wanted:
                    time.sleep(0.001)
                process.send_signal(number)
                run = self.folder.finished(process)
                self.assertIn(run.returncode, (85, 0, -number), run.stderr)
                if run.returncode == -number:  # it came behind the run's end
                    self.assertEqual(faulty_runs.different(self.folder.arrays("state.h5"), state), [])
                stopped += run.returncode == 85
                run = self.folder.run("--continue", sets=LASTING)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(faulty_runs.different(self.folder.arrays("state.h5"), state), [])
                self.assertEqual(faulty_runs.different(self.folder.arrays("traj.h5md"), whole), [])
        print("stopped by signals: %d" % stopped)
        self.assertGreater(stopped, 0)

    def test_cannot_be_caused_by_readers_which_see_whole_frames_only(self):
        self.assertEqual(self.folder.run(sets=LASTING).returncode, 0)
        whole = self.folder.arrays("traj.h5md")
        looks, too_early, runs = 0, 0, 0
        while looks <= max(10, too_early) and runs < 10:  # a reader that is given no time sees little of one run
            runs += 1
            self.folder.clear()
            process = self.folder.start(sets=LASTING)
            while process.poll() is None:
                if self.size_of_trajectory() >= 0:
                    faults = faulty_runs.faults_of_trajectory(self.folder.path / "traj.h5md", whole)
                    if any("addr overflow" in fault for fault in faults):
                        too_early += 1  # it took the file's length before the file grew: told, and gone when opened again
                        continue
                    self.assertEqual(faults, [])
                    looks += 1
            self.assertEqual(self.folder.finished(process).returncode, 0)
        print("looks at a growing file: %d, refused for a length that was old: %d" % (looks, too_early))
        self.assertGreater(looks, too_early)


class DamagedCheckpoints(Stops):
    test_by_signals_leave_a_checkpoint_from_which_the_same_bits_follow = None
    test_cannot_be_caused_by_readers_which_see_whole_frames_only = None

    def test_are_told_by_name_and_replaced_by_the_previous_one(self):
        self.assertEqual(self.folder.run().returncode, 0)
        file = self.folder.path / "state.h5"
        whole = file.read_bytes()
        damaged = [whole[:len(whole) * k // 4] for k in range(4)]
        damaged += [whole[:RANDOM.randrange(len(whole))] for _ in range(50 if IS_LONG else 6)]
        for at in RANDOM.sample(range(len(whole)), 200 if IS_LONG else 20):
            damaged.append(whole[:at] + bytes([whole[at] ^ (1 << RANDOM.randrange(8))]) + whole[at + 1:])
        for number, content in enumerate(damaged):
            file.write_bytes(content)
            run = self.folder.run("--continue", sets=["run.steps=11"])  # the previous one's step: nothing is written
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stderr, r"^warning: state.h5: .*(complete checkpoint|was altered).*state.h5.prev", number)
        print("damaged checkpoints: %d" % len(damaged))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
