"""Files of `tessera run`: nothing that is read is overwritten, earlier runs are kept, one process at a time, and which
trajectory goes on.

usage: run_files_test.py TESSERA SOURCE_DIR
"""
import os
import pathlib
import resource
import re
import shutil
import signal
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
STRIDES = ["output.every=50 fs", "output.energies_every=50 fs"]  # 10 steps


class RunFiles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        for name in ("run.toml", "topol.top", "start.gro"):
            shutil.copy(SOURCE / "inputs/argon" / name, self.folder)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def tessera(self, command, *arguments, sets=()):
        line = [TESSERA, command, "run.toml"] + [str(a) for a in arguments]
        for text in sets:
            line += ["--set", text]
        return line

    def call(self, command, *arguments, sets=(), status=0):
        run = subprocess.run(self.tessera(command, *arguments, sets=sets), capture_output=True, text=True, timeout=120,
                             cwd=self.folder)
        self.assertIn(run.returncode, status if isinstance(status, tuple) else (status,), run.stdout + run.stderr)
        return run

    def run_steps(self, steps, *arguments, sets=(), status=0):
        return self.call("run", *arguments, sets=STRIDES + ["run.steps=%d" % steps] + list(sets), status=status)

    def frames(self, name="traj.h5md"):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        with h5py.File(self.folder / name) as file:
            return list(file["particles/trajectory/position/step"])

    def content(self):
        return {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}


class Inputs(RunFiles):
    def test_are_not_overwritten_by_outputs(self):
        (self.folder / "link.h5md").symlink_to("start.gro")
        (self.folder / "include.itp").write_text((self.folder / "topol.top").read_text())
        (self.folder / "topol.top").write_text('#include "include.itp"\n')
        os.link(self.folder / "run.toml", self.folder / "hard.log")
        before = self.content()
        for key, name, read in (("trajectory", "link.h5md", "system.coordinates"),
                                ("log", "topol.top", "system.topology"), ("log", "run.toml", "the deck"),
                                ("log", "hard.log", "the deck"),
                                ("log", "include.itp", "an include of system.topology"),
                                ("checkpoint", "start.gro", "system.coordinates"),
                                ("checkpoint", "link.h5md", "system.coordinates")):
            for command in ("run", "check"):
                run = self.call(command, sets=["output.%s=%s" % (key, name), "run.steps=1"], status=2)
                self.assertIn("output.%s would overwrite %s" % (key, read), run.stderr)
            self.assertEqual(self.content(), before)

    def test_are_not_overwritten_by_the_energy_command(self):
        before = self.content()
        for option, name in (("--json", "start.gro"), ("--forces", "./topol.top"), ("--json", "run.toml")):
            run = self.call("energy", option, name, status=2)
            self.assertIn(option + " would overwrite", run.stderr)
        self.assertEqual(self.content(), before)

    def test_of_a_run_are_not_overwritten_by_the_energy_command(self):
        self.run_steps(20)
        before = self.content()
        for option, name in (("--json", "state.h5"), ("--forces", "traj.h5md"), ("--json", "run.log")):
            run = self.call("energy", option, name, status=2)
            self.assertIn(option + " would overwrite output.", run.stderr)
        run = self.call("energy", "--json", "a", "--forces", "./a", status=2)
        self.assertIn("--json and --forces are both a", run.stderr)
        self.assertEqual(self.content(), before)

    def test_names_that_another_output_needs_are_refused(self):
        for key, name, owner in (("checkpoint", "traj.h5md.lock", "trajectory"), ("log", "state.h5.tmp", "checkpoint"),
                                 ("log", "./state.h5.prev", "checkpoint"), ("log", "state.h5.lock", "checkpoint")):
            for command in ("run", "check"):
                run = self.call(command, sets=["output.%s=%s" % (key, name), "run.steps=1"], status=2)
                self.assertIn("is a name that output.%s needs beside its own file" % owner, run.stderr)

    def test_are_not_overwritten_by_convert(self):
        before = self.content()
        run = subprocess.run([TESSERA, "convert", "start.gro", "./start.gro"], capture_output=True, text=True,
                             cwd=self.folder, timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("would be overwritten", run.stderr)
        self.assertEqual(self.content(), before)


class Outputs(RunFiles):
    def test_that_are_no_files_are_not_replaced(self):
        for key, name in (("checkpoint", "pipe.tsr"), ("checkpoint", "state.tsr"), ("trajectory", "pipe.h5md")):
            pipe = self.folder / (name + ".tmp" if name == "state.tsr" else name)
            os.mkfifo(pipe)
            for command, status in (("check", 2), ("run", 4)):
                run = self.call(command, sets=["output.%s=%s" % (key, name), "run.steps=1"], status=status)
                beside = "" if name == pipe.name else pipe.name + ", which a run needs beside it: "
                self.assertIn("output.%s: %s cannot be written (%sit is a device, pipe or socket" % (key, name, beside),
                              run.stderr)
            self.assertTrue(pipe.is_fifo())
            pipe.unlink()

    def test_that_are_links_stay_links(self):
        (self.folder / "scratch").mkdir()
        names = ("run.log", "state.tsr", "traj.h5md")
        for name in names:
            (self.folder / name).symlink_to("scratch/" + name)
        sets = ["output.%s=%s" % pair for pair in zip(("log", "checkpoint", "trajectory"), names)]
        self.run_steps(4, sets=sets)
        self.run_steps(8, "--continue", sets=sets)
        for name in names:
            self.assertTrue((self.folder / name).is_symlink())
            self.assertTrue((self.folder / "scratch" / name).is_file())


    def test_that_nobody_reads_or_with_too_long_names_are_told(self):
        os.mkfifo(self.folder / "pipe.log")
        for name, why in (("pipe.log", "it is a pipe or socket"), ("l" * 300, "its name is longer than"),
                          ("l" * 252, " cannot be written (%s.lock, which a run needs beside it: its name is longer than" % ("l" * 252))):
            run = self.call("run", sets=["output.log=" + name, "run.steps=1"], status=4)
            self.assertIn(why, run.stderr)

    def test_on_the_terminal_may_close_while_the_run_goes_on(self):
        reading, writing = os.pipe()
        os.close(reading)
        run = subprocess.run(self.tessera("run", sets=STRIDES + ["run.steps=20"]), stdout=writing, cwd=self.folder,
                             stderr=subprocess.PIPE, text=True, timeout=120)
        os.close(writing)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.folder / "state.h5").is_file())

    def test_beyond_a_limit_on_file_sizes_end_the_run_with_the_name_of_the_file(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        run = subprocess.run(self.tessera("run", sets=STRIDES + ["run.steps=200"]), cwd=self.folder, preexec_fn=limit,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 4, run.stdout + run.stderr)
        self.assertRegex(run.stderr, "(traj.h5md|state.h5).*File too large")


class Devices(RunFiles):
    def test_are_no_input(self):
        os.mkfifo(self.folder / "pipe.gro")
        for key, name in (("system.coordinates", "pipe.gro"), ("system.coordinates", "/dev/zero"),
                          ("system.topology", "zero.top")):
            if name == "zero.top":
                (self.folder / name).symlink_to("/dev/zero")
            run = self.call("check", sets=["%s=%s" % (key, name)], status=2)
            self.assertRegex(run.stderr, name + ": cannot be read \\(it is a device")


class Folders(RunFiles):
    def test_that_are_missing_are_told_by_check_and_run_with_the_users_names(self):
        sets = ["output.trajectory=nowhere/t.h5md", "run.steps=1"]
        for command, status in (("check", 2), ("run", 4)):
            run = self.call(command, sets=sets, status=status)
            self.assertIn("output.trajectory: nowhere/t.h5md cannot be written (the folder nowhere does not exist)",
                          run.stderr)

    @unittest.skipIf(os.geteuid() == 0, "the superuser may write everywhere")
    def test_that_may_not_be_written_to_are_told(self):
        (self.folder / "closed").mkdir(mode=0o555)
        run = self.call("check", sets=["output.log=closed/run.log"], status=2)
        self.assertIn("the folder closed may not be written to", run.stderr)


class Strides(RunFiles):
    """One free atom, x = 1 + 0.1 t: known fault B33 (steps and times one row off from the values)."""

    def setUp(self):
        super().setUp()
        top = (self.folder / "topol.top").read_text()
        (self.folder / "topol.top").write_text(top.replace("AR  864", "AR  1"))
        (self.folder / "start.gro").write_text("one atom\n1\n    1AR      AR    1   1.000   0.000   0.000  0.1000"
                                               "  0.0000  0.0000\n   3.0 3.0 3.0\n")
        self.sets = ["system.periodic=false", "nonbonded.electrostatics=cutoff", "thermostat.kind=none",
                     "run.velocities=from-file", "run.remove_com_motion=0", "run.timestep=2 fs", "output.every=20 fs",
                     "output.energies_every=20 fs", "output.velocities=40 fs", "output.forces=60 fs",
                     "output.position_precision=float64"]

    def elements(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        with h5py.File(self.folder / "traj.h5md") as file:
            return {name: tuple(file["particles/" + name][part][()].tolist() for part in ("step", "time", "value"))
                    for name in ("trajectory/position", "trajectory_velocity/velocity", "trajectory_force/force")}

    def check_rows(self, elements):
        for name, stride in (("trajectory/position", 10), ("trajectory_velocity/velocity", 20),
                             ("trajectory_force/force", 30)):
            step, time, value = elements[name]
            self.assertEqual(step, list(range(0, 41, stride)))
            self.assertEqual(time, [0.002 * s for s in step])
            self.assertEqual(len(value), len(step))
        for time, value in zip(*elements["trajectory/position"][1:]):
            self.assertAlmostEqual(value[0][0], 1 + 0.1 * time, delta=1e-13)  # 2^-48 nm a step, 40 steps
        for value in elements["trajectory_velocity/velocity"][2]:
            self.assertEqual(value[0], [0.1, 0, 0])

    def test_of_their_own_hold_their_steps_and_times(self):
        self.call("run", sets=self.sets + ["run.steps=40"])
        self.check_rows(self.elements())

    def test_of_their_own_go_on_after_a_stop_between_rows(self):
        self.call("run", sets=self.sets + ["run.steps=40"])
        whole = self.elements()
        self.call("run", sets=self.sets + ["run.steps=23"])
        checkpoint = (self.folder / "state.h5").read_bytes()
        self.call("run", "--continue", sets=self.sets + ["run.steps=40"])
        self.assertEqual(self.elements(), whole)
        (self.folder / "state.h5").write_bytes(checkpoint)  # as after a kill: rows beyond the checkpoint
        self.call("run", "--continue", sets=self.sets + ["run.steps=40"])
        self.assertEqual(self.elements(), whole)

    def test_of_their_own_are_refused_on_continuing_a_file_without_them(self):
        self.call("run", sets=self.sets + ["output.velocities=true", "run.steps=20"])
        run = self.call("run", "--continue", sets=self.sets + ["run.steps=40"], status=2)
        self.assertIn("it holds velocities, which the deck does not ask for", run.stderr)


class EarlierRuns(RunFiles):
    def test_are_kept_under_numbered_names(self):
        self.run_steps(20)
        before = self.content()
        run = self.run_steps(10)
        self.assertIn("kept of an earlier run: state.h5 as state.1.h5, traj.h5md as traj.1.h5md, run.log as run.1.log",
                      run.stdout)
        after = self.content()
        for old, kept in (("traj.h5md", "traj.1.h5md"), ("run.log", "run.1.log"), ("state.h5", "state.1.h5")):
            self.assertEqual(before[old], after[kept])
        self.run_steps(10)
        self.assertTrue((self.folder / "traj.2.h5md").exists())
        self.assertEqual(self.content()["traj.1.h5md"], before["traj.h5md"])

    def test_leave_no_checkpoint_beside_the_trajectory_of_another_run(self):
        self.run_steps(40)
        process = subprocess.Popen(self.tessera("run", "--quiet", sets=STRIDES + ["run.steps=1000000000"]),
                                   cwd=self.folder)
        for _ in range(600):
            if (self.folder / "traj.1.h5md").exists() and (self.folder / "traj.h5md").exists():
                break
            time.sleep(0.05)
        process.kill()
        process.wait()
        run = self.run_steps(60, "--continue", status=2)
        self.assertIn("there is no checkpoint to continue from", run.stderr)


class SettingsWithoutEffect(RunFiles):
    """What a continued run may say otherwise: nothing of it reaches the bits."""

    def test_do_not_stop_a_run_from_going_on(self):
        nve = ["thermostat.kind=none"]
        self.run_steps(10, sets=nve)
        for text in ("run.temperature=100 K", "nonbonded.lj_switch=0.5 nm", "compute.reproducible=false", "run.seed=7",
                     "nonbonded.drift_tolerance=exact", "system.define=['OTHER']", "run.constraints=h-bonds",
                     "thermostat.seed=3"):
            with self.subTest(change=text):
                run = self.run_steps(10, "--continue", sets=nve + [text])
                self.assertIn("nothing to do", run.stdout)
        for text in ("run.timestep=2.5 fs", "thermostat.kind=v-rescale", "nonbonded.cutoff=1.0 nm", "run.integrator=velocity-verlet"):
            with self.subTest(change=text):
                run = self.run_steps(10, "--continue", sets=nve + [text], status=2)
                self.assertIn("the deck asks for another run than the one to continue", run.stderr)

    def test_are_others_where_a_thermostat_draws_noise(self):
        self.run_steps(10)
        run = self.run_steps(10, "--continue", sets=["run.seed=7"], status=2)
        self.assertRegex(run.stderr, r"seed: \d+ in the checkpoint, 7 in the deck")
        self.run_steps(10, "--continue", sets=["run.temperature=100 K"])


class OneProcess(RunFiles):
    def test_at_a_time_writes_a_file(self):
        process = subprocess.Popen(self.tessera("run", "--quiet", sets=STRIDES + ["run.steps=1000000000"]),
                                   cwd=self.folder)
        try:
            for _ in range(600):
                if (self.folder / "run.log").exists():
                    break
                time.sleep(0.05)
            for arguments in ((), ("--continue=if-present",)):
                run = self.run_steps(10, *arguments, status=4)
                self.assertIn("state.h5: in use by process %d on host" % process.pid, run.stderr)
            before = (self.folder / "traj.h5md").stat().st_ino
            convert = subprocess.run([TESSERA, "convert", "start.gro", "traj.h5md"], cwd=self.folder, capture_output=True,
                                     text=True, timeout=60)
            energy = self.call("energy", "--json", "run.log", sets=["output.log=none"], status=4)
            for said, name in ((convert, "convert: traj.h5md"), (energy, "--json: run.log")):
                self.assertEqual(said.returncode, 4, said.stderr)
                self.assertIn("%s is in use by process %d on host" % (name, process.pid), said.stderr)
            self.assertEqual((self.folder / "traj.h5md").stat().st_ino, before)
            # one file in common is enough
            run = self.run_steps(10, sets=["output.checkpoint=other.h5", "output.trajectory=other.h5md"], status=4)
            self.assertIn("run.log: in use by process", run.stderr)
        finally:
            process.kill()
            process.wait()
        self.run_steps(10)  # the kernel gave the lock back

    def test_at_a_time_is_told_of_a_lock_that_another_user_left(self):
        if os.geteuid() != 0:
            self.skipTest("only the superuser can be two users")
        program = self.folder / "tessera"
        shutil.copy(TESSERA, program)
        for path, mode in ((self.folder, 0o777), (program, 0o755), (self.folder / "state.h5.lock", 0o644)):
            if not path.exists():
                path.write_text("process 5 on host elsewhere\n")
            path.chmod(mode)
        command = [program] + self.tessera("run", sets=STRIDES + ["run.steps=1"])[1:]
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, user=65534)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertRegex(run.stderr, "^.*state.h5: cannot be written \\(its lock .*state.h5.lock was left by a run of user 0, "
                         "which holds it no more on this host: Permission denied\\). Remove ")

    def test_leaves_no_lock_file(self):
        self.run_steps(10)
        self.assertEqual([p for p in self.folder.iterdir() if p.suffix == ".lock"], [])


class OutputsInUse(RunFiles):
    """What others do to a file while the run writes to it."""

    def remove_outputs(self):
        for file in self.folder.glob("*"):
            if file.name not in ("run.toml", "topol.top", "start.gro"):
                file.unlink()

    def stopped_run(self, harm):
        process = subprocess.Popen(self.tessera("run", sets=STRIDES + ["run.steps=1000000000"]), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            for _ in range(600):
                if (self.folder / "run.log").exists() and "\n          20 " in (self.folder / "run.log").read_text():
                    break
                time.sleep(0.05)
            harm(self.folder)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, 4, out + err)
        return out, err

    def test_end_the_run_with_a_checkpoint_when_removed_replaced_or_cut(self):
        def replace(folder):
            (folder / "other").write_text("x" * 1000000)
            os.replace(folder / "other", folder / "traj.h5md")

        for harm, said in ((lambda folder: (folder / "traj.h5md").unlink(), "traj.h5md: was removed or moved"),
                           (lambda folder: (folder / "traj.h5md").rename(folder / "mine"), "traj.h5md: was removed or moved"),
                           (lambda folder: (folder / "run.log").unlink(), "run.log: was removed or moved"),
                           (replace, "traj.h5md: was replaced by another file"),
                           (lambda folder: os.truncate(folder / "traj.h5md", 0), "traj.h5md: was cut "),
                           (lambda folder: os.truncate(folder / "run.log", 0), "run.log: was cut ")):
            with self.subTest(said):
                self.remove_outputs()
                out, err = self.stopped_run(harm)
                self.assertIn(said, err)
                self.assertIn("The checkpoint is sound", err)
                self.assertIn("stopped, since an output is lost: " + said, out)
                step = int(re.search(r" at step (\d+) of", out).group(1))
                steps = (step // 10 + 1) * 10  # up to the next frame
                self.run_steps(steps, "--continue", sets=["output.trajectory=second.h5md"])
                self.assertEqual(self.frames("second.h5md"), [steps])

    def test_end_the_run_with_status_4_when_lost_in_the_last_stretch(self):
        process = subprocess.Popen(self.tessera("run", sets=["run.steps=30000", "output.every=1 ns",
                                                             "output.energies_every=1 ns"]),
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if (self.folder / "traj.h5md").exists():
                break
            time.sleep(0.01)
        time.sleep(0.1)
        (self.folder / "traj.h5md").unlink()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 4, out + err)
        self.assertIn("finished at step 30000", out)
        self.assertIn("traj.h5md: was removed or moved", err)


class Continuing(RunFiles):
    def test_refuses_a_trajectory_that_ends_before_the_checkpoints_frames(self):
        self.run_steps(20)
        shutil.copy(self.folder / "traj.h5md", self.folder / "short.h5md")
        self.run_steps(50, "--continue")
        shutil.copy(self.folder / "short.h5md", self.folder / "traj.h5md")
        before = self.content()
        for sets in ([], ["output.trajectory=short.h5md"]):
            run = self.run_steps(80, "--continue", sets=sets, status=2)
            self.assertIn("it belongs to another run: the checkpoint is of step 50 and follows a frame at step 50, but "
                          "up to there its last frame is of step 20", run.stderr)
        self.assertEqual(self.content()["traj.h5md"], before["traj.h5md"])

    def test_names_the_checkpoint_that_was_taken(self):
        self.run_steps(10)
        self.run_steps(20, "--continue")
        (self.folder / "state.h5").write_bytes(b"damaged")
        run = self.run_steps(30, "--continue")
        self.assertIn("continued at step 10 from state.h5.prev", run.stdout)

    def test_tells_the_threads_in_use(self):
        self.assertIn("3 threads", self.run_steps(1, "--threads", "3").stdout)

    def test_takes_a_trajectory_whose_stride_changes(self):
        self.run_steps(15)
        self.run_steps(30, "--continue", sets=["output.every=25 fs"])
        self.assertEqual(self.frames(), [0, 10, 20, 25, 30])

    def test_takes_a_trajectory_under_another_name(self):
        self.run_steps(20)
        (self.folder / "traj.h5md").rename(self.folder / "moved.h5md")
        self.run_steps(40, "--continue", sets=["output.trajectory=moved.h5md"])
        self.assertEqual(self.frames("moved.h5md"), [0, 10, 20, 30, 40])

    def test_begins_a_new_trajectory_where_the_old_one_is_missing_or_damaged(self):
        self.run_steps(20)
        whole = (self.folder / "traj.h5md").read_bytes()
        for damage in (None, b"", whole[:3000], whole[:len(whole) // 2], whole[:-64], b"x" * 5000):
            (self.folder / "traj.h5md").unlink(missing_ok=True)
            if damage is not None:
                (self.folder / "traj.h5md").write_bytes(damage)
            run = self.run_steps(40, "--continue", status=2)
            self.assertIn("name another file with output.trajectory", run.stderr)
            self.assertIn("its frames then begin after step 20", run.stderr)
        self.run_steps(40, "--continue", sets=["output.trajectory=second.h5md"])
        self.assertEqual(self.frames("second.h5md"), [30, 40])
        self.run_steps(60, "--continue", sets=["output.trajectory=second.h5md"])
        self.assertEqual(self.frames("second.h5md"), [30, 40, 50, 60])

    def test_refuses_another_position_precision(self):
        self.run_steps(10)
        run = self.run_steps(20, "--continue", sets=["output.position_precision=float64"], status=2)
        self.assertIn('it holds positions in float32, the deck asks for output.position_precision = "float64"',
                      run.stderr)

    def test_takes_equal_settings_in_another_spelling(self):
        self.run_steps(10)
        self.run_steps(20, "--continue", sets=["run.timestep=0.005 ps", "nonbonded.cutoff=9 Å", "thermostat.seed=42",
                                               "run.temperature=1888e-1 K", "thermostat.time_constant=1000 fs"])

    def test_refuses_other_settings_in_any_spelling(self):
        self.run_steps(10)
        for text, key in (("run.timestep=0.0025 ps", "run.timestep"), ("thermostat.seed=43", "thermostat.seed"),
                          ("nonbonded.cutoff=8.9 Å", "nonbonded.cutoff"),
                          ("run.integrator=velocity-verlet", "run.integrator"),
                          ("compute.precision=mixed", "compute.precision"), ("thermostat.kind=none", "thermostat.kind")):
            self.assertIn("\n  %s: " % key, self.run_steps(20, "--continue", sets=[text], status=2).stderr)


class Checkpoints(RunFiles):
    def convert(self, *arguments, status=0):
        run = subprocess.run([TESSERA, "convert"] + list(arguments), capture_output=True, text=True, cwd=self.folder,
                             timeout=60)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def test_are_read_as_coordinates_with_velocities_and_cell(self):
        self.run_steps(7, sets=["thermostat.kind=none"])
        for name in ("state.h5", "again.h5.prev"):
            shutil.copy(self.folder / "state.h5", self.folder / name) if name != "state.h5" else None
            self.convert(name, "end.gro", "--topology", "topol.top")
            lines = (self.folder / "end.gro").read_text().splitlines()
            self.assertEqual(len(lines), 867)
            self.assertRegex(lines[2], r"^    1\w+ +AR    1( +-?\d\.\d{6,}){6}$")
            edges = [float(x) for x in lines[-1].split()]
            self.assertAlmostEqual(edges[0], float((self.folder / "start.gro").read_text().split()[-3]), places=5)
            for line in lines[2:-1]:
                x = [float(t) for t in line[20:].split()][:3]
                self.assertTrue(all(0 <= value <= edges[0] for value in x), line)

    def test_start_another_run_with_their_velocities(self):
        self.run_steps(10, sets=["thermostat.kind=none"])
        temperature = float([row for row in (self.folder / "run.log").read_text().splitlines()
                             if re.match(r" +10 +0\.05", row)][0].split()[6])
        new = ["thermostat.kind=none", "system.coordinates=state.h5", "run.velocities=from-file", "output.log=two.log",
               "output.checkpoint=two.h5", "output.trajectory=two.h5md"]
        self.run_steps(10, sets=new)
        row = [row for row in (self.folder / "two.log").read_text().splitlines() if re.match(r" +0 +0\.0000", row)][0]
        # leap-frog's temperature of a start is that of half a step before: it differs a little
        self.assertAlmostEqual(float(row.split()[6]), temperature, delta=2.0)

    def test_are_not_overwritten_by_the_run_that_reads_them(self):
        self.run_steps(5)
        run = self.run_steps(5, sets=["system.coordinates=state.h5"], status=2)
        self.assertIn("output.checkpoint would overwrite system.coordinates", run.stderr)

    def test_that_are_cut_short_are_refused_as_coordinates(self):
        self.run_steps(5)
        whole = (self.folder / "state.h5").read_bytes()
        (self.folder / "state.h5").write_bytes(whole[:-30])
        run = self.convert("state.h5", "x.gro", "--topology", "topol.top", status=2)
        self.assertIn("state.h5: is no complete checkpoint", run.stderr)

    def test_hold_the_structure_a_minimiser_reached(self):
        run = self.run_steps(3, sets=["run.integrator=steepest-descent", "run.velocities=from-file",
                                      "thermostat.kind=none"])
        self.assertIn("the structure reached: tessera convert state.h5 OUT.gro --topology topol.top", run.stdout)
        self.assertNotIn("nan", run.stdout)


class Check(RunFiles):
    def gro(self, edge):
        lines = (self.folder / "start.gro").read_text().splitlines()
        (self.folder / "start.gro").write_text("\n".join(lines[:-1] + ["%s %s %s" % (edge, edge, edge), ""]))

    def test_tells_a_cell_beyond_the_grid_with_file_and_value(self):
        self.gro("40000.0")
        for command in ("check", "run", "energy"):
            run = self.call(command, sets=["run.steps=1"], status=2)
            self.assertRegex(run.stderr, r"start.gro:\d+: cell vector 1 is 40000 0 0 nm \(beyond 8192 nm")

    def test_tells_what_becomes_of_a_run_with_overlaps(self):
        lines = (self.folder / "start.gro").read_text().splitlines()
        lines[3] = lines[3][:20] + lines[2][20:]
        (self.folder / "start.gro").write_text("\n".join(lines + [""]))
        run = self.call("check", status=2)
        self.assertIn("the run would break in its first 3 steps", run.stderr)
        self.assertIn("atoms overlap", run.stderr)
        self.call("run", sets=["run.steps=3"], status=1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
