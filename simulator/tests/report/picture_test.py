"""picture_test.py CLCSIM PROGRAM FOLDER: --timeline FILE.svg. The picture is well-formed and shows each tile where it
was done, and the file is written, or refused, at the right time. PROGRAM is 03_clc_basic. What a picture's numbers
are is timeline_test.cpp's; the chapters' pictures are compared with what their commands draw."""
import os
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

CLCSIM, PROGRAM, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
COURSE = pathlib.Path(__file__).resolve().parents[3]
LEFT, WIDTH = 66, 636  # of the axis
TILE = re.compile(r"(SM \d+), slot \d+: block (\d+) does (?:its own work|the work of block (\d+), stolen), "
                  r"cycles (\d+) to (\d+)")


def run(*options, tiles=100, runs=1, **variables):
    work = ["--kernel", "basic", "--threads", "256", "--tile", "256", "--elements", str(256 * tiles), "--warmup", "0",
            "--runs", str(runs)]
    return subprocess.run([CLCSIM, *map(str, options), PROGRAM, *work], capture_output=True, text=True,
                          env=os.environ | variables)


def draw(*options, **work):
    file = FOLDER / "a.svg"
    file.unlink(missing_ok=True)
    assert run("--timeline", file, *options, **work).returncode == 0
    return Picture(file.read_text())


def number(element, name):
    return float(element.get(name))


class Picture:
    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.words = [each.text for each in self.all("text")]
        self.said = "\n".join(self.words)

    def all(self, name, style=""):
        return [each for each in self.root.iter("{http://www.w3.org/2000/svg}" + name)
                if not style or style in each.get("class", "").split()]

    def tiles(self):
        """Each rectangle that has words, with its SM, block, tile (as text), begin, end and whether it was stolen."""
        for rectangle in self.all("rect"):
            if len(rectangle):
                sm, block, stolen, begin, end = TILE.fullmatch(rectangle[0].text).groups()
                yield rectangle, sm, int(block), int(stolen or block), int(begin), int(end), stolen is not None


class Drawn(unittest.TestCase):
    def frame(self, picture):
        """Marks stay inside."""
        _, _, width, height = picture.root.get("viewBox").split()
        self.assertEqual((picture.root.get("width"), picture.root.get("height")), (width, height))
        for rectangle in picture.all("rect"):
            self.assertGreaterEqual(number(rectangle, "x"), 0)
            self.assertLessEqual(number(rectangle, "x") + number(rectangle, "width"), float(width))

    def test_tiles_stand_where_and_when_they_were_done(self):
        picture = draw("--timeline-launch", 1)
        self.frame(picture)
        tiles = list(picture.tiles())
        self.assertEqual(sorted(tile for _, _, _, tile, *_ in tiles), list(range(100)))
        self.assertEqual(sum(stolen for *_, stolen in tiles), 84)  # 4 SMs with 4 blocks each
        first, last = (choose(tiles, key=lambda tile: tile[4]) for choose in (min, max))
        scale = (number(last[0], "x") - number(first[0], "x")) / (last[4] - first[4])
        self.assertGreater(scale, 0)
        labels = {number(text, "y") - 5: text.text for text in picture.all("text") if text.text.startswith("SM ")}
        hatching = " ".join(path.get("d") for path in picture.all("path", "tl-hatch"))
        own = {block: rectangle for rectangle, _, block, tile, *_ in tiles if block == tile}
        for rectangle, sm, block, tile, begin, end, stolen in tiles:
            with self.subTest(tile):
                x, y = number(rectangle, "x"), number(rectangle, "y")
                self.assertAlmostEqual(x, number(first[0], "x") + scale * (begin - first[4]), delta=0.2)
                self.assertAlmostEqual(number(rectangle, "width"), scale * (end - begin), delta=1.3)  # a gap
                middle = y + number(rectangle, "height") / 2
                self.assertEqual(labels[min(labels, key=lambda label: abs(label - middle))], sm)
                self.assertEqual(f"M{rectangle.get('x')} {rectangle.get('y')}h" in hatching, stolen)
                self.assertEqual(rectangle.get("y"), own[block].get("y"))  # as of the block that does it
                self.assertEqual(rectangle.get("class"), "tl-stolen" if stolen else "tl-tile")

    def test_of_many_launches_the_last_are_drawn(self):
        picture = draw(tiles=40, runs=8)
        self.frame(picture)
        drawn = [launch for launch in range(1, 10) if f"Launch {launch}: multiply" in picture.words]
        self.assertEqual(drawn, [4, 5, 6, 7, 8, 9])
        self.assertIn("3 earlier launches are not drawn", picture.said)
        one = draw("--timeline-launch", 2, "--timeline-cycles", 123456, tiles=40, runs=8)
        self.assertIn("Launch 2:", one.said)
        self.assertNotIn("Launch 3:", one.said)
        self.assertIn("120,000", one.words)  # a tick near the end

    def test_cut_ends_at_the_axis_and_says_so(self):
        whole = max(end for *_, end, _ in draw("--timeline-launch", 1, tiles=300).tiles())
        cut = draw("--timeline-launch", 1, "--timeline-cycles", whole // 2, tiles=300)
        self.assertIn(", drawn to ", cut.said)
        tiles = list(cut.tiles())
        self.assertIn(len(tiles), range(100, 250))
        for rectangle, *_, begin, _, _ in tiles:
            self.assertLess(begin, whole // 2)
            self.assertLessEqual(number(rectangle, "x") + number(rectangle, "width"), LEFT + WIDTH)

    def test_chapters_pictures_have_no_number_on_a_mark_and_none_small(self):
        move = re.compile(r"M([0-9.]+) ([0-9.]+)(V[0-9]+|v[0-9]+|l8|a6)?")
        files = [file for name in ("fixed", "stride", "queue", "clc", "cluster")
                 for file in COURSE.glob(f"0*/pictures/{name}.svg")]
        self.assertEqual(len(files), 5)
        for file in files:
            text = file.read_text()
            picture = Picture(text)
            self.assertTrue(all(int(size) >= 11 for size in re.findall("font-size:([0-9]+)px", text)))
            numbers = [each for each in picture.all("text", "tl-number") if each.get("y") != "-1"]
            self.assertGreaterEqual(len(numbers), 8)
            marks = [(style, *found) for style in ("tl-refused", "tl-arrival", "tl-meeting")
                     for path in picture.all("path", style) for found in move.findall(path.get("d"))]
            for each in numbers:
                x, y, half = number(each, "x"), number(each, "y"), 3.4 * len(each.text)
                for style, begin, top, kind in marks:
                    begin, top, line = float(begin), float(top), style == "tl-arrival"
                    wide = {"l8": 8, "a6": 12}.get(kind, 0)
                    above = top - 6 if kind == "a6" else top  # the upper end of the mark
                    high = 1e4 if line else wide or 25
                    beside = x + half <= begin or x - half >= begin + wide
                    self.assertTrue(beside or (not line and y <= above + 0.5) or y - 9 > above + high,
                                    f"{file.name}: {each.text} on {style} at {begin} {top}")


class Written(unittest.TestCase):
    def test_same_bytes_again_and_from_the_environment(self):
        a, b = FOLDER / "a.svg", FOLDER / "b.svg"
        self.assertEqual(run("--timeline", a).returncode, 0)
        self.assertEqual(run(CLCSIM_TIMELINE=str(b)).returncode, 0)
        self.assertEqual(a.read_bytes(), b.read_bytes())

    def test_file_that_cannot_be_written_is_refused_before_the_program_runs(self):
        for name in ("nowhere/a.svg", ".", "a.png", "a.json", ""):
            ran = run("--timeline", f"{FOLDER}/{name}")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertRegex(ran.stderr, r"\Aclcsim: .*can't (be written|write)[^\n]*\n\Z")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
