"""Compiles every header alone (syntax only). A header whose text and whose project includes did not change since it last passed is not compiled again.

usage: lone_headers.py ROOT STAMP_FILE JOBS COMPILER [FLAGS...]
"""

import concurrent.futures
import hashlib
import pathlib
import subprocess
import sys

from architecture import SOURCE_FOLDERS, files_under, includes_of


def closure(root, path, known):
    """The header and all project files it reads, as one hash."""
    if path not in known:
        known[path] = ""  # a circle ends here
        text = (root / path).read_text()
        parts = [text] + [closure(root, name, known) for _, quote, name in includes_of(text) if quote == '"' and (root / name).is_file()]
        known[path] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return known[path]


def main():
    root, stamp_file, jobs, command = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    passed = set(stamp_file.read_text().split()) if stamp_file.is_file() else set()
    known = {}
    keys = {}
    for path in files_under(root, SOURCE_FOLDERS, {".hpp"}):
        if not path.endswith("-inl.hpp"):  # read once per instruction set by its .cpp
            keys[path] = hashlib.sha256((closure(root, path, known) + " ".join(command) + path).encode()).hexdigest()

    def compile_alone(path):
        source = f'#include "{path}"\nstatic_assert(true);\n'
        return subprocess.run(command + ["-fsyntax-only", "-x", "c++", "-"], input=source, capture_output=True, text=True, cwd=root)

    failed = 0
    stale = [path for path in keys if keys[path] not in passed]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for path, result in zip(stale, pool.map(compile_alone, stale)):
            if result.returncode == 0:
                passed.add(keys[path])
                with stamp_file.open("a") as stamps:  # kept also when the test is stopped half-way
                    stamps.write(keys[path] + "\n")
            else:
                failed += 1
                print(f"{path} does not compile alone. Include what it uses.\n{result.stderr}")
    stamp_file.write_text("\n".join(sorted(passed & set(keys.values()))) + "\n")
    print(f"{len(keys)} headers, {len(stale)} compiled, {failed} failed")
    return 1 if failed or not keys else 0


if __name__ == "__main__":
    sys.exit(main())
