"""The command line: exit statuses, --set, JSON, forces, the reference of keys.

usage: cli_test.py TESSERA SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
GOOD = SOURCE / "tests/inputs/good"
MOVING = ("run.velocities=maxwell-boltzmann", "run.temperature=300 K")


def tessera(*arguments):
    return subprocess.run([TESSERA] + [str(a) for a in arguments], capture_output=True, text=True, timeout=60)


class CommandLine(unittest.TestCase):
    def usage_fault(self, *words):
        run = tessera(*words)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        return run.stderr

    def test_without_a_command_all_are_listed(self):
        said = self.usage_fault()
        self.assertIn("tessera: a command is missing", said)
        for command in ("run DECK", "energy DECK", "check DECK", "validate DECK", "convert IN OUT", "info"):
            self.assertIn("  tessera " + command + " ", said)

    def test_help_lists_the_commands_and_the_options_of_one(self):
        self.assertEqual(tessera("help").stdout, tessera("--help").stdout)
        of_run = tessera("help", "run")
        self.assertEqual(of_run.returncode, 0)
        self.assertIn("--continue", of_run.stdout)
        self.assertIn('unknown command "rn". Did you mean "run"?', self.usage_fault("help", "rn"))

    def test_an_option_that_nobody_knows_is_told_with_the_nearest(self):
        self.assertIn('tessera run: unknown option "--hlep". Did you mean --help?', self.usage_fault("run", "--hlep"))
        said = self.usage_fault("run", "a.toml", "--thread", "2")
        self.assertIn('tessera run: unknown option "--thread". Did you mean --threads?', said)
        self.assertEqual(len(said.splitlines()), 1)
        self.assertIn('unknown option "-q". Its options: --help, --set', self.usage_fault("run", "a.toml", "-q"))

    def test_an_option_before_its_command_is_told_where_it_belongs(self):
        self.assertIn("Options of a command stand behind it", self.usage_fault("--threads", "2", "run", "a.toml"))

    def test_words_that_are_missing_or_too_many_are_named(self):
        self.assertIn("tessera run: DECK is missing", self.usage_fault("run"))
        self.assertIn("tessera check: DECK is missing", self.usage_fault("check"))
        self.assertIn("tessera convert: OUT is missing", self.usage_fault("convert", "a.gro"))
        self.assertIn('"b" is one word too many (it takes DECK alone)', self.usage_fault("energy", "a", "b", "c"))
        self.assertIn('"x" is one word too many (it takes none)', self.usage_fault("info", "x"))
        self.assertIn("--threads needs a value", self.usage_fault("run", "a.toml", "--threads"))

    def test_a_deck_in_the_place_of_the_command_is_told_where_it_belongs(self):
        self.assertIn("A deck follows the command: tessera run a.toml", self.usage_fault("a.toml"))

    def test_every_command_that_computes_takes_threads(self):
        check = tessera("check", GOOD / "minimal.toml", "--threads", "1")
        self.assertIn("cpu, 1 threads", check.stdout)
        three = tessera("energy", GOOD / "minimal.toml", "--threads", "3")
        self.assertEqual((three.returncode, three.stdout), (0, tessera("energy", GOOD / "minimal.toml").stdout))

    def test_no_control_character_reaches_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder) / "a\033[31m\u009bb.gro"
            lines = (GOOD / "water.gro").read_text().splitlines()
            odd.write_text("\n".join(["title", "\0339"] + lines[2:]) + "\n")
            deck = pathlib.Path(folder) / "a\033]0;b.toml"
            deck.write_text((GOOD / "minimal.toml").read_text().replace('"water', '"%s/water' % GOOD))
            for words in (("convert", odd, "x.pdb"), ("convert", str(odd) + "x", "x.pdb"), ("check", deck), ("check", odd),
                          ("energy", deck), (odd,), ("run", "--" + odd.name), ("help", odd.name),
                          ("check", deck, "--set", "system.coordinates=%s" % odd),
                          ("run", deck, "--set", "run.steps=1", "--set", "output.log=%s/a\033.log" % folder)):
                with self.subTest(command=words[0]):
                    run = subprocess.run([TESSERA] + [str(w) for w in words], capture_output=True, timeout=60)
                    self.assertTrue(run.stdout + run.stderr)
                    for byte in (b"\033", b"\xc2\x9b"):
                        self.assertNotIn(byte, run.stdout + run.stderr)
            log = (pathlib.Path(folder) / "a\033.log").read_bytes()
            self.assertIn(b"finished at step 1", log)
            self.assertNotIn(b"\033", log)

    def test_an_unknown_command_is_a_fault_of_usage(self):
        run = tessera("enrgy", GOOD / "minimal.toml")
        self.assertEqual(run.returncode, 2)
        self.assertIn('unknown command "enrgy". Did you mean "energy"?', run.stderr)

    def test_threads_are_a_whole_number(self):
        for word in ("abc", "-1", "4097", "1.5"):
            run = tessera("run", GOOD / "minimal.toml", "--threads=" + word)
            self.assertEqual(run.returncode, 2)
            self.assertIn("is no number of threads", run.stderr)

    def test_a_whole_number_beyond_64_bits_is_called_too_large(self):
        run = tessera("check", GOOD / "minimal.toml", "--set", "run.steps=99999999999999999999")
        self.assertIn("run.steps = 99999999999999999999 is too large", run.stderr)

    def test_a_cutoff_at_fault_is_told_once(self):
        run = tessera("check", GOOD / "minimal.toml", "--set", "nonbonded.cutoff=0 nm")
        self.assertIn("is not above zero", run.stderr)
        self.assertNotIn("inf nm", run.stderr)

    def test_trajectories_of_other_formats_are_refused(self):
        run = tessera("check", GOOD / "minimal.toml", "--set", "output.trajectory=t.xtc")
        self.assertEqual(run.returncode, 2)
        self.assertIn('output.trajectory = "t.xtc" does not end with .h5md', run.stderr)

    def test_the_keys_of_a_table_that_is_switched_off_are_told_in_one_line(self):
        run = tessera("check", SOURCE / "inputs/argon/run.toml", "--set", "thermostat.kind=none")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("thermostat.temperature, thermostat.time_constant have no effect", run.stderr)
        self.assertEqual(run.stderr.count("warning:"), 1)

    def test_a_conversion_that_fails_leaves_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.gro"
            out.write_text("old")
            command = "ulimit -f 8; exec '%s' convert '%s' '%s'" % (TESSERA, SOURCE / "inputs/argon/start.gro", out)
            run = subprocess.run(["bash", "-c", "trap '' XFSZ; " + command], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 4, run.stderr)
            self.assertEqual(out.read_text(), "old")
            self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 1)

    def test_the_page_of_errors_names_every_exit_status(self):
        header = (SOURCE / "engine/app/exit_status.hpp").read_text()
        known = [int(number) for number in re.findall(r"inline constexpr int \w+ = (\d+);", header)]
        page = (SOURCE / "docs/errors.md").read_text()
        told = [int(number) for number in re.findall(r"^\| (\d+) \|", page, re.M)]
        self.assertEqual(told, sorted(known + [130]))  # 130: the shell's word for a second Ctrl-C

    def test_help_and_version_end_with_status_zero(self):
        for arguments in (["--help"], ["energy", "--help"], ["--version"]):
            run = tessera(*arguments)
            self.assertEqual(run.returncode, 0)
            self.assertTrue(run.stdout)

    def test_a_missing_deck_is_bad_input(self):
        for command in ("energy", "check"):
            run = tessera(command, "nowhere.toml")
            self.assertEqual(run.returncode, 2)
            self.assertIn("nowhere.toml does not exist (it should be the deck, a TOML file)", run.stderr)

    def test_mdp_decks_are_refused_by_name(self):
        with tempfile.NamedTemporaryFile(suffix=".mdp") as file:
            run = tessera("check", file.name)
        self.assertEqual(run.returncode, 2)
        self.assertIn(".mdp decks are not built yet", run.stderr)

    def test_planned_commands_say_that_they_are_not_built(self):
        for command in ("report",):
            run = tessera(command, GOOD / "minimal.toml", "--full")
            self.assertEqual(run.returncode, 2)
            self.assertIn("tessera %s is not built yet" % command, run.stderr)

    def test_continue_takes_no_other_word_than_if_present(self):
        run = tessera("run", GOOD / "minimal.toml", "--continue=perhaps")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--continue=perhaps is unknown", run.stderr)

    def test_info_names_version_libraries_and_what_is_not_built(self):
        run = tessera("info")
        self.assertEqual(run.returncode, 0)
        for word in ("Tessera", "HDF5", "MPI", "GPU parts", "toml++", "CLI11", "fmt"):
            self.assertIn(word, run.stdout)

    def test_waiting_threads_sleep_unless_the_environment_says_otherwise(self):
        bare = {name: text for name, text in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
        own = r"\(the OpenMP library's own\)"
        for given, expected in (({}, r"POLICY=passive, GOMP_SPINCOUNT=\d+"), ({"OMP_WAIT_POLICY": "active"}, "POLICY=active, GOMP_SPINCOUNT=" + own),
                                ({"GOMP_SPINCOUNT": "100"}, "POLICY=%s, GOMP_SPINCOUNT=100" % own)):
            run = subprocess.run([TESSERA, "info"], capture_output=True, text=True, env=dict(bare, **given), timeout=60)
            self.assertRegex(run.stdout, expected)

    def test_an_unwritable_file_is_told_before_anything_is_computed(self):
        for command, option in ((("energy",), "--json"), (("energy",), "--forces"), (("validate", "--quick"), "--json")):
            run = tessera(*command, GOOD / "minimal.toml", option, "/nowhere/e.json")
            self.assertEqual((run.returncode, run.stdout), (4, ""))
            self.assertIn(option + ": /nowhere/e.json cannot be written (the folder /nowhere does not exist)", run.stderr)

    def test_a_device_may_be_written_to(self):
        run = tessera("energy", GOOD / "minimal.toml", "--forces", "/dev/null")
        self.assertEqual(run.returncode, 0, run.stderr)


class Set(unittest.TestCase):
    def summary(self, *sets):
        arguments = [part for text in sets for part in ("--set", text)]
        run = tessera("check", GOOD / "minimal.toml", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_values_that_are_not_toml_are_strings(self):
        self.assertIn("5000 steps of 1 fs", self.summary("run.timestep=1 fs"))

    def test_values_that_are_toml_keep_their_kind(self):
        self.assertIn("7 steps", self.summary("run.steps=7"))
        self.assertIn("20 x 20 x 24", self.summary("pme.grid=[20, 20, 24]"))
        self.assertIn("5000 steps of 1 fs", self.summary('run.timestep="1 fs"'))

    def test_blanks_beside_the_equals_sign_do_not_count(self):
        self.assertIn("7 steps of 1 fs", self.summary("run.steps = 7", "run.timestep = 1 fs"))

    def test_the_last_of_two_wins(self):
        self.assertIn("9 steps", self.summary("run.steps=7", "run.steps=9"))

    def test_a_key_of_the_deck_is_overridden(self):
        self.assertIn("Coulomb 0.9 nm", self.summary("nonbonded.cutoff=0.9 nm"))


class Check(unittest.TestCase):
    def warnings(self, deck, *sets):
        # with velocities, since a start at rest is warned of
        arguments = [part for text in MOVING + sets for part in ("--set", text)]
        run = tessera("check", GOOD / deck, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr

    def test_the_good_deck_has_no_warnings(self):
        self.assertEqual(self.warnings("minimal.toml"), "")

    def test_names_that_differ_are_warned_of(self):
        text = self.warnings("minimal.toml", "system.coordinates=water-names-swapped.gro")
        self.assertIn("names of 2 of 9 atoms differ", text)
        self.assertIn("2: HW2 for HW1; 3: HW1 for HW2", text)

    def test_atoms_on_top_of_each_other_are_told_with_what_a_run_would_do(self):
        run = tessera("check", GOOD / "minimal.toml", "--set", "system.coordinates=water-overlap.gro")
        self.assertEqual(run.returncode, 2)
        self.assertIn("atoms are closer than 0.05 nm (1 (OW, SOL 1) and 4 (OW, SOL 2): 0.0400 nm", run.stderr)
        self.assertIn("the run would break in its first 3 steps", run.stderr)

    def warnings_of(self, topology, *sets):
        """Of the good deck with water.top changed by `topology`, a function of its text."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "water.top"
            path.write_text(topology((GOOD / "water.top").read_text()), encoding="utf-8")
            return self.warnings("minimal.toml", "system.topology=%s" % path, *sets)

    def test_a_byte_order_mark_hides_no_line_of_a_topology(self):
        text = self.warnings_of(lambda top: "\ufeff" + top[top.index("[ defaults ]"):])
        self.assertEqual(text, "")

    def test_a_mass_that_no_atom_has_is_warned_of_and_named_where_it_breaks_constraints(self):
        light = lambda top: top.replace("-0.834 15.9994", "-0.834 1e-10")
        self.assertIn("atom 1 (OW, SOL 1) has a mass of 1e-10 u, and 2 more are below 0.1 or above 100000 u (at room temperature "
                      "it moves too far in a step)", self.warnings_of(light))
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "water.top").write_text(light((GOOD / "water.top").read_text()))
            words = ["--set=" + text for text in MOVING + ("system.topology=%s/water.top" % folder, "run.steps=1")]
            words += ["--set=output.%s=none" % name for name in ("log", "trajectory", "checkpoint")]
            run = tessera("run", GOOD / "minimal.toml", *words)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("(their masses are 1e-10 and 1.008 u: the light one moves too far in a step)", run.stderr)
        self.assertIn("0 u", self.warnings_of(lambda top: top.replace("-0.834 15.9994", "-0.834 1e10")))

    def test_lines_that_stand_twice_are_warned_of_once_a_directive(self):
        bond, flexible = "1 2 1 0.09572 502416.0\n", "run.rigid_water=false"
        def changed(old, new):
            return self.warnings_of(lambda top: top.replace(old, new), flexible, "run.timestep=0.5 fs")
        self.assertEqual(changed(bond, bond), "")
        self.assertIn("this line of atoms 1 OW, 2 HW1 stands already at ", changed(bond, bond + "2 1 1 0.09 400000\n"))
        text = changed(bond, 3 * bond)
        self.assertIn("this line of atoms 1 OW, 2 HW1 stands already at ", text)
        self.assertIn(":27 and acts once more (2 such lines in this molecule's [ bonds ])", text)
        self.assertEqual(text.count("warning:"), 1)
        angle = "2 1 3 1 104.52 628.02\n"
        self.assertIn("this line of atoms 2 HW1, 1 OW, 3 HW2 stands already at", changed(angle, angle + angle.replace("628", "500")))

    def test_lengths_in_angstrom_and_angles_in_radians_are_warned_of(self):
        text = self.warnings_of(lambda top: top.replace(" 0.09572 502416", " 1.0572 502416").replace("104.52", "1.82422"),
                                "run.rigid_water=false", "run.timestep=0.5 fs")
        self.assertIn("the length of this harmonic bond is 1.0572 nm, which looks like Angstrom (and 1 more lines of this "
                      "molecule's [ bonds ])", text)
        self.assertIn("the angle of this harmonic angle is 1.82422 degrees, which looks like radians", text)

    def test_charges_and_attractions_of_no_atom_are_warned_of(self):
        self.assertIn("atom 1 (OW, SOL 1) has a charge of 1e+10 e, and 2 more are beyond 20 e",
                      self.warnings_of(lambda top: top.replace("-0.834 15.9994", "1e10 15.9994")))
        self.assertIn("atom 1 (OW, SOL 1) has a Lennard-Jones epsilon of 1e+06 kJ/mol",
                      self.warnings_of(lambda top: top.replace("0.636386", "1e6")))

    def faults_of(self, topology, command="check"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "water.top"
            path.write_text(topology((GOOD / "water.top").read_text()))
            run = tessera(command, GOOD / "minimal.toml", "--set", "system.topology=%s" % path)
            self.assertIn(run.returncode, (1, 2), run.stderr)
            return run.stderr

    def test_a_fault_of_a_type_or_a_mass_makes_no_second_one(self):
        for old, new, words in (("0.636386", "0,6", "the second Lennard-Jones number must be a number"),
                                ("0.636386", "-0.6", "epsilon must not be negative"), ("0.315061 0.636386", "0.3", "fields in all"),
                                ("-0.834 15.9994", "-0.834 -15.9994", "a mass must not be negative"),
                                ("-0.834 15.9994", "-0.834 x", "the mass must be a number")):
            with self.subTest(new=new):
                text = self.faults_of(lambda top: top.replace(old, new))
                self.assertIn(words, text)
                self.assertEqual(text.count("water.top:"), 1, text)

    def test_parameters_that_overflow_are_not_called_atoms_that_coincide(self):
        text = self.faults_of(lambda top: top.replace("0.636386", "1e300"), "energy")
        self.assertIn("nm to the first of them: charges or Lennard-Jones numbers are beyond what doubles hold)", text)
        self.assertNotIn("coincide", text)

    def test_energies_of_any_size_keep_their_columns(self):
        lines = (GOOD / "water.gro").read_text().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "start.gro").write_text("\n".join(
                lines[:2] + [line + 3 * "  0.1000" for line in lines[2:11]] + lines[11:]) + "\n")
            (pathlib.Path(folder) / "water.top").write_text(re.sub(
                r"(OW|HW1|HW2)( +1 +-?\d\.\d+) +\d+\.\d+", r"\1\2 1e30", (GOOD / "water.top").read_text()))
            words = ["--set=system.coordinates=%s/start.gro" % folder, "--set=system.topology=%s/water.top" % folder,
                     "--set=run.steps=0", "--set=compute.check_every=0", "--set=output.log=%s/run.log" % folder, "--set=output.trajectory=none",
                     "--set=output.checkpoint=none"]
            run = tessera("run", GOOD / "minimal.toml", *words)
            self.assertEqual(run.returncode, 0, run.stderr)
            log = (pathlib.Path(folder) / "run.log").read_text()
        self.assertIn(" 1.350000e+29 ", log)
        self.assertNotRegex(log, r"\d{20}")

    def test_a_density_of_no_liquid_is_warned_of_under_pressure(self):
        lines = (SOURCE / "inputs/spce/start.gro").read_text().rstrip().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            start = pathlib.Path(folder) / "start.gro"
            for edge, words in (("2.46", ""), ("24.6", "the density is 0.001 g/cm3, far from that of most liquids: the barostat may")):
                start.write_text("\n".join(lines[:-1] + [3 * ("  " + edge)]) + "\n")
                run = tessera("check", SOURCE / "inputs/spce/run.toml", "--set", "system.coordinates=%s" % start,
                              "--set", "pme.spacing=0.2 nm")
                self.assertIn(words, run.stderr)
                self.assertEqual("density" in run.stderr, words != "")

    def test_a_pressure_of_presses_is_warned_of(self):
        for pressure, words in (("1 bar", ""), ("2e4 bar", "barostat.pressure is 2e+04 bar, beyond what force fields are made for")):
            run = tessera("check", SOURCE / "inputs/spce/run.toml", "--set", "barostat.pressure=" + pressure)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(words, run.stderr)
            self.assertEqual("barostat.pressure" in run.stderr, words != "")

    def test_bonds_within_rigid_water_are_not_called_free(self):
        text = self.warnings_of(lambda top: top.replace("#ifndef FLEXIBLE", "[ bonds ]\n1 2 1 0.09572 502416.0\n"
                                                        "#ifndef FLEXIBLE"), "run.timestep=2 fs")
        self.assertNotIn("are free", text)

    def test_rigid_water_without_exclusions_is_warned_of(self):
        text = self.warnings_of(lambda top: top.replace("[ exclusions ]\n1 2 3\n2 1 3\n3 1 2\n", ""))
        self.assertIn("the atoms of the rigid water SOL are not excluded from each other", text)

    def test_a_hydrogen_mass_that_changes_nothing_is_warned_of(self):
        self.assertIn("run.hydrogen_mass has no effect", self.warnings("minimal.toml", "run.hydrogen_mass=3 u"))

    def test_a_cutoff_within_the_atoms_is_warned_of(self):
        text = self.warnings("minimal.toml", "nonbonded.cutoff=0.1 nm", "nonbonded.electrostatics=reaction-field")
        self.assertIn("the cut-off of 0.1 nm is shorter than the largest atoms are wide (sigma 0.3151 nm)", text)

    def test_of_a_file_cut_short_the_first_thirty_faults_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.prmtop"
            whole = (GOOD / "argon-pair.prmtop").read_text()
            many = whole.replace("       2       1 ", "     100       1 ", 1)
            self.assertNotEqual(many, whole)
            path.write_text(many)
            run = tessera("check", GOOD / "argon-pair.toml", "--set", "system.topology=%s" % path)
            self.assertEqual(run.returncode, 2)
            self.assertLess(len(run.stderr.splitlines()), 130)
            self.assertIn("more faults are not shown", run.stderr)

    def test_impossible_constraints_are_told_by_a_run_before_it_renames_earlier_results(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("minimal.toml", "water.top", "water.gro"):
                shutil.copy(GOOD / name, folder)
            (pathlib.Path(folder) / "run.log").write_text("of an earlier run")
            top = pathlib.Path(folder) / "water.top"
            top.write_text(top.read_text().replace("[ settles ]\n1 1 0.09572 0.15139", "[ constraints ]\n"
                                                   "1 2 1 0.1\n1 3 1 0.1\n2 3 1 0.5"))
            before = sorted(p.name for p in pathlib.Path(folder).iterdir())
            run = subprocess.run([TESSERA, "run", "minimal.toml"], capture_output=True, text=True, cwd=folder, timeout=60)
            self.assertEqual(run.returncode, 2)
            self.assertIn("no triangle has such sides", run.stderr)
            self.assertEqual(sorted(p.name for p in pathlib.Path(folder).iterdir()), before)

    def test_free_bonds_to_hydrogen_under_a_long_step_are_warned_of(self):
        text = self.warnings("flexible-water.toml", "run.timestep=2 fs")
        self.assertIn("6 bonds to hydrogen are free, and the step is 2 fs", text)

    def test_a_step_beyond_the_fastest_motion_names_it(self):
        text = self.warnings("flexible-water.toml", "run.timestep=20 ps")
        self.assertIn("the step of 2e+04 fs is beyond what the fastest motion allows: the bond 1 (OW, SOL 1)", text)
        self.assertIn("rigid water, which turns to and fro", self.warnings("minimal.toml", "run.timestep=30 fs"))

    def test_a_coarse_mesh_is_warned_of_with_one_that_would_do(self):
        text = self.warnings("minimal.toml", "pme.spacing=0.25 nm")
        self.assertIn("the PME mesh is coarser than the tolerance deserves", text)
        spacing = re.search(r'hint: spacing = "(\S+ nm)" would do', text).group(1)
        self.assertEqual(self.warnings("minimal.toml", "pme.spacing=" + spacing), "")
        text = self.warnings("minimal.toml", "pme.grid=[10, 10, 10]")
        grid = re.search(r"hint: (grid = .*\]) would do", text).group(1)
        self.assertEqual(self.warnings("minimal.toml", "pme." + grid), "")

    def test_default_meshes_are_not_called_coarse_at_usual_cutoffs(self):
        for cutoff in ("0.8 nm", "0.9 nm"):
            run = tessera("check", SOURCE / "inputs/spce/run.toml", "--set", "nonbonded.cutoff=" + cutoff)
            self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_of_a_beta_that_no_mesh_serves_the_tolerance_is_named(self):
        text = self.warnings("minimal.toml", "pme.tolerance=1e-9")
        self.assertIn("hint: pme.tolerance = 1e-5 is usual (1e-6 to 1e-4; here 1e-09)", text)

    def test_the_slow_reference_is_warned_of_where_it_is_slow(self):
        ewald = "nonbonded.electrostatics=ewald"
        self.assertEqual(self.warnings("minimal.toml", ewald), "")
        run = tessera("check", SOURCE / "inputs/spce/run.toml", "--set", ewald)
        self.assertIn('electrostatics = "ewald" is the slow reference of the mesh: it sums', run.stderr)

    def test_a_net_charge_is_warned_of_once_with_what_to_do(self):
        for coulomb, words in (("pme", "a uniform background neutralises it"), ("reaction-field", "nothing neutralises it")):
            text = self.warnings_of(lambda top: top.replace("-0.834", "0.166"), "nonbonded.electrostatics=" + coulomb)
            self.assertIn("the system has a net charge of +3 e (" + words, text)
            self.assertIn("hint: add counter-ions, unless this is meant", text)
            self.assertEqual(text.count("warning:"), 1)

    def test_a_bond_stronger_than_any_is_told_by_its_constant(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder) / "water.top"
            top.write_text((GOOD / "water.top").read_text().replace("502416.0", "1e300"))
            text = self.warnings("flexible-water.toml", "system.topology=%s" % top)
        self.assertIn("hint: look at its force constant in the topology", text)
        self.assertNotIn("e-1", text.split("hint:")[1])

    def test_truncated_coulomb_is_warned_of(self):
        cut = "nonbonded.electrostatics=cutoff"
        self.assertIn("Coulomb energies end abruptly at 1 nm", self.warnings("minimal.toml", cut))
        for remedy in ([cut, "nonbonded.coulomb_modifier=potential-shift"],
                       ["nonbonded.electrostatics=reaction-field"], []):
            self.assertNotIn("abruptly", self.warnings("minimal.toml", *remedy))

    def test_a_short_thermostat_time_is_warned_of(self):
        text = self.warnings("minimal.toml", "thermostat.kind=v-rescale", "thermostat.temperature=300 K",
                             "thermostat.time_constant=10 fs")
        self.assertIn("thermostat.time_constant = 0.01 ps is below ten steps (0.02 ps)", text)

    def test_a_box_near_the_cutoff_is_warned_of_under_pressure(self):
        text = self.warnings("minimal.toml", "thermostat.kind=v-rescale", "thermostat.temperature=300 K",
                             "barostat.kind=c-rescale", "barostat.pressure=1 bar", "nonbonded.cutoff=1.28 nm")
        self.assertIn("the box may shrink towards the cut-off", text)

    def test_a_box_near_the_cutoff_is_warned_of_without_pressure_too(self):
        self.assertIn("the cut-off all but fills the box", self.warnings("minimal.toml", "nonbonded.cutoff=1.28 nm"))

    def test_open_space_has_no_lattice_sum_unless_asked(self):
        run = tessera("check", GOOD / "open-space.toml")
        self.assertIn("coulomb       cutoff with constant", run.stdout)

    def test_restraints_to_the_start_coordinates_are_warned_of(self):
        text = self.warnings("minimal.toml", 'system.define=["POSRES"]')
        self.assertIn("position restraints hold to the start coordinates", text)

    def test_a_temperature_without_effect_is_warned_of(self):
        text = self.warnings("minimal.toml", "thermostat.kind=none", "thermostat.temperature=300 K")
        self.assertIn('thermostat.temperature has no effect (thermostat.kind = "none")', text)

    def test_the_reference_of_keys_is_up_to_date(self):
        run = tessera("check", "--list-keys")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stdout, (SOURCE / "docs/deck-reference.md").read_text(),
                         "run `tessera check --list-keys > docs/deck-reference.md`")


class Energy(unittest.TestCase):
    def energy(self, deck, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            json_file, forces_file = pathlib.Path(folder) / "e.json", pathlib.Path(folder) / "f.txt"
            run = tessera("energy", GOOD / deck, "--json", json_file, "--forces", forces_file, *arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stdout, json.loads(json_file.read_text()), forces_file.read_text().splitlines()

    def test_json_holds_what_the_reference_promises(self):
        _, found, _ = self.energy("minimal.toml")
        self.assertEqual(found["atoms"], 9)
        self.assertEqual(found["precision"], "fp64")
        self.assertEqual(found["device"], "cpu")
        self.assertEqual([row[k] for k, row in enumerate(found["box_nm"])], [2.6, 2.6, 2.6])
        self.assertEqual(len(found["virial_kJ_mol"]), 3)
        self.assertEqual(len(found["pme"]["grid"]), 3)
        self.assertGreater(found["pme"]["beta_per_nm"], 3)
        self.assertGreater(found["force_max"], found["force_rms"])

    def test_terms_sum_to_the_potential(self):
        _, found, _ = self.energy("minimal.toml")
        terms = found["energies_kJ_mol"]
        total = sum(value for name, value in terms.items() if name != "potential")
        # each term is rounded once to double: a few units in the last place of the largest
        self.assertAlmostEqual(total, terms["potential"], delta=1e-13 * sum(map(abs, terms.values())))

    def test_terms_that_the_system_lacks_are_absent(self):
        rigid = self.energy("minimal.toml")[1]["energies_kJ_mol"]
        flexible = self.energy("flexible-water.toml")[1]["energies_kJ_mol"]
        self.assertNotIn("bond", rigid)
        self.assertIn("bond", flexible)
        self.assertNotIn("coulomb_reciprocal", flexible)

    def test_forces_come_one_line_an_atom_and_agree_with_the_summary(self):
        _, found, lines = self.energy("minimal.toml")
        self.assertEqual(len(lines), 9)
        forces = [[float(word) for word in line.split()] for line in lines]
        rms = (sum(x * x for row in forces for x in row) / 9) ** 0.5
        self.assertAlmostEqual(rms, found["force_rms"], delta=1e-12 * rms)

    def test_threads_do_not_reach_the_digits(self):
        one = self.energy("minimal.toml", "--set", "compute.threads=1")
        three = self.energy("minimal.toml", "--set", "compute.threads=3")
        self.assertEqual(one, three)

    def ranks(self, ranks, deck, *arguments):
        launcher = shutil.which("mpirun.mpich")
        if launcher is None:
            self.skipTest("there is no mpirun.mpich")
        return subprocess.run([launcher, "-n", str(ranks), TESSERA, "energy", str(GOOD / deck)] +
                              [str(a) for a in arguments], capture_output=True, text=True, timeout=120)

    def test_two_ranks_give_the_digits_of_one(self):
        with tempfile.TemporaryDirectory() as folder:
            json_file, forces_file = pathlib.Path(folder) / "e.json", pathlib.Path(folder) / "f.txt"
            run = self.ranks(2, "minimal.toml", "--json", json_file, "--forces", forces_file)
            self.assertEqual(run.returncode, 0, run.stderr)
            found, forces = json.loads(json_file.read_text()), forces_file.read_text().splitlines()
        _, expected, expected_forces = self.energy("minimal.toml")
        self.assertEqual(found["energies_kJ_mol"], expected["energies_kJ_mol"])
        self.assertEqual(forces, expected_forces)
        self.assertEqual(run.stdout.count("potential"), 1)

    def test_a_fault_on_several_ranks_is_told_once(self):
        run = self.ranks(2, "../bad/atom-counts-differ.toml")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("holds 6 atoms"), 1)

    def test_open_space_has_no_box(self):
        _, found, _ = self.energy("open-space.toml")
        self.assertIsNone(found["box_nm"])
        self.assertNotIn("pme", found)

    def test_the_table_names_each_term_and_the_atom_with_the_largest_force(self):
        text, found, _ = self.energy("minimal.toml")
        for name in found["energies_kJ_mol"]:
            self.assertIn(name, text)
        self.assertIn("on atom", text)


class Convert(unittest.TestCase):
    def test_gro_to_pdb_and_back_keeps_names_and_places(self):
        with tempfile.TemporaryDirectory() as folder:
            pdb, gro = pathlib.Path(folder) / "a.pdb", pathlib.Path(folder) / "a.gro"
            for source, target in ((GOOD / "water.gro", pdb), (pdb, gro)):
                run = tessera("convert", source, target)
                self.assertEqual(run.returncode, 0, run.stderr)
            start = (GOOD / "water.gro").read_text().splitlines()[2:-1]
            found = gro.read_text().splitlines()[2:-1]
            self.assertEqual([line[5:44] for line in found], [line[5:44] for line in start])

    def test_a_position_out_of_range_names_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "a.gro": "far\n2\n    1AR      AR    1     1.000     1.000     1.000\n"
                         "    2AR      AR    2     1.000 20000.000     1.000\n 9 9 9\n",
                "a.g96": "TITLE\nfar\nEND\nPOSITION\n# remark\n    1 AR    AR         1    1.000000000    1.000000000"
                         "    1.000000000\n    2 AR    AR         2    1.000000000 20000.000000000    1.000000000\nEND\n",
                "a.rst7": "far\n3\n" + "%12.7f" * 6 % (1, 1, 1, 2, 2, 2) + "\n" + "%12.3f" * 3 % (1, 200000, 1) + "\n",
            }
            lines = {"a.gro": 4, "a.g96": 7, "a.rst7": 4}
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.write_text(text)
                run = tessera("convert", path, pathlib.Path(folder) / "b.h5md")
                self.assertEqual(run.returncode, 2, name)
                self.assertIn("%s:%d" % (name, lines[name]), run.stderr)

    def test_the_ifbox_of_a_topology_tells_a_cell_from_velocities(self):
        with tempfile.TemporaryDirectory() as folder:
            gro = pathlib.Path(folder) / "a.gro"
            run = tessera("convert", GOOD / "argon-pair.inpcrd", gro, "--topology", GOOD / "argon-pair.prmtop")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertNotIn("0.000   0.000   0.000", gro.read_text().splitlines()[-1])
            self.assertEqual(len(gro.read_text().splitlines()[2]), 44)

    def test_cells_that_differ_between_amber_files_are_warned_of(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("argon-pair.toml", "argon-pair.prmtop", "argon-pair.inpcrd"):
                shutil.copy(GOOD / name, folder)
            deck, restart = pathlib.Path(folder) / "argon-pair.toml", pathlib.Path(folder) / "argon-pair.inpcrd"
            self.assertNotIn("the cells of", tessera("check", deck).stderr)
            lines = restart.read_text().splitlines()
            lines[-1] = "%12.7f" * 6 % (80, 80, 80, 90, 90, 90)
            restart.write_text("\n".join(lines) + "\n")
            self.assertIn("8 x 8 x 8 nm, 90 90 90 degrees and ", tessera("check", deck).stderr)

    def test_a_topology_goes_into_a_trajectory(self):
        with tempfile.TemporaryDirectory() as folder:
            run = tessera("convert", GOOD / "water.gro", pathlib.Path(folder) / "a.h5md", "--topology",
                          GOOD / "water.top")
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_an_unknown_format_is_bad_input(self):
        self.assertEqual(tessera("convert", GOOD / "water.gro", "/tmp/a.xyzzy").returncode, 2)

    def test_a_missing_file_is_told(self):
        run = tessera("convert", "nowhere.gro", "/tmp/a.pdb")
        self.assertEqual(run.returncode, 2)
        self.assertIn("nowhere.gro", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
