"""What was handed in: folders of any depth, archives, archives in archives, single files."""
import dataclasses
import pathlib
import re

from . import answers, archives, people

LARGEST = 200_000  # of an answer
DEEPEST = 3  # archive in an archive
SOURCES = (".cu", ".cu.txt", ".cpp", ".cc", ".cpp.txt", ".txt", ".cuh")
JUNK = re.compile(r"(^|/)(__MACOSX|\.git|\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)(/|$)", re.I)
OF_THE_COURSE = re.compile(r"(^|/)(build(-[a-z]+)?|simulator|common)/|(^|/)\d+_[a-z_]+/[^/]+\.(md|svg|cuh)$"
                           r"|/exercises/([^/]+/)?(solution\.cu|check\.h|hints\.txt|README\.md)$"
                           r"|(^|/)(CMake(Lists|Presets)\.[a-z]+|README\.md|CONTRIBUTING\.md|LICENSE)$")
PROGRAM = re.compile(r"(^|/)\d+_[a-z_]+/[a-z_]+\.cu$")  # of a chapter
CLONE = re.compile(r"^([^/]+/)?\d+_[a-z_]+/exercises/")


@dataclasses.dataclass
class Student:
    identity: people.Identity
    answers: list = dataclasses.field(default_factory=list)   # (exercise's id, path, text)
    troubles: list = dataclasses.field(default_factory=list)
    others: list = dataclasses.field(default_factory=list)    # files that answer nothing: a report


class Found:
    """Students by identity. Whatever lies there ends up with somebody: as an answer, another file, or a trouble."""

    def __init__(self, exercises):
        self.exercises = exercises
        self.students = {}

    def student(self, identity):
        return self.students.setdefault(identity, Student(identity))

    def read(self, folder):
        """A folder of a class, one student's clone or folder, or a platform's archive of all."""
        folder = pathlib.Path(folder).resolve()
        if folder.is_file():
            self.read_class(folder.stem, *archives.unpack(folder.name, folder.read_bytes()))
            return
        entries, troubles = [], []
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if JUNK.search(name):
                continue
            if path.is_symlink():
                troubles.append(f"{name} is a link: left out")
            elif path.is_file() and path.stat().st_size > archives.MOST_BYTES:
                troubles.append(f"{name} is larger than {archives.MOST_BYTES // 1_000_000} MB: left out")
            elif path.is_file():
                entries.append((name, path))
            elif path.is_dir() and path.parent == folder:
                entries.append((name + "/", path))
        self.read_class(folder.name, entries, troubles)

    def read_class(self, name, entries, troubles=()):
        """entries: [(path, bytes or where they are)]; a folder directly below ends with /."""
        if any(CLONE.match(path) for path, _ in entries) and not any(people.on_platform(path.split("/")[0]) for path, _ in entries):
            names = {path.split("/")[0] for path, _ in entries if CLONE.match(path) and not re.match(r"\d+_", path)}
            if len(names) <= 1:  # else each is a student who has handed in a clone
                student = self.student(people.identify(name, self.exercises.names()))
                student.troubles += troubles
                self.take_all(student, entries)
                return
        for path, content in entries:
            first, _, rest = path.partition("/")
            if not rest and not path.endswith("/"):
                self.read_file_of_class(name, path, content)
                continue
            student = self.student(people.identify(first, self.exercises.names()))
            if rest:
                self.take(student, rest, content)
        for trouble in troubles:
            self.student(people.identify(trouble.split("/")[0].split(" is ")[0], self.exercises.names())).troubles.append(trouble)

    def read_file_of_class(self, class_name, path, content):
        """A file that lies beside others: its name says whose it is."""
        if JUNK.search(path):
            return
        data = bytes_of(content)
        own = people.on_platform(path)
        if not own and archives.kind_of(path, data):
            files, troubles = archives.unpack(path, data)
            tops = {member.split("/")[0] for member, _ in files}
            if any(people.on_platform(top) for top in tops):  # the platform's archive of the whole class
                self.read_class(class_name, files, troubles)
                return
            student = self.student(people.identify(path, self.exercises.names()))
            student.troubles += troubles
            self.take_all(student, files)
            return
        identity = people.identify(path, self.exercises.names())
        if not identity.name:  # 1_tail.cu: that of the folder
            identity = people.identify(class_name, self.exercises.names())
        self.take(self.student(identity), own[1] or path if own else path, data)

    def take_all(self, student, entries, depth=0):
        for path, content in entries:
            if not path.endswith("/"):
                self.take(student, path, content, depth)

    def take(self, student, path, content, depth=0):
        if JUNK.search(path) or OF_THE_COURSE.search(path):
            return
        data = bytes_of(content)
        if archives.kind_of(path, data):
            if depth == DEEPEST:
                student.troubles.append(f"{path} is an archive in an archive in an archive: left out")
                return
            files, troubles = archives.unpack(path, data)
            student.troubles += troubles
            self.take_all(student, files, depth + 1)
            return
        name = path.lower()
        text = answers.decode(data[:LARGEST])
        is_source = name.endswith((".cu", ".cu.txt"))
        if not is_source and not (name.endswith(SOURCES) and answers.HEAD.search(text[:2000])):
            student.others.append(path)
            return
        exercise, why = self.exercises.recognise(path, text)
        if exercise is None and PROGRAM.search(path):
            return
        if exercise is None:
            student.troubles.append(f"{path}: {why}")
        elif len(data) > LARGEST:
            student.troubles.append(f"{path} is larger than {LARGEST // 1000} kB: left out")
        else:
            student.answers.append((exercise, path, text))

    def finish(self):
        """All students, and what is missing is said."""
        for student in self.students.values():
            if not student.answers:
                what = ", ".join(student.others[:3])
                student.troubles.append("no exercise was found" + (f" in {what}" if what else ""))
        return sorted(self.students.values(), key=lambda student: (student.identity.name, student.identity.number))


def bytes_of(content):
    return content.read_bytes() if isinstance(content, pathlib.Path) else content
