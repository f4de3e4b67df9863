"""The house is in order; and the checker finds each kind of fault in a small made-up tree."""

import pathlib
import sys
import tempfile
import unittest

from architecture import LONGEST_FILE, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = "engine/base 0\nengine/math 1\nengine/physics 3\nengine/model 4\nengine/plans 5\nengine/cpu 7\ncuda 7\nio 9\nengine/app 10\ntests 11\n"


def faults_of(**files):
    """Faults of a tree that holds these files only; a name is the path with __ for / and _dot_ for the last dot."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/layers.txt").write_text(LAYERS)
        for name, text in files.items():
            path = root / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(root)


class Architecture(unittest.TestCase):
    def test_holds_in_the_project(self):
        faults = check(ROOT)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))


class Checker(unittest.TestCase):
    def assert_one(self, faults, *parts):
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_accepts_a_tree_in_order(self):
        self.assertEqual(faults_of(
            engine__base__a_dot_hpp="#pragma once\n#include <vector>\n",
            engine__math__b_dot_hpp='#pragma once\n#include "engine/base/a.hpp"\nstatic_assert(true); // assert(x) in words\n',
            engine__app__main_dot_cpp='#include "engine/math/b.hpp"\nint main() { std::cerr << 1; }\n'), [])

    def test_tells_an_include_from_above(self):
        faults = faults_of(engine__physics__x_dot_hpp='#pragma once\n#include "engine/model/particles.hpp"\n')
        self.assert_one(faults, "engine/physics/x.hpp includes engine/model/particles.hpp (physics is floor 3, model floor 4). "
                                "Pass the value in, or move the file up.")

    def test_tells_an_include_from_beside(self):
        self.assert_one(faults_of(cuda__x_dot_cpp='#include "engine/cpu/y.hpp"\n'), "cuda is floor 7, cpu floor 7")

    def test_tells_a_module_without_floor(self):
        self.assert_one(faults_of(engine__new__x_dot_cpp="\n"), "not in docs/layers.txt")

    def test_tells_an_include_not_from_the_root(self):
        self.assert_one(faults_of(engine__math__x_dot_cpp='#include "vec3.hpp"\n'), "not written from the root")

    def test_tells_foreign_headers_out_of_place(self):
        for header, word in [("mpi.h", "MPI"), ("hdf5.h", "HDF5"), ("hwy/highway.h", "Highway"), ("cuda_runtime.h", "CUDA")]:
            self.assert_one(faults_of(engine__model__x_dot_cpp=f"#include <{header}>\n"), word)
        self.assert_one(faults_of(io__x_dot_hpp="#pragma once\n#include <Eigen/Dense>\n"), "Eigen")

    def test_tells_the_oracle_from_reading_the_engines_formulas(self):
        for header in ["engine/physics/x.hpp", "engine/cpu/x.hpp", "engine/plans/pair_form.hpp"]:
            self.assert_one(faults_of(tests__oracle__x_dot_hpp=f'#pragma once\n#include "{header}"\n'), "shares no formula")

    def test_tells_cuda_switches_in_the_engine(self):
        self.assert_one(faults_of(engine__cpu__x_dot_cpp="#if defined(TESSERA_HAVE_CUDA)\n#endif\n"), "preprocessor for CUDA")

    def test_tells_what_only_app_may_do(self):
        for line in ["assert(1);", "std::exit(1);", "exit(2);", "std::cerr << 1;", 'printf("x");', "std::abort();"]:
            self.assert_one(faults_of(engine__cpu__x_dot_cpp=f"void f() {{ {line} }}\n"), "below app")

    def test_lets_the_one_file_that_forks_end_its_child(self):
        self.assertEqual(faults_of(io__hdf5_rehearsal_dot_cpp="void f() { ::_exit(0); }\n"), [])
        self.assert_one(faults_of(io__hdf5_rehearsal_dot_cpp="void f() { std::exit(0); }\n"), "below app")

    def test_tells_long_files(self):
        self.assert_one(faults_of(engine__cpu__x_dot_cpp="\n" * (LONGEST_FILE + 1)), f"more than {LONGEST_FILE}")

    def test_tells_unfinished_work(self):
        for word in ["TO" + "DO", "FIX" + "ME"]:
            self.assert_one(faults_of(engine__cpu__x_dot_cpp=f"// {word} later\n"), "unfinished")

    def test_tells_paths_of_one_machine(self):
        self.assert_one(faults_of(engine__cpu__x_dot_cpp='const char* p = "/ho' + 'me/me/x";\n'), "one machine")

    def test_tells_citations_of_pages_that_are_not_here(self):
        page, near = "far." + "md", "near." + "md"
        self.assert_one(faults_of(engine__cpu__x_dot_cpp=f"// {page} 9.1 says why\n"), f"cites {page}")
        self.assert_one(faults_of(engine__cpu__x_dot_cpp=f"// docs/{page}\n", docs__near_dot_md="far\n"), f"cites docs/{page}")
        self.assertEqual(faults_of(engine__cpu__x_dot_cpp=f"// docs/{near}, {near}\n", docs__near_dot_md="x\n"), [])

    def test_tells_empty_names(self):
        self.assert_one(faults_of(engine__cpu__x_dot_cpp="struct Force" + "Help" + "er {};\n"), "says nothing")
        self.assert_one(faults_of(**{"engine__cpu__force_" + "ut" + "ils_dot_cpp": "\n"}), "file name")
        self.assert_one(faults_of(tests__x_dot_cpp="TEST(Box, Works) {}\n"), "no sentence")

    def test_tells_files_in_the_wrong_folder(self):
        for name, word in [("engine__cpu__x_dot_cu", "cuda"), ("engine__cpu__x_dot_inl", "physics/pair"), ("cuda__x-inl_dot_hpp", "simd")]:
            self.assert_one(faults_of(**{name: "#pragma once\n"}), word)

    def test_tells_headers_without_guard(self):
        self.assert_one(faults_of(engine__cpu__x_dot_hpp="\n"), "pragma once")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] if "-v" in sys.argv else None)
