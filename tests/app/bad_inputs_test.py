"""Each file of tests/inputs/bad is refused with the messages that it carries itself, and each place of the program that
refuses an input has such a file.

Decks: lines `#^ text` at the end: standard error holds each text. A line `#! arguments` adds to the command line, a line
`#= status` says another exit status than 2.
Others that no deck names by its own stem: their first line, or a comment, holds `^ text`; they are put into a good deck
of their kind. What other commands refuse stands in refused_commands.py.
usage: bad_inputs_test.py TESSERA FOLDER
"""
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import error_sites
import refused_commands

TESSERA, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
GOOD, SOURCE = FOLDER.parent / "good", FOLDER.parents[2]
# ending: a good deck of this kind, and the key that is overridden
KINDS = {
    ".top": ("minimal.toml", "system.topology"),
    ".prmtop": ("argon-pair.toml", "system.topology"),
    ".gro": ("minimal.toml", "system.coordinates"),
    ".g96": ("minimal.toml", "system.coordinates"),
    ".pdb": ("minimal.toml", "system.coordinates"),
    ".crd": ("minimal.toml", "system.coordinates"),
    ".rst7": ("argon-pair.toml", "system.coordinates"),
}
COMMENT = re.compile(r"^(?:;|#|REMARK |%COMMENT |\* |)\^ (.*)$", re.M)


def marked(lines, mark):
    return [line[len(mark):].strip() for line in lines if line.startswith(mark)]


def check(deck, *arguments):
    return subprocess.run([TESSERA, "check", str(deck), *arguments], capture_output=True, text=True, timeout=60)


class BadInputs(unittest.TestCase):
    said, commands = None, None

    @classmethod
    def setUpClass(cls):
        jobs = {}
        for deck in sorted(FOLDER.glob("*.toml")):
            lines = deck.read_text().splitlines()
            arguments = [word for text in marked(lines, "#! ") for word in shlex.split(text)]
            status = int((marked(lines, "#= ") or ["2"])[0])
            jobs[deck.name] = ([deck] + arguments, marked(lines, "#^ "), status)
        for file in sorted(FOLDER.iterdir()):
            if file.suffix in KINDS and not file.with_suffix(".toml").exists():
                deck, key = KINDS[file.suffix]
                put = "%s=../%s/%s" % (key, FOLDER.name, file.name)
                jobs[file.name] = ([GOOD / deck, "--set", put], COMMENT.findall(file.read_text()), 2)
        with concurrent.futures.ThreadPoolExecutor(2) as two:
            runs = two.map(lambda job: check(*job[0]), jobs.values())
            cls.said = {name: (run, *job[1:]) for (name, job), run in zip(jobs.items(), runs)}
            cls.commands = cls.refused(two)

    @classmethod
    def refused(cls, workers):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        (folder / "first").mkdir()
        first = refused_commands.Area.first(TESSERA, folder / "first", SOURCE)
        cases = refused_commands.cases()
        runs = workers.map(lambda k: cases[k][3](first.copy(folder / str(k))), range(len(cases)))
        return [(name, words, status, run) for (name, words, status, _), run in zip(cases, runs)]

    def test_each_command_is_refused_with_its_words(self):
        self.assertGreater(len(self.commands), 20)
        for name, words, status, run in self.commands:
            with self.subTest(command=name):
                self.assertIn(words, run.stderr)
                self.assertEqual(run.returncode, status, run.stderr)

    def test_each_file_is_refused_with_the_messages_it_carries(self):
        self.assertGreaterEqual(len(self.said), 80)
        for name, (run, expected, status) in self.said.items():
            with self.subTest(file=name):
                self.assertTrue(expected, "the file carries no expected message")
                self.assertEqual(run.returncode, status, run.stderr)
                for text in expected:
                    self.assertIn(text.strip(), run.stderr)

    def test_each_place_that_refuses_has_a_file_or_a_reason(self):
        if refused_commands.h5py is None:
            self.skipTest("this Python has no h5py to damage files with")
        texts = [run.stderr for run, *_ in self.said.values()] + [run.stderr for *_, run in self.commands]
        reached = {site.name for site in error_sites.sites(SOURCE) if site.is_reached_by(texts)}
        unreached = {site.name for site in error_sites.sites(SOURCE)} - reached
        listed = error_sites.listed(FOLDER.parent / "sites_without_file.txt")
        self.assertGreater(len(reached), 150)
        self.assertEqual(sorted(unreached - listed), [], "add a file to tests/inputs/bad that reaches them, or a "
                         "line with a reason to tests/inputs/sites_without_file.txt")
        self.assertEqual(sorted(listed - unreached), [], "these have a file now, or are gone: take them out of "
                         "tests/inputs/sites_without_file.txt")

    def test_good_decks_pass(self):
        for deck in sorted(GOOD.glob("*.toml")):
            with self.subTest(deck=deck.name):
                run = check(deck)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("no faults found", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
