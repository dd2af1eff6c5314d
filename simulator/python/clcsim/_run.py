"""What came of a launch."""

import dataclasses
import html
import re

from ._words import told


@dataclasses.dataclass(frozen=True)
class Detail:
    """A further place of a finding: `label` says which ("waits", "cause" ...)."""
    label: str
    text: str
    file: str = ""
    line: int = 0


@dataclasses.dataclass(frozen=True)
class Finding:
    """A rule that the kernel broke, at the line (of the source, in Python or C++) that broke it."""
    name: str  # "missing-proxy-fence": clcsim --rules lists them
    what: str
    rule: str
    fix: str
    file: str
    line: int
    details: tuple
    count: int
    text: str = ""  # as the command line prints it

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.file else f"PTX line {self.line}: " if self.line else ""
        return f"{place}[{self.name}] {self.what}"


def _place(entry):
    return {"file": entry.get("file", ""), "line": entry.get("line", entry.get("ptx_line", 0))}


SUMMARY = r"^========= clcsim: (?:\d+ (?:finding|note)|not needed)(?:.|\n)*"


def findings_of(entries, text, frontend):
    """[(kind, finding)], in the order in which they were found; kind: "error", "note", "refusal" or "accepted"."""
    texts = re.split(r"^(?========== clcsim: (?:error \[|note \[|refused: ))", text, flags=re.M)[1:]
    texts = iter(texts)
    found = []
    for entry in entries:
        details = tuple(Detail(each["label"], told(each["text"], frontend), **_place(each)) for each in entry["details"])
        said = "" if entry["kind"] == "accepted" else re.sub(SUMMARY, "", next(texts, ""), flags=re.M)
        found.append((entry["kind"], Finding(entry["name"], told(entry["what"], frontend), entry.get("rule", ""),
                                             told(entry.get("fix", ""), frontend), details=details, count=entry["count"],
                                             text=told(said, frontend), **_place(entry))))
    return found


def name_addresses(value, addresses, arrays):
    """Behind each global address of a text or a reply: which element of which argument that is."""
    if isinstance(value, (list, dict)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return type(value)((key, name_addresses(each, addresses, arrays)) if isinstance(value, dict) else
                           name_addresses(each, addresses, arrays) for key, each in pairs)
    if not isinstance(value, str):
        return value
    return re.sub(r"global address (0x[0-9a-f]+)", lambda match: match[0] + _element(int(match[1], 16), addresses, arrays), value)


def _element(address, addresses, arrays):
    """Of the array that begins before it, and next to it."""
    nearest = max(((begin, array) for begin, array in zip(addresses, arrays) if array and begin <= address),
                  key=lambda each: each[0], default=None)
    if nearest is None:
        return ""
    name, size, elements = nearest[1]
    index = (address - nearest[0]) // size
    return f" ({name}, element {index} of {elements})" if index < 2 * elements + 4096 else ""


class Run:
    """Counts are of thread blocks (blocks_*), of requests to cancel (requests*) and of the GPU's clock (cycles)."""

    def __init__(self, reply, frontend=""):
        self.kernel = told(reply.get("kernel", ""), frontend)
        self.blocks_launched = reply.get("launched", 0)
        self.blocks_started = reply.get("started", 0)
        self.blocks_stolen = reply.get("stolen", 0)
        self.requests = reply.get("requests", 0)
        self.requests_failed = reply.get("failed", 0)
        self.cycles = reply.get("cycles", 0)
        self.instructions = reply.get("instructions", 0)
        self.printed = reply.get("printed", "")
        self.unwritten = {}  # of arrays that came from empty(): elements that nobody has written, by the argument's name
        self.page = reply.get("page", "")  # to watch the run; needs the option timeline, or a notebook
        found = findings_of(reply.get("findings", []), reply.get("text", ""), frontend)
        self.findings, self.notes, self.refusals, self.ignored = ([finding for each, finding in found if each == kind]
                                                                  for kind in ("error", "note", "refusal", "accepted"))
        self.not_needed = set(reply.get("not_needed", ()))  # what `ignore` accepts and never came
        self.report = "".join(finding.text for _, finding in found)  # as the command line prints them

    def __repr__(self):
        found = len(self.findings)
        findings = "" if not found else f", {found} finding{'s' * (found > 1)}"
        return (f"<Run of {self.kernel}: {self.blocks_launched} blocks launched, {self.blocks_started} started, "
                f"{self.blocks_stolen} stolen, {self.requests_failed} requests failed, {self.cycles} cycles"
                f"{findings}>")

    def _repr_html_(self):
        text = f"<pre>{html.escape(repr(self))}\n{html.escape(self.report)}</pre>"
        if not self.page:
            return text
        return text + f'<iframe style="width:100%;height:40em;border:0" srcdoc="{html.escape(self.page)}"></iframe>'
