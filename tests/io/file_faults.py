"""Journals that file_faults.c leaves: which calls changed files, and what the files were after each of them."""
import os
import pathlib

PAGE = 4096


class Call:
    """One line of a journal."""

    def __init__(self, number, op, offset, size, names, data):
        self.number, self.op, self.offset, self.size, self.names, self.data = number, op, offset, size, names, data
        self.file = os.path.basename(names[0])


def read_journal(file):
    text = pathlib.Path(file).read_bytes()
    calls, at = [], 0
    while at < len(text):
        end = text.index(b"\n", at)
        op, offset, size, names = text[at:end].decode().split(" ", 3)
        at = end + 1
        data = text[at:at + int(size)] if op == "write" else b""
        at += len(data)
        calls.append(Call(len(calls) + 1, op, int(offset), int(size), names.split("\t"), data))
    return calls


class Replay:
    """The files as they are after each call of a journal."""

    def __init__(self):
        self.files = {}

    def apply(self, call, data=None):
        data = call.data if data is None else data
        names = [os.path.basename(n) for n in call.names]
        if call.op == "empty":
            self.files[names[0]] = bytearray()
        elif call.op == "open":
            self.files.setdefault(names[0], bytearray())
        elif call.op == "write":
            content = self.files.setdefault(names[0], bytearray())
            content.extend(b"\0" * max(0, call.offset + len(data) - len(content)))
            content[call.offset:call.offset + len(data)] = data
        elif call.op == "size":
            content = self.files.setdefault(names[0], bytearray())
            del content[call.size:]
            content.extend(b"\0" * (call.size - len(content)))
        elif call.op == "rename":
            self.files[names[1]] = self.files.pop(names[0], bytearray())
        elif call.op == "link":
            self.files[names[1]] = bytearray(self.files.get(names[0], b""))
        elif call.op == "unlink":
            self.files.pop(names[0], None)


def torn(call):
    """What a kill in the midst of a write can leave of it, since the kernel copies by pages; None: nothing or all."""
    boundary = (call.offset + call.size - 1) // PAGE * PAGE
    return call.data[:boundary - call.offset] if call.op == "write" and boundary > call.offset else None


def states(calls, name, file, content=b""):
    """(call, "torn" or "after") for every moment at which a kill could have left the file `name`; the path `file` then
    holds what that is."""
    replay = Replay()
    if content:
        replay.files[name] = bytearray(content)
    file = pathlib.Path(file)
    file.write_bytes(content)
    with open(file, "r+b", buffering=0) as out:
        for call in calls:
            names = [os.path.basename(n) for n in call.names]
            part = torn(call) if name in names else None
            if part is not None:
                before = bytes(replay.files[name][call.offset:call.offset + len(part)])
                size = len(replay.files[name])
                os.pwrite(out.fileno(), part, call.offset)
                yield call, "torn"
                os.pwrite(out.fileno(), before, call.offset)
                out.truncate(size)
            replay.apply(call)
            if name in names and name in replay.files:
                if call.op == "write":
                    os.pwrite(out.fileno(), call.data, call.offset)
                elif call.op == "size":
                    out.truncate(call.size)
                else:
                    os.pwrite(out.fileno(), replay.files[name], 0)
                    out.truncate(len(replay.files[name]))
                yield call, "after"
