"""Reads archives in memory: nothing is written where an archive says, and no link is followed."""
import bz2
import gzip
import io
import lzma
import pathlib
import shutil
import stat
import subprocess
import tarfile
import tempfile
import zipfile
import zlib

MOST_BYTES = 200_000_000  # of one archive, unpacked
MOST_MEMBERS = 20_000
LARGEST = 1_000_000  # of one member that is kept: an archive in an archive may be that large

KINDS = {  # how a file begins
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"Rar!\x1a\x07": "rar", b"7z\xbc\xaf\x27\x1c": "7z",
    b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd",
}
SUFFIXES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".7z", ".rar")
UNREADABLE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError,
              NotImplementedError, ValueError)


class TooLarge(ValueError):
    pass


def kind_of(name, data):
    """zip, tar, gzip, ..., or None for what is no archive."""
    for start, kind in KINDS.items():
        if data.startswith(start):
            return kind if kind != "zip" or not name.lower().endswith((".docx", ".xlsx", ".odt")) else None
    if data[257:262] == b"ustar":
        return "tar"
    return "broken" if name.lower().endswith(SUFFIXES) else None


def without_suffix(name):
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[:-len(suffix)]
    return name


class Limited(io.RawIOBase):
    """A stream that ends with an error once too much has come out of it."""

    def __init__(self, stream):
        self.stream, self.left = stream, MOST_BYTES

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.stream.read(len(buffer))
        self.left -= len(data)
        if self.left < 0:
            raise TooLarge(f"has more than {MOST_BYTES // 1_000_000} MB in it")
        buffer[:len(data)] = data
        return len(data)


def unpack(name, data):
    """([(path, bytes), ...], [what was left out and why, ...])"""
    kind = kind_of(name, data)
    readers = {"zip": from_zip, "tar": from_tar, "gzip": from_tar, "bzip2": from_tar, "xz": from_tar, "7z": from_7z}
    if kind not in readers:
        return [], [f"{name} is no archive that can be read: ask for a .zip" if kind == "broken" else
                    f"{name} is a {kind} archive, which can't be read here: ask for a .zip"]
    files, troubles = [], []
    try:
        for path, member, trouble in readers[kind](data):
            if trouble:
                troubles.append(f"{name}: {path} {trouble}: left out")
            else:
                files.append((path, member))
            if len(files) + len(troubles) > MOST_MEMBERS:
                raise TooLarge(f"has more than {MOST_MEMBERS} files")
    except TooLarge as error:
        troubles.append(f"{name} {error}: the rest is left out")
    except UNREADABLE as error:
        troubles.append(f"{name} can't be read{' to its end' if files else ''} ({error})")
    return files, list(dict.fromkeys(troubles))


def from_zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        left = MOST_BYTES
        for member in archive.infolist():
            path = member.filename.replace("\\", "/")
            if member.is_dir():
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                yield path, None, "is a link"
            elif member.flag_bits & 1:
                yield path, None, "is encrypted"
            elif member.file_size > LARGEST:
                yield path, None, f"is larger than {LARGEST // 1000} kB"
            else:
                with archive.open(member) as file:
                    content = file.read(LARGEST + 1)  # whatever size it claims to have
                left -= len(content)
                if left < 0:
                    raise TooLarge(f"has more than {MOST_BYTES // 1_000_000} MB in it")
                yield path, content[:LARGEST], None


def from_tar(data):
    opened = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}.get(kind_of("", data), lambda file: file)
    stream = io.BufferedReader(Limited(opened(io.BytesIO(data))), 1 << 16)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if member.isdir():
                continue
            if not member.isfile():
                yield member.name, None, "is a link or a device"
            elif member.size > LARGEST:
                yield member.name, None, f"is larger than {LARGEST // 1000} kB"
            else:
                yield member.name, archive.extractfile(member).read(), None


def from_7z(data):
    """Python reads no 7z; cmake does, in the sandbox."""
    cmake = shutil.which("cmake")
    if cmake is None:
        raise ValueError("cmake, which reads it, is not on the PATH")
    sandbox = pathlib.Path(__file__).parent.parent / "sandbox.sh"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        (folder / "in").mkdir()
        (folder / "archive").write_bytes(data)
        ended = subprocess.run(["bash", sandbox, "--see", folder / "archive", "--write", folder / "in", "--in", folder / "in",
                                cmake, "-E", "tar", "xf", folder / "archive", "--touch"], capture_output=True, check=False)
        for file in sorted((folder / "in").rglob("*")):
            path = str(file.relative_to(folder / "in"))
            if file.is_symlink():
                yield path, None, "is a link"
            elif file.is_file() and file.stat().st_size > LARGEST:
                yield path, None, f"is larger than {LARGEST // 1000} kB"
            elif file.is_file():
                yield path, file.read_bytes(), None
        if ended.returncode != 0:
            raise ValueError("cmake -E tar ends with an error")
