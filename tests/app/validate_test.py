"""tessera validate --quick: what it runs, what it says, how it ends.

usage: validate_test.py TESSERA SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SPCE = SOURCE / "inputs" / "spce" / "run.toml"


def validate(*arguments):
    return subprocess.run([TESSERA, "validate"] + [str(a) for a in arguments], capture_output=True, text=True, timeout=300)


class Validate(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name) / "found.json"

    def found(self, *arguments, status=0):
        run = validate(SPCE, "--quick", "--json", self.file, *arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        self.text = run.stdout
        return json.loads(self.file.read_text())

    def test_mixed_water_keeps_its_margins_and_is_not_fp64(self):
        found = self.found("--set", "compute.precision=mixed", "--frames", "2", "--stride", "5")

        self.assertEqual(found["verdict"], "within")
        self.assertEqual([frame["step"] for frame in found["frames"]], [0, 5])
        margins = found["margins"]
        self.assertEqual({key: margins[key]["margin"] for key in ("pair_rms", "pair_max", "reciprocal_rms", "energy",
                                                                  "pressure", "noise_power", "pair_difference")},
                         {"pair_rms": 5e-6, "pair_max": 1e-4, "reciprocal_rms": 2e-6, "energy": 1e-6,
                          "pressure": 0.1, "noise_power": 1e-6, "pair_difference": 1e-8})
        self.assertEqual(margins["pair_force_sum"]["value"], 0)
        self.assertGreater(margins["pair_rms"]["value"], 1e-8)
        self.assertEqual([control["verdict"] for control in found["controls"]], ["found"] * 3)
        self.assertEqual(set(found["elements"]), {"H", "O"})
        for words in ("within the margin", "T3 (energy increments without thermostat), T4 (energy drift) and T6",
                      "were not run: they are not built yet"):
            self.assertIn(words, self.text)

    def test_a_missed_margin_is_told_and_ends_with_status_three(self):
        # forces of water a ten thousandth as strong meet the same quantum of pair forces, 2^-14 kJ/mol/nm
        topology = (SOURCE / "inputs" / "spce" / "topol.top").read_text()
        weak = topology.replace("-0.8476", "-0.008476").replace("0.4238", "0.004238").replace("0.650\n", "0.000065\n")
        self.assertEqual(weak.count("0.000065"), 1)
        top = self.file.with_name("weak.top")
        top.write_text(weak)
        run = validate(SPCE, "--quick", "--frames", "1", "--set", "compute.precision=mixed",
                       "--set", "system.topology=%s" % top, "--json", self.file)
        found = json.loads(self.file.read_text())

        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertEqual(found["verdict"], "beyond")
        self.assertEqual(found["margins"]["pair_rms"]["verdict"], "beyond")
        self.assertIn("beyond the margin", run.stdout)

    def test_fp64_agrees_with_pairs_found_another_way(self):
        found = self.found("--set", "compute.precision=fp64", "--frames", "1")

        self.assertLess(found["margins"]["pair_rms"]["value"], 1e-12)
        self.assertNotIn("pair_difference", found["margins"])

    def test_the_number_of_threads_changes_no_digit_of_the_errors(self):
        one = self.found("--frames", "1", "--threads", "1", "--set", "compute.precision=mixed")
        two = self.found("--frames", "1", "--threads", "2", "--set", "compute.precision=mixed")

        self.assertEqual(one["errors"]["pairs"], two["errors"]["pairs"])

    def test_what_is_not_built_is_refused_by_name(self):
        for arguments, words in (([], "validate without --quick is not built yet"),
                                 (["--full"], "validate --full is not built yet"),
                                 (["--quick", "--html", "x.html"], "validate --html is not built yet")):
            run = validate(SPCE, *arguments)
            self.assertEqual(run.returncode, 2)
            self.assertIn(words, run.stderr)

    def test_decks_that_minimise_are_refused(self):
        run = validate(SPCE, "--quick", "--set", "run.integrator=steepest-descent", "--set", "thermostat.kind=none",
                       "--set", "barostat.kind=none", "--set", "run.velocities=from-file")
        self.assertEqual(run.returncode, 2)
        self.assertIn("the deck minimises", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
