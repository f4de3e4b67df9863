"""`tessera run`: files, the same bits after a stop, signals, time limit, refusals.

usage: run_test.py TESSERA SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "validation/nve_drift"))
try:
    import h5py
    from drift import drift
except ImportError:  # of h5py or numpy
    h5py = None

GOOD = SOURCE / "tests/inputs/good"
RUN = ["run.velocities=maxwell-boltzmann", "run.temperature=300 K", "run.timestep=1 fs", "output.every=20 fs",
       "output.energies_every=10 fs"]


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        for name in ("minimal.toml", "water.top", "water.gro"):
            shutil.copy(GOOD / name, self.folder)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def command(self, steps, *arguments, sets=()):
        command = [TESSERA, "run", str(self.folder / "minimal.toml")] + list(arguments)
        for text in RUN + ["run.steps=%d" % steps] + list(sets):
            command += ["--set", text]
        return command

    def run_steps(self, steps, *arguments, sets=(), status=0):
        run = subprocess.run(self.command(steps, *arguments, sets=sets), capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def rows(self, name="run.log"):
        lines = (self.folder / name).read_text().splitlines()
        return [line for line in lines if re.match(r" +\d+ +\d+\.\d{4} ", line)]

    def state(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        with h5py.File(self.folder / "state.h5") as file:
            return file["state/position"][()].tobytes() + file["state/velocity"][()].tobytes()

    def test_the_log_tells_what_was_understood_and_what_came_out(self):
        self.run_steps(40)
        self.run_steps(80, "--continue", "--quiet")
        log = (self.folder / "run.log").read_text()
        for line in (r"run\.timestep = \"1 fs\" +# given", r"output\.position_precision = \"float32\" +# default\n",
                     r"barostat\.time_constant = .*# default; no effect: there is no barostat",
                     r"pair list +radius .*exact: rebuilt before any pair can be missed; expected every",
                     r"accuracy +RMS error of forces", r"drift of the conserved quantity: \S+ \+- \S+ kJ/mol/ps an atom = "
                     r"\S+ \+- \S+ kT/ns", r"density +\d", r"peak memory \S+ MB, \d+ bytes an atom",
                     r"pair list made \d+ times", r"finished at step 40 .*\(40 steps in this part\)",
                     r"finished at step 80 .*\(40 steps in this part\)"):
            self.assertRegex(log, line)

    def test_the_log_and_the_script_of_the_validation_agree_on_the_drift(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        self.run_steps(400)
        with h5py.File(self.folder / "traj.h5md") as file:
            time, energy = file["energies/time"][()], file["energies/conserved_energy"][()]
        slope, fluctuations, walk, _ = drift(time, energy / 9)  # atoms
        self.assertIn("drift of the conserved quantity: %.4e +- %.1e kJ/mol/ps an atom" % (slope, max(fluctuations, walk)),
                      (self.folder / "run.log").read_text())

    def test_a_minimisation_writes_no_columns_of_motion(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        self.run_steps(3, sets=["run.integrator=steepest-descent", "run.velocities=from-file",
                                "thermostat.kind=none", "output.every=1 fs", "output.energies_every=1 fs"])
        with h5py.File(self.folder / "traj.h5md") as file:
            for group in ("energies", "observables"):
                self.assertIn("potential_energy", file[group])
                for name in ("temperature", "kinetic_energy", "total_energy", "conserved_energy"):
                    self.assertNotIn(name, file[group])

    def test_leaves_log_trajectory_and_checkpoint(self):
        self.run_steps(40)

        self.assertEqual([int(row.split()[0]) for row in self.rows()], [0, 10, 20, 30, 40])
        self.assertTrue((self.folder / "state.h5").exists())
        self.assertTrue((self.folder / "traj.h5md").exists())

    def test_the_log_echoes_every_key_with_its_default(self):
        self.run_steps(10)

        log = (self.folder / "run.log").read_text()
        self.assertIn('nonbonded.lj_modifier = "potential-shift"', log)
        self.assertIn("run.steps = 10", log)

    def test_the_log_ends_with_the_speed(self):
        self.run_steps(40)

        self.run_steps(40, "--threads", "2", sets=["output.log=two.log"])
        for name, threads in (("run.log", r"\d+ threads?"), ("two.log", "2 threads")):
            self.assertRegex((self.folder / name).read_text().splitlines()[-1],
                             r"^[0-9.e+]+ ns/day \(1 rank x %s, measured over the last \d+ steps?\)$" % threads)

    def test_a_barostat_that_cannot_begin_names_the_pressure_it_is_to_hold(self):
        run = self.run_steps(200, sets=["thermostat.kind=v-rescale", "thermostat.temperature=300 K", "barostat.kind=c-rescale",
                                      "barostat.pressure=1e6 bar", "barostat.time_constant=10 fs"], status=1)
        self.assertRegex(run.stderr, r"or correct barostat\.pressure \(1e\+06 bar\)\.")

    def test_the_first_row_has_the_energy_that_the_energy_command_tells(self):
        free = ["run.rigid_water=false", "run.timestep=0.5 fs"]  # nothing is moved onto constraints
        self.run_steps(20, sets=free)
        arguments = [part for text in free for part in ("--set", text)]
        subprocess.run([TESSERA, "energy", str(self.folder / "minimal.toml"), "--json", str(self.folder / "e.json")] +
                       arguments, check=True, capture_output=True, timeout=60)
        expected = json.loads((self.folder / "e.json").read_text())["energies_kJ_mol"]["potential"]

        # the log has six decimals
        self.assertAlmostEqual(float(self.rows()[0].split()[2]), expected, delta=1e-6)

    def test_quiet_leaves_standard_output_empty(self):
        self.assertEqual(self.run_steps(5, "--quiet").stdout, "")

    def test_continuing_gives_the_bits_of_an_unbroken_run(self):
        self.run_steps(60)
        whole, whole_rows = self.state(), self.rows()
        for name in ("state.h5", "state.h5.prev", "traj.h5md", "run.log"):
            (self.folder / name).unlink(missing_ok=True)
        self.run_steps(25)
        self.run_steps(60, "--continue")

        self.assertEqual(self.state(), whole)
        self.assertEqual(self.rows(), whole_rows)

    def test_threads_do_not_reach_the_bits(self):
        self.run_steps(40, "--threads", "1")
        one = self.state()
        self.run_steps(40, "--threads", "3")

        self.assertEqual(self.state(), one)

    def test_the_trajectory_has_its_frames_after_a_continuation(self):
        if h5py is None:
            self.skipTest("this Python has no h5py")
        self.run_steps(30)
        self.run_steps(60, "--continue")

        with h5py.File(self.folder / "traj.h5md") as file:
            self.assertEqual(list(file["particles/trajectory/position/step"]), [0, 20, 40, 60])
            self.assertEqual(list(file["energies/step"]), [0, 10, 20, 30, 40, 50, 60])

    def test_a_tuned_mesh_errs_no_more_and_is_kept_by_what_continues(self):
        tuned = ["pme.tune=true"]
        opening = self.run_steps(20, sets=tuned).stdout
        tried = re.findall(r"(\d+) x (\d+) x (\d+), order (\d+): error of forces (\S+) kJ/mol/nm, \S+ ms(.*)\n", opening)
        self.assertGreater(len(tried), 2, opening)
        self.assertIn("as given", tried[0][5])
        for mesh in tried[1:]:
            self.assertLessEqual(float(mesh[4]), float(tried[0][4]))
        chosen = [mesh for mesh in tried if "chosen" in mesh[5]]
        self.assertEqual(len(chosen), 1, opening)
        grid, order = "[%s, %s, %s]" % chosen[0][:3], chosen[0][3]
        if h5py is not None:
            with h5py.File(self.folder / "traj.h5md") as file:
                text = file["parameters/provenance/deck"][()].decode()
            self.assertIn("pme.tune chose grid = %s, order = %s" % (grid, order), text)
        again = self.run_steps(40, "--continue", sets=tuned).stdout
        self.assertIn("%s x %s x %s, order %s, beta" % chosen[0][:4], again)
        self.assertNotIn("as given", again)
        of_two_parts = self.state()
        self.run_steps(40, sets=["pme.grid=" + grid, "pme.order=" + order])
        self.assertEqual(self.state(), of_two_parts)

    def test_continuing_without_a_checkpoint_is_refused(self):
        run = self.run_steps(10, "--continue", status=2)
        self.assertIn("state.h5: there is no checkpoint to continue from", run.stderr)

    def test_continuing_if_present_starts_anew_without_a_checkpoint(self):
        self.run_steps(10, "--continue=if-present")
        self.assertEqual(len(self.rows()), 2)

    def test_continuing_with_other_settings_is_refused_by_key(self):
        self.run_steps(10)
        run = self.run_steps(20, "--continue", sets=["nonbonded.cutoff=0.9 nm"], status=2)
        self.assertIn('nonbonded.cutoff: "1.0 nm" in the checkpoint, "0.9 nm" in the deck', run.stderr)

    def test_continuing_a_finished_run_does_nothing(self):
        self.run_steps(10)
        self.assertIn("nothing to do: the state is at step 10 of 10", self.run_steps(10, "--continue").stdout)

    def stopped_by(self, number, hangup=signal.SIG_DFL):
        process = subprocess.Popen(self.command(10**9, "--quiet"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup))
        for _ in range(600):
            if (self.folder / "run.log").exists() and len(self.rows()) > 1:
                break
            time.sleep(0.05)
        process.send_signal(number)
        process.communicate(timeout=60)
        return process.returncode

    def test_a_signal_leaves_a_checkpoint_and_status_85(self):
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
            self.assertEqual(self.stopped_by(number), 85)
            self.assertTrue((self.folder / "state.h5").exists())
            (self.folder / "state.h5").unlink()
            (self.folder / "run.log").unlink()

    def test_a_hangup_that_was_ignored_from_the_start_is_ignored(self):
        process = subprocess.Popen(self.command(10**9, "--quiet"), stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        for _ in range(600):
            if (self.folder / "run.log").exists() and len(self.rows()) > 1:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate(timeout=60)

    def test_the_time_limit_leaves_a_checkpoint_and_status_85(self):
        self.run_steps(10**9, sets=["output.time_limit=2 s"], status=85)
        self.assertTrue((self.folder / "state.h5").exists())
        self.assertIn("stopped before the time limit", (self.folder / "run.log").read_text())

    def with_squeue(self, answer, environment):
        (self.folder / "squeue").write_text("#!/bin/sh\necho '%s'\n" % answer)
        (self.folder / "squeue").chmod(0o755)
        environment = dict(os.environ, PATH="%s:%s" % (self.folder, os.environ["PATH"]), **environment)
        return subprocess.run(self.command(10**9, sets=["output.time_limit=slurm"]), capture_output=True, text=True,
                              env=environment, timeout=60)

    def test_the_time_limit_of_slurm_is_asked_for(self):
        run = self.with_squeue("0:03", {"SLURM_JOB_ID": "17"})
        self.assertEqual(run.returncode, 85, run.stderr)
        self.assertIn("stopped before the time limit (3 s)", (self.folder / "run.log").read_text())

    def test_the_time_limit_of_slurm_outside_a_job_is_refused(self):
        run = self.run_steps(10, sets=["output.time_limit=slurm"], status=2)
        self.assertIn('--set output.time_limit=slurm: output.time_limit = "slurm", but this is no Slurm job', run.stderr)

    def test_a_log_in_a_missing_folder_is_a_fault_of_the_environment(self):
        run = self.run_steps(10, sets=["output.log=nowhere/run.log"], status=4)
        self.assertIn("cannot be written", run.stderr)

    def test_a_run_from_rest_is_warned_of(self):
        run = self.run_steps(2, sets=["run.velocities=from-file", "output.log=none"])
        self.assertIn("has no velocities: the run begins at rest", run.stderr)
        check = self.check("run.velocities=from-file")
        self.assertIn("has no velocities: the run begins at rest", check.stderr)

    def check(self, *sets):
        command = [TESSERA, "check", str(self.folder / "minimal.toml")]
        for text in sets:
            command += ["--set", text]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def with_atom(self, line, columns, text):
        """The waters with one line changed, as start.gro."""
        lines = (self.folder / "water.gro").read_text().splitlines()
        lines[line] = lines[line][:columns] + text + lines[line][columns + len(text):]
        (self.folder / "start.gro").write_text("\n".join(lines) + "\n")

    def test_a_water_off_its_shape_is_warned_of_with_the_worst_length_by_check_and_run(self):
        self.with_atom(3, 20, "   0.616")
        words = "constraint between 1 (OW, SOL 1) and 2 (HW1, SOL 1) is to be 0.09572 nm long"
        for told in (self.check("system.coordinates=start.gro"), self.run_steps(2, sets=["system.coordinates=start.gro"])):
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn(words, told.stderr)
            self.assertIn("(off by 21 %: the run begins by moving them to their length; in all 2 are off by more than 5 %)",
                          told.stderr)

    def test_a_torn_water_is_refused_in_dynamics_and_mended_by_a_minimiser(self):
        self.with_atom(3, 20, "   0.796")
        for told in (self.check("system.coordinates=start.gro"), self.run_steps(2, sets=["system.coordinates=start.gro"], status=2)):
            self.assertEqual(told.returncode, 2, told.stderr)
            self.assertIn("they stand 0.296 nm apart (off by 209 %: the coordinates are hardly of this molecule", told.stderr)
        run = self.run_steps(2, sets=["system.coordinates=start.gro", "run.integrator=steepest-descent", "run.velocities=from-file"])
        self.assertIn("(off by 209 %: the run begins by moving them to their length", run.stderr)

    def test_velocities_of_a_trajectory_are_found_apart_and_missed_with_the_reason(self):
        for strides, told in ((40, ""), (30, " (/particles/trajectory_velocity/velocity has none at step 40, the frame that is "
                                             "read): the run begins at rest")):
            self.run_steps(40, sets=["output.velocities=%d fs" % strides])
            check = self.check("system.coordinates=traj.h5md", "output.trajectory=none")
            self.assertEqual(check.returncode, 0, check.stderr)
            self.assertIn(told, check.stderr)
            self.assertEqual("begins at rest" in check.stderr, told != "")

    def test_velocities_of_another_unit_are_warned_of_and_slow_ones_are_not(self):
        lines = (self.folder / "water.gro").read_text().splitlines()
        for speed, words in ((0.4, ""), (4.0, "make a temperature of "), (20.0, "nm/ps and would move 0.0")):
            text = lines[:2] + [line + 3 * ("%8.4f" % speed) for line in lines[2:11]] + lines[11:]
            (self.folder / "start.gro").write_text("\n".join(text) + "\n")
            check = self.check("system.coordinates=start.gro")
            self.assertEqual(check.returncode, 0, check.stderr)
            self.assertIn(words, check.stderr)
            self.assertEqual(check.stderr == "", words == "", check.stderr)

    def test_a_broken_simulation_ends_with_status_one_and_tells_step_and_atom(self):
        shutil.copy(GOOD / "water-overlap.gro", self.folder)
        run = self.run_steps(10, sets=["system.coordinates=water-overlap.gro"], status=1)
        self.assertIn("step 0, time 0 ps: the force on atom 4 (OW of SOL 2)", run.stderr)
        self.assertIn("the force on atom 4", (self.folder / "run.log").read_text())

    def test_a_cell_that_shrinks_into_the_cutoff_stops_the_run_and_leaves_a_checkpoint(self):
        run = self.run_steps(500, sets=["nonbonded.cutoff=1.28 nm", "thermostat.kind=v-rescale",
                                        "thermostat.temperature=300 K", "barostat.kind=c-rescale",
                                        "barostat.pressure=10000 bar", "barostat.time_constant=0.2 ps"], status=1)
        self.assertIn("nears the cut-off (1.28 nm), below which the run stops; a checkpoint was written", run.stderr)
        self.assertIn("the cut-off needs 2.56 nm", run.stderr)
        self.assertTrue((self.folder / "state.h5").exists())

    def test_a_cell_too_small_from_the_first_action_of_the_barostat_leaves_a_checkpoint_too(self):
        edge = float((self.folder / "water.gro").read_text().splitlines()[-1].split()[0])
        self.run_steps(500, sets=["nonbonded.cutoff=%.5f nm" % (0.49999 * edge), "thermostat.kind=v-rescale",
                                  "thermostat.temperature=300 K", "barostat.kind=c-rescale",
                                  "barostat.pressure=10000 bar", "barostat.time_constant=0.2 ps"], status=1)
        self.assertTrue((self.folder / "state.h5").exists())

    def test_a_minimiser_has_the_same_bits_on_any_threads_and_after_a_continuation(self):
        shutil.copytree(SOURCE / "inputs/alanine-top", self.folder, dirs_exist_ok=True)

        def minimised(steps, threads, *arguments):
            command = [TESSERA, "run", "run.toml", "--quiet", "--threads", str(threads), *arguments]
            for text in ("run.steps=%d" % steps, "run.integrator=steepest-descent", "thermostat.kind=none",
                         "output.checkpoint=state.h5", "output.trajectory=none", "output.log=none"):
                command += ["--set", text]
            run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertEqual(run.returncode, 0, run.stderr)
            return self.state()

        one = minimised(60, 1)
        for threads in (2, 3):
            self.assertEqual(minimised(60, threads), one)
        minimised(31, 2)
        self.assertEqual(minimised(60, 3, "--continue"), one)

    def test_a_minimiser_lowers_the_energy(self):
        run = self.run_steps(30, sets=["run.integrator=steepest-descent", "run.velocities=from-file",
                                       "run.minimizer_tolerance=1e-6 kJ/mol/nm"])
        log = (self.folder / "run.log").read_text()
        rows = [line.split() for line in log.split("largest force/kJ/mol/nm")[1].splitlines()[1:5]]
        self.assertEqual([int(row[0]) for row in rows], [0, 10, 20, 30])
        self.assertLess(float(rows[-1][1]), float(rows[0][1]))
        self.assertRegex(run.stdout, r"potential energy -?[0-9.]+ kJ/mol, largest force [0-9.]+ kJ/mol/nm on atom ")
        for word in ("kinetic", "conserved", "temperature"):
            self.assertNotIn(word, log.split("largest force/kJ/mol/nm")[1])

    def test_a_minimiser_starts_from_overlapping_atoms(self):
        shutil.copy(GOOD / "water-overlap.gro", self.folder)
        run = self.run_steps(30, sets=["run.integrator=steepest-descent", "run.velocities=from-file",
                                       "system.coordinates=water-overlap.gro"])
        self.assertNotIn("nan", run.stdout)

    def test_zero_steps_write_the_start(self):
        self.run_steps(0)
        self.assertEqual([int(row.split()[0]) for row in self.rows()], [0])
        self.assertTrue((self.folder / "state.h5").exists())
        if h5py is not None:
            with h5py.File(self.folder / "traj.h5md") as file:
                self.assertEqual(list(file["particles/trajectory/position/step"]), [0])

    def test_fewer_steps_than_done_are_warned_of(self):
        self.run_steps(20)
        run = self.run_steps(10, "--continue")
        self.assertIn("run.steps = 10 is fewer than the 20 steps that have been made", run.stderr)

    def test_the_degrees_of_freedom_follow_the_removal_of_drift(self):
        atoms = int((self.folder / "water.gro").read_text().splitlines()[1])
        for every, freedom in ((0, 2 * atoms), (100, 2 * atoms - 3)):
            run = self.run_steps(0, sets=["run.remove_com_motion=%d" % every, "output.log=none"])
            self.assertRegex(run.stdout, r"freedom +%d degrees" % freedom)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
