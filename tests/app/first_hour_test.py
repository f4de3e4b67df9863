"""What a newcomer meets first: the words of the bootstrap script, the shipped decks, what their READMEs promise.

usage: first_hour_test.py TESSERA SOURCE_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DECKS = sorted(SOURCE.glob("inputs/*/run.toml"))


def call(*words, cwd=None):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, cwd=cwd)


class Bootstrap(unittest.TestCase):
    def refused(self, words, says):
        run = call("bash", SOURCE / "bootstrap", *words)
        self.assertEqual(run.returncode, 2)
        self.assertIn(says, run.stderr)

    def test_options_without_their_value_are_told(self):
        self.refused(["run", "--jobs"], "--jobs needs a value")
        self.refused(["run", "--cuda"], "--cuda needs a value")

    def test_values_and_words_that_it_does_not_know_are_told(self):
        self.refused(["run", "--jobs", "0"], '--jobs "0" is no number of jobs')
        self.refused(["run", "--cuda=maybe"], '--cuda "maybe" is unknown')
        self.refused(["run", "--job", "2"], 'unknown option "--job"')
        self.refused(["rnu"], 'unknown word "rnu"')


class BootstrapWithoutMachine(unittest.TestCase):
    """The script between programs that only write down what they were asked."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "build").mkdir()
        (self.folder / "bin").mkdir()
        shutil.copy(SOURCE / "bootstrap", self.folder)
        self.program("bin/cmake", "echo '-- GPU parts: none'")
        self.program("bin/apt-get", "echo apt-get $1")
        self.program("bin/sudo", 'exec "$@"')
        self.program("build/tessera", "echo tessera $@")

    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n%s\n" % text)
        path.chmod(0o755)

    def bootstrap(self, *words, installed):
        self.program("bin/dpkg-query", "echo '%s'" % ("install ok installed" if installed else "unknown"))
        path = "%s:%s" % (self.folder / "bin", os.environ["PATH"])
        return subprocess.run(["bash", self.folder / "bootstrap", *words], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, PATH=path))

    def test_the_run_ends_with_where_to_look_next(self):
        run = self.bootstrap("run", installed=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        said = run.stdout[run.stdout.index("tessera run inputs/dhfr/run.toml"):]
        for word in ("inputs/dhfr/README.md", "inputs/argon/README.md", "docs/deck-reference.md", "CONTRIBUTING.md"):
            self.assertIn(word, said)
            self.assertTrue((SOURCE / word).exists())
        self.assertIn("--continue", said)

    def test_minutes_without_words_are_announced(self):
        run = self.bootstrap("build", installed=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLess(run.stdout.index("installing, some minutes without further words"), run.stdout.index("apt-get update"))
        self.assertRegex(run.stdout, r"building with \d+ jobs \(about \d+ minutes of processor time the first time\)")

    def test_without_installing_the_command_to_do_so_is_told(self):
        run = self.bootstrap("build", "--no-install", installed=False)
        self.assertEqual(run.returncode, 4)
        self.assertIn("Run: apt-get install g++", run.stderr)


class ShippedDecks(unittest.TestCase):
    def test_none_is_greeted_with_more_than_a_warning_of_two_lines(self):
        self.assertGreater(len(DECKS), 3)
        for deck in DECKS:
            with self.subTest(deck=deck.parent.name):
                run = call(TESSERA, "check", deck)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertLessEqual(len(run.stderr.splitlines()), 2, run.stderr)

    def test_git_ignores_what_two_runs_leave(self):
        if shutil.which("git") is None or not (SOURCE / ".git").exists():
            self.skipTest("this is no working copy of git")
        for name in ("run.log", "run.1.log", "state.h5", "state.h5.prev", "state.1.h5", "traj.h5md", "traj.1.h5md",
                     "state.h5.lock", "state.h5.tmp", "traj.h5md.new", "run.log.lock"):
            with self.subTest(file=name):
                self.assertEqual(call("git", "check-ignore", "-q", "inputs/argon/" + name, cwd=SOURCE).returncode, 0)


class Argon(unittest.TestCase):
    def test_the_readme_says_what_the_deck_does(self):
        page, deck = (SOURCE / "inputs/argon/README.md").read_text(), SOURCE / "inputs/argon/run.toml"
        check = call(TESSERA, "check", deck).stdout
        length = re.search(r"= (\d+ ps);", check).group(1)
        self.assertIn("\n" + length + ",", page)
        mass = float(re.search(r"([\d.]+) u,", check).group(1))
        volume = float(re.search(r"volume ([\d.]+) nm", check).group(1))
        density = "%.3f g/cm3" % (mass * 1.66053907e-3 / volume)  # u/nm^3 -> g/cm^3
        self.assertIn("a density of " + density, page)
        self.assertIn(density, deck.read_text())
        potential = float(re.search(r"potential +(\S+)", call(TESSERA, "energy", deck).stdout).group(1))
        self.assertIn("(potential %.2f kJ/mol)" % potential, page)

    def test_the_start_of_a_run_conserves_what_the_readme_says(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("run.toml", "topol.top", "start.gro"):
                shutil.copy(SOURCE / "inputs/argon" / name, folder)
            run = call(TESSERA, "run", "run.toml", "--set", "run.steps=100", "--threads", "1", cwd=folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            conserved = float(re.search(r"conserved +(\S+)", run.stdout).group(1))
            # the crystal's start is 0.3 off: leap-frog's half steps in the first step of a run
            self.assertAlmostEqual(conserved, -3242.8, delta=0.3)


class Documents(unittest.TestCase):
    def test_commands_of_readme_and_contributing_name_files_that_are_there(self):
        found = 0
        for page in ("README.md", "CONTRIBUTING.md"):
            for name in re.findall(r"\b((?:inputs|docs|tests|engine|forcefields)/[\w/.-]*\w)", (SOURCE / page).read_text()):
                if "my_bond" not in name and "traj" not in name:
                    found += 1
                    with self.subTest(page=page, name=name):
                        self.assertTrue((SOURCE / name).exists())
        self.assertGreater(found, 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
