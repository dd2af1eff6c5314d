"""Which exercise a file answers, and when two answers are alike."""
import collections
import hashlib
import pathlib
import re

HEAD = re.compile(r"^// *Exercise (\d+)\.([0-9a-z]+)", re.M)
PLACE = re.compile(r"(?:^|/)(\d+)_[a-z_]+/exercises/([0-9a-z]+)[_/]")
NOT_READY = re.compile(r"^[^/\n]*kReady *[={] *false", re.M)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\d(?:\'?[\w.])*|[A-Za-z_]\w*|<<<|>>>|\S')
NO_CODE = re.compile(r'(//[^\n]*|/\*.*?\*/)|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)
FEW = 12  # tokens of one's own: so few are alike by chance


class Exercises:
    """Those of the course, from the list that CMake writes."""

    def __init__(self, course, lines):
        self.files = {}  # id: the file that students edit
        for line in lines:
            identity, file, *_ = line.split()
            self.files[identity] = course / file
        names = collections.Counter(self.name_of(identity) for identity in self.files)
        self.by_name = {name: [identity for identity in self.files if self.name_of(identity) == name] for name in names}

    def name_of(self, identity):
        return self.files[identity].parent.name

    def names(self):
        """What an answer's file may be called: 1_tail, 01_1, 01.1, task."""
        ids = set(self.files)
        return set(self.by_name) | ids | {identity.replace("_", ".") for identity in ids} | {"task"}

    def recognise(self, path, text):
        """(id, "") or (None, why not)."""
        head = HEAD.search(text[:2000]) or PLACE.search(path)
        if head:
            identity = f"{head[1]}_{head[2]}"
            return (identity, "") if identity in self.files else (None, f"there is no exercise {head[1]}.{head[2]}")
        stem = pathlib.PurePath(path).name
        ids = {identity for name, these in self.by_name.items() if name in stem for identity in these}
        if len(ids) == 1:
            return ids.pop(), ""
        return None, f"it may be {' or '.join(sorted(ids))}: its first line is gone" if ids else "not known as an exercise"


def decode(data):
    """As compilers read it: without a byte order mark, as UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def tokens(text):
    """Without comments. A line that the preprocessor reads ends with a token of its own."""
    text = NO_CODE.sub(lambda match: " " if match[1] else match[2], text.replace("\r\n", "\n").replace("\\\n", ""))
    found = []
    for line in text.split("\n"):
        found += TOKEN.findall(line)
        if line.lstrip().startswith("#"):
            found.append("\n")
    return found


def code_of(text):
    """The same for two texts that differ only in comments and spaces: they get the same verdict."""
    # A raw string isn't understood here, and what tells its own line changes with the lines.
    plain = text if 'R"' in text or "__LINE__" in text or "??/" in text else " ".join(tokens(text))
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def renamed(text):
    """The same for two texts that differ only in names as well."""
    names = {}
    return tuple(str(names.setdefault(token, len(names))) if re.match(r"[A-Za-z_]", token) else token
                 for token in tokens(text))


def of_ones_own(text, shipped):
    """How many tokens an answer has that the task doesn't."""
    return sum((collections.Counter(tokens(text)) - collections.Counter(tokens(shipped))).values())


def alike(handed, shipped):
    """Groups of students' answers that are the same. `handed`: [(student, text)] of one exercise; gives [(how, [(student,
    text), ...])]. Answers of few tokens are left out unless their comments are the same, too."""
    groups = collections.defaultdict(list)
    for student, text in handed:
        groups[renamed(text)].append((student, text))
    shipped_text = " ".join(shipped.split())
    found = []
    for group in groups.values():
        if len({student for student, _ in group}) < 2:
            continue
        texts = {" ".join(text.split()) for _, text in group}
        if len(texts) == 1:
            how = "equal"
        elif len({code_of(text) for _, text in group}) == 1:
            how = "equal but for comments and spaces"
        else:
            how = "equal but for names"
        own_comments = how == "equal" and comments_of(group[0][1]) - comments_of(shipped)
        if shipped_text not in texts and (own_comments or of_ones_own(group[0][1], shipped) >= FEW):
            found.append((how, group))
    return found


def comments_of(text):
    return {match[1] for match in NO_CODE.finditer(text) if match[1]}
