"""Executes the notebooks of a folder, which are stored without outputs.

    python python/tools/execute_notebooks.py examples/notebooks [NAME...]
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main(folder, names):
    for file in sorted(Path(folder).glob("*.ipynb")):
        if names and file.stem not in names:
            continue
        notebook = nbformat.read(file, as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        if any(cell.outputs or cell.execution_count for cell in cells):
            sys.exit(f"{file}: has outputs; clear them before committing")
        begun = time.monotonic()
        resources = {"metadata": {"path": str(file.parent)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
        print(f"{file.stem}: {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
