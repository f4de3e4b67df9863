"""Each deck of tests/inputs/bad is refused with the messages that it carries itself.

Lines `#^ text` at its end: standard error holds each text. A line `#! arguments` adds to the command line.
usage: bad_inputs_test.py TESSERA FOLDER
"""
import pathlib
import shlex
import subprocess
import sys
import unittest

TESSERA, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def marked(lines, mark):
    return [line[len(mark):].strip() for line in lines if line.startswith(mark)]


class BadInputs(unittest.TestCase):
    def test_each_deck_is_refused_with_the_messages_it_carries(self):
        decks = sorted(FOLDER.glob("*.toml"))
        self.assertGreaterEqual(len(decks), 40)
        for deck in decks:
            with self.subTest(deck=deck.name):
                lines = deck.read_text().splitlines()
                arguments = [word for text in marked(lines, "#! ") for word in shlex.split(text)]
                run = subprocess.run([TESSERA, "check", str(deck)] + arguments, capture_output=True, text=True,
                                     timeout=60)
                expected = marked(lines, "#^ ")
                self.assertTrue(expected, "the deck carries no expected message")
                self.assertEqual(run.returncode, 2, run.stderr)
                for text in expected:
                    self.assertIn(text, run.stderr)

    def test_good_decks_pass(self):
        for deck in sorted((FOLDER.parent / "good").glob("*.toml")):
            with self.subTest(deck=deck.name):
                run = subprocess.run([TESSERA, "check", str(deck)], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("no faults found", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
