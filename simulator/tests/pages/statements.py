"""The statements of the course that only a GPU of compute capability 10.0 or newer can settle: each sentence
before a mark <!-- open: PROBE -->, and the first one of each paragraph **On hardware:** of chapter 05."""
import re

from course import Wrong, lines_of, read_lines, run

OPEN, CLOSE, HARDWARE = "<!-- open: ", " -->", "**On hardware:** "


def passages(lines):
    """Each paragraph, item of a list and row of a table on one line, with its heading and first line."""
    found, heading, fenced, open_ = [], "", False, False
    for number, line in enumerate(lines, 1):
        line = line.lstrip(" ")
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not line or line.startswith("```"):
            open_ = False
        elif line.startswith("#"):
            heading, open_ = line.partition(" ")[2].replace("`", ""), False
        else:
            item = re.match(r"- |[0-9]+\. ", line)
            line = line[item.end():] if item else line
            row = line.startswith("|")
            if open_ and not item and not row:
                found[-1][1] += " " + line
            else:
                found.append([heading, line, number])
            open_ = not row
    return found


def first_sentence(text):
    return re.match(r".*?[.?](?= |$)|.*", text)[0]


def last_sentence(text):
    return re.split(r"(?<=[.?]) (?=.)", text.rstrip(" "))[-1]


def cells(row):
    """A row's cells, with a semicolon between them."""
    return re.sub(f"{OPEN}.*?{CLOSE}", "", row, count=1).strip("| ").replace(" | ", "; ")


def in_a_cell(text):
    return re.sub(r"\]\(.*?\)", "", text.replace("|", "\\|")).replace("[", "")


def statements():
    known = {"balance", "preemption"}  # of clc_measure gpu
    known |= {line.partition(".")[0] for line in read_lines("simulator/course/hardware/predictions/b200.txt")}
    table = ["| where | statement | probe |", "|---|---|---|"]
    for page in sorted(lines_of(run("git ls-files '*.md'").out)):
        if page.endswith("STATEMENTS.md"):
            continue
        for heading, text, line in passages(read_lines(page)):
            def add(statement, probe):
                table.append(f"| {page}, {heading} | {in_a_cell(statement)} | `{probe}` |")
            if text.startswith(HARDWARE):
                add(first_sentence(text.removeprefix(HARDWARE)), "pitfall-" + heading)
            while mark := re.search(f"(?<!`){OPEN}(.*?){CLOSE}", text):
                if mark.start() == 0:
                    raise Wrong(f"{page}:{line}: a mark <!-- open: ... --> stands after its sentence, not before")
                if mark[1] not in known:
                    raise Wrong(f"{page}:{line}: there is no probe {mark[1]}")
                add(cells(text) if text.startswith("|") else last_sentence(text[:mark.start()]), mark[1])
                text = text[:mark.start()] + text[mark.end():]
    return table
