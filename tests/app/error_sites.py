"""The places of the program that refuse a user's input, found in the sources by their constant words.

A site is a string literal of at least MOST_SHORT constant characters that stands in a statement which makes an error:
    throw InputError(...), fail({...}), diagnostics.error({...}), report_.error(...), file.error(...), refuse(...), ...
Adjacent literals are one; text between braces is a placeholder. A site is reached when its words, in order, stand in
what a bad input printed. Its name is its file and its words, so it stays the same when lines move.
"""
import pathlib
import re

FOLDERS = ["io", "forcefields", "engine/app", "engine/model", "engine/geometry"]
CALL = re.compile(r"(?:throw (?:InputError|DamagedCheckpoint|UnfitFile)|\bfail|\.error|\braise|\.refuse|\brefuse|\brequire|\breport|"
                  r"\brefuse_[a-z_]+|\brefused|\bthis->refuse|\bfault|\breject|\bcomplain|\bwrong)\s*[({]")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MOST_SHORT = 8


def without_comments(text):
    """Comments become blanks of the same length; literals stay."""
    def blank(match):
        return match.group(0) if match.group(0).startswith('"') else re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def argument_list(text, begin):
    """The text from the bracket at `begin` to the one that closes it."""
    depth, at = 0, begin
    while at < len(text):
        if text[at] == '"':
            at = LITERAL.match(text, at).end()
            continue
        if text[at] in "({":
            depth += 1
        elif text[at] in ")}":
            depth -= 1
            if depth == 0:
                break
        at += 1
    return text[begin:at + 1]


def joined_literals(text):
    """Literals of `text`, adjacent ones joined, unescaped."""
    out, last_end = [], None
    for match in LITERAL.finditer(text):
        words = match.group(1).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
        if last_end is not None and not text[last_end:match.start()].strip():
            out[-1] += words
        else:
            out.append(words)
        last_end = match.end()
    return out


def pieces(words):
    """The constant pieces of a format string."""
    marked = words.replace("{{", "\1").replace("}}", "\2")
    return [piece.replace("\1", "{").replace("\2", "}") for piece in re.split(r"\{[^{}]*\}", marked)]


def stand_in(words, text):
    """Do the constant pieces stand in the text, one behind the other?"""
    at = 0
    for piece in pieces(words):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


class Site:
    def __init__(self, file, line, words):
        self.file, self.line, self.words = file, line, words

    def is_reached_by(self, texts):
        return any(stand_in(self.words, text) for text in texts)

    @property
    def name(self):
        return "%s: %s" % (self.file, self.words.replace("\n", "\\n"))


def sites(source):
    """All sites below `source`. Of a statement the first literal counts: it says what is wrong."""
    out = []
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*.cpp")):
            text = without_comments(path.read_text())
            seen_until = 0
            for match in CALL.finditer(text):
                if match.start() < seen_until or text[:match.start()].endswith(("void ", "bool ")):
                    continue
                statement = argument_list(text, match.end() - 1)
                said = [w for w in joined_literals(statement)
                        if max(map(len, pieces(w))) >= MOST_SHORT and " " in w]
                if not said:
                    continue
                seen_until = match.end() - 1 + len(statement)
                # both arms of a choice are messages of their own
                chosen = said[:2] if re.search(r'\?\s*(?:fmt::format\()?\s*"[^?]*:\s*(?:fmt::format\()?\s*"', statement) else said[:1]
                for words in chosen:
                    out.append(Site(str(path.relative_to(source)), text.count("\n", 0, match.start()) + 1, words))
    return out


def listed(path):
    """Names in the list of sites without a file; '#' lines are headings with the reason."""
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


if __name__ == "__main__":
    import sys
    for site in sites(pathlib.Path(sys.argv[1])):
        print("%s:%d: %r" % (site.file, site.line, site.words))
