"""What the scaling model counts and says, where it can be said by hand."""

import pathlib
import sys
import unittest

import scaling

TOOLS = pathlib.Path(sys.argv.pop(1))
COSTS = {"us_by_atom": dict.fromkeys(("pairs", "bonded", "constraints", "update", "mesh", "search", "coupling"), 0.1), "us_fixed": 5.0,
         "us_cut_by_known_atom": 0.5, "steps_between_cuts": 15, "ns_by_copied_byte": 0.5}


class Scaling(unittest.TestCase):
    def test_one_rank_sends_nothing(self):
        plan = scaling.counts(TOOLS, 23558, [1])[0]
        self.assertEqual((plan["imported"], plan["partners"], plan["mesh_bytes"], plan["mesh_messages"]), (0, 0, 0, 0))

    def test_two_ranks_import_a_layer_of_the_reach(self):
        plan = scaling.counts(TOOLS, 100_000, [2])[0]  # a cube of 10 nm; pairs to 1 nm, groups of 0.11 nm at both ends
        self.assertAlmostEqual(plan["imported"] / (100 * 10 * 10 * 1.22), 1, delta=0.02)
        self.assertAlmostEqual(plan["least_imported"] / (100 * 10 * 10 * 1.0), 1, delta=1e-6)

    def test_no_scheme_imports_less_than_the_least(self):
        for plan in scaling.counts(TOOLS, 94232, [2, 3, 4, 8, 16, 27, 64]):
            self.assertGreater(plan["imported"], plan["least_imported"])

    def test_phase_times_are_read_from_a_log(self):
        read = scaling.phases_of("time spent  calls  s  share\n  search                           18          0.034      5.0 %\n"
                                 "  dispersion tail                 201          0.002      0.0 %\n  other                                        0.000      0.0 %\n")
        self.assertEqual(read["seconds"], {"search": 0.034, "dispersion tail": 0.002, "other": 0.0})
        self.assertEqual(read["calls"]["dispersion tail"], 201)

    def test_ranks_help_and_a_slower_network_helps_less(self):
        plans = scaling.counts(TOOLS, 1_000_000, [1, 8, 64])
        for network in ("infiniband", "rdma-25"):
            times = [sum(scaling.predicted(COSTS, plan, network).values()) for plan in plans]
            self.assertGreater(times[0] / times[1], 4)
            self.assertGreater(times[1], times[2])
            self.assertLess(times[0] / times[2], 64)
        fast, slow = (sum(scaling.predicted(COSTS, plans[2], n).values()) for n in ("infiniband", "rdma-25"))
        self.assertLess(fast, slow)


if __name__ == "__main__":
    unittest.main()
