"""Runs on 2 and 3 MPI ranks that are killed, or whose disk fails, and go on with another number of ranks: the same bits as
an unbroken run, and nothing left that cannot be read. Exit status 77: skipped, because a module or mpirun.mpich is missing
(said so).

usage: killed_ranks_test.py TESSERA SOURCE_DIR FILE_FAULTS_LIBRARY [CASES [SEED]]
"""
import collections
import errno
import os
import pathlib
import random
import signal
import sys
import time
import unittest

SOURCE = pathlib.Path(sys.argv[2])
import faulty_runs
if faulty_runs.LAUNCHER is None:
    print("SKIPPED: there is no mpirun.mpich; install mpich to check killed runs on ranks")
    sys.exit(77)

CASES, SEED = (int(a) for a in (sys.argv[4:] + ["12", "8"][len(sys.argv[4:]):]))
RANDOM = random.Random(SEED)
COUNTS = collections.Counter()
SYSTEMS = list(faulty_runs.SYSTEMS) if CASES > 20 else ["argon-npt-mixed", "spce-nvt-packed", "argon-npt-apart"]
KINDS = ("kill of the first rank in a write", "kill of one rank at a random time", "full disk",
         "kill of another rank while the first writes", "kill of all at a random time", "failing disk",
         "kill of all while the first writes", "kill of one rank at a random time", "full disk",
         "kill of the first rank before a call", "kill of all at a random time", "failing disk")


def is_stopped(process):
    return pathlib.Path("/proc/%d/stat" % process).read_text().rsplit(")", 1)[1].split()[0] == "T"


def wait_until(condition, what):
    end = time.time() + 60
    while not condition():
        assert time.time() < end, what
        time.sleep(0.002)


class Ranks(faulty_runs.FailingRuns):
    systems, program, library, source = SYSTEMS, sys.argv[1], sys.argv[3], SOURCE

    def kill(self, folder, process, victims):
        """`victims`: of the ids of the ranks and of the whole job, which are killed."""
        ranks, job = folder.ranks(), [number for number, _ in folder.processes()]
        for victim in victims(ranks, job):
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass  # the launcher has ended it meanwhile
        return folder.finished(process)

    def stopped_in_a_write(self, folder, call, ranks):
        process = folder.start(ranks=ranks, fault="stop:%d" % call)
        wait_until(lambda: any(is_stopped(r) for r in folder.ranks()) or process.poll() is not None, "no such write")
        return process

    def killed(self, folder, kind, ranks, call):
        """The run so killed; None: it had ended before."""
        first_alone = {"kill of the first rank in a write": "torn:%d", "kill of the first rank before a call": "kill:%d"}
        if kind in first_alone:
            return folder.run(ranks=ranks, fault=first_alone[kind] % call)
        if "while" in kind:
            process = self.stopped_in_a_write(folder, call, ranks)
        else:
            process = folder.start(ranks=ranks)
            wait_until(lambda: process.poll() is not None or (folder.path / "traj.h5md.new").exists() or
                       (folder.path / "traj.h5md").exists(), "no trajectory")
            time.sleep(0.15 * RANDOM.random())
        if "of all" in kind:
            return self.kill(folder, process, lambda _, job: RANDOM.sample(job, len(job)))
        return self.kill(folder, process, lambda ranks, _: RANDOM.sample(ranks[1 if "another" in kind else 0:], 1)
                         if ranks else [])

    def lose_the_disk(self, folder, kind, ranks, call, moment):
        word, words = (("full:%d" % call, "No space left on device") if kind == "full disk" else
                       ("error:%d:%d" % (call, errno.EIO), "Input/output error"))
        run = folder.run(ranks=ranks, fault=word)
        if run.returncode == 0:
            kind += " without effect"
            self.assertEqual((run.stdout, run.stderr), ("", ""))
        else:
            self.assert_told(run, words, moment)
        return kind

    def case(self, folder, kind, ranks, after, moment):
        writes = [c.number for c in folder.calls if c.op == "write"]
        while True:  # until it is killed before its end
            folder.clear()
            call = RANDOM.choice(folder.calls).number if "call" in kind or "failing" in kind else RANDOM.choice(writes)
            if "disk" in kind:
                kind = self.lose_the_disk(folder, kind, ranks, call, moment)
                break
            if self.killed(folder, kind, ranks, call).returncode != 0:
                break
            COUNTS["(ended before its kill)"] += 1
        COUNTS[kind] += 1
        COUNTS["%d ranks, then %d" % (ranks, after)] += 1
        wait_until(lambda: not folder.processes(), "%s: processes are left" % moment)
        self.assert_readable(folder, moment)
        self.assert_goes_on(folder, moment, ranks=after)

    def test_that_are_killed_or_lose_their_disk_go_on_to_the_same_bits_on_others(self):
        for number in range(CASES):
            folder = self.unbroken[RANDOM.choice(SYSTEMS)]
            kind, ranks = KINDS[number % len(KINDS)], RANDOM.choice((2, 3))
            after = RANDOM.choice([n for n in (1, 2, 3) if n != ranks])
            moment = "seed %d, case %d, %s: %s, %d ranks, then %d" % (SEED, number, folder.system, kind, ranks, after)
            with self.subTest(moment):
                self.case(folder, kind, ranks, after, moment)


if __name__ == "__main__":
    print("seed %d, %d cases" % (SEED, CASES), flush=True)
    program = unittest.main(argv=sys.argv[:1], exit=False)
    print("\n".join("%4d %s" % (count, name) for name, count in sorted(COUNTS.items())))
    sys.exit(0 if program.result.wasSuccessful() else 1)
