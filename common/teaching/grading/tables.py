"""What grading writes: table.html and table.csv, a page for each student, rubrics, alike.html, and the learning platform's
own CSV."""
import csv
import difflib
import html
import io
import re
import urllib.parse

STYLE = """<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>
body{font:15px sans-serif;margin:2em}td,th{border:1px solid #bbb;padding:.2em .5em;text-align:left;vertical-align:top}
table{border-collapse:collapse}.pass{background:#cfc}.wrong{background:#fdd}.todo{color:#777}.trouble{color:#a00}td.trouble{min-width:16em}
pre{background:#f4f4f4;padding:1em;overflow:auto}.diff_add{background:#cfc}.diff_chg{background:#ffc}.diff_sub{background:#fdd}
table.diff{font:12px monospace}</style>
"""


def cell(value):
    """A spreadsheet takes a text that begins so for a formula."""
    text = str(value)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not re.fullmatch(r"-?\d+(\.\d+)?", text) else text


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def write_csv(path, rows, delimiter=","):
    # A byte order mark: without it Excel takes ö for two characters.
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([[cell(value) for value in row] for row in rows])


def class_of(verdict):
    return "pass" if verdict == "PASS" else "todo" if verdict in ("", "TODO") else "wrong"


def write_table(folder, graded, exercises, points):
    ids = list(exercises.files)
    write_csv(folder / "table.csv", [
        ["student", "number", "team", "points", "of", "trouble", "other files", *ids],
        *([row.label, row.number, row.team, number(row.points), number(points.whole), "; ".join(row.troubles),
           "; ".join(row.others), *(row.verdicts.get(identity, "") for identity in ids)] for row in graded)])
    page = io.StringIO()
    page.write(f"<!doctype html><html lang=en><title>Exercises</title>{STYLE}<h1>Exercises</h1>")
    page.write('<p><a href="table.csv">as CSV</a>, <a href="alike.html">answers that are alike</a></p>')
    page.write("<table><tr>" + "".join(f"<th>{word}" for word in ["student", "team", "points", "trouble", *ids]))
    for row in graded:
        link = urllib.parse.quote(f"{row.folder}/feedback.html")
        page.write(f'\n<tr><td><a href="{link}">{html.escape(row.label)}</a><td>{html.escape(row.team)}'
                   f"<td>{number(row.points)} of {number(points.whole)}"
                   f'<td class=trouble>{html.escape("; ".join(row.troubles))}')
        for identity in ids:
            verdict = row.verdicts.get(identity, "")
            page.write(f"<td class={class_of(verdict)}>{html.escape(verdict) or '-'}")
    (folder / "table.html").write_text(page.getvalue() + "\n</table></html>\n", encoding="utf-8")


def write_feedback(folder, row, points):
    own = folder / row.folder
    own.mkdir(exist_ok=True)
    for log in own.glob("*.log"):
        log.unlink()
    page = io.StringIO()
    page.write(f"<!doctype html><html lang=en><title>{html.escape(row.label)}</title>{STYLE}"
               f"<h1>{html.escape(row.label)}: {number(row.points)} of {number(points.whole)} points</h1>\n"
               "<p>An exercise has its points if it passes. A finding of clcsim costs the points even where the result is "
               "right: it was luck.</p>\n")
    for trouble in row.troubles:
        page.write(f"<p class=trouble>{html.escape(trouble)}</p>\n")
    for identity, verdict in row.verdicts.items():
        given = number(points.for_exercise(identity, verdict, row.filled.get(identity)))
        page.write(f"<h2 class={class_of(verdict)}>{identity.replace('_', '.')}: {html.escape(verdict)}, "
                   f"{given} of {number(points.of[identity])}</h2>\n")
        page.write(rubric_of(points.rubrics[identity], verdict, row.filled.get(identity, {})))
        if row.texts.get(identity):
            (own / f"{identity}.log").write_text(row.texts[identity], encoding="utf-8")
            page.write(f"<pre>{html.escape(row.texts[identity])}</pre>\n")
    (own / "feedback.html").write_text(page.getvalue() + "</html>\n", encoding="utf-8")


def rubric_of(rubric, verdict, filled):
    if not rubric:
        return ""
    rows = "".join(f"<tr><td>{number(filled[row.name]) if row.name in filled else automatic(row, verdict) or 'open'}"
                   f"<td>{row.points}<td>{html.escape(row.text)}" for row in rubric)
    return f"<table><tr><th>points<th>of<th>for{rows}</table>\n"


def automatic(row, verdict):
    return str(row.points) if row.automatic and verdict == "PASS" else ""


def write_rubric(folder, graded, points):
    """What the teacher has to fill in, with what is filled in already. An empty cell has the points that the check gives."""
    for identity, rubric in points.rubrics.items():
        rows = [[identity, row.label, *(number(given[entry.name]) if entry.name in given else "" for entry in rubric)]
                for row in graded if identity in row.verdicts for given in [row.filled.get(identity, {})]]
        if rubric and rows:
            write_csv(folder / f"rubric_{identity}.csv", [["exercise", "student", *(row.name for row in rubric)], *rows])


def write_alike(folder, groups):
    """groups: [(exercise, how, [(label, text), ...])]"""
    page = io.StringIO()
    page.write(f"<!doctype html><html lang=en><title>Answers that are alike</title>{STYLE}<h1>Answers that are alike</h1>\n"
               "<p>Equal answers prove nothing: some tasks leave little choice. Let both explain theirs. "
               "Not shown: answers that add only a few words to the task.</p>\n")
    for exercise, how, group in groups:
        names = ", ".join(dict.fromkeys(label for label, _ in group))
        page.write(f"<h2>{exercise}: {html.escape(names)}: {how}</h2>\n")
        (first, one), (second, two) = group[0], next(member for member in group if member[0] != group[0][0])
        page.write(difflib.HtmlDiff(wrapcolumn=70).make_table(one.split("\n"), two.split("\n"), html.escape(first),
                                                              html.escape(second), context=how == "equal", numlines=3))
    (folder / "alike.html").write_text(page.getvalue() + "</html>\n", encoding="utf-8")


def write_for_platform(path, roster, column, points_of, comment_of, whole):
    """The roster again, with the points in `column`: Moodle's grading worksheet or Canvas's grade book to upload."""
    header, rows = list(roster.header), [list(row) for row in roster.rows]
    names = [name.strip().casefold() for name in header]
    if column is None:
        column = header[names.index("grade")] if "grade" in names else "CLC points"
    if column not in header:
        header.append(column)
    place = header.index(column)
    comments = names.index("feedback comments") if "feedback comments" in names else None
    for row in rows:
        row += [""] * (len(header) - len(row))
    for person in roster.people:
        row = rows[person.row - 1]
        if person.row in points_of:
            row[place] = number(points_of[person.row])
            if comments is not None:
                row[comments] = comment_of[person.row]
    possible = next((row for row in rows if row and row[0].strip().casefold() == "points possible"), None)
    if possible and not possible[place]:
        possible[place] = number(whole)
    keep = [index for index, name in enumerate(names + [""] * (len(header) - len(names)))
            if name not in ("team", "group", "gruppe")]  # ours: Canvas would take it for an assignment
    write_csv(path, [[row[index] for index in keep] for row in [header, *rows]], roster.delimiter)
