"""Time the dry-run of the complete 2020 study on made-up lists of the real size.

Run from the repository's root:

    python -m benchmarks.dry_run_2020

Nineteen systems, the parts of their chains at full size, twelve conditions, every attacker on
every system, all tables and figures. No audio is needed.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.vpc2020_lists import study_config, write_lists


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lists(folder / "corpora")
        config = folder / "vpc2020.json"
        config.write_text(json.dumps(study_config(folder / "corpora")))
        start = time.perf_counter()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules"),
                *("--configfile", str(config), "--directory", name),
                *("--snakefile", "Snakefile", "--workflow-profile", "profiles/default"),
                *("--", "vpc2020"),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        wall_s = time.perf_counter() - start
    counts = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.M)
    for rule, count in dict(counts).items():
        print(f"{rule:24s} {count:>5s}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{wall_s:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of CPU), "
        f"{used.ru_maxrss / 1024:.0f} MB, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
