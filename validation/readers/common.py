"""Functions common to all checks of written files: finding files, expected values, one line of result."""

import json
import sys
from pathlib import Path


def files(directory, *patterns):
    """The files below `directory` that match one of the patterns, sorted."""
    found = {path for pattern in patterns for path in Path(directory).rglob(pattern)}
    return sorted(path for path in found if path.is_file())


def expected(directory, path):
    """The entry of a file in `expected.json` in `directory`, by its relative path; an empty dict if there is none."""
    manifest = Path(directory) / "expected.json"
    if not manifest.exists():
        return {}
    return json.loads(manifest.read_text()).get(Path(path).relative_to(directory).as_posix(), {})


def require(condition, path, message):
    """Fails with the file's name unless the condition holds."""
    if not condition:
        raise AssertionError(f"{path}: {message}")


def require_equal(found, wanted, path, what):
    """Fails with the file's name unless both are equal."""
    require(found == wanted, path, f"{what} = {found!r}, expected {wanted!r}")


def require_nothing_is_lost(directory, suffixes):
    """Fails if `expected.json` names a file with one of the suffixes that does not exist."""
    manifest = Path(directory) / "expected.json"
    names = json.loads(manifest.read_text()) if manifest.exists() else {}
    for name in names:
        path = Path(directory) / name
        require(path.suffix not in suffixes or path.exists(), path, "was not written")


def main(check, what):
    """Runs a check as a program: `check(directory)` returns the number of files it read."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} RESULTS_DIRECTORY")
    try:
        count = check(sys.argv[1])
    except AssertionError as failure:
        sys.exit(f"FAIL {what}: {failure}")
    if count == 0:
        sys.exit(f"FAIL {what}: no file below {sys.argv[1]}")
    print(f"PASS {what}: {count} files")
