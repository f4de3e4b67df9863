"""What the scripts of `tessera slurm` do as jobs, between programs that only write down what they were asked: limit,
requeue, continuation to the bits of an unbroken run, arrays, chains; and the ready scripts of inputs/slurm.

usage: slurm_jobs_test.py TESSERA SOURCE_DIR
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

import faulty_runs

TESSERA, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
LASTING = ["run.steps=10000", "output.every=1 ps", "output.energies_every=1 ps", "output.checkpoint_every=1 h"]
FAKES = {
    "srun": 'echo srun "$@" >>"$CALLS"\n[ -z "${SRUN_STATUS:-}" ] || exit "$SRUN_STATUS"\n'
            'while [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n',
    "squeue": 'echo squeue "$@" >>"$CALLS"\necho "$TIME_LEFT"\n',
    "scontrol": 'echo scontrol "$@" >>"$CALLS"\nexit "${SCONTROL_STATUS:-0}"\n',
    "scancel": 'echo scancel "$@" >>"$CALLS"\n',
    "sbatch": 'echo sbatch "$@" >>"$CALLS"\n[ -z "${SBATCH_STATUS:-}" ] || exit "$SBATCH_STATUS"\n'
              'echo "$((10 + $(grep -c "^sbatch" "$CALLS")));cluster"\n',
}


class Jobs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin = pathlib.Path(scratch.name).resolve() / "bin"
        self.folder = self.bin.parent / "it's \"my\" run $x"
        for folder in (self.bin, self.folder):
            folder.mkdir()
        for name, text in FAKES.items():
            (self.bin / name).write_text("#!/bin/bash\n" + text)
            (self.bin / name).chmod(0o755)
        faulty_runs.write_inputs(self.folder, SOURCE, "argon-nvt-fp64")

    def call(self, *words, cwd=None, **more):
        """Runs a program; returns it with what it asked the others."""
        calls = self.bin.parent / "calls"
        calls.write_text("")
        given = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "PMI_", "OMPI_"))}
        run = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, cwd=cwd or self.folder,
                             env=given | {"PATH": "%s:%s" % (self.bin, given["PATH"]), "CALLS": str(calls)} | more)
        return run, calls.read_text().splitlines()

    def script(self, *options, sets=LASTING):
        more = [word for text in sets for word in ("--set", text)]
        run, _ = self.call(TESSERA, "slurm", "run.toml", "--cores", "1", "--script", "job.sbatch", "--overwrite",
                           *options, *more)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(subprocess.run(["bash", "-n", str(self.folder / "job.sbatch")]).returncode, 0)

    def job(self, number, left="UNLIMITED", **more):
        """The script as Slurm runs it: elsewhere, with a job's variables. Returns the run and the calls but srun's."""
        run, calls = self.call("bash", self.folder / "job.sbatch", cwd=self.bin.parent, SLURM_JOB_ID=str(number),
                               SLURM_CPUS_PER_TASK="1", TIME_LEFT=left, **more)
        return run, [call for call in calls if not call.startswith("srun")]

    def unbroken(self, *sets):
        (self.folder / "whole").mkdir()
        run, _ = self.call(TESSERA, "run", "run.toml", "--quiet", "--threads", "1", *[w for t in [*LASTING, *sets] for w in ("--set", t)],
                           "--set", "output.checkpoint=whole/state.h5", "--set", "output.trajectory=whole/traj.h5md",
                           "--set", "output.log=none")
        self.assertEqual(run.returncode, 0, run.stderr)

    def assert_unbroken(self, folder="."):
        for name in ("state.h5", "traj.h5md"):
            found, whole = (faulty_runs.arrays(self.folder / where / name) for where in (folder, "whole"))
            self.assertEqual(faulty_runs.different(found, whole), [])

    def test_goes_back_into_the_queue_until_done_with_the_bits_of_an_unbroken_run(self):
        self.script("--time", "5 min")
        restarts = 0
        while True:
            run, calls = self.job(17, "0:02" if restarts else "0:01", SLURM_RESTART_COUNT=str(restarts))
            self.assertEqual(calls[0], "squeue -h -j 17 -o %L")
            if run.returncode or calls[1:] != ["scontrol requeue 17"]:
                break
            restarts += 1
            self.assertIn("back into the queue", run.stdout)
        self.assertEqual((run.returncode, calls[1:]), (0, []), run.stderr)
        self.assertGreater(restarts, 0)
        self.unbroken()
        self.assert_unbroken()
        print("restarts: %d" % restarts)

    def test_is_not_started_again_where_it_made_no_step(self):
        self.script()
        run, calls = self.job(17, SRUN_STATUS="85")
        self.assertEqual((run.returncode, calls), (85, []))
        self.assertIn("stopped at step none, where this job began, so it is not started again", run.stderr)

    def test_is_not_started_again_for_ever(self):
        self.script("--max-restarts", "7")
        run, calls = self.job(17, "0:01", SLURM_RESTART_COUNT="6")
        self.assertEqual((run.returncode, calls[1:]), (0, ["scontrol requeue 17"]), run.stderr)
        run, calls = self.job(17, "0:01", SLURM_RESTART_COUNT="7")
        self.assertEqual((run.returncode, calls[1:]), (85, []))
        self.assertIn("not started again after 7 restarts", run.stderr)

    def test_says_85_where_slurm_does_not_take_it_back(self):
        self.script()
        run, calls = self.job(17, "0:01", SCONTROL_STATUS="1")
        self.assertEqual((run.returncode, calls[1:]), (85, ["scontrol requeue 17"]))

    def test_passes_any_other_status_on(self):
        for options in ((), ("--chain", "3"), ("--array", "1-2"), ("--no-requeue",)):
            self.script(*options)
            for status in (1, 2, 4, 137):
                run, calls = self.job(17, SRUN_STATUS=str(status), SLURM_ARRAY_JOB_ID="17", SLURM_ARRAY_TASK_ID="1")
                self.assertEqual((run.returncode, calls), (status, []), options)

    def test_without_requeue_passes_85_on(self):
        self.script("--no-requeue")
        run, calls = self.job(17, "0:01")
        self.assertEqual((run.returncode, calls[1:]), (85, []))

    def test_replicas_have_their_own_folders_seeds_and_numbers(self):
        self.script("--array", "1-2")
        sets = {"SLURM_ARRAY_JOB_ID": "17"}
        for task, left, expected in (("1", "0:01", ["scontrol requeue 17_1"]), ("1", "UNLIMITED", []), ("2", "UNLIMITED", [])):
            run, calls = self.job(18 - int(task), left, SLURM_ARRAY_TASK_ID=task, **sets)
            self.assertEqual((run.returncode, calls), (0, ["squeue -h -j 17_%s -o %%L" % task] + expected), run.stderr)
        self.unbroken("run.seed=43")
        self.assert_unbroken("replica-1")
        self.assertTrue(faulty_runs.different(self.replica(1), self.replica(2)))
        self.assertFalse((self.folder / "state.h5").exists())

    def replica(self, number):
        return faulty_runs.arrays(self.folder / ("replica-%d" % number) / "state.h5")

    def test_a_chain_goes_on_job_by_job_and_takes_the_rest_back_when_it_is_done(self):
        self.script("--chain", "4")
        run, calls = self.call("bash", "job.sbatch", "submit")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(calls, ["sbatch --parsable job.sbatch"] + [
            "sbatch --parsable --dependency=afterany:%d job.sbatch" % k for k in (11, 12, 13)])
        run, calls = self.job(11, "0:01")
        self.assertEqual((run.returncode, calls[1:]), (0, []), run.stderr)
        self.assertIn("the next job of the chain goes on", run.stdout)
        run, calls = self.job(12)
        self.assertEqual((run.returncode, calls[1:]), (0, ["scancel 13 14"]), run.stderr)
        self.unbroken()
        self.assert_unbroken()

    def test_a_chain_ends_where_the_run_fails_or_makes_no_step(self):
        self.script("--chain", "3", "--dependency", "afterok")
        _, calls = self.call("bash", "job.sbatch", "submit")
        self.assertIn("sbatch --parsable --dependency=afterok:12 job.sbatch", calls)
        for status in (1, 85):
            run, calls = self.job(11, SRUN_STATUS=str(status))
            self.assertEqual((run.returncode, calls), (status, ["scancel 12 13"]), run.stderr)

    def test_a_chain_of_which_a_job_is_refused_says_so(self):
        self.script("--chain", "3")
        run, _ = self.call("bash", "job.sbatch", "submit", SBATCH_STATUS="1")
        self.assertEqual(run.returncode, 4)

    def test_is_submitted_by_the_program_with_one_word_more(self):
        for options, expected in (((), 1), (("--chain", "3"), 3)):
            run, calls = self.call(TESSERA, "slurm", "run.toml", "--submit", "--overwrite", *options)
            self.assertEqual((run.returncode, len([c for c in calls if c.startswith("sbatch")])), (0, expected), run.stderr)
        run, _ = self.call(TESSERA, "slurm", "run.toml", "--submit", "--overwrite", SBATCH_STATUS="1")
        self.assertEqual(run.returncode, 4)
        self.assertIn("sbatch refused run.sbatch (its message stands above)", run.stderr)

    def test_ranks_are_started_by_srun_with_their_threads_and_mpi(self):
        self.script("--nodes", "2", "--ranks-per-node", "4", "--line", "export WARM=1", "--mpi", "cray_shasta")
        _, calls = self.call("bash", "job.sbatch", SLURM_JOB_ID="17", SLURM_CPUS_PER_TASK="6", SRUN_STATUS="1")
        self.assertIn("srun --cpus-per-task=6 --cpu-bind=cores --mpi=cray_shasta --kill-on-bad-exit=1 %s run run.toml "
                      "--continue=if-present --threads 6" % TESSERA, calls[0])
        self.assertIn("\nexport WARM=1\n", (self.folder / "job.sbatch").read_text())

    def test_a_limit_that_the_deck_gives_is_kept(self):
        self.script(sets=["output.time_limit=1 h"])
        text = (self.folder / "job.sbatch").read_text()
        self.assertNotIn("time_limit=slurm", text)
        self.assertIn("--set 'output.time_limit=1 h'", text)
        run, _ = self.call(TESSERA, "slurm", "run.toml", "--script", "-", "--time", "30 min", "--set", "output.time_limit=1 h")
        self.assertIn("the run stops after 3600 s (output.time_limit), but --time ends the job after 1800 s", run.stderr)


class Checkpoints(Jobs):
    def test_tell_their_step_to_scripts(self):
        run, _ = self.call(TESSERA, "info", "--step-of", "state.h5")
        self.assertEqual((run.returncode, run.stdout), (0, "none\n"))
        run, _ = self.call(TESSERA, "run", "run.toml", "--quiet")
        run, _ = self.call(TESSERA, "info", "--step-of", "state.h5")
        self.assertEqual((run.returncode, run.stdout), (0, "12\n"))
        (self.folder / "state.h5").write_text("no checkpoint")
        (self.folder / "state.h5.prev").unlink(missing_ok=True)
        run, _ = self.call(TESSERA, "info", "--step-of", "state.h5")
        self.assertEqual((run.returncode, run.stdout), (2, ""))


for name in [name for name in vars(Jobs) if name.startswith("test")]:
    setattr(Checkpoints, name, None)  # its own only


class ReadyScripts(unittest.TestCase):
    def test_are_what_the_program_writes_today(self):
        scripts = sorted(SOURCE.glob("inputs/slurm/*.sbatch"))
        self.assertGreaterEqual(len(scripts), 5)
        for script in scripts:
            with self.subTest(script=script.name):
                text = script.read_text()
                words = shlex.split(text.splitlines()[1].partition("tessera ")[2])
                self.assertEqual(words[words.index("--script") + 1], "inputs/slurm/" + script.name)
                with tempfile.NamedTemporaryFile() as empty:
                    environment = dict(os.environ, SLURM_CONF=empty.name)  # no cluster to ask
                    run = subprocess.run([TESSERA, *words[:-2], "--script", "-"], cwd=SOURCE, capture_output=True, text=True,
                                         env=environment, timeout=60)
                self.assertEqual(words[-2], "--script")
                self.assertEqual(run.returncode, 0, run.stderr)
                written, ready = run.stdout.splitlines(), text.splitlines()
                same = [k for k in range(len(ready)) if not ready[k].startswith(("# Written by", "# Submit it", "# A chain"))]
                self.assertEqual([written[k] for k in same], [ready[k] for k in same])
                self.assertEqual(len(written), len(ready))

    def test_are_all_named_in_their_readme(self):
        readme = (SOURCE / "inputs/slurm/README.md").read_text()
        for script in SOURCE.glob("inputs/slurm/*.sbatch"):
            self.assertIn("`%s`" % script.name, readme)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
