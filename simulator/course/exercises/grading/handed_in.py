"""What was handed in: a folder or a .zip for each student."""
import dataclasses
import pathlib
import re
import stat
import zipfile
import zlib

HEAD = re.compile(r"^// *Exercise (\d+)\.([0-9a-z]+)", re.M)
NOT_READY = re.compile(r"^[^/\n]*kReady *[={] *false", re.M)
SOURCE = re.compile(r"\.cu(\.txt)?$", re.I)
# What lies in a clone of the course and isn't the student's.
OF_THE_COURSE = re.compile(r"(^|/)(\.git|__MACOSX|build[^/]*|simulator|common)/|/solution\.cu$")
PROGRAM = re.compile(r"(^|/)\d\d_[a-z_]+/[a-z_]+\.cu$")  # of a chapter
LARGEST = 200_000   # bytes of an answer
MOST_FILES = 1_000  # of a student
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)


@dataclasses.dataclass
class Student:
    name: str
    answers: list = dataclasses.field(default_factory=list)   # (exercise's id, text)
    troubles: list = dataclasses.field(default_factory=list)  # what could not be read or is in doubt
    identical: list = dataclasses.field(default_factory=list)  # with whose files: "03.1: ben, carl"
    verdicts: dict = dataclasses.field(default_factory=dict)  # exercise's id: {verdict, text}


def read_class(folder, exercises):
    """`exercises`: their ids. What lies beside folders and archives is nobody's, and a row says so."""
    students = []
    names = [path.stem for path in folder.iterdir()]
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        archive = path.suffix.lower() == ".zip" and not path.is_dir()
        student = Student(path.stem if archive and names.count(path.stem) == 1 else path.name)
        students.append(student)
        if not archive and not path.is_dir():
            student.troubles.append("is neither a folder nor a .zip")
            continue
        for name, data in files_of(path, student):
            take(student, name, data, exercises)
        if not student.answers:
            student.troubles.append("no exercise was found")
    return students


def files_of(path, student):
    """(name, bytes) of each .cu file, those in archives included. Nothing is unpacked to where an archive says, and no link is
    followed."""
    if path.is_file():
        yield from files_of_zip(path, student)
        return
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if OF_THE_COURSE.search(name) or not file.is_file():
            continue
        if file.is_symlink():
            student.troubles.append(f"{name} is a link: left out")
        elif file.suffix.lower() == ".zip":
            yield from files_of_zip(file, student)
        elif SOURCE.search(name):
            with open(file, "rb") as opened:
                yield name, opened.read(LARGEST + 1)
        elif file.suffix.lower() in (".rar", ".7z", ".gz", ".tgz", ".xz"):
            student.troubles.append(f"{name} can't be read here: ask for a .zip")


def files_of_zip(path, student):
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if SOURCE.search(member.filename)
                       and not OF_THE_COURSE.search(member.filename)]
            if len(members) > MOST_FILES:
                student.troubles.append(f"{path.name} has {len(members)} .cu files: all but {MOST_FILES} are left out")
            for member in members[:MOST_FILES]:
                if stat.S_ISLNK(member.external_attr >> 16):
                    student.troubles.append(f"{path.name}: {member.filename} is a link: left out")
                    continue
                with archive.open(member) as file:
                    yield member.filename, file.read(LARGEST + 1)  # whatever size it claims to have
    except UNREADABLE as error:
        student.troubles.append(f"{path.name} can't be read ({error})")


def take(student, name, data, exercises):
    text = decode(data)
    head = HEAD.search(text[:2000])
    if pathlib.PurePosixPath(name).name.startswith("._") or (head is None and PROGRAM.search(name)):  # macOS's, the course's
        return
    if len(data) > LARGEST:
        student.troubles.append(f"{name} is larger than {LARGEST // 1000} kB: left out")
    elif head is None:
        student.troubles.append(f"{name}: its first line, // Exercise NN.N, is gone")
    elif f"{head[1]}_{head[2]}" not in exercises:
        student.troubles.append(f"{name}: there is no exercise {head[1]}.{head[2]}")
    else:
        student.answers.append((f"{head[1]}_{head[2]}", text))


def decode(data):
    """As compilers read it: without a byte order mark, as UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")
