"""What commands other than `check` refuse, through the real command line: of files that a run has left and that were
changed since, of decks that `check` passes, of what a shell sets. Each case is (name, words, exit status, act); act
makes the files in an Area and returns the finished command.
"""
import gzip
import os
import pathlib
import shutil
import struct
import subprocess

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None

STRIDES = ["output.every=50 fs", "output.energies_every=50 fs"]  # 10 steps
GROUP = "particles/trajectory/"
RANKS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID")


class Area:
    """A folder with a finished run of 20 steps."""

    def __init__(self, program, path):
        self.program, self.path = program, pathlib.Path(path)

    @classmethod
    def first(cls, program, path, source):
        area = cls(program, path)
        for file in [source / "inputs/argon" / name for name in ("run.toml", "topol.top", "start.gro")] + \
                [source / "tests/inputs/good" / name for name in ("minimal.toml", "water.top", "water.gro")]:
            shutil.copy(file, area.path)
        for more in ((), ("--continue",)):  # twice: a checkpoint and the one before
            run = area.run(20 if more else 10, *more)
            assert run.returncode == 0, run.stderr
        return area

    def copy(self, path):
        shutil.copytree(self.path, path)
        return Area(self.program, path)

    def call(self, *arguments, **more):
        environment = {k: v for k, v in os.environ.items() if k not in RANKS} | more
        return subprocess.run([self.program, *arguments], cwd=self.path, env=environment, capture_output=True, text=True,
                              timeout=120)

    def run(self, steps, *arguments, sets=(), **more):
        words = ["run", "run.toml", "--threads", "1", *arguments]
        for text in STRIDES + ["run.steps=%d" % steps] + list(sets):
            words += ["--set", text]
        return self.call(*words, **more)

    def slurm(self, *words, **more):
        return self.call("slurm", "run.toml", "--cores", "3", *words, **more)

    def go_on(self, *sets):
        return self.run(30, "--continue", sets=sets)

    def convert(self, name="traj.h5md", out="out.gro"):
        return self.call("convert", name, out)

    def seal(self):
        """The checksum of a checkpoint that was changed: FNV-1a behind a mark and the length."""
        content = (self.path / "state.h5").read_bytes()
        mark = content.find(b"TESSERAC", len(content) - 24)
        content = content if mark < 0 else content[:mark]
        value = 14695981039346656037
        for byte in content:
            value = (value ^ byte) * 1099511628211 % 2**64
        (self.path / "state.h5").write_bytes(content + b"TESSERAC" + struct.pack("<QQ", len(content), value))


def with_file(edit, act, name="traj.h5md"):
    def changed(area):
        with h5py.File(area.path / name, "r+") as file:
            edit(file)
        if name == "state.h5":
            area.seal()
        return act(area)
    return changed


def put(name, values, **more):
    """An edit that replaces a dataset."""
    def edit(file):
        if name in file:
            del file[name]
        file.create_dataset(name, data=values, **more)
    return edit


def put_attribute(of, name, value):
    def edit(file):
        file[of].attrs[name] = value
    return edit


def drop(name):
    def edit(file):
        del file[name]
    return edit


def rows(count):
    def edit(file):
        for name in ("position/value", "position/step"):
            file[GROUP + name].resize(count, axis=0)
    return edit


def replaced(name, content):
    def write(area):
        (area.path / name).write_bytes(content(area) if callable(content) else content)
    return write


def after(change, act):
    def changed(area):
        change(area)
        return act(area)
    return changed


def without(*names):
    def remove(area):
        for name in names:
            (area.path / name).unlink()
    return remove


def another_mass(area):
    text = (area.path / "topol.top").read_text()
    (area.path / "topol.top").write_text(text.replace("39.948", "40.948"))


def no_mesh(file):
    names = file["integers/names"][()]
    names[list(names).index(b"settings.pme_grid")] = b"settings.other"
    file["integers/names"][()] = names


def altered(area):
    content = bytearray((area.path / "state.h5").read_bytes())
    content[len(content) // 2] ^= 1
    return bytes(content)


def slurm_refusals():
    """name, words, status, options of tessera slurm"""
    return [
        ("no known time", '--time "soon" is no time that all read alike. Write "24 h"', 2, ("--time", "soon")),
        ("minutes or hours", '--time "24" is no time that all read alike (minutes, or hours?)', 2, ("--time", "24")),
        ("no time", '--time "0 h" is below a minute (Slurm counts whole minutes', 2, ("--time", "0 h")),
        ("seconds", '--time "10 s" is below a minute', 2, ("--time", "10 s")),
        ("no nodes", '--nodes: "0" is no number of nodes (a whole number, 1 at least', 2, ("--nodes", "0")),
        ("a chain of one", '"1" is no number of jobs (a whole number, 2 at least', 2, ("--chain", "1")),
        ("a name of two lines", 'holds a blank, a quote or another sign that no name has', 2, ("--name", "a\n#SBATCH b")),
        ("memory without unit", '--mem "16" is no amount of memory a node', 2, ("--mem", "16")),
        ("no array", '--array "a-b" is no list of replicas', 2, ("--array", "a-b")),
        ("one replica", "--array 8 is one replica alone", 2, ("--array", "8")),
        ("an array that is a chain", "--array and --chain are two ways to ask for several jobs", 2,
         ("--array", "1-8", "--chain", "3")),
        ("an unknown dependency", '--dependency "after" is unknown. Write afterany', 2, ("--dependency", "after")),
        ("no option of sbatch", '--sbatch "exclusive" is no option of sbatch', 2, ("--sbatch", "exclusive")),
        ("two lines in one", '--line: "a b" is more than one line', 2, ("--line", "a\nb")),
        ("no checkpoint", 'output.checkpoint = "none", but a job goes on from its checkpoint', 2,
         ("--set", "output.checkpoint=none")),
        ("equal replicas", "--array: all replicas would be the same run", 2,
         ("--array", "1-8", "--set", "run.velocities=from-file", "--set", "thermostat.kind=none")),
        ("a script in no folder", "nowhere/job.sbatch: cannot be written", 4, ("--script", "nowhere/job.sbatch")),
        ("standard output to submit", "--submit needs a file, but --script - writes to standard output", 2,
         ("--submit", "--script", "-")),
        ("a fault of the deck", "cut-off 3 nm does not fit", 2, ("--set", "nonbonded.cutoff=3 nm")),
    ]


def statuses_of_what_is_read():
    """docs/run-files.md, "Exit status": what is named to be read is missing, damaged or of another kind: 2, whatever it is.
    What keeps a sound file from being read, or a file from being written: 4."""
    cut = lambda name, part: replaced(name, lambda a: (a.path / name).read_bytes()[:int((a.path / name).stat().st_size * part)])
    folder = lambda name: lambda a: ((a.path / name).unlink(missing_ok=True), (a.path / name).mkdir())
    lone = lambda change: after(without("state.h5.prev"), after(change, Area.go_on))
    for command in ("check", "run", "energy", "slurm"):
        yield "a folder as the deck of " + command, ".: cannot be read (it is a folder). Name a file", 2, \
            lambda a, command=command: a.call(command, ".")
    for name in ("n" * 300, "circle"):
        yield "a deck named " + name[:6], " does not exist (it should be the deck, a TOML file)", 2, \
            after(lambda a: (a.path / "circle").symlink_to("circle"), lambda a, name=name: a.call("check", name))
        yield "coordinates named " + name[:6], " does not exist (system.coordinates names it)", 2, \
            after(lambda a: (a.path / "circle").symlink_to("circle"), lambda a, name=name: a.call("check", "run.toml", "--set", "system.coordinates=" + name))
    yield "a device as the deck", "/dev/null: cannot be read (it is a device). Name a file", 2, lambda a: a.call("check", "/dev/null")
    yield "a topology that is cut", "ends too early (the gzip stream is cut short)", 2, after(
        lambda a: (a.path / "t.top.gz").write_bytes(gzip.compress((a.path / "topol.top").read_bytes())[:-9]),
        lambda a: a.call("check", "run.toml", "--set", "system.topology=t.top.gz"))
    yield "a folder as coordinates", "state.h5: cannot be read (it is a folder)", 2, after(folder("state.h5"), lambda a: a.convert("state.h5"))
    yield "a device as coordinates", "/dev/null: cannot be read (it is a device, pipe or socket). Name a file", 2, \
        lambda a: a.convert("/dev/null")
    yield "go on in a folder", "output.checkpoint: state.h5 cannot be written (it is a folder)", 4, after(folder("state.h5"), Area.go_on)
    for name, change, words in (("an empty file", replaced("state.h5", b""), "is no complete checkpoint (too short)"),
                                ("a text", replaced("state.h5", b"text " * 99), "or is another kind of file)"),
                                ("half of it", cut("state.h5", 0.5), "its end mark is missing")):
        yield "go on from %s as checkpoint" % name, words, 2, lone(change)
    for name, change, words in (("half a trajectory", cut("traj.h5md", 0.5), "The file is no HDF5 file, or was cut short."),
                                ("a trajectory without its end", cut("traj.h5md", 0.99), "was cut short."),
                                ("an empty trajectory", replaced("traj.h5md", b""), "traj.h5md: "),
                                ("a text as trajectory", replaced("traj.h5md", b"text " * 999), "The file is no HDF5 file")):
        yield "go on in " + name, words, 2, after(change, Area.go_on)
        yield "coordinates of " + name, words, 2, after(change, Area.convert)
    if os.geteuid() != 0:
        def locked(name):
            return lambda a: (a.path / name).chmod(0)
        yield "a deck that may not be read", "run.toml: cannot be opened (Permission denied)", 4, \
            after(locked("run.toml"), lambda a: a.call("check", "run.toml"))
        yield "go on from a checkpoint that may not be read", "state.h5: cannot be opened (Permission denied)", 4, \
            lone(locked("state.h5"))
        yield "coordinates that may not be read", "Permission denied", 4, after(locked("traj.h5md"), Area.convert)


def sinfo_first(*words):
    def act(area):
        (area.path / "sinfo").chmod(0o755)
        return area.slurm(*words, PATH="%s:%s" % (area.path, os.environ["PATH"]))
    return act


def commands():
    goes_on = Area.go_on
    yield "convert onto itself", "would be overwritten (it is read, too)", 2, lambda a: a.convert("start.gro", "./start.gro")
    yield "convert to an unknown format", 'out.xyz: cannot be written (the extension ".xyz" is not known)', 2, \
        lambda a: a.convert("start.gro", "out.xyz")
    yield "convert with a topology of others", "864 atoms, but the topology has 9", 2, \
        lambda a: a.call("convert", "start.gro", "out.gro", "--topology", "water.top")
    huge = lambda a: (a.path / "topol.top").write_text((a.path / "topol.top").read_text().replace("864", "2000000000"))
    yield "convert with two billion molecules", "864 atoms, but the topology has 2000000000", 2, \
        after(huge, lambda a: a.call("convert", "start.gro", "out.gro", "--topology", "topol.top"))
    yield "validate of a minimiser", "run.toml: the deck minimises, but what is judged here", 2, \
        lambda a: a.call("validate", "run.toml", "--quick", "--set", "run.integrator=steepest-descent",
                         "--set", "thermostat.kind=none", "--set", "run.velocities=from-file")
    yield "an mdp deck", "md.mdp: .mdp decks are not built yet", 2, \
        after(replaced("md.mdp", b"integrator = md\n"), lambda a: a.call("check", "md.mdp"))
    yield "a deck that is not there", "nodeck.toml does not exist (it should be the deck, a TOML file)", 2, \
        lambda a: a.call("check", "nodeck.toml")
    yield "forces over coordinates", "--forces would overwrite", 2, \
        lambda a: a.call("energy", "run.toml", "--forces", "start.gro")
    yield "json and forces in one file", "--json and --forces are both both.txt. Name two files.", 2, \
        lambda a: a.call("energy", "run.toml", "--json", "both.txt", "--forces", "./both.txt")
    for name, words in (("json", ("energy", "run.toml", "--json", "")), ("forces", ("energy", "run.toml", "--forces", "")),
                        ("validate", ("validate", "run.toml", "--quick", "--json", "")), ("out", ("convert", "start.gro", "")),
                        ("deck", ("check", ""))):
        yield "an empty name of " + name, "the file's name is empty (perhaps a variable of the shell is). Name a file", 2, \
            lambda a, words=words: a.call(*words)
    def encoded(name, encode, command=("check", "run.toml")):
        return after(replaced(name, lambda a: encode((a.path / name).read_text())), lambda a: a.call(*command))
    for name in ("run.toml", "topol.top", "start.gro"):
        yield "UTF-16 as " + name, name + ": is UTF-16 text (two bytes a character", 2, encoded(name, lambda t: t.encode("utf-16"))
    yield "UTF-16 without a mark", "start.gro: is UTF-16 text", 2, encoded("start.gro", lambda t: t.encode("utf-16-le"))
    yield "lines that end with CR alone", "topol.top: its lines end with CR alone", 2, \
        encoded("topol.top", lambda t: t.replace("\n", "\r").encode())
    yield "a byte of zero", "topol.top:3: holds a byte of zero (it is no text, or was damaged)", 2, \
        encoded("topol.top", lambda t: t.split("\n", 2)[0].encode() + b"\n\n\0" + t.encode())
    yield "an unknown instruction set", 'TESSERA_SIMD = "fast" is no instruction set of the kernels (the environment ' \
        'variable chooses one of: baseline, avx2, avx512)', 2, lambda a: a.call("check", "run.toml", TESSERA_SIMD="fast")
    yield "slurm outside of it", 'output.time_limit = "slurm", but this is no Slurm job', 2, \
        lambda a: a.run(30, sets=["output.time_limit=slurm"])
    yield "slurm with an odd job", 'SLURM_JOB_ID = "many" is not a job number', 2, \
        lambda a: a.run(30, sets=["output.time_limit=slurm"], SLURM_JOB_ID="many")
    for name, words, status, arguments in slurm_refusals():
        yield "slurm: " + name, words, status, lambda a, arguments=arguments: a.slurm(*arguments)
    yield "slurm over a script that differs", "job.sbatch: is there already and differs", 2, \
        after(replaced("job.sbatch", b"mine"), lambda a: a.slurm("--script", "job.sbatch"))
    yield "slurm without sbatch", "sbatch was not found on PATH (this machine submits no jobs). The script job.sbatch is", 4, \
        lambda a: a.slurm("--submit", "--script", "job.sbatch", PATH="")
    yield "slurm with more cores than the node has", "asks for 6 cores of a node, but the largest node of partition cpu has 4", 2, \
        after(replaced("sinfo", b"#!/bin/sh\nprintf '2\\n4\\n'\n"), sinfo_first("--ranks-per-node", "2", "--partition", "cpu"))
    yield "ranks that MPI does not join", "3 processes were started, but MPI joins 1 of them", 4, \
        lambda a: a.call("check", "run.toml", PMI_SIZE="3")
    yield "a job of ranks that cannot share", '--set run.integrator=steepest-descent: run.integrator = "steepest-descent" runs on one rank', 2, \
        lambda a: a.slurm("--ranks-per-node", "2", "--set", "run.integrator=steepest-descent", "--set",
                          "thermostat.kind=none", "--set", "run.velocities=from-file")
    yield "go on from nothing", "state.h5: there is no checkpoint to continue from", 2, \
        after(without("state.h5", "state.h5.prev"), goes_on)
    yield "go on without checkpoints", '--continue needs a checkpoint (output.checkpoint = "none")', 2, \
        lambda a: a.go_on("output.checkpoint=none")
    yield "go on without the trajectory", "traj.h5md: the trajectory to continue is missing", 2, \
        after(without("traj.h5md"), goes_on)
    yield "go on with another step", "the deck asks for another run than the one to continue", 2, \
        lambda a: a.go_on("run.timestep=2.5 fs")
    yield "go on with another system", "in the deck: both have 864 atoms, but other masses)\n hint: name the checkpoint of", 2, \
        after(another_mass, goes_on)
    yield "go on with fewer atoms", "in the deck: it has 864 atoms, the deck's has 9)", 2, \
        lambda a: a.go_on("system.topology=water.top", "system.coordinates=water.gro", "nonbonded.cutoff=1 nm")
    yield "nothing to do without the trajectory", "traj.h5md: the trajectory is missing (the checkpoint state.h5 belongs to it)", 2, \
        after(without("traj.h5md"), lambda a: a.run(20, "--continue"))
    yield "go on from a lone damaged checkpoint", ", and there is no previous one (state.h5.prev)", 2, \
        after(without("state.h5.prev"), after(replaced("state.h5", altered), goes_on))
    yield "go on from two damaged checkpoints", "state.h5.prev: is no complete checkpoint (too short). Start without " \
        "--continue.", 2, after(replaced("state.h5.prev", b"x"), after(replaced("state.h5", altered), goes_on))
    yield from statuses_of_what_is_read()
    yield "an altered checkpoint as coordinates", "state.h5: was altered (its checksum is wrong)", 2, \
        after(replaced("state.h5", altered), lambda a: a.convert("state.h5"))
    yield "half a checkpoint as coordinates", "is no complete checkpoint (its end mark is missing", 2, \
        after(replaced("state.h5", lambda a: (a.path / "state.h5").read_bytes()[:5000]), lambda a: a.convert("state.h5"))
    yield "next to nothing as coordinates", "state.h5: is no complete checkpoint (too short)", 2, \
        after(replaced("state.h5", b"x"), lambda a: a.convert("state.h5"))
    yield "go on in another precision", 'it holds positions in float32, the deck asks for output.position_precision = ' \
        '"float64"', 2, lambda a: a.go_on("output.position_precision=float64")
    yield "go on in another packing", 'its compression is "none", the deck asks for output.compression = "deflate-4"', 2, \
        lambda a: a.go_on("output.compression=deflate-4")
    yield "go on with other rounding", "its positions are not rounded, by output.position_rounding of the deck they are " \
        "rounded to multiples of 0.000976562 nm", 2, lambda a: a.go_on("output.position_rounding=0.001 nm")
    yield "go on with velocities that are not there", "it holds no velocities, which the deck asks for", 2, \
        lambda a: a.go_on("output.velocities=true")


def commands_of_changed_files():
    goes_on, converts = Area.go_on, Area.convert
    def goes_on_after(edit):
        return with_file(edit, goes_on)
    def converts_after(edit):
        return with_file(edit, converts)
    text = h5py.string_dtype()

    yield "a newer checkpoint", "state.h5: the checkpoint was written by a newer program (version ", 2, \
        with_file(put_attribute("/", "format", np.int32(2)), lambda a: a.convert("state.h5"), "state.h5")
    coordinates = lambda area: area.convert("state.h5")
    yield "a checkpoint of no number", "state.h5: its checksum fits, but /state names step nan", 2, \
        with_file(put_attribute("state", "step", float("nan")), coordinates, "state.h5")
    yield "a checkpoint of half a cell", "its checksum fits, but /state/box holds 4 values instead of 9", 2, \
        with_file(put("state/box", np.ones(4)), coordinates, "state.h5")
    yield "a checkpoint of another maker", "the checkpoint has no mesh settings (it was not written by tessera run)", 2, \
        with_file(no_mesh, goes_on, "state.h5")

    yield "go on in an earlier file", "it belongs to another run: the checkpoint is of step 20 and follows a frame at step " \
        "20, but up to there its last frame is of step 0", 2, goes_on_after(rows(1))
    yield "nothing to do in a trajectory that was cut", "up to there its last frame is of step 0: those between are missing", 2, \
        with_file(rows(1), lambda a: a.run(20, "--continue"))
    yield "nothing to do in a trajectory without positions", "it holds no positions", 2, \
        with_file(drop(GROUP + "position"), lambda a: a.run(20, "--continue"))
    yield "go on in a file without frames", "but up to there the file has no frame", 2, goes_on_after(rows(0))
    yield "go on in a file with velocities", "it holds velocities, which the deck does not ask for", 2, \
        goes_on_after(lambda file: file.create_group(GROUP + "velocity"))
    yield "go on in a file of other parameters", "the file is of another system: names or parameters differ", 2, \
        goes_on_after(put_attribute("parameters/provenance", "topology_hash", np.bytes_("0123")))
    yield "go on in a file of other atoms", "the file is of another system: 5 atoms in the file, 864 in the topology", 2, \
        goes_on_after(put(GROUP + "position/value", np.zeros((3, 5, 3), "f4")))
    yield "go on in a file without positions", "traj.h5md: cannot be continued (it holds no positions)", 2, \
        goes_on_after(drop(GROUP + "position/value"))
    yield "go on in a file with other energies", "it holds more energies than this run yields", 2, \
        goes_on_after(put("energies/odd", np.zeros(3)))
    yield "go on in a file of another program", "the file was not written by Tessera", 2, \
        goes_on_after(put_attribute("h5md/creator", "name", np.bytes_("Other")))

    def wild(value):
        def edit(file):
            values = np.zeros((3, 864, 3), "f4")
            values[-1, 3, 0] = value
            group = file.create_group(GROUP + "velocity")
            group["step"] = file[GROUP + "position/step"][()]
            group["value"] = values
            group["value"].attrs["unit"] = "nm ps-1"
        return edit
    for value in (float("nan"), float("inf")):
        yield "a velocity that is %s" % value, "traj.h5md: the velocity of atom 4 is %s 0 0 nm/ps (not finite)" % value, 2, \
            converts_after(wild(value))
    def nowhere(file):
        file[GROUP + "position/value"][-1, 3, 1] = float("nan")
    yield "a position that is nan", "traj.h5md: the position of atom 4 is ", 2, converts_after(nowhere)
    begins = lambda a: a.call("check", "run.toml", "--set", "system.coordinates=traj.h5md", "--set", "run.velocities=from-file",
                              "--set", "output.trajectory=none")
    yield "a wild velocity", "atom 4 (AR, AR 4) has the velocity 1e+30 0 0 nm/ps and would move 5e+27 nm in a step", 2, \
        with_file(wild(1e30), begins)

    yield "no frames", "position holds no frames", 2, converts_after(rows(0))
    yield "no positions", "no group of /particles has positions", 2, converts_after(drop(GROUP + "position"))
    yield "no H5MD", "the group /h5md is missing (this is HDF5, but not H5MD)", 2, converts_after(drop("h5md"))
    yield "an unknown unit", 'the unit "furlong" of /particles/trajectory/position/value is not known', 2, \
        converts_after(put_attribute(GROUP + "position/value", "unit", "furlong"))
    yield "two dimensions", "position/value is not of frames, atoms and three coordinates", 2, \
        converts_after(put(GROUP + "position/value", np.zeros((3, 864, 2))))
    yield "periodic in parts", "box is periodic in some directions only", 2, \
        converts_after(put_attribute(GROUP + "box", "boundary", np.array([b"periodic", b"none", b"none"])))
    yield "steps in words", "position/step is not a number", 2, \
        converts_after(put(GROUP + "position/step", ["one", "two"], dtype=text))
    yield "positions in words", "position/value is no array of numbers", 2, \
        converts_after(put(GROUP + "position/value", ["one", "two"], dtype=text))
    yield "a cell of other steps", "box/edges has no cell for frame 3", 2, \
        converts_after(put(GROUP + "box/edges/step", np.array([1, 2, 3])))
    yield "a cell of two numbers", "box/edges holds 2 numbers a frame rather than three or nine", 2, \
        converts_after(put(GROUP + "box/edges/value", np.ones((3, 2))))
    yield "no values", "position/value is missing (an element of H5MD is a group of step, time and value)", 2, \
        converts_after(drop(GROUP + "position/value"))
    def vast(file):
        del file[GROUP + "position/value"]
        file.create_dataset(GROUP + "position/value", (10**6, 864, 3), "f4", chunks=(1, 864, 3))
    yield "more positions than the file can hold", "bytes in a file of", 2, converts_after(vast)
    def finely(file):
        del file[GROUP + "position/value"]
        file.create_dataset(GROUP + "position/value", (40000, 1, 3), "f4", chunks=(1, 1, 3))
    yield "more chunks than are stored", "chunks, of which 0 are stored,", 2, converts_after(finely)
    def long_names(file):
        names = file["parameters/topology/atom_name"][()]
        put("parameters/topology/atom_name", np.array([b"ABCDEFGH"] * len(names)))(file)
    yield "a name wider than its column", 'the atom name "ABCDEFGH" of atom 1 cannot be written', 2, converts_after(long_names)
    def far_away(file):
        values = file[GROUP + "position/value"]
        values[-1, 0, 0] = 12000
    yield "a position wider than its column", "of atom 1 cannot be written (the column has", 2, converts_after(far_away)


def cases():
    """All that this Python can make."""
    return list(commands()) + (list(commands_of_changed_files()) if h5py else [])
