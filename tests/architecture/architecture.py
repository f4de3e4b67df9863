"""The rules of the house that a machine can read (docs/layers.txt, CONTRIBUTING.md): check(root) returns one sentence per fault."""

import pathlib
import re

SOURCE_ENDINGS = {".hpp", ".cpp", ".cu", ".cuh", ".inl"}
SOURCE_FOLDERS = ["engine", "cuda", "forcefields", "io", "tests"]
TEXT_FOLDERS = SOURCE_FOLDERS + ["cmake", "docs", "inputs", "validation", ".ci"]
LONGEST_FILE = 600

# Foreign headers, and the only places that may name them.
FOREIGN = [
    (re.compile(r"^mpi\.h$"), re.compile(r"^engine/parallel/mpi_transport\.cpp$|^tests/mpi/"), "MPI headers belong in engine/parallel/mpi_transport.cpp only"),
    (re.compile(r"^hwy/"), re.compile(r"^engine/cpu/simd/|^tests/engine/cpu/simd/"), "Highway belongs in engine/cpu/simd only"),
    (re.compile(r"^hdf5|^H5"), re.compile(r"^io/|^tests/io/"), "HDF5 belongs in io only"),
    (re.compile(r"^Eigen/|^unsupported/Eigen"), re.compile(r"\.cpp$"), "Eigen belongs in .cpp files only"),
    (re.compile(r"^cuda|^cufft|^thrust/|^cub/|^mma\.h$"), re.compile(r"^cuda/"), "CUDA headers belong in cuda only"),
]
# The oracle shares no formula with the engine: it may know data and plain vectors, and no more.
ORACLE_MAY_INCLUDE = re.compile(r"^engine/(base|math|model)/|^engine/plans/settings\.hpp$|^tests/(oracle|support)/")
ENDING_PLACES = [
    (re.compile(r"\.(cu|cuh)$"), re.compile(r"^(cuda|tests/cuda)/"), ".cu and .cuh files belong in cuda"),
    (re.compile(r"_body\.hpp$"), re.compile(r"^cuda/"), "_body.hpp files belong in cuda"),
    (re.compile(r"-inl\.hpp$"), re.compile(r"^engine/cpu/simd/"), "-inl.hpp files belong in engine/cpu/simd"),
    (re.compile(r"\.inl$"), re.compile(r"^engine/physics/pair/"), ".inl files belong in engine/physics/pair"),
]
# Split, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.<])/(" + "work|ho" + "me|ro" + r"ot)/\w")
MARKDOWN = re.compile(r"(?<![\w*-])[\w./-]*\w\.md\b")
WEAK_NAME = re.compile(r"(?i)(help" + "er|mana" + "ger|ut" + "il)")
WEAK_TEST = re.compile(r"\bTEST(?:_F|_P)?\s*\(\s*\w+\s*,\s*(Works|Basic|Simple|Test\d*)\s*\)")
BELOW_APP = [
    (re.compile(r"(?<!\w)assert\s*\("), "assert()", "Use TESSERA_EXPECT, TESSERA_ASSERT or TESSERA_ENSURE"),
    (re.compile(r"(?<![\w.>])(?:std::)?(?:exit|_exit|quick_exit|abort)\s*\("), "exit()", "Throw an error; only engine/app ends the program"),
    (re.compile(r"std::(?:cerr|cout|clog)\b|(?<!\w)f?printf\s*\("), "std::cerr or its kin", "Return or throw; only engine/app talks to the user"),
]
CHILD = "io/hdf5_rehearsal.cpp"  # forks, and ends its own child
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# cuda/gpu.hpp is the seam: real CUDA under nvcc, the stand-in under a plain compiler.
STANDIN_SEAM = ("cuda/gpu.hpp", "tests/standin/cuda_standin.hpp")


def read_layers(root):
    """The table of docs/layers.txt: module -> floor, longest names first."""
    floors = {}
    for line in (root / "docs/layers.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            floors[words[0]] = int(words[1])
    return dict(sorted(floors.items(), key=lambda item: -len(item[0])))


def module_of(path, floors):
    return next((m for m in floors if path.startswith(m + "/")), None)


def files_under(root, folders, endings=None):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (endings is None or path.suffix in endings) and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix()


def code_only(text):
    """The text with comments and the insides of string literals blanked; line numbers stay."""
    def blank(match):
        token = match.group(0)
        keep = "\n" * token.count("\n")
        return '""' + keep if token.startswith(('"', "R")) else keep + " "
    return re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"', blank, text)


def includes_of(text):
    """(line number, quote, name) of each include line."""
    return [(n, m.group(1), m.group(2)) for n, line in enumerate(text.splitlines(), 1) if (m := INCLUDE.match(line))]


def check_includes(path, text, floors, faults):
    own = module_of(path, floors)
    if own is None:
        faults.append(f"{path}: its module is not in docs/layers.txt. Give it a floor there, or move the file.")
        return
    for line, quote, name in includes_of(text):
        for pattern, place, sentence in FOREIGN:
            if quote == "<" and pattern.search(name) and not place.search(path):
                faults.append(f"{path}:{line}: includes <{name}> ({sentence}). Hide it behind a function declared without it.")
        if quote == "<":
            continue
        other = module_of(name, floors)
        if other is None:
            faults.append(f'{path}:{line}: includes "{name}" (not written from the root). Write the path from the root of the project.')
            continue
        if path.startswith("tests/oracle/") and not path.endswith("_test.cpp") and not ORACLE_MAY_INCLUDE.search(name):
            faults.append(f"{path}:{line}: includes {name} (the oracle shares no formula with the engine). Write the formula again, from the literature.")
        elif other != own and floors[other] >= floors[own] and (path, name) != STANDIN_SEAM:
            a, b = own.split("/")[-1], other.split("/")[-1]
            faults.append(f"{path}:{line}: {path} includes {name} ({a} is floor {floors[own]}, {b} floor {floors[other]}). "
                          "Pass the value in, or move the file up.")


def check_source(path, text, faults):
    code = code_only(text)
    read_often = path.endswith("-inl.hpp")  # once per instruction set, by one .cpp maybe
    if path.endswith((".hpp", ".cuh")) and not read_often and "#pragma once" not in text:
        faults.append(f"{path}: has no #pragma once. Put it on the first line.")
    for ending, place, sentence in ENDING_PLACES:
        if ending.search(path) and not place.search(path):
            faults.append(f"{path}: stands in the wrong folder ({sentence}). Move or rename it.")
    lines = code.splitlines()
    for number, line in enumerate(lines, 1):
        if path.startswith("engine/") and re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b.*CUDA", line):
            faults.append(f"{path}:{number}: asks the preprocessor for CUDA (engine/ does not know it). Put the difference behind cuda/make_backend.hpp.")
        below_app = path.startswith(("engine/", "io/", "forcefields/", "cuda/")) and not path.startswith("engine/app/")
        for pattern, what, instead in BELOW_APP:
            if below_app and pattern.search(line.replace("::_exit", "") if path == CHILD else line):
                faults.append(f"{path}:{number}: uses {what} below app. {instead}.")
        if not INCLUDE.match(line) and (m := WEAK_NAME.search(line)):
            faults.append(f"{path}:{number}: a name with '{m.group(0)}' says nothing. Name what it does.")
        if m := WEAK_TEST.search(line):
            faults.append(f"{path}:{number}: test name '{m.group(1)}' is no sentence about behaviour. Say what must hold.")


def check_citations(path, text, pages, faults):
    """A comment or page may send the reader only to pages that are here: `pages`, their paths and bare names."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in MARKDOWN.findall(line):
            if name not in pages:
                faults.append(f"{path}:{number}: cites {name} (the project has no such page). Say in words what it says, or cite an ADR or a page of docs.")


def check_text(path, text, faults):
    count = text.count("\n")
    if pathlib.PurePath(path).suffix in SOURCE_ENDINGS and count > LONGEST_FILE:
        faults.append(f"{path}: has {count} lines (more than {LONGEST_FILE}). Split it by subject.")
    if WEAK_NAME.search(pathlib.PurePath(path).name):
        faults.append(f"{path}: a file name with '{WEAK_NAME.search(pathlib.PurePath(path).name).group(0)}' says nothing. Name its subject.")
    for number, line in enumerate(text.splitlines(), 1):
        if m := UNFINISHED.search(line):
            faults.append(f"{path}:{number}: '{m.group(0)}' is unfinished work. Finish it, or file it and take the word out.")
        if m := MACHINE_PATH.search(line):
            faults.append(f"{path}:{number}: names a place of one machine ('{m.group(0)}...'). Use a path relative to the project.")


def check(root):
    """All faults of the tree at `root`, as sentences; empty: the house is in order."""
    root = pathlib.Path(root)
    floors = read_layers(root)
    faults = []
    markdown = [path.name for path in root.glob("*.md")] + list(files_under(root, TEXT_FOLDERS, {".md"}))
    pages = set(markdown) | {pathlib.PurePath(path).name for path in markdown}
    sources = set(files_under(root, SOURCE_FOLDERS, SOURCE_ENDINGS))
    endings = SOURCE_ENDINGS | {".txt", ".cmake", ".md", ".py", ".sh", ".toml", ""}
    for path in files_under(root, TEXT_FOLDERS, endings):
        text = (root / path).read_text(errors="replace")
        check_text(path, text, faults)
        check_citations(path, text, pages, faults)
        if path in sources:
            check_includes(path, text, floors, faults)
            check_source(path, text, faults)
    for path in sorted(root.glob("*.md")) + sorted(root.glob("CMake*")) + [root / "bootstrap"]:
        if path.is_file():
            text = path.read_text(errors="replace")
            check_text(path.name, text, faults)
            check_citations(path.name, text, pages, faults)
    return faults
