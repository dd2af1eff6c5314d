"""Whether pages show what programs print, and what sources say:

  shown check PAGE...    names each block that doesn't, by page and line, with the difference
  shown update PAGE...   writes these blocks anew

The marks in the pages say what each block shows: CONTRIBUTING.md, "What a page shows". A mark is a comment on
a line of its own, after an empty line and directly before its block.
"""
import difflib
import os
import pathlib
import re
import sys
import tempfile

from course import COURSE, Wrong, lines_of, read_lines, run

OTHER_COMPILER = sys.argv[3] == "true"  # than the one whose cycles the pages show


def text_of(lines):
    return "".join(line + "\n" for line in lines)


class Mark:
    """`kind: argument` at a line, and its block: the lines from `first` to `end`, after a fence or of a table."""

    def __init__(self, path, lines, at):
        self.at = at
        self.kind, self.argument = lines[at][len("<!-- "):-len(" -->")].split(": ", 1)
        self.language = ""
        self.first = self.end = at + 1
        if self.first < len(lines) and lines[self.first].startswith("```"):
            self.language = lines[self.first][3:]
            self.end = end_of_fence(path, lines, self.first)
            self.first += 1
        else:
            while self.end < len(lines) and lines[self.end]:
                self.end += 1
        self.empty = self.end == at + 1  # not even a fence stands there


def end_of_fence(path, lines, fence):
    try:
        return lines.index("```", fence + 1)
    except ValueError:
        raise Wrong(f"{path}:{fence + 1}: nothing ends this block")


def read_marks(path, lines):
    marks, at = [], 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            at = end_of_fence(path, lines, at)
        elif line.startswith("<!-- ") and line.endswith(" -->") and ": " in line:
            if at > 0 and lines[at - 1]:
                raise Wrong(f"{path}:{at + 1}: this mark ends the paragraph before it; put an empty line between, "
                            "or the mark after a sentence's last word")
            marks.append(Mark(path, lines, at))
        at += 1
    return marks


def difference(shown, now):
    """What goes (-), what comes (+) and what stays."""
    lines = []
    for tag, i, end, j, now_end in difflib.SequenceMatcher(None, shown, now, autojunk=False).get_opcodes():
        parts = [(" ", shown[i:end])] if tag == "equal" else [("-", shown[i:end]), ("+", now[j:now_end])]
        lines += [sign + line for sign, part in parts for line in part]
    return lines


# ---- Regions of sources: the lines between // [name] and // [/name] ----


def region(file, name):
    lines = read_lines(file)
    words = [line.lstrip(" ") for line in lines]
    begin, end = f"// [{name}]", f"// [/{name}]"
    if words.count(begin) != 1 or words.count(end) != 1:
        raise Wrong(f"{file} must have one region, from a line {begin} to a line {end}")
    return lines[words.index(begin) + 1:words.index(end)]


def place_of(block, argument):
    """"file.cu [name]", beside the page: the file and the name."""
    match = re.fullmatch(r"(.*?) \[(.*)\]", argument)
    if not match:
        raise Wrong("not of the form FILE [region]: " + argument)
    return block.beside(match[1]), match[2]


def excerpt(lines, block):
    """The part of a region from the block's first line to its last; all of it where the block is empty."""
    if not block:
        return lines
    parts = [lines[i:end] for i in range(len(lines)) for end in range(i + 1, len(lines) + 1)
             if lines[i] == block[0] and lines[end - 1] == block[-1]]
    if not parts:
        raise Wrong("the region has no part that begins and ends with these lines; write its first and last line\n"
                    f"  {block[0]}\n  {block[-1]}")
    # Lines such as `}` stand in a region more than once: the part of the nearest length is meant.
    return block if block in parts else min(parts, key=lambda part: abs(len(part) - len(block)))


def broken_and_repaired(lines):
    """The two forms of a region, after #ifdef BROKEN and after its #else, as a diff with a line on either side."""
    signed, sign = [], " "
    for line in lines:
        if line in ("#ifdef BROKEN", "#ifndef BROKEN"):
            sign = "-" if line == "#ifdef BROKEN" else "+"
        elif line == "#else":
            sign = "+" if sign == "-" else "-"
        elif line == "#endif":
            sign = " "
        else:
            signed.append(sign + line)
    near = [i for i in range(len(signed)) if any(line[0] != " " for line in signed[max(i - 1, 0):i + 2])]
    shown, last = [], None
    for i in near:
        shown += ["@@"] * (last is not None and i != last + 1) + [signed[i]]
        last = i
    return shown


# ---- What a block should be ----


class Block:
    def __init__(self, path, lines, mark, update):
        self.path, self.page, self.mark, self.update = path, lines, mark, update
        self.argument = mark.argument
        self.shown = lines[mark.first:mark.end]

    def beside(self, file):  # a path from the page's folder on
        return os.path.join(os.path.dirname(self.path), file)


def key_lines(out):
    """What the findings say, without the lines on where to look further; all of it where there is none."""
    left_out = re.compile(r"  (at|in|from|rule|fix|more|waits|mbarrier) .*|  [0-9]+ times: .*"
                          r"|clcsim: [0-9]+ (finding|note)s?")
    said = [line.removeprefix("========= ") for line in out if line.startswith("========= ")]
    return [line for line in said if not left_out.fullmatch(line)] or out


def without_times(lines):
    return re.sub("((cycles|bytes_per_cycle): )[0-9.]+", r"\1N", text_of(lines))


def output(block):
    command = block.argument.removesuffix(" | key lines")
    ran = run(command)
    if ran.status != 0 and not block.mark.empty and not block.mark.language:
        raise Wrong("the command fails:\n" + ran.out)
    out = lines_of(ran.out)
    if command != block.argument:
        out = key_lines(out)
    elif ran.status != 0:
        out.append(f"(exit status {ran.status})")
    while out and not out[-1]:
        out.pop()
    while out and not out[0]:
        out.pop(0)
    return block.shown if OTHER_COMPILER and without_times(out) == without_times(block.shown) else out


def code(block):
    return excerpt(region(*place_of(block, block.argument)), block.shown)


def diff(block):
    """Two regions of neighbouring chapters, "file [name] file [name]"; or the two forms of one."""
    first, bracket, second = block.argument.partition("] ")
    if bracket:
        return difference(region(*place_of(block, first + "]")), region(*place_of(block, second)))
    lines = broken_and_repaired(region(*place_of(block, block.argument)))
    if not lines:
        raise Wrong("the region has no #ifdef BROKEN")
    return lines


def exits(block):
    """The block is a command; what it must do stands in the mark: "exits 86: text in its output"."""
    if len(block.shown) != 1:
        raise Wrong("the block has not one command")
    status, ran = block.mark.kind.partition(" ")[2], run(block.shown[0])
    if str(ran.status) != status or block.argument.replace("\\n", "\n") not in ran.out:
        raise Wrong(f"expected exit status {status} and '{block.argument}', but this prints, with exit status "
                    f"{ran.status},\n{ran.out}")
    return block.shown


def choices_of(command):
    """The command with each choice {a,b}: what stands in the braces, and what to run."""
    match = re.match(r"([^{]*)\{([^}]*)\}(.*)", command)
    if not match:
        return [([], command)]
    before, words, after = match.groups()
    return [([word] + chosen, before + word + rest) for word in words.split(",") for chosen, rest in choices_of(after)]


def table(block):
    """A row for each choice: what was chosen, and then the `key: value` lines that the head names."""
    if len(block.shown) < 2:
        raise Wrong("write the table's head, with the keys of its columns")
    if OTHER_COMPILER:
        return block.shown
    keys = re.sub("[ `]", "", block.shown[0].strip("|")).split("|")
    rows = block.shown[:2]
    for chosen, command in choices_of(block.argument):
        ran = run(command)
        if ran.status != 0:
            raise Wrong(f"the command fails:\n{command}\n{ran.out}")
        row = list(chosen)
        for key in keys[len(chosen):]:
            match = re.search(f"^{re.escape(key)}: (.*)", ran.out, re.M)
            if not match:
                raise Wrong(f"no line '{key}: ' is printed by {command}")
            row.append(match[1])
        rows.append("".join(f"| {cell} " for cell in row) + "|")
    return rows


def picture(block):
    """The page shows the picture; its command has the name without the folder."""
    if OTHER_COMPILER:
        return block.shown
    match = re.search(r" ([^ ]+\.svg)( |$)", block.argument)
    if not match:
        raise Wrong("the command draws no .svg")
    name = match[1]
    link = re.search(r"\]\((([^)]*/)?" + re.escape(name) + r")\)", text_of(block.page))
    if not link:
        raise Wrong(f"the page doesn't show {name}")
    file = COURSE / block.beside(link[1])
    with tempfile.TemporaryDirectory() as folder:
        now = pathlib.Path(folder) / name
        ran = run(f"{block.argument[:match.start(1)]}'{now}'{block.argument[match.end(1):]}")
        drawn = now.read_bytes() if now.exists() else b""
    if ran.status != 0 or not drawn:
        raise Wrong("nothing was drawn: " + ran.out)
    if drawn != file.read_bytes():
        if not block.update:
            raise Wrong(f"{block.beside(link[1])} is not what is drawn now; build/bin/shown update {block.path} draws it")
        file.write_bytes(drawn)
    return block.shown


KINDS = {  # of marks: the language of their blocks, and what these should be
    "output of": ("", output), "code of": ("cpp", code), "diff of": ("diff", diff),
    "picture of": ("", picture), "exits": ("sh", exits), "table of": ("", table),
    "file": ("", None),  # another test reads it
}


class Page:
    def __init__(self, path, update):
        self.path, self.update, self.lines = path, update, read_lines(path)
        self.marks = read_marks(path, self.lines)
        self.wrong = 0
        self.can_be_written = self.changed = False

    def say(self, at, what):
        print(f"{self.path}:{at + 1}: {what}", file=sys.stderr)
        self.wrong += 1

    def kind(self, mark):
        name = "exits" if mark.kind.startswith("exits ") else mark.kind
        if name not in KINDS:
            raise Wrong(f"there is no mark '{mark.kind}:'")
        return KINDS[name]

    def check(self):
        """How many blocks are not as they should be. From the end, so that what is written moves no mark."""
        self.check_unmarked()
        for mark in reversed(self.marks):
            try:
                self.check_block(mark)
            except Wrong as wrong:
                self.say(mark.at, wrong)
        if self.changed:
            (COURSE / self.path).write_bytes(text_of(self.lines).encode(errors="surrogateescape"))
        if self.can_be_written:
            print(f"build/bin/shown update {self.path} writes it anew", file=sys.stderr)
        return self.wrong

    def check_unmarked(self):
        """Where a page shows some code by a mark, it shows all code so."""
        marked = {mark.at + 1 for mark in self.marks}
        languages = {language for name, (language, _) in KINDS.items() for mark in self.marks
                     if language and mark.kind.startswith(name)}
        for at, line in enumerate(self.lines):
            if line.startswith("```") and line[3:] in languages and at not in marked:
                self.say(at, "no mark says what this block shows")

    def check_block(self, mark):
        language, now_of = self.kind(mark)
        if not now_of:
            return
        if not mark.empty and language and mark.language != language:
            raise Wrong(f"a block ```{language} must follow this mark")
        block = Block(self.path, self.lines, mark, self.update)
        now = now_of(block)
        if now == block.shown:
            return
        if not self.update:
            self.can_be_written = True
            changes = [line for line in difference(block.shown, now) if line[0] != " "]
            return self.say(mark.at, f"what follows is not {mark.kind} {mark.argument}; - is there, + should be:\n"
                            + text_of(changes))
        if mark.empty and not (now and now[0].startswith("|")):
            now = ["```" + (language or "text"), *now, "```"]
        self.lines[mark.first:mark.end] = now
        self.changed = True
        print(f"{self.path}:{mark.at + 1}: written")


def check_page(path, update):
    try:
        return Page(os.path.relpath(os.path.realpath(path), COURSE), update).check()
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1


def main(words):
    if len(words) >= 2 and words[0] in ("check", "update"):
        return 1 if sum([check_page(path, words[0] == "update") for path in words[1:]]) else 0
    print("usage: shown check PAGE... | shown update PAGE...", file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[4:]))
    except Wrong as wrong:
        sys.exit(str(wrong))
