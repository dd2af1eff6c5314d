#!/usr/bin/env python3
"""What grading reads and writes, part by part; nothing is compiled.

    grading_test.py
"""
import csv
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

COURSE = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(COURSE / "common/teaching"))
import grade  # noqa: E402
from grading import answers, archives, found, people, points, tables  # noqa: E402

EXERCISES = answers.Exercises(COURSE, [
    f"{chapter[:2]}_{folder.name.split('_')[0]} {folder.relative_to(COURSE)}/task.cu mini 50"
    for chapter in sorted(os.listdir(COURSE)) if chapter[:2].isdigit()
    for folder in sorted((COURSE / chapter / "exercises").iterdir()) if folder.is_dir()])
TAIL = "// Exercise 01.1 - The last tile.\nconstexpr bool kReady = true;\n"
RESPONSE = "// Exercise 03.1 - The response.\nconstexpr bool kReady = true;\n"


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def tarred(files, mode="w", links=()):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uid = len(text), 0, 12345
            archive.addfile(member, io.BytesIO(text.encode()))
        for name in links:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    return data.getvalue()


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def put(self, path, content):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def students(self, folder="."):
        everything = found.Found(EXERCISES)
        everything.read(self.folder / folder)
        return {(student.identity.name, student.identity.number): student for student in everything.finish()}

    def answered(self, folder="."):
        """{name and number: ids}"""
        return {" ".join(key).strip(): sorted(answer[0] for answer in student.answers)
                for key, student in self.students(folder).items()}


class Names(Folder):
    def test_teams_and_numbers_stay_apart(self):
        for name in ("team7_lab_spmv.cu", "team8_lab_spmv.cu", "s7654321_lab_spmv.cu", "1234567_lab_spmv.cu"):
            self.put(name, "// Exercise 06.lab - The lab\n")
        self.assertEqual(self.answered(), {"1234567": ["06_lab"], "s7654321": ["06_lab"], "team7": ["06_lab"], "team8": ["06_lab"]})

    def test_moodle(self):
        self.put("Anna Schmidt_11_assignsubmission_file_/1_tail.cu", TAIL)
        self.put("Anna Schmidt_12_assignsubmission_file_/1_tail.cu", TAIL)
        self.put("Anna Schmidt_12_assignsubmission_file_1_response.cu", RESPONSE)
        self.assertEqual(self.answered(), {"Anna Schmidt 11": ["01_1"], "Anna Schmidt 12": ["01_1", "03_1"]})

    def test_canvas(self):
        for name in ("leeann_LATE_71_901_1_tail.cu", "leeann_71_902_1_response-1.cu", "leeann_72_903_1_tail.cu"):
            self.put(name, RESPONSE if "response" in name else TAIL)
        self.assertEqual(self.answered(), {"leeann 71": ["01_1", "03_1"], "leeann 72": ["01_1"]})

    def test_a_platforms_archive_of_the_class(self):
        self.put("all.zip", zipped({"Bo_21_assignsubmission_file_/x.zip": zipped({"1_tail.cu": TAIL}),
                                    "Cy_22_assignsubmission_file_/1_response.cu": RESPONSE}))
        expected = {"Bo 21": ["01_1"], "Cy 22": ["03_1"]}
        self.assertEqual(self.answered(), expected)
        self.assertEqual(self.answered("all.zip"), expected)

    def test_second_copies(self):
        self.put("ada/1_tail (1).cu", b"\xef\xbb\xbf" + TAIL.encode())
        self.put("ada/x.cu", TAIL.encode("utf-16"))
        self.put("bob_1_tail (2).cu", TAIL)
        self.assertEqual(self.answered(), {"ada": ["01_1", "01_1"], "bob": ["01_1"]})
        self.assertTrue(all(answer[2] == TAIL for student in self.students().values() for answer in student.answers))

    def test_one_students_folder(self):
        self.put("ada/1_tail.cu", TAIL)
        self.assertEqual(self.answered("ada"), {"ada": ["01_1"]})

    def test_a_clone(self):
        clone = {"01_fixed_work/exercises/1_tail/task.cu": TAIL, "01_fixed_work/exercises/1_tail/solution.cu": TAIL,
                 "03_clc_basic/minimal.cu": "", "common/check.h": "", "README.md": ""}
        for name, text in clone.items():
            self.put(f"ada/course/{name}", text)
        self.put("bob.zip", zipped({f"course/{name}": text for name, text in clone.items()}))
        self.assertEqual(self.answered(), {"ada": ["01_1"], "bob": ["01_1"]})
        self.assertEqual(self.answered("ada/course"), {"course": ["01_1"]})
        self.assertEqual([student.troubles for student in self.students().values()], [[], []])

    def test_students_who_are_called_as_a_folder_of_the_course(self):
        for name in ("builder", "simulator", "common"):
            self.put(f"{name}/1_tail.cu", TAIL)
        self.assertEqual(list(self.answered()), ["builder", "common", "simulator"])


class Archives(Folder):
    def test_each_kind(self):
        files = {"deep/1_tail.cu": TAIL}
        self.put("zip.zip", zipped(files))
        for name, mode in (("tar", "w"), ("tar.gz", "w:gz"), ("tgz", "w:gz"), ("tar.bz2", "w:bz2"), ("tar.xz", "w:xz")):
            self.put(f"{name.replace('.', '-')}.{name}", tarred(files, mode))
        self.put("wrong-name.zip", tarred(files))
        self.put("nested.zip", zipped({"again.zip": zipped({"at last.tar": tarred(files)})}))
        (self.folder / "deep").mkdir()
        (self.folder / "deep/1_tail.cu").write_text(TAIL)
        subprocess.run(["cmake", "-E", "tar", "cf", "seven.7z", "--format=7zip", "deep"], cwd=self.folder, check=True)
        self.assertEqual(self.answered(), {name: ["01_1"] for name in sorted((
            "zip", "tar", "tar-gz", "tgz", "tar-bz2", "tar-xz", "wrong-name", "nested", "seven", "deep"))})

    def troubles(self, name, data):
        self.put(name, data)
        (student,) = self.students().values()
        return "; ".join(student.troubles)

    def test_rar_is_refused_by_name(self):
        for name in ("eve.rar", "eve.zip"):
            with self.subTest(name):
                self.assertIn(f"{name} is a rar archive, which can't be read here: ask for a .zip",
                              self.troubles(name, b"Rar!\x1a\x07\x01\x00"))

    def test_no_archive(self):
        self.assertIn("olga.zip is no archive that can be read", self.troubles("olga.zip", "no archive"))

    def test_links_are_left_out_and_the_rest_counts(self):
        self.put("nat.tar", tarred({"1_tail.cu": TAIL, "../../up.txt": "x"}, links=["passwd"]))
        (student,) = self.students().values()
        self.assertEqual([answer[0] for answer in student.answers], ["01_1"])
        self.assertEqual(student.troubles, ["nat.tar: passwd is a link or a device: left out"])

    def test_half_an_archive(self):
        data = tarred({"1_tail.cu": TAIL, "1_response.cu": RESPONSE + "x" * 5000})
        self.put("half.tar", data[:3000])
        (student,) = self.students().values()
        self.assertEqual([answer[0] for answer in student.answers], ["01_1"])
        self.assertIn("half.tar can't be read to its end", student.troubles[0])

    def test_a_bomb(self):
        most, archives.MOST_BYTES = archives.MOST_BYTES, 100_000
        try:
            for name, data in (("tar", tarred({"x": "0" * 300_000}, "w:gz")),
                               ("zip", zipped({str(number): "0" * 30_000 for number in range(9)}))):
                with self.subTest(name):
                    self.assertIn("MB in it: the rest is left out", archives.unpack("bomb." + name, data)[1][0])
        finally:
            archives.MOST_BYTES = most


class Lost(Folder):
    """Whatever is handed in has a row, and the row says what is wrong."""

    def test_a_report_only(self):
        self.put("Dora_31_assignsubmission_file_report.pdf", b"%PDF-1.4")
        self.put("letter.docx", b"PK\x03\x04")
        self.assertEqual({name[0]: student.troubles for name, student in self.students().items()}, {
            "Dora": ["no exercise was found in report.pdf"], "letter.docx": ["no exercise was found in letter.docx"]})

    def test_an_unknown_source(self):
        self.put("ada/main.cu", "int main() {}")
        self.put("bob/3_predict.cu", "int main() {}")
        self.put("cy/x.cu", "// Exercise 99.1 - No\n")
        self.assertEqual([student.troubles[0] for student in self.students().values()], [
            "main.cu: not known as an exercise", "3_predict.cu: it may be 01_3 or 02_3 or 03_3: its first line is gone",
            "x.cu: there is no exercise 99.1"])

    def test_an_empty_folder(self):
        (self.folder / "nobody").mkdir()
        self.assertEqual(list(self.answered()), ["nobody"])


class Rosters(Folder):
    def rows(self, roster):
        self.put("roster.csv", roster)
        (self.folder / "in").mkdir(exist_ok=True)
        everything = found.Found(EXERCISES)
        everything.read(self.folder / "in")
        return grade.rows_of(everything.finish(), people.read_roster(self.folder / "roster.csv"))

    def test_a_plain_one_with_teams(self):
        self.put("in/team7_1_tail.cu", TAIL)
        self.put("in/ada@x.org.zip", zipped({"1_response.cu": RESPONSE}))
        self.put("in/stranger/1_tail.cu", TAIL)
        rows = self.rows("name,email,team\nLovelace Ada,ada@x.org,team7\nBo,bo@x.org,Team 7\nCy,,\n")
        self.assertEqual([(row.label, len(row.answers), row.troubles) for row in rows], [
            ("Lovelace Ada", 2, []), ("Bo", 1, []), ("Cy", 0, ["nothing was handed in"]), ("stranger", 1, ["not in the roster"])])
        roster = people.read_roster(self.folder / "roster.csv")  # what is uploaded has no column of ours
        tables.write_for_platform(self.folder / "out.csv", roster, None, {1: 2.0}, {}, 25)
        self.assertEqual((self.folder / "out.csv").read_text(encoding="utf-8-sig").split("\n")[0], "name,email,CLC points")

    def test_moodles_names_and_numbers(self):
        for number in (11, 12):
            self.put(f"in/Anna Schmidt_{number}_assignsubmission_file_/1_tail.cu", TAIL)
        rows = self.rows("\ufeffIdentifier;Full name;Grade\nParticipant 12;Anna Schmidt;\nParticipant 11;Anna Schmidt;\n")
        self.assertEqual([(row.label, len(row.answers)) for row in rows], [("Anna Schmidt 12", 1), ("Anna Schmidt 11", 1)])
        rows = self.rows("name\nAnna Schmidt\n")  # nobody can know which of the two
        self.assertEqual([len(row.answers) for row in rows], [0, 1, 1])
        self.assertEqual(rows[1].troubles, ["the platform has two of this name, the roster one"])

    def test_two_of_one_name_in_the_roster(self):
        self.put("in/Anna Schmidt/1_tail.cu", TAIL)
        rows = self.rows("name,number\nAnna Schmidt,1\nAnna Schmidt,2\n")
        self.assertEqual([(len(row.answers), row.troubles) for row in rows], [
            (0, ["nothing was handed in"]), (0, ["nothing was handed in"]), (1, ["2 in the roster are called so"])])

    def test_canvas_and_what_is_uploaded(self):
        self.put("in/schmidtanna_71_900_1_tail.cu", TAIL)
        rows = self.rows('Student,ID,SIS Login ID,Section,CLC (5)\n    Points Possible,,,,\n"Schmidt, Anna",71,as,1,\n'
                         '"=Bo, +1",72,bo,1,\n')
        self.assertEqual([len(row.answers) for row in rows], [1, 0])
        roster = people.read_roster(self.folder / "roster.csv")
        tables.write_for_platform(self.folder / "out.csv", roster, "CLC (5)", {rows[0].rows[0]: 2.5}, {}, 25)
        with open(self.folder / "out.csv", encoding="utf-8-sig", newline="") as file:
            out = list(csv.reader(file))
        self.assertEqual([row[4] for row in out], ["CLC (5)", "25", "2.5", ""])
        self.assertEqual(out[3][0], "'=Bo, +1")

    def test_no_roster(self):
        with self.assertRaisesRegex(ValueError, "has no column with names"):
            self.rows("a,b\n1,2\n")


class Alike(unittest.TestCase):
    SHIPPED = "// Exercise 01.1\n// Do it.\nvoid f() {\n}\n"
    LONG = SHIPPED.replace("{\n", "{ // mine\n  int a = 0, b = 1; for (int i = 0; i < 9; ++i) a += b * i;\n")

    def how(self, one, two):
        return [how for how, _ in answers.alike([("ada", one), ("bob", two)], self.SHIPPED)]

    def test_equal(self):
        self.assertEqual(self.how(self.LONG, self.LONG), ["equal"])
        self.assertEqual(self.how(self.LONG, self.LONG.replace("mine", "yours")), ["equal but for comments and spaces"])
        self.assertEqual(self.how(self.LONG, self.LONG.replace("a ", "sum ")), ["equal but for names"])

    def test_different(self):
        self.assertEqual(self.how(self.LONG, self.LONG.replace("< 9", "< 10")), [])
        self.assertEqual(self.how(self.LONG, self.LONG.replace("b * i", "b * b")), [])

    def test_what_the_task_gives(self):
        self.assertEqual(self.how(self.SHIPPED, self.SHIPPED), [])
        short = self.SHIPPED.replace("{", "{ g();")
        self.assertEqual(self.how(short, short), [])

    def test_comments_decide_no_verdict_and_strings_do(self):
        same = [("int a; // x\n", "int  a; /* y */\n")]
        different = [('f("// a");', 'f("// b");'), ("#define A 1\nB", "#define A 1 B"), ("a b", "ab"), ("1'000", "1'001")]
        for one, two in same:
            self.assertEqual(answers.code_of(one), answers.code_of(two))
        for one, two in different:
            self.assertNotEqual(answers.code_of(one), answers.code_of(two), one)


class PointsAndTables(Folder):
    def rules(self, text):
        self.put("points.csv", text)
        return points.Points(EXERCISES, self.folder / "points.csv")

    def test_weights_and_a_maximum(self):
        rules = self.rules("exercise,points\n01.1,2\n03.1,3\nmaximum,4\n")
        self.assertEqual(rules.for_exercise("01_1", "PASS"), 2)
        self.assertEqual(rules.for_exercise("01_1", "WRONG, tiles"), 0)
        self.assertEqual((rules.in_all([2, 3]), rules.whole), (4, 4))

    def test_no_points(self):
        for line, why in (("01.1,x", "should be"), ("99.1,1", "no exercise 99.1"), ("01.1,-1", "are no points")):
            with self.assertRaisesRegex(ValueError, why):
                self.rules(line)

    def test_those_of_the_course(self):
        rules = points.Points(EXERCISES, COURSE / "common/teaching/points.csv")
        self.assertEqual([identity for identity, each in rules.of.items() if each == 0], [])
        self.assertEqual(sum(row.points for row in rules.rubrics["06_lab"]), rules.of["06_lab"])

    def test_the_labs_rubric(self):
        rules = self.rules("06.lab,40\n")
        rubric = rules.rubrics["06_lab"]
        by_check = sum(row.points for row in rubric if row.automatic)
        self.assertEqual(rules.for_exercise("06_lab", "PASS"), 2 * by_check)
        self.assertEqual(rules.for_exercise("06_lab", "PASS", {row.name: row.points for row in rubric}), 40)
        name = rubric[0].name
        row = grade.Row("ada", "", "", "ada", [], [], [], [], {"06_lab": "PASS"}, {}, {})
        tables.write_rubric(self.folder, [row], rules)
        path = self.folder / "rubric_06_lab.csv"
        self.assertEqual(points.read_filled(self.folder, rules)["06_lab", "ada"], {})
        path.write_text(f"exercise;student;{name}\n06_lab;ada;1,5\n")
        self.assertEqual(points.read_filled(self.folder, rules)["06_lab", "ada"], {name: 1.5})
        path.write_text(f"exercise,student,{name}\n06_lab,ada,99\n")
        with self.assertRaisesRegex(ValueError, "ada, .*'99' is not a number from 0 to"):
            points.read_filled(self.folder, rules)

    def test_no_cell_is_a_formula(self):
        for text in ("=1+1", "+1+1", "-1+1", "@x", "\t=1"):
            self.assertEqual(tables.cell(text), "'" + text)
        self.assertEqual([tables.cell(text) for text in ("-1", "a=1", "")], ["-1", "a=1", ""])


if __name__ == "__main__":
    unittest.main()
