"""Writes the reference of the Python package, `docs/python-reference.md`, from its docstrings.

    python python/tools/reference.py            writes it
    python python/tools/reference.py --check    fails if it is stale
"""

import inspect
import re
import sys
from pathlib import Path

import craton
from craton import gravity

PAGE = Path(__file__).resolve().parents[2] / "docs/python-reference.md"
#: Classes that callers construct.
CONSTRUCTED = ("Samples", "Scenario", "Simulation", "Surface", "Survey", "Volume")
#: Sections of docstrings.
SECTIONS = ("Args", "Attributes", "Returns", "Raises")


def main(arguments):
    text = page()
    if arguments == ["--check"]:
        if PAGE.read_text(encoding="utf-8") != text:
            sys.exit(f"{PAGE.name} is stale: run python/tools/reference.py and commit")
        return
    PAGE.write_text(text, encoding="utf-8")


def page():
    parts = [
        "# Python reference\n",
        "Written by `python/tools/reference.py` from the docstrings of the package. The [guide](python.md) has examples; the keys of `Scenario`, `Survey` and "
        "`gravity.Problem` are those of the [scenario](scenario.md), [survey](survey.md) and [gravity](gravity.md) files.\n",
    ]
    for module, prefix in ((craton, "craton"), (gravity, "craton.gravity")):
        parts.append(f"## `{prefix}`\n\n{body(module)}")
        for name in sorted(module.__all__, key=str.lower):
            item = getattr(module, name)
            if inspect.isclass(item):
                parts += of_class(f"{prefix}.{name}", item)
            elif inspect.isfunction(item):
                parts.append(f"### `{prefix}.{name}`\n\n{signature(name, item)}{body(item)}")
    return "\n".join(parts)


def of_class(name, item):
    call = signature(item.__name__, item) if item.__name__ in CONSTRUCTED or item is gravity.Problem else ""
    parts = [f"### `{name}`\n\n{call}{body(item)}"]
    for member, value in inspect.getmembers(item):
        is_own = any(member in vars(base) for base in item.__mro__ if base.__module__.startswith("craton"))
        if member.startswith("_") or not is_own:
            continue
        if inspect.isfunction(value) or inspect.ismethod(value):
            parts.append(f"#### `{item.__name__}.{member}`\n\n{signature(member, value)}{body(value)}")
        elif isinstance(value, property) or inspect.ismethoddescriptor(value) or inspect.isgetsetdescriptor(value):
            parts.append(f"#### `{item.__name__}.{member}`\n\n{body(value)}")
    return parts


def signature(name, item):
    try:
        text = str(inspect.signature(item))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"'([^']*)'", r"\1", text.replace("(self, ", "(").replace("(self)", "()"))
    return f"```python\n{name}{text}\n```\n\n"


def body(item):
    """A docstring as Markdown: sections become lists."""
    lines, in_section, out = (inspect.getdoc(item) or "").splitlines(), False, []
    for line in lines:
        heading = re.match(r"^(\w+):\s*(.*)$", line)
        entry = re.match(r"^    ([\w, .]+): (.*)$", line)
        if heading and heading[1] in SECTIONS:
            in_section = True
            title = "Arguments" if heading[1] == "Args" else heading[1]
            out += ["", f"*{title}:* {heading[2]}".rstrip(), ""]
        elif in_section and entry:
            out.append(f"- `{entry[1]}`: {entry[2]}")
        elif in_section and line.startswith("    "):
            out.append(f"  {line.strip()}")
        elif line.startswith(">>> "):
            out.append(f"    {line[4:]}")
        else:
            out.append(line)
    text = "\n".join(out).replace("``", "`").strip()
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
