"""What came of a launch."""

import dataclasses
import html


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

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.file else f"PTX line {self.line}: " if self.line else ""
        return f"{place}[{self.name}] {self.what}"


def _place(entry):
    return {"file": entry.get("file", ""), "line": entry.get("line", entry.get("ptx_line", 0))}


def findings_of(entries):
    """(findings, notes, refusals)"""
    of = {"error": [], "note": [], "refusal": []}
    for entry in entries:
        details = tuple(Detail(each["label"], each["text"], **_place(each)) for each in entry["details"])
        finding = Finding(entry["name"], entry["what"], entry.get("rule", ""), entry.get("fix", ""),
                          details=details, count=entry["count"], **_place(entry))
        of[entry["kind"]].append(finding)
    return of["error"], of["note"], of["refusal"]


class Run:
    """Counts are of thread blocks (blocks_*), of requests to cancel (requests*) and of the GPU's clock (cycles)."""

    def __init__(self, reply):
        self.kernel = reply.get("kernel", "")
        self.blocks_launched = reply.get("launched", 0)
        self.blocks_started = reply.get("started", 0)
        self.blocks_stolen = reply.get("stolen", 0)
        self.requests = reply.get("requests", 0)
        self.requests_failed = reply.get("failed", 0)
        self.cycles = reply.get("cycles", 0)
        self.instructions = reply.get("instructions", 0)
        self.printed = reply.get("printed", "")
        self.report = reply.get("text", "")  # the findings as the command line prints them
        self.page = reply.get("page", "")  # to watch the run; needs the option timeline, or a notebook
        # notes: what is true and breaks nothing; strict runs accept them
        self.findings, self.notes, self.refusals = findings_of(reply.get("findings", []))

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
