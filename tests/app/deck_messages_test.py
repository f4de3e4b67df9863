"""Every key of the deck with every kind of wrong value: `tessera check` ends with status 2, and its message tells file and
line (or --set), the key, what is wrong and what to do. The keys are those of `tessera check --list-keys`.
usage: deck_messages_test.py TESSERA SOURCE
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
GOOD = {
    "system.topology": '"%s"' % (SOURCE / "tests/inputs/good/water.top"),
    "system.coordinates": '"%s"' % (SOURCE / "tests/inputs/good/water.gro"),
    "nonbonded.cutoff": '"1.0 nm"', "compute.precision": '"fp64"',
    "run.velocities": '"maxwell-boltzmann"', "run.temperature": '"300 K"',
    "thermostat.kind": '"v-rescale"', "thermostat.temperature": '"300 K"',
    "barostat.kind": '"c-rescale"', "barostat.pressure": '"1 bar"',
}
INSTEAD = {"nonbonded.lj_cutoff": "nonbonded.cutoff", "nonbonded.coulomb_cutoff": "nonbonded.cutoff"}
BESIDE = {"nonbonded.lj_cutoff": {"nonbonded.coulomb_cutoff": '"1.0 nm"'},
          "nonbonded.coulomb_cutoff": {"nonbonded.lj_cutoff": '"1.0 nm"'},
          "nonbonded.lj_switch": {"nonbonded.lj_modifier": '"force-switch"'}}
NO_TEXT = ["17", "1.5", "true", "[1]", "{a = 1}", "1979-05-27", '""', "[]"]
NO_NUMBER = ['"word"', '""', "true", "[1]", "{a = 1}", "1979-05-27", "nan", "-inf", '"5"', '"5 steps"', "[]"]
MAY_BE_ZERO = {"run.temperature", "thermostat.temperature", "barostat.pressure"}
MAY_BE_NEGATIVE = {"barostat.pressure"}


def keys():
    """path, what the reference says of its value"""
    told = subprocess.run([TESSERA, "check", "--list-keys"], capture_output=True, text=True, timeout=60, check=True).stdout
    table = ""
    for line in told.splitlines():
        table = line[4:-1] if line.startswith("## [") else table
        row = re.match(r"\| (\w+) \| (.*?) \| .* \|$", line)
        if table and row and row.group(1) != "key":
            yield "%s.%s" % (table, row.group(1)), row.group(2)


def wrong_values(path, kind):
    unit = re.search(r'\("([^"]+)"', kind)
    if kind.startswith("whole number"):
        return NO_NUMBER + ["-3", "1.5", "99999999999999999999"]
    if kind.startswith("number"):
        return NO_NUMBER + ["-3", "-0.5"]
    if kind == "true or false":
        return ["1", "0", '"true"', '"yes"', '""', "[true]", "{a = 1}"]
    if kind == "list of strings":
        return ['"word"', "3", "[1]", '[""]', "true", '["a", 2]']
    if kind.startswith("three"):
        return ["5", '"56 56 56"', "[1, 2]", "[0, 0, 0]", "[1.5, 2, 3]", '["1", "2", "3"]', "[1, 2, 3, 4]", "[-1, 2, 3]", "[]"]
    if kind.startswith("file"):
        return [v for v in NO_TEXT] + ['"nowhere/at/all"', '"."']
    if unit or "time" in kind:
        unit = unit.group(1) if unit else "ps"
        out = ["5", "1.5", "[1]", "{a = 1}", "1979-05-27", '""', '"word"', '"5"', '"%s"' % unit, '"5 furlong"', '"5 Q"',
               '"inf %s"' % unit, '"nan %s"' % unit, '"1e999 %s"' % unit, '"1,5 %s"' % unit, '"5 %s %s"' % (unit, unit)]
        if "true" not in kind:
            out.append("true")
        if path not in MAY_BE_ZERO:
            out.append('"0 %s"' % unit)
        if path not in MAY_BE_NEGATIVE:
            out.append('"-1 %s"' % unit)
        return out + (['"27 C"'] if unit == "K" else [])
    return NO_TEXT + ['"nonsense"', '" none"']  # a choice


def deck_with(path, value):
    """The text, and the line of the key."""
    given = {k: v for k, v in GOOD.items() if k not in (path, INSTEAD.get(path))} | BESIDE.get(path, {})
    given[path] = value
    lines, at = [], 0
    for table in dict.fromkeys(key.split(".")[0] for key in given):
        lines.append("[%s]" % table)
        for key in given:
            if key.split(".")[0] == table:
                lines.append("%s = %s" % (key.split(".")[1], given[key]))
                at = len(lines) if key == path else at
    return "\n".join(lines) + "\n", at


def messages(told):
    """Of standard error, each with its picture and hint."""
    return re.split(r"\n(?=(?:d\d+\.toml|--set |warning: |/))", told.rstrip())


class DeckMessages(unittest.TestCase):
    def fault_of(self, path, place, run):
        """What is wanting in what a run of `check` says, or ''."""
        if run.returncode != 2:
            return "status %d" % run.returncode
        here = [m for m in messages(run.stderr) if m.startswith(place) and path in m]
        if not here:
            return "no message with place and key"
        without = [m for m in here if not re.search(r"\n hint: \S", m)]
        return "no remedy" if without else ""

    def test_name_place_key_and_remedy(self):
        with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as two:
            folder = pathlib.Path(name)

            def check(job):
                number, path, value = job
                text, line = deck_with(path, value)
                file = "d%d.toml" % number
                (folder / file).write_text(text)
                return path, "%s:%d:" % (file, line), subprocess.run(
                    [TESSERA, "check", file], cwd=folder, capture_output=True, text=True, timeout=60)

            def override(job):
                path, value = job
                (folder / "d0.toml").write_text(deck_with("run.seed", "1")[0])
                set_to = "%s=%s" % (path, value)
                return path, "--set %s: " % set_to, subprocess.run(
                    [TESSERA, "check", "d0.toml", "--set", set_to], cwd=folder, capture_output=True, text=True, timeout=60)

            wrong = [(path, value) for path, kind in keys() for value in wrong_values(path, kind)]
            self.assertGreater(len({path for path, _ in wrong}), 55)
            jobs = [(k + 1, path, value) for k, (path, value) in enumerate(wrong)]
            said = list(zip(wrong, two.map(check, jobs)))
            first = list(dict(reversed(wrong)).items())  # one value of each key
            said += list(zip(first, two.map(override, first)))
        poor = ["%s = %s: %s\n%s" % (*what, fault, run.stderr)
                for what, (path, place, run) in said if (fault := self.fault_of(path, place, run))]
        print("%d wrong values of %d keys" % (len(said), len(first)))
        self.assertEqual(poor, [], "\n".join(["%d of %d messages are poor:" % (len(poor), len(said))] + poor))

    def test_name_the_key_that_splits_the_ewald_sum_where_its_value_is_unusual(self):
        deck = str(SOURCE / "inputs/spce/run.toml")
        for value, status in (("pme.tolerance=1e-30", 2), ("pme.tolerance=1e-12", 0), ("pme.tolerance=0.9", 0),
                              ("pme.beta=100 /nm", 2), ("pme.beta=0.01 /nm", 0)):
            with self.subTest(value=value):
                run = subprocess.run([TESSERA, "check", deck, "--set", value], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertIn("--set %s: " % value, run.stderr)
                self.assertRegex(run.stderr, "hint: .*%s = .* is usual" % value.split("=")[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
