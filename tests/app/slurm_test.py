"""Jobs of `tessera slurm` in a real Slurm of one node: a time limit, requeue and continuation on two ranks, pre-emption,
an array, a chain; all with the bits of unbroken runs. Exit status 77: skipped, because a program or module is missing
(said so).

usage: slurm_test.py TESSERA SOURCE_DIR
"""
import os
import pathlib
import sys
import tempfile
import time
import unittest

import one_node_slurm

import faulty_runs
if one_node_slurm.missing():
    print("SKIPPED: " + one_node_slurm.missing())
    sys.exit(77)

TESSERA, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SPARSE = ["output.every=10 ps", "output.energies_every=10 ps", "output.checkpoint_every=1 h"]
ENDLESS = 10**9
FINISHED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")


class Area:
    """A run's folder in the cluster."""

    def __init__(self, slurm, path, steps):
        self.slurm, self.path = slurm, path
        path.mkdir()
        faulty_runs.write_inputs(path, SOURCE, "argon-nvt-fp64")
        self.text = (path / "run.toml").read_text()
        self.make_steps(steps)

    def make_steps(self, steps):
        (self.path / "run.toml").write_text(self.text.replace("steps = 12\n", "steps = %d\n" % steps))

    def call(self, *words):
        run = self.slurm.call(*words, cwd=self.path)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def submit(self, *options):
        """Numbers of the jobs."""
        said = self.call(TESSERA, "slurm", "run.toml", "--cores", "1", *options, "--submit",
                         *[word for text in SPARSE for word in ("--set", text)])
        return [word.rstrip(",") for line in said.splitlines() for word in line.split() if word.rstrip(",").isdigit()][:1] \
            if "--chain" not in options else (self.path / "run.jobs").read_text().split()

    def step(self, folder="."):
        return self.call(TESSERA, "info", "--step-of", folder + "/state.h5").strip()

    def arrays(self, folder="."):
        """State and trajectory."""
        state, frames = (faulty_runs.arrays(self.path / folder / name) for name in ("state.h5", "traj.h5md"))
        return state | {"of the trajectory: " + k: v for k, v in frames.items() if "provenance" not in k}

    def unbroken(self, steps, *sets):
        """What one run on one rank leaves."""
        words = [word for text in [*SPARSE, "run.steps=%d" % steps, "output.log=none", "output.trajectory=whole/traj.h5md",
                                   "output.checkpoint=whole/state.h5", *sets] for word in ("--set", text)]
        (self.path / "whole").mkdir(exist_ok=True)
        self.call(TESSERA, "run", "run.toml", "--quiet", "--threads", "1", *words)
        return self.arrays("whole")


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name).resolve()
        cls.slurm = one_node_slurm.Slurm(cls.folder / "slurm")
        cls.slurm.__enter__()
        cls.addClassCleanup(cls.slurm.__exit__)
        # its minute goes by while other tests run
        cls.limited = Area(cls.slurm, cls.folder / "limited", ENDLESS)
        cls.begun = time.time()
        late = "[ -e begun ] || { touch begun; sleep 45; }"  # of a minute, which is the least that Slurm gives
        cls.limited_job, = cls.limited.submit("--time", "1 min", "--ranks-per-node", "2", "--line", late)

    def wait(self, done, what, seconds=60):
        def looks():
            self.slurm.start_waiting_now()
            return done()
        self.slurm.wait(looks, seconds, what)

    def state_of(self, job):
        return self.slurm.jobs()[job][0]

    def finish(self, *jobs):
        self.wait(lambda: all(self.state_of(job) in FINISHED for job in jobs), "jobs %s do not end" % (jobs,))

    def area(self, steps):
        return Area(self.slurm, self.folder / self.id().split(".")[-1], steps)

    def same(self, found, whole):
        self.assertEqual(faulty_runs.different(found, whole), [])

    def test_z_the_time_limit_ends_a_job_of_two_ranks_which_goes_on_by_itself(self):
        area, job = self.limited, self.limited_job
        self.wait(lambda: self.slurm.jobs()[job][2] == 1, "the job was not put back", 100)
        after = time.time() - self.begun
        steps = int(area.step()) + 50
        area.make_steps(steps)
        self.finish(job)
        said = (area.path / ("run-%s.out" % job)).read_text()
        self.assertEqual(self.slurm.jobs()[job], ("COMPLETED", 0, 1), said)
        self.assertIn("stopped before the time limit (", (area.path / "run.log").read_text())
        self.assertIn("back into the queue", said)
        self.same(area.arrays(), area.unbroken(steps))
        print("put back after %.1f s at step %d" % (after, steps - 50))

    def preempt(self):
        """A job of the other partition that asks for one core more than are free."""
        free = int(self.slurm.call("sinfo", "-h", "-p", "main", "-o", "%C").stdout.split("/")[1])
        run = self.slurm.call("sbatch", "--cpus-per-task=%d" % (free + 1), "--output=/dev/null", "--wrap=sleep 2")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_preempted_job_keeps_its_state_and_goes_on(self):
        area = self.area(ENDLESS)
        job, = area.submit("--partition", "spare")
        log = area.path / "run.log"
        stops = (self.preempt, lambda: self.slurm.call("scancel", "--signal=USR1", job))  # the second: as --signal does
        for restart, stop in enumerate(stops, 1):
            self.wait(lambda: log.exists() and log.read_text().count("continued at step") == restart - 1
                      and self.state_of(job) == "RUNNING", "the job does not run")
            time.sleep(1)
            stop()
            self.slurm.wait(lambda: self.slurm.jobs()[job][2] == restart, 30, "the job was not put back")
            self.slurm.wait(lambda: self.state_of(job) == "PENDING", 30, "the job does not wait")
            steps = int(area.step()) + 50
        area.make_steps(steps)
        self.finish(job)
        self.assertEqual(self.slurm.jobs()[job], ("COMPLETED", 0, 2))
        self.assertEqual(log.read_text().count("continued at step"), 2)
        self.same(area.arrays(), area.unbroken(steps))

    def test_a_cancelled_job_keeps_its_state_and_stays_away(self):
        area = self.area(ENDLESS)
        job, = area.submit()
        self.wait(lambda: (area.path / "run.log").exists(), "no log")
        time.sleep(1)
        self.slurm.call("scancel", job)
        self.slurm.wait(lambda: self.state_of(job) == "CANCELLED", 30, "the job was not cancelled")
        self.assertGreater(int(area.step()), 0)
        self.assertEqual(self.slurm.jobs()[job][2], 0)

    def test_replicas_differ_by_their_seed_and_requeue_one_by_one(self):
        area = self.area(ENDLESS)
        job, = area.submit("--array", "1-2", "--time", "30 min")
        first, last = job + "_1", job + "_2"  # the last one's own number is that of the array
        logs = [area.path / ("replica-%d" % k) / "run.log" for k in (1, 2)]
        self.wait(lambda: all(log.exists() for log in logs), "no logs")
        time.sleep(1)
        self.slurm.call("scancel", "--signal=USR1", last)
        self.slurm.wait(lambda: self.slurm.jobs()[last][2] == 1, 30, "the replica was not put back")
        self.slurm.wait(lambda: self.state_of(last) == "PENDING", 30, "the replica does not wait")
        self.assertEqual(self.slurm.jobs()[first][::2], ("RUNNING", 0))
        steps = int(area.step("replica-2")) + 50
        area.make_steps(steps)
        self.finish(last)
        self.assertEqual(self.slurm.jobs()[last], ("COMPLETED", 0, 1))
        self.slurm.call("scancel", first)
        self.finish(first)
        self.same(area.arrays("replica-2"), area.unbroken(steps, "run.seed=44"))
        self.assertEqual([log.read_text().count("continued at step") for log in logs], [0, 1])

    def test_a_chain_goes_on_job_by_job_and_ends_when_the_run_does(self):
        area = self.area(ENDLESS)
        jobs = area.submit("--chain", "4")
        self.assertEqual(len(jobs), 4)
        self.wait(lambda: (area.path / "run.log").exists(), "no log")
        self.assertEqual([self.state_of(job) for job in jobs[1:]], ["PENDING"] * 3)
        time.sleep(1)
        self.slurm.call("scontrol", "hold", jobs[1])
        self.slurm.call("scancel", "--signal=USR1", jobs[0])
        self.finish(jobs[0])
        steps = int(area.step()) + 50
        area.make_steps(steps)
        self.slurm.call("scontrol", "release", jobs[1])
        self.finish(*jobs)
        states = self.slurm.jobs()
        self.assertEqual([states[job][:2] for job in jobs], [("COMPLETED", 0)] * 2 + [("CANCELLED", 0)] * 2)
        self.same(area.arrays(), area.unbroken(steps))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
