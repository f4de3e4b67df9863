"""Runs that several MPI ranks share: the bits of one rank, and how they end. Exit status 77: skipped, because a module or
mpirun.mpich is missing (said so).

usage: ranks_test.py TESSERA SOURCE_DIR
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
import faulty_runs
if faulty_runs.LAUNCHER is None:
    print("SKIPPED: there is no mpirun.mpich; install mpich to check runs on ranks")
    sys.exit(77)


def rows(log):
    """The rows of energies, every digit of them."""
    return [line for line in log.read_text().splitlines() if line[:12].strip().isdigit()]


class Ranks(unittest.TestCase):
    def folder(self, system):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        return faulty_runs.Folder(scratch.name, TESSERA, "", SOURCE, system)

    def test_leave_the_files_of_one_rank_to_the_bit(self):
        for system in ("argon-npt-mixed", "spce-npt-fp64", "argon-npt-apart"):
            folder = self.folder(system)
            sets = ["run.steps=40", "output.log=run.log"]
            self.assertEqual(folder.run(sets=sets).returncode, 0)
            whole, state = folder.arrays("traj.h5md"), folder.arrays("state.h5")
            energies = rows(folder.path / "run.log")
            self.assertEqual(len(energies), 21)
            for ranks in (2, 3, 4):
                with self.subTest(system=system, ranks=ranks):
                    folder.clear()
                    run = folder.run(ranks=ranks, sets=sets)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])
                    self.assertEqual(faulty_runs.different(folder.arrays("traj.h5md"), whole), [])
                    self.assertEqual(rows(folder.path / "run.log"), energies)
                    log = (folder.path / "run.log").read_text()
                    self.assertRegex(log, r"\n[0-9.e+]+ ns/day \(%d ranks x \d+ threads?, measured" % ranks)
                    self.assertIn("\nranks         %d on 1 node\n" % ranks, log)
                    self.assertEqual("\nmesh          shared in " in log, system.startswith("spce"))

    def tower(self, copies):
        """A folder of copies of a water box, one on the other."""
        folder = self.folder("spce-npt-fp64")
        lines = (folder.path / "start.gro").read_text().splitlines()
        atoms, edges = lines[2:-1], [float(edge) for edge in lines[-1].split()]
        places = [(atom[:20], *map(float, atom[20:].split()[:3])) for atom in atoms]
        stack = ["%s%8.3f%8.3f%8.3f" % (name, x, y, z + n * edges[2]) for n in range(copies) for name, x, y, z in places]
        cell = "%10.5f%10.5f%10.5f" % (edges[0], edges[1], copies * edges[2])
        (folder.path / "start.gro").write_text("\n".join(["tower", str(len(stack)), *stack, cell, ""]))
        topology = folder.path / "topol.top"
        topology.write_text(topology.read_text().replace("SOL 500", "SOL %d" % (500 * copies)))
        self.assertGreater(copies * edges[2], 33)
        return folder

    def test_keep_the_bits_in_a_cell_that_doubles_do_not_hold(self):
        folder = self.tower(14)
        at_constant_energy = ["barostat.kind=none", "thermostat.kind=none", "run.integrator=velocity-verlet"]
        for precision, ways, more in (("mixed", ((1, 2), (2, 1), (3, 1), (4, 1)), []),
                                      ("fp64", ((2, 2), (3, 1)), at_constant_energy)):
            sets = more + ["compute.precision=" + precision, "nonbonded.cutoff=0.8 nm", "output.checkpoint_every=1 h",
                           "output.trajectory=none", "run.steps=9"]
            folder.clear()
            self.assertEqual(folder.run(sets=sets).returncode, 0)
            state = folder.arrays("state.h5")
            for ranks, threads in ways:
                with self.subTest(precision=precision, ranks=ranks, threads=threads):
                    folder.clear()
                    run = folder.run(ranks=ranks, sets=sets + ["compute.threads=%d" % threads])
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])
            with self.subTest(precision=precision, after="going on, once with shuffled plans"):
                folder.clear()
                for steps, ranks, plan in ((3, 3, 0), (6, 1, 5), (9, 2, 0)):
                    run = folder.run("--continue=if-present", ranks=ranks,
                                     sets=sets + ["run.steps=%d" % steps, "compute.shuffle_seed=%d" % plan])
                    self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])

    def test_keep_the_bits_in_a_tilted_cell_that_is_hardly_thicker_than_two_cut_offs(self):
        for precision in ("mixed", "fp64"):
            folder = self.folder("argon-npt-mixed")
            start = folder.path / "start.gro"
            lines = start.read_text().splitlines()
            edge = float(lines[-1].split()[0])  # tilted by lattice vectors: the crystal stays one
            lines[-1] = " ".join("%.5f" % (edge * k) for k in (1, 1, 1, 0, 0, 0.5, 0, 0.25, 0.25))
            start.write_text("\n".join(lines) + "\n")
            sets = ["run.steps=60", "output.checkpoint_every=1 h", "compute.precision=" + precision]
            run = folder.run(sets=sets)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            whole, state = folder.arrays("traj.h5md"), folder.arrays("state.h5")
            for ranks in (2, 3, 4):
                with self.subTest(precision=precision, ranks=ranks):
                    folder.clear()
                    run = folder.run(ranks=ranks, sets=sets)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])
                    self.assertEqual(faulty_runs.different(folder.arrays("traj.h5md"), whole), [])

    def test_end_alike_where_a_pressure_presses_the_cell_into_the_cut_off(self):
        folder = self.folder("spce-npt-fp64")
        sets = ["run.steps=400", "barostat.pressure=100000 bar", "barostat.time_constant=5 ps", "nonbonded.cutoff=1.1 nm",
                "output.checkpoint_every=1 h", "output.trajectory=none"]
        ends = []
        for ranks in (1, 2, 3):
            folder.clear()
            run = folder.run(ranks=ranks, sets=sets)
            self.assertIn("nears the cut-off", run.stderr)
            self.assertIn(": the cell shrank to a shortest height of", run.stderr)
            ends.append((run.returncode, run.stderr, folder.arrays("state.h5")))
            self.assertEqual(folder.ranks(), [])
        self.assertEqual(ends[0][0], 1)
        for status, words, state in ends[1:]:
            self.assertEqual((status, words), ends[0][:2])
            self.assertEqual(faulty_runs.different(state, ends[0][2]), [])

    def test_go_on_from_a_checkpoint_of_other_numbers_of_ranks(self):
        folder = self.folder("argon-npt-mixed")
        self.assertEqual(folder.run(sets=["run.steps=60"]).returncode, 0)
        whole, state = folder.arrays("traj.h5md"), folder.arrays("state.h5")
        folder.clear()
        for steps, ranks in ((17, 3), (33, 1), (60, 2)):
            run = folder.run("--continue=if-present", ranks=ranks, sets=["run.steps=%d" % steps])
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])
        self.assertEqual(faulty_runs.different(folder.arrays("traj.h5md"), whole), [])

    def test_stop_together_at_a_signal_and_at_the_time_limit(self):
        folder = self.folder("argon-npt-mixed")
        lasting = ["run.steps=1000000", "output.every=10 ps", "output.energies_every=10 ps", "output.checkpoint_every=1 h"]
        process = folder.start(ranks=2, sets=lasting)
        while process.poll() is None and not (folder.path / "traj.h5md").exists():
            time.sleep(0.01)
        time.sleep(1)
        for rank in folder.ranks():  # as srun does; mpirun's own status tells nothing after a signal to it
            os.kill(rank, signal.SIGTERM)
        self.assertEqual(folder.finished(process).returncode, 85)
        run = folder.run("--continue", ranks=2, sets=lasting + ["output.time_limit=3 s"])
        self.assertEqual(run.returncode, 85, run.stderr)

    def test_end_at_once_at_a_second_sigterm_while_they_wait_for_one_that_answers_no_more(self):
        folder = self.folder("argon-npt-mixed")
        lasting = ["output.every=10 ps", "output.energies_every=10 ps"]
        process = folder.start(ranks=2, sets=lasting + ["run.steps=1000000"])
        while process.poll() is None and not (folder.path / "state.h5.prev").exists():
            time.sleep(0.01)
        first, other = folder.ranks()
        os.kill(other, signal.SIGSTOP)
        for pause in (0.1, 3.2, 0):  # the second is an echo of the first, as timeout sends it
            os.kill(first, signal.SIGTERM)
            if pause:
                time.sleep(pause)
                self.assertIn(first, folder.ranks())
        end = time.time() + 60
        while folder.processes() and time.time() < end:
            time.sleep(0.01)
        left = folder.processes()
        for number, _ in left:
            os.kill(number, signal.SIGKILL)
        self.assertEqual(left, [])
        self.assertNotIn(folder.finished(process).returncode, (0, 85))
        step = folder.step_of("state.h5") + 5
        run = folder.run("--continue", ranks=2, sets=lasting + ["run.steps=%d" % step])
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        state = folder.arrays("state.h5")
        folder.clear()
        self.assertEqual(folder.run(sets=lasting + ["run.steps=%d" % step]).returncode, 0)
        self.assertEqual(faulty_runs.different(state, folder.arrays("state.h5")), [])

    def test_tell_a_fault_once_and_leave_with_its_status(self):
        folder = self.folder("argon-npt-mixed")
        (folder.path / "start.gro").write_text("argon\n0\n1 1 1\n")
        run = folder.run(ranks=3)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertEqual(run.stderr.count("start.gro holds 0 atoms"), 1, run.stderr)
        self.assertNotIn("rank", run.stderr)

    def test_end_with_the_reason_of_the_one_that_fails_and_nothing_else(self):
        """The others wait in the midst of a step: neither they nor MPI nor the launcher have a word to add."""
        folder = self.folder("argon-nvt-fp64")
        start = folder.path / "start.gro"
        lines = start.read_text().splitlines()
        x = [float(line[20:28]) for line in lines[2:-1]]
        fast = x.index(max(x))  # domains are layers along x: it is and stays on the last rank
        lines[2:-1] = [line + "%8.4f%8.4f%8.4f" % ((40, 100, 200) if k == fast else (0, 0, 0))
                       for k, line in enumerate(lines[2:-1])]
        start.write_text("\n".join(lines) + "\n")
        for ranks, name in ((1, ""), (3, "rank 2: "), (4, "rank 3: ")):
            folder.clear()
            run = folder.run(ranks=ranks, sets=["run.velocities=from-file", "thermostat.kind=none", "output.log=run.log"])
            self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
            fault = run.stderr.splitlines()[-1]
            self.assertTrue(fault.startswith(f"{name}step 1, time 0.002 ps: atom {fast + 1} (AR of AR {fast + 1}) has the velo"), fault)
            self.assertEqual(run.stderr.count("step 1,"), 1, run.stderr)
            self.assertIn(fault, (folder.path / "run.log").read_text())
            self.assertEqual(folder.ranks(), [])

    def test_tell_of_the_lowest_of_several_atoms_that_break_in_a_step(self):
        folder = self.folder("argon-nvt-fp64")
        start = folder.path / "start.gro"
        lines = start.read_text().splitlines()
        falling = sorted(lines[2:-1], key=lambda line: -float(line[20:28]))
        lines[2:-1] = [line[:20] + place[20:] for line, place in zip(lines[2:-1], falling)]
        x = [float(line[20:28]) for line in lines[2:-1]]
        fast = [x.index(min(x)), x.index(max(x))]  # the first rank's has the higher number
        self.assertLess(fast[1], fast[0])
        lines[2:-1] = [line + "%8.4f%8.4f%8.4f" % ((40, 100, 200) if k in fast else (0, 0, 0))
                       for k, line in enumerate(lines[2:-1])]
        start.write_text("\n".join(lines) + "\n")
        for ranks in (1, 2, 3, 4):
            folder.clear()
            run = folder.run(ranks=ranks, sets=["run.velocities=from-file", "thermostat.kind=none"])
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("step 1, time 0.002 ps: atom %d (" % (fast[1] + 1), run.stderr.splitlines()[-1])
            self.assertEqual(run.stderr.count("step 1,"), 1, run.stderr)

    def test_end_with_the_first_ones_fault_where_the_others_are_done(self):
        run = self.folder("argon-nvt-fp64").run("--json", "/dev/full", ranks=2, command=("energy", "run.toml"))
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertEqual(run.stderr.count("No space left on device"), 1, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def unlike(self, folder, *commands):
        """Ranks of one job, each started with words of its own."""
        words = []
        for command in commands:
            words += ([":"] if words else []) + ["-n", "1", TESSERA, *command]
        process = subprocess.Popen([faulty_runs.LAUNCHER, *words], cwd=folder.path, stdout=subprocess.PIPE, start_new_session=True,
                                   env=dict(os.environ, OMP_WAIT_POLICY="passive"), stderr=subprocess.PIPE, text=True)
        try:
            return folder.finished(process, timeout=60)
        except subprocess.TimeoutExpired:
            for number, _ in folder.processes():
                os.kill(number, signal.SIGKILL)
            self.fail("the ranks of %s wait for ever" % (commands,))

    def test_that_were_not_started_alike_say_what_differs_and_touch_nothing(self):
        folder = self.folder("argon-npt-mixed")
        other = folder.path / "other.toml"
        other.write_text((folder.path / "run.toml").read_text().replace("steps = 12", "steps = 13"))
        far = folder.path / "far"
        far.mkdir()
        for name in ("run.toml", "topol.top", "start.gro"):
            shutil.copy(folder.path / name, far)
        lines = (far / "start.gro").read_text().splitlines()
        lines[2] = lines[2][:20] + "%8.3f" % (float(lines[2][20:28]) + 0.01) + lines[2][28:]
        (far / "start.gro").write_text("\n".join(lines) + "\n")
        before = sorted(folder.path.rglob("*"))
        run = ["run", "run.toml", "--quiet"]
        for second, words in ((["run", "other.toml"], "run.steps: 12 on rank 0, 13 on rank 1"),
                              (run + ["--set", "run.seed=9"], "run.seed: 42 on rank 0, 9 on rank 1"),
                              (run + ["--continue=if-present"], "--continue: nothing on rank 0, if-present on rank 1"),
                              (["run", "far/run.toml"], "hash of the start's positions: "),
                              (["energy", "run.toml"], "the command: run on rank 0, energy on rank 1"),
                              (["run", "--help"], "the command: run on rank 0, run --help on rank 1"),
                              (["rum", "run.toml"], "the command: run on rank 0, rum run.toml on rank 1"),
                              (run + ["--thread", "1"], "rank 1: "),
                              (["run", "absent.toml"], "rank 1: absent.toml does not exist")):
            with self.subTest(second):
                found = self.unlike(folder, run, second)
                self.assertEqual((found.returncode, found.stdout), (2, ""), found.stderr)
                self.assertEqual(found.stderr.count(words), 1, found.stderr)
                self.assertEqual(sorted(folder.path.rglob("*")), before)
        found = self.unlike(folder, run, run, run + ["--set", "run.seed=9"])
        self.assertIn("run.seed: 42 on rank 0, 9 on rank 2\nStart all of them with the same ", found.stderr)

    def test_that_find_other_checkpoints_say_so(self):
        folder = self.folder("argon-npt-mixed")
        far = folder.path / "far"
        far.mkdir()
        for name in ("run.toml", "topol.top", "start.gro"):
            shutil.copy(folder.path / name, far)
        for place, steps in ((".", 4), ("far", 6)):
            self.assertEqual(folder.run(sets=["run.steps=%d" % steps], command=("run", place + "/run.toml", "--quiet")).returncode, 0)
        state = (folder.path / "state.h5").read_bytes()
        found = self.unlike(folder, ["run", "run.toml", "--continue"], ["run", "far/run.toml", "--continue"])
        self.assertEqual((found.returncode, found.stdout), (2, ""), found.stderr)
        self.assertIn("the checkpoint: of step 4 on rank 0, of step 6 on rank 1\n", found.stderr)
        self.assertEqual((folder.path / "state.h5").read_bytes(), state)

    def test_may_differ_in_their_threads(self):
        folder = self.folder("spce-npt-fp64")
        self.assertEqual(folder.run().returncode, 0)
        state = folder.arrays("state.h5")
        folder.clear()
        run = ["run", "run.toml", "--quiet", "--threads"]
        found = self.unlike(folder, run + ["1"], run + ["3"], run + ["2"])
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertEqual(faulty_runs.different(folder.arrays("state.h5"), state), [])

    def test_do_or_refuse_once_what_is_the_work_of_one(self):
        folder = self.folder("argon-nvt-fp64")
        for command, status, words in ((["--version"], 0, "Tessera "), (["info"], 0, "precision "), (["help"], 0, "Subcommands:"),
                                       (["run", "--help"], 0, "--continue"), (["check", "--list-keys"], 0, "position_rounding"),
                                       (["convert", "start.gro", "out.g96"], 0, ""), (["bogus"], 2, 'unknown command "bogus"'),
                                       (["slurm", "run.toml"], 2, "tessera slurm is the work of one"),
                                       (["validate", "--quick", "run.toml"], 2, "tessera validate is the work of one")):
            with self.subTest(command):
                one, two = folder.run(command=command), folder.run(command=command, ranks=2)
                self.assertEqual(two.returncode, status, two.stderr)
                self.assertIn(words, two.stdout + two.stderr)
                if "is the work of one" in words:
                    self.assertEqual((two.stdout, two.stderr.count("\n")), ("", 1), two.stderr)
                elif command != ["info"]:  # which tells the cores of a process
                    self.assertEqual((two.stdout, two.stderr), (one.stdout, one.stderr))
        self.assertTrue((folder.path / "out.g96").exists())

    def test_check_their_deck_for_as_many(self):
        folder = self.folder("spce-npt-fp64")
        before = sorted(folder.path.iterdir())
        run = folder.run(ranks=3, command=("check", "run.toml"))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.count("no faults found"), 1)
        self.assertIn("\nranks         3, one domain each: 3 x 1 x 1 of the cell\n", run.stdout)
        self.assertIn("\nmesh          shared in ", run.stdout)
        run = folder.run(ranks=2, command=("check", "run.toml"), sets=["output.hash_every=5"])
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr.count("--set output.hash_every=5: hashes of the phases"), 1, run.stderr)
        self.assertEqual(sorted(folder.path.iterdir()), before)

    def test_refuse_what_one_rank_alone_can_do(self):
        for keys, words in ((["output.hash_every=5"], "(output.hash_every) are made on one rank only"),
                            (["nonbonded.electrostatics=ewald"], 'electrostatics = "ewald" is not built yet on several ranks'),
                            (["compute.shuffle_seed=5"], "compute.shuffle_seed works on one rank"),
                            (["run.integrator=steepest-descent", "thermostat.kind=none", "run.velocities=from-file"],
                             '"steepest-descent" runs on one rank')):
            folder = self.folder("argon-nvt-fp64")
            before = sorted(folder.path.iterdir())
            run = folder.run(ranks=2, sets=keys)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(sorted(folder.path.iterdir()), before, "a refused run made files")
            self.assertIn("--set %s: " % keys[0], run.stderr)  # and not the deck's line
            self.assertEqual(run.stderr.count(words), 1, run.stderr)

    def test_end_when_one_of_them_is_killed(self):
        folder = self.folder("argon-npt-mixed")
        process = folder.start(ranks=3, sets=["run.steps=1000000", "output.every=10 ps", "output.energies_every=10 ps"])
        while process.poll() is None and not (folder.path / "traj.h5md").exists():
            time.sleep(0.01)
        time.sleep(0.5)
        mine = folder.ranks()
        self.assertEqual(len(mine), 3)
        os.kill(mine[-1], signal.SIGKILL)
        self.assertNotEqual(folder.finished(process, timeout=60).returncode, 0)
        run = folder.run("--continue", ranks=2, sets=["run.steps=1"])  # its files stand
        self.assertIn(run.returncode, (0,), run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
