"""Who somebody is: from the name of a file or folder, and from a roster."""
import csv
import dataclasses
import re
import unicodedata

from . import archives

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<rest>.*))?", re.S)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:late_)?(?P<number>\d+)_(?:text_)?\d+_(?P<rest>.+)", re.S | re.I)


@dataclasses.dataclass(frozen=True)
class Identity:
    """What a name says. Two are one person if name and number are the same."""
    name: str
    number: str = ""  # that the learning platform has given


def on_platform(name):
    """(Identity, what the student has called the file), or None where neither Moodle nor Canvas has named it."""
    match = MOODLE.fullmatch(name) or CANVAS.fullmatch(name)
    return match and (Identity(plain(match["name"]), match["number"]), match["rest"] or "")


def plain(name):
    """Without what can't stand in a name; a Mac writes ö as two characters."""
    name = unicodedata.normalize("NFC", name)
    return re.sub(r'[\x00-\x1f"\\/<>&,;:|*?$`\']', "_", name).strip(" _")


def identify(name, exercises):
    """From the name of a folder, an archive or a file. `exercises`: the names that an answer may have, as 1_tail."""
    found = on_platform(name)
    if found:
        return found[0]
    name = re.sub(r"(\.cu|\.cpp)?(\.txt)?$", "", archives.without_suffix(name), flags=re.I)
    any_of = "|".join(re.escape(exercise) for exercise in sorted(exercises, key=len, reverse=True))
    return Identity(plain(re.sub(rf"(^|[ _-]+)({any_of})( ?\(\d+\)|-\d+)?$", "", name, flags=re.I)))


# ---- The roster --------------------------------------------------------------------------------

WHOLE = {"student", "name", "full name", "fullname", "vollständiger name"}
FIRST = {"first name", "firstname", "given name", "vorname"}
LAST = {"last name", "lastname", "surname", "family name", "nachname"}
TEAM = {"team", "group", "gruppe"}
NUMBERS = {"id", "identifier", "id number", "student id", "number", "user id", "sis user id", "sis login id", "login",
           "username", "email", "e-mail", "email address", "matriculation number", "matrikelnummer", "id-nummer"}


@dataclasses.dataclass
class Person:
    name: str
    keys: set      # all that stands for this one: names, numbers
    team: str = ""
    row: int = -1  # of the roster


@dataclasses.dataclass
class Roster:
    header: list
    rows: list
    delimiter: str
    people: list


def key_of(text):
    """What is left of a name or number when case, accents and signs are gone; words in any order are told by the caller."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in text if letter.isalnum())


def keys_of_name(name):
    """`Schmidt, Anna`, `Anna Schmidt` and Canvas's `schmidtanna` are one."""
    words = [word for word in re.split(r"[\s,._-]+", name) if word]
    return {key_of("".join(words)), key_of("".join(words[1:] + words[:1])), key_of("".join(words[-1:] + words[:-1]))} - {""}


def read_roster(path):
    """A CSV with a header: any that Moodle or Canvas exports, or a plain one (name, number, team)."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
    if not rows:
        raise ValueError(f"the roster {path} is empty")
    columns = [column.strip().casefold() for column in rows[0]]
    if not set(columns) & (WHOLE | LAST):
        raise ValueError(f"the roster {path} has no column with names: its first line must say which is the column "
                         "\"name\", and, if there are such, \"number\", \"email\" and \"team\"")
    people = []
    for number, row in enumerate(rows[1:], 1):
        cells = dict(zip(columns, (cell.strip() for cell in row)))

        def one(words):
            return next((cells[word] for word in columns if word in words and cells.get(word)), "")
        name = one(WHOLE) or f"{one(FIRST)} {one(LAST)}".strip()
        if not name or key_of(name) == "pointspossible":  # Canvas's second line
            continue
        keys = keys_of_name(name)
        for column in columns:
            if column in NUMBERS and cells.get(column):
                value = re.sub(r"^(participant|teilnehmer/in)\s*", "", cells[column], flags=re.I)
                keys |= {key_of(value), key_of(value.split("@")[0])}
        people.append(Person(name, keys - {""}, one(TEAM), number))
    return Roster(rows[0], rows[1:], delimiter, people)


def match(identities, roster):
    """For each identity: (the people of the roster that it stands for, what is unclear). A team stands for its members."""
    found = {}
    for identity in identities:
        by_number = [person for person in roster.people if identity.number and key_of(identity.number) in person.keys]
        names = keys_of_name(identity.name)
        by_name = [person for person in roster.people if names & person.keys]
        team = [person for person in roster.people if person.team and key_of(person.team) == key_of(identity.name)]
        if len(by_number) == 1 or len(by_name) == 1:
            found[identity] = (by_number if len(by_number) == 1 else by_name), ""
        elif team:
            found[identity] = team, ""
        elif by_name:
            found[identity] = [], f"{len(by_name)} in the roster are called so"
        else:
            found[identity] = [], "not in the roster"
    # Two that the platform tells apart are not one because the roster has the name once.
    unclear = {
        identity for identity, (people, _) in found.items() for other, (theirs, _) in found.items()
        if len(people) == 1 and theirs == people and identity.name == other.name and other.number != identity.number
        and identity.number and other.number and key_of(identity.number) not in people[0].keys}
    return found | {identity: ([], "the platform has two of this name, the roster one") for identity in unclear}
