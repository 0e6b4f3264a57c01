"""Reads every file below a directory with the common readers of its format.

    python check_all.py RESULTS_DIRECTORY

Runs all checks; at least one must find a file.
"""

import check_asdf
import check_companions
import check_gravity
import check_miniseed
import check_netcdf
import check_prodml
import check_sac
import check_segy
import check_text
import check_vtk
from common import main


def check(directory):
    """Runs every check; returns the number of files they read."""
    total = 0
    modules = {
        "asdf": check_asdf,
        "companions": check_companions,
        "gravity": check_gravity,
        "miniseed": check_miniseed,
        "netcdf": check_netcdf,
        "prodml": check_prodml,
        "sac": check_sac,
        "segy": check_segy,
        "text": check_text,
        "vtk": check_vtk,
    }
    for name, module in modules.items():
        count = module.check(directory)
        print(f"{'PASS' if count else 'NONE'} {name}: {count} files")
        total += count
    return total


if __name__ == "__main__":
    main(check, "all")
