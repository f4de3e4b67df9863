"""What a kill at any of a trajectory's file operations leaves: replayed from a journal, every state must open in a plain
HDF5 reader and hold whole frames. Exit status 77: skipped, because a module is missing (said so).

usage: ordered_writes_test.py H5MD_MANY_FRAMES FILE_FAULTS_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("SKIPPED: %s; install python3-h5py to check what kills leave" % missing)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from file_faults import read_journal, states

WRITER, FAULTS = sys.argv[1:3]
NAME = "many.h5md"


def is_index(call):
    return call.op == "write" and call.data[:4] == b"TREE"


class Kills(unittest.TestCase):
    def setUp(self):
        # in memory where that can be: hundreds of megabytes pass through
        scratch = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()

    def journal(self, *arguments, fault=None):
        journal = self.folder / "journal"
        environment = dict(os.environ, LD_PRELOAD=FAULTS, FILE_FAULTS_FOLDER=str(self.folder),
                           FILE_FAULTS_JOURNAL=str(journal))
        if fault:
            environment["FILE_FAULTS"] = fault
        subprocess.run([WRITER, str(self.folder / NAME)] + [str(a) for a in arguments], check=not fault, env=environment,
                       timeout=300)
        calls = read_journal(journal)
        journal.unlink()
        return calls

    def assert_whole(self, file, least, most, moment):
        """Frames at least `least` and at most `most`, every number right."""
        try:
            with h5py.File(file, "r") as f:
                p = f["particles/trajectory"]
                frames = len(p["position/value"])
                self.assertTrue(least <= frames <= most, "%s: %d frames" % (moment, frames))
                self.assertEqual(len(p["position/step"]), frames, moment)  # MDAnalysis reads until steps end
                expected = np.arange(frames)
                for found in (p["position/value"][:, 0, 0], p["position/step"][:frames],
                              f["observables/temperature/value"][:frames]):
                    np.testing.assert_array_equal(found, expected, str(moment))
                np.testing.assert_allclose(p["position/time"][:frames], 0.001 * expected, atol=1e-12)
                np.testing.assert_array_equal(p["box/edges/value"][:frames, 0, 0], np.full(frames, 1000.0), str(moment))
                self.assertEqual(p["image/value"][:frames].shape[0], frames, moment)
                rows = min(len(f["energies/step"]), len(f["energies/potential"]))
                np.testing.assert_array_equal(f["energies/potential"][:rows], np.arange(rows), str(moment))
        except (OSError, KeyError, RuntimeError) as fault:
            self.fail("%s: %s" % (moment, fault))

    def assert_all_whole(self, calls, content, least, most, window=None):
        """`window`: only calls with numbers in it are looked at. Returns how many states that were."""
        looked_at = 0
        file = self.folder / "state.h5md"
        for call, kind in states(calls, NAME, file, content):
            if window is None or call.number in window:
                self.assert_whole(file, least, most, (call.number, kind, call.op, call.offset, call.size))
                looked_at += 1
        return looked_at

    def test_leave_whole_frames_while_the_file_grows(self):
        looked_at = self.assert_all_whole(self.journal(500, 12), b"", 0, 12)
        self.assertGreater(looked_at, 100)

    def test_leave_whole_frames_while_a_packed_file_grows(self):
        looked_at = self.assert_all_whole(self.journal(500, 12, -1, 1), b"", 0, 12)
        self.assertGreater(looked_at, 100)

    def test_leave_whole_frames_while_indices_are_split(self):
        # 6000 atoms: a chunk a frame, and nodes of 64 chunks; the root is split first, later a leaf
        self.assert_whole_while_indices_are_split()

    def test_leave_whole_frames_while_indices_of_packed_frames_are_split(self):
        self.assert_whole_while_indices_are_split(-1, 1)

    def assert_whole_while_indices_are_split(self, *how):
        calls = self.journal(6000, 130, *how)
        first = next(call.number for call in calls if is_index(call))
        splits = [c.number for c in calls if is_index(c) and c.number > first + 40 and c.data[5] == 1]
        self.assertGreaterEqual(len(splits), 4)  # positions and images, each twice
        window = {n for split in splits for n in range(split - 5, split + 8)}
        self.assertGreater(self.assert_all_whole(calls, b"", 60, 130, window), 50)

    def test_leave_whole_frames_while_a_file_is_cut(self):
        for atoms, frames, cut, level in ((500, 30, 7, 0), (6000, 75, 55, 0), (500, 30, 7, 1), (6000, 75, 55, 1)):
            with self.subTest(atoms=atoms, frames=frames, cut=cut, level=level):
                self.journal(atoms, frames, -1, level)
                content = (self.folder / NAME).read_bytes()
                calls = self.journal(atoms, cut + 8, cut, level)
                looked_at = self.assert_all_whole(calls, content, cut + 1, frames)
                self.assertGreater(looked_at, 50)
                self.assert_whole(self.folder / NAME, cut + 8, cut + 8, "at the end")

    def test_in_a_cut_leave_a_file_that_is_cut_again(self):
        for level in (0, 1):
            with self.subTest(level=level):
                self.assert_cut_again(level)

    def assert_cut_again(self, level):
        self.journal(500, 30, -1, level)
        content = (self.folder / NAME).read_bytes()
        for kill in range(2, 40, 5):
            (self.folder / NAME).write_bytes(content)
            self.journal(500, 20, 7, level, fault="kill:%d" % kill)
            self.journal(500, 20, 7, level, fault="torn:%d" % (kill + 2))
            calls = self.journal(500, 20, 7, level)
            self.assertGreater(len(calls), 20)
            self.assert_whole(self.folder / NAME, 20, 20, kill)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
