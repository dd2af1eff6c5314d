"""Points: for each exercise, with a maximum, and by the rubric of a lab."""
import csv
import re


class Points:
    """From a CSV of lines `exercise,points`; a line `maximum,40` says what the sum ends at. Without one: 1 for each."""

    def __init__(self, exercises, path=None):
        self.of, self.maximum = {identity: 1.0 for identity in exercises.files}, None
        if path is not None:
            self.of = {identity: 0.0 for identity in exercises.files}
            self.read(path)
        self.rubrics = {identity: read_rubric(file.parent / "README.md") for identity, file in exercises.files.items()}
        self.whole = min(sum(self.of.values()), self.maximum or float("inf"))

    def read(self, path):
        with open(path, encoding="utf-8-sig", newline="") as file:
            for row in csv.reader(file):
                if not row or row[0].strip().startswith("#") or row[0].strip() == "exercise":
                    continue
                identity = row[0].strip().replace(".", "_")
                try:
                    value = float(row[1])
                except (IndexError, ValueError):
                    raise ValueError(f"{path}: the line {','.join(row)!r} should be an exercise, a comma and a number") from None
                if not 0 <= value < 10_000:
                    raise ValueError(f"{path}: {row[1]} are no points")
                if identity == "maximum":
                    self.maximum = value
                elif identity in self.of:
                    self.of[identity] = value
                else:
                    raise ValueError(f"{path}: there is no exercise {row[0].strip()}")

    def for_exercise(self, exercise, verdict, filled=None):
        """`filled`: what the teacher has given for the rows of the rubric."""
        rubric = self.rubrics[exercise]
        if not rubric:
            return self.of[exercise] if verdict == "PASS" else 0.0
        given = sum((filled or {}).get(row.name, row.points if row.automatic and verdict == "PASS" else 0) for row in rubric)
        return self.of[exercise] * given / sum(row.points for row in rubric)

    def in_all(self, each):
        return min(sum(each), self.maximum or float("inf"))


class Row:
    def __init__(self, points, text):
        self.points, self.text = points, text
        self.automatic = " passes" in text  # the check says so
        self.name = f"{re.sub(r'[^A-Za-z0-9 ]', '', re.split('[:,;(]| under | and ', text)[0]).strip()} ({points})"


def read_rubric(page):
    """The table under `## Rubric` of an exercise's own page: | points | for |."""
    if not page.is_file():
        return []
    section = re.search(r"^## Rubric\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"), re.M | re.S)
    return [Row(int(points), text) for points, text in re.findall(r"^\| *(\d+) *\| *(.*?) *\|$", section[1], re.M)] if section else []


def read_filled(folder, points):
    """rubric_ID.csv, which the teacher fills in: {(exercise, student): {row: points}}. Empty cells aren't there."""
    filled = {}
    for exercise, rubric in points.rubrics.items():
        path = folder / f"rubric_{exercise}.csv"
        if not rubric or not path.is_file():
            continue
        with open(path, encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            delimiter = max(",;", key=header.count)  # a German Excel saves it with ;
            file.seek(0)
            for cells in csv.DictReader(file, delimiter=delimiter):
                student = (cells.get("student") or "").removeprefix("'")
                filled[exercise, student] = {row.name: number_in(cells[row.name], row, f"{path}: {student}, {row.name}")
                                             for row in rubric if (cells.get(row.name) or "").strip()}
    return filled


def number_in(text, row, place):
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1
    if not 0 <= value <= row.points:
        raise ValueError(f"{place}: {text!r} is not a number from 0 to {row.points}")
    return value
