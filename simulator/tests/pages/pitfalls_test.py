"""Chapter 05's page, its sources and its program say the same; RULES.md's programs do what their rows say. Each
broken form runs once for each seed that somebody names. Reports and repairs are page.05_ub_pitfalls/PITFALLS's.
"""
import functools
import json
import os
import re
import sys
import tempfile
import unittest

from course import COURSE, lines_of, read_lines, run

PAGE, PROGRAM = "05_ub_pitfalls/PITFALLS.md", "build/bin/05_ub_pitfalls"
MOST_LINES = 14  # that a repair may change


@functools.cache
def pitfalls():
    return [json.loads(line) for line in lines_of(run(PROGRAM + " --json").out)]


@functools.cache
def rules():
    """Rule, family and source, as `clcsim --rules` lists them."""
    return [(line.split(None, 2) + [""])[:3] for line in lines_of(run("build/bin/clcsim --rules").out)]


@functools.cache
def broken(name, seed):
    """What a broken form printed, and its findings."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "findings.json")
        ran = run(f"build/bin/clcsim --seed {seed} --check-json '{file}' {PROGRAM} {name}")
        with open(file) as findings:
            return ran, json.load(findings)["findings"]


def names(findings):
    """Of the rules, each once where it follows itself."""
    found = [finding["name"] for finding in findings]
    return [name for name, before in zip(found, [None, *found]) if name != before]


@functools.cache
def sections():
    """Of the page: for each pitfall the one whose variant it is, and the lines of its section."""
    found, pitfall, now = {}, "", None
    for line in read_lines(PAGE):
        heading = re.match("(###|####) (.*)", line)
        if heading:
            now = heading[2]
            pitfall = now if heading[1] == "###" else pitfall
            found[now] = ("" if heading[1] == "###" else pitfall, [])
        elif line.startswith("## "):
            now = None
        elif now:
            found[now][1].append(line)
    return found


class Pitfalls(unittest.TestCase):
    def test_section_shows_the_repair(self):
        self.assertGreater(len(pitfalls()), 20)
        for pitfall in pitfalls():
            name, of = pitfall["pitfall"], pitfall["variant_of"]
            with self.subTest(name):
                self.assertIn(name, sections(), f"{PAGE} has no section '{'####' if of else '###'} {name}'")
                under, lines = sections()[name]
                self.assertEqual(under, of)
                marks = [i for i, line in enumerate(lines) if re.fullmatch(rf"<!-- diff of: .* \[{name}\] -->", line)]
                self.assertTrue(marks, f"no repair: write <!-- diff of: pitfalls/FILE.cuh [{name}] --> into the section, "
                                       f"between empty lines, and run build/bin/shown update {PAGE}")
                repair = lines[marks[0]:lines.index("```", marks[0] + 2)]
                self.assertLessEqual(sum(line[:1] in ("+", "-") for line in repair), MOST_LINES,
                                     "the two forms differ in more than one mistake takes")
        self.assertLessEqual(set(sections()), {pitfall["pitfall"] for pitfall in pitfalls()})

    def test_broken_form_gives_what_the_program_lists(self):
        for pitfall in pitfalls():
            with self.subTest(pitfall["pitfall"]):
                ran, findings = broken(pitfall["pitfall"], pitfall["seed"])
                self.assertEqual(", ".join(names(findings)), pitfall["findings"], ran.out)
                self.assertEqual(ran.status, pitfall["exit_status"], ran.out)

    def test_rule_is_in_the_index_and_has_a_pitfall(self):
        page = "\n".join(read_lines(PAGE))
        found = {finding for pitfall in pitfalls() for finding in pitfall["findings"].split(", ")}
        for rule, family, _ in rules():
            with self.subTest(rule):
                self.assertIn(f"`[{rule}]`", page)
                if family == "clc":
                    self.assertIn(rule, found)

    def test_row_of_the_index_is_seen(self):
        """What stands on its left is printed by each pitfall on its right."""
        lines, head, indexed = read_lines(PAGE), "", set()
        for row in lines[lines.index("<!-- index -->"):lines.index("<!-- /index -->")]:
            if "](#" not in row:
                head = row if row.startswith("| ") else head
                continue
            left, right = row.split(" | ", 1)
            for name, _, seed in re.findall(r"\]\(#([a-z0-9-]+)\)( `--seed ([0-9]+)`)?", right):
                indexed.add(name)
                ran, findings = broken(name, int(seed or 0))
                with self.subTest(row, pitfall=name):
                    for text in re.findall("`([^`]*)`", left):
                        self.assertIn(text, ran.out)
                    if "no finding" in head:
                        self.assertEqual(findings, [])
        self.assertLessEqual({pitfall["pitfall"] for pitfall in pitfalls()}, indexed)

    def test_finding_says_where_to_read_on(self):
        for pitfall in pitfalls():
            name, of = pitfall["pitfall"], pitfall["variant_of"] or pitfall["pitfall"]
            for seed in {0, pitfall["seed"]}:
                with self.subTest(name, seed=seed):
                    findings = broken(name, seed)[1]
                    for finding in findings:
                        self.assertTrue(finding.get("pitfall"), finding)
                    if findings:
                        self.assertTrue({name, of} & set(findings[0]["pitfall"].split()), findings[0])

    def test_pitfall_that_a_finding_may_name_is_named(self):
        # Which thread comes first may decide how a finding is explained: a few seeds.
        texts = (COURSE / "simulator/course/pitfalls.def").read_text()
        named = {word for text in re.findall(r'^MORE\("([^"]*)"', texts, re.M)
                 for word in text.split() if word != "or"}
        self.assertGreaterEqual(len(named), 30)
        for name in sorted(named):
            with self.subTest(name):
                self.assertTrue(any(name in finding.get("pitfall", "").split()
                                    for seed in range(9) for finding in broken(name, seed)[1]))


class Rules(unittest.TestCase):
    """RULES.md, whose rows are rule, level, section and program."""
    rows = [[cell.strip(" `").replace("`", "") for cell in line.split("|")[1:5]]
            for line in read_lines("simulator/RULES.md") if line.startswith("| `")]

    def test_row_for_each_rule_with_its_section(self):
        self.assertEqual([row[0] for row in self.rows], [rule for rule, _, _ in rules()])
        page = "\n".join(read_lines("simulator/RULES.md"))
        for (rule, _, section, _), (_, _, source) in zip(self.rows, rules()):
            with self.subTest(rule):
                isa = re.match(r"(PTX ISA [^,]*), ", source)
                if isa:
                    self.assertTrue(source.startswith(f"{isa[1]}, {section},"), source)
                    self.assertIn(f"sections are those of the {isa[1]}", page)
                else:
                    self.assertFalse(section[:1].isdigit(), "it has no section")

    def test_program_breaks_the_rule_and_its_repaired_form_none(self):
        listed = {pitfall["pitfall"]: pitfall for pitfall in pitfalls()}
        for rule, level, _, program in self.rows:
            with self.subTest(rule, program=program):
                if program.startswith("05_ub_pitfalls "):  # run by the tests above
                    pitfall = listed[program.split()[1]]
                    self.assertEqual(pitfall["seed"], 0)
                    self.assertIn(rule, pitfall["findings"].split(", "))
                    continue
                command = "build/bin/clcsim --seed {} build/simulator/tests/report/" + program
                self.assertIn(f"{level.split()[0]} [{rule}]", run(command.format(0)).out)
                for seed in range(3):
                    ran = run(command.format(seed) + " --repaired")
                    self.assertEqual((ran.status, "=========" in ran.out), (0, False), ran.out)


if __name__ == "__main__":
    unittest.main(argv=["pitfalls_test", *sys.argv[3:]])
