"""Runs that are killed, or whose disk fails, at chosen file operations, and go on: the same bits as an unbroken run, and
nothing left that cannot be read. Exit status 77: skipped, because a module is missing (said so).

usage: kill_test.py TESSERA SOURCE_DIR FILE_FAULTS_LIBRARY [long]
"""
import collections
import errno
import pathlib
import random
import signal
import sys
import time
import unittest

SOURCE = pathlib.Path(sys.argv[2])
import faulty_runs

IS_LONG = sys.argv[4:] == ["long"]
SYSTEMS = list(faulty_runs.SYSTEMS) if IS_LONG else ["argon-nvt-fp64", "argon-npt-mixed", "argon-npt-apart", "spce-nvt-packed"]
RANDOM = random.Random(5)
COUNTS = collections.Counter()
SELDOM = "output.checkpoint_every=1 h"


class FailingRuns(faulty_runs.FailingRuns):
    systems, program, library, source = SYSTEMS, sys.argv[1], sys.argv[3], SOURCE

    @staticmethod
    def moments(folder):
        """One call of each kind, with a name: of the first frame, a later one, the first checkpoint, a later one;
        or every call that writes vectors at strides of their own."""
        calls = folder.calls
        out = {}
        if folder.system.endswith("apart"):  # what the others have not
            ends = [c.number for c in calls if c.file == "state.h5.tmp" and c.op == "empty"]  # one a step
            for step in (2, 4, 8, 10):  # no frames; velocities in all, forces in 4 (their second row) and 8
                window = [c.number for c in calls[ends[step - 2]:ends[step - 1]] if c.file == "traj.h5md"]
                assert len(window) > 10
                out.update(("vectors apart of step %d, call %d" % (step, k + 1), n) for k, n in enumerate(window))
            return out
        frames = [c.number for c in calls if c.op == "write" and c.file == "traj.h5md"]
        begun = next(c.number for c in calls if c.op == "rename" and c.names[1].endswith("traj.h5md"))
        out["the trajectory is put in its place"] = begun
        out["the trajectory is made"] = begun // 2
        first_checkpoint = next(c.number for c in calls if c.file == "state.h5.tmp")
        lengths = [c.number for c in calls if c.op == "size" and c.file == "traj.h5md"]
        out["the first frame, data"] = frames[3]
        out["the first frame, new indices"] = lengths[0] - 4
        out["the first frame, length"] = lengths[0]
        out["the first frame, headers"] = lengths[0] + 9
        out["the first frame, positions"] = lengths[1] + 2
        names = [(c.op, c.names[-1].split("/")[-1]) for c in calls]
        for label, begin in (("the first checkpoint", first_checkpoint),
                             ("a later checkpoint", [c.number for c in calls if c.file == "state.h5.tmp" and
                                                     c.op == "empty"][5])):
            for step in range(12):
                op, name = names[begin - 1 + step]
                if name in ("traj.h5md", "run.log"):
                    break
                out["%s, call %d (%s)" % (label, step + 1, op)] = begin + step
        later = [n for n in frames if n > out["a later checkpoint, call 1 (empty)"]]
        headers = [n for n in later if calls[n - 1].size == 272]
        out["a later frame, data"] = later[2]
        out["a later frame, first header"] = headers[0]
        out["a later frame, a header"] = headers[len(headers) // 3]
        out["a later frame, last header"] = headers[-1]
        out["the last call"] = len(calls)
        return out

    def kill(self, folder, fault, moment, again=None):
        folder.clear()
        run = folder.run(fault=fault)
        self.assertEqual(run.returncode, -signal.SIGKILL, moment)
        self.assert_readable(folder, moment)
        if again:
            run = folder.run("--continue=if-present", fault=again)
            self.assertIn(run.returncode, (-signal.SIGKILL, 0), moment)
            COUNTS["twice in a row"] += run.returncode != 0
            self.assert_readable(folder, moment)
        self.assert_goes_on(folder, moment)
        COUNTS["kills"] += 1


class Kills(FailingRuns):
    def test_at_file_operations_leave_a_run_that_goes_on_to_the_same_bits(self):
        for number, (system, folder) in enumerate(self.unbroken.items()):
            moments = list(self.moments(folder).items())
            if not IS_LONG:
                moments = moments[number::max(4, len(moments) // 8)]
            for k, (name, call) in enumerate(moments):
                with self.subTest(system=system, moment=name):
                    again = "kill:%d" % RANDOM.randrange(10, 150) if k % 4 == 3 else None
                    self.kill(folder, ("torn:%d" if k % 3 == 0 else "kill:%d") % call, name, again)
                    COUNTS["inside " + ("vectors apart" if "apart" in name else "trajectory" if "frame" in name or
                                        "traj" in name else "checkpoint")] += 1

    @unittest.skipUnless(IS_LONG, "a long test")
    def test_anywhere_leave_a_run_that_goes_on_to_the_same_bits(self):
        for system, folder in self.unbroken.items():
            for trial in range(30):
                call = RANDOM.randrange(1, len(folder.calls) + 1)
                with self.subTest(system=system, call=call):
                    again = "torn:%d" % RANDOM.randrange(10, 200) if trial % 3 == 0 else None
                    self.kill(folder, "kill:%d" % call, "call %d" % call, again)
                    COUNTS["at any call"] += 1

    def test_in_continued_runs_with_frames_behind_the_checkpoint_lose_nothing(self):
        for system, folder in self.unbroken.items():
            for trial in range(12 if IS_LONG else 2):
                with self.subTest(system=system, trial=trial):
                    folder.clear()
                    self.assertEqual(folder.run(sets=["run.steps=4"]).returncode, 0)
                    # the kills come before the next checkpoint: the frames of steps 6, 9, 12 are cut and made again
                    late = folder.run("--continue", sets=[SELDOM], fault="kill:1", only="state.h5.tmp")
                    self.assertEqual(late.returncode, -signal.SIGKILL)
                    for _ in range(2):
                        call = RANDOM.randrange(10, 60)
                        again = folder.run("--continue", sets=[SELDOM], fault="torn:%d" % call)
                        self.assertEqual(again.returncode, -signal.SIGKILL)
                        self.assert_readable(folder, "cut, call %d" % call)
                        COUNTS["in a cut"] += 1
                    self.assert_goes_on(folder, "cut")

    def test_at_random_times_leave_a_run_that_goes_on_to_the_same_bits(self):
        for system, folder in self.unbroken.items():
            begin = time.time()
            folder.clear()
            self.assertEqual(folder.run().returncode, 0)
            usual = time.time() - begin
            for trial in range(12 if IS_LONG else 1):
                with self.subTest(system=system, trial=trial):
                    folder.clear()
                    process = folder.start()
                    time.sleep(RANDOM.random() * usual)
                    process.kill()
                    folder.finished(process)
                    self.assert_readable(folder, "at a random time")
                    self.assert_goes_on(folder, "at a random time")
                    COUNTS["at random times"] += 1


class Disks(FailingRuns):
    def disk_fails(self, folder, fault, moment, words, only=None):
        """Status 4 and a message with file, cause and what is left; or, where nothing was lost, a run like any other."""
        folder.clear()
        run = folder.run(fault=fault, only=only)
        if run.returncode != 0:
            self.assert_told(run, words, moment)
            self.assert_what_is_said_of_checkpoints_is_so(folder, run.stderr)
            COUNTS["%s, told" % words] += 1
        else:
            COUNTS["%s, without effect" % words] += 1
        self.assert_readable(folder, moment)
        self.assert_goes_on(folder, moment)
        return run

    def assert_what_is_said_of_checkpoints_is_so(self, folder, words):
        name = next((n for n in ("state.h5", "state.h5.prev") if (folder.path / n).exists()), None)
        truth = "there is no checkpoint yet"
        if name:
            words_on = "the checkpoint %s of step %d is intact, and --continue goes on from it"
            truth = words_on % (name, folder.step_of(name))
        if "checkpoint " in words:
            self.assertIn(truth, words)

    def writes(self, folder, name):
        return [c.number for c in folder.calls if c.op == "write" and c.file == name]

    def test_that_are_full_end_a_run_with_status_4_and_leave_what_was_there(self):
        for number, (system, folder) in enumerate(self.unbroken.items()):
            for name in ("traj.h5md.new", "traj.h5md", "state.h5.tmp", "run.log"):
                calls = self.writes(folder, name)
                for trial in range(4 if IS_LONG else 1):
                    call = RANDOM.choice(calls)
                    with self.subTest(system=system, file=name, call=call):
                        run = self.disk_fails(folder, "full:%d" % call, "%s, call %d" % (name, call),
                                              "No space left on device")
                        self.assertEqual(run.returncode, 4)
                        self.assertRegex(run.stderr, "intact|free space")

    def test_that_are_full_from_the_first_byte_on_leave_no_empty_file(self):
        for system, folder in self.unbroken.items():
            begun = next(c.number for c in folder.calls if c.file == "traj.h5md.new" and c.op == "empty")
            for fault in ("full:1", "error:%d:%d" % (begun, errno.ENOSPC)):
                with self.subTest(system=system, fault=fault):
                    folder.clear()
                    run = folder.run(fault=fault)
                    self.assert_told(run, "No space left on device", fault)
                    self.assertEqual({f.name for f in folder.path.iterdir()}, {"run.toml", "topol.top", "start.gro"})

    def test_that_are_full_for_one_file_are_told_with_its_name(self):
        for system, folder in self.unbroken.items():
            for name, call in (("run.log", 7), ("state.h5.tmp", 9), ("traj.h5md", 60)):
                with self.subTest(system=system, file=name):
                    run = self.disk_fails(folder, "full:%d" % call, name, "No space left on device", only=name)
                    self.assertEqual(run.returncode, 4)
                    self.assertTrue(run.stderr.startswith(name + ": cannot "), run.stderr)
                    self.assertIn("intact", run.stderr)

    def test_that_are_full_before_the_first_checkpoint_leave_a_run_to_start_anew(self):
        for system, folder in self.unbroken.items():
            for name in ("run.log", "state.h5.tmp"):
                with self.subTest(system=system, file=name):
                    run = self.disk_fails(folder, "full:1", name, "No space left on device", only=name)
                    self.assertEqual(run.returncode, 4)
                    self.assertIn("there is no checkpoint yet: start the run anew", run.stderr)

    def test_that_fail_once_end_a_run_with_status_4_or_do_no_harm(self):
        for system, folder in self.unbroken.items():
            moments = list(self.moments(folder).items())
            for name, call in moments if IS_LONG else RANDOM.sample(moments, 3):
                with self.subTest(system=system, moment=name):
                    self.disk_fails(folder, "error:%d:%d" % (call, errno.EIO), name, "Input/output error")

    def test_that_take_a_part_of_each_write_do_no_harm(self):
        for system, folder in self.unbroken.items():
            for size in (1000, 5000) if IS_LONG else (1000,):
                with self.subTest(system=system, size=size):
                    folder.clear()
                    run = folder.run(fault="short:1:%d" % size)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), folder.state), [])
                    self.assertEqual(faulty_runs.different(folder.arrays("traj.h5md"), folder.whole), [])
                    COUNTS["short writes"] += 1


if __name__ == "__main__":
    program = unittest.main(argv=sys.argv[:1], exit=False)
    print(", ".join("%s: %d" % item for item in sorted(COUNTS.items())))
    sys.exit(0 if program.result.wasSuccessful() else 1)
