"""`python -m rosenblatt.lab [DATA | run.json] [--port N] [--no-browser] [--export FILE.html]`."""

from __future__ import annotations

import argparse
import sys

from rosenblatt.lab.serve import serve


def main() -> int:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="rosenblatt lab", description=__doc__)
    parser.add_argument("source", nargs="?", help="a CSV table or a journal (JSON) to open")
    parser.add_argument("--port", type=int, default=0, help="0: one that is free")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--export", metavar="FILE.html", help="write one page for offline reading")
    given = parser.parse_args()
    try:
        serve(given.source, port=given.port, browser=not given.no_browser, export=given.export)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
