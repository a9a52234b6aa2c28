"""The page's own tests, with journals that the engine has just written."""

from __future__ import annotations

import subprocess
import sys

import pytest
from native import page

from tests.lab.conftest import ROOT

WEB = ROOT / "web"
MODULE_TESTS = "tests/engine.test.ts"


def run(*command, cwd=WEB):
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def packages(built):
    """Building the page has installed them, unless it was built elsewhere."""
    if not (WEB / "node_modules").exists():
        run("npm", "install", "--no-save", "--no-audit", "--no-fund")


@pytest.fixture(scope="module")
def module():
    """The compiled loops, which the page needs for everything."""
    if page.linker() is None:
        pytest.skip(page.MISSING)
    run(sys.executable, "-m", "native.build", "--page", cwd=ROOT)


def test_replays_and_runs_equal_the_library_s(module):
    run(sys.executable, "generate.py", "--golden")
    run(sys.executable, "-m", "web.learned", cwd=ROOT)
    run(sys.executable, "-m", "web.verdicts", cwd=ROOT)
    out = run("npx", "vitest", "run", "--exclude", MODULE_TESTS)
    assert "failed" not in out


def test_compiled_loops_equal_the_library_s(module):
    run(sys.executable, "-m", "web.calls", cwd=ROOT)
    out = run("npx", "vitest", "run", MODULE_TESTS)
    assert "failed" not in out
    assert "skipped" not in out


def test_the_page_is_sound_typescript():
    assert "0 errors and 0 warnings" in run("npm", "run", "check")


def test_types_are_those_of_the_interface(tmp_path):
    before = (WEB / "src" / "schema.ts").read_text()
    try:
        run(sys.executable, "generate.py")
        assert (WEB / "src" / "schema.ts").read_text() == before
    finally:
        (WEB / "src" / "schema.ts").write_text(before)


def test_the_lock_names_no_address():
    text = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in text
    assert '"integrity"' in text


def test_the_page_is_small(built):
    import gzip

    static = ROOT / "src" / "rosenblatt" / "lab" / "static"
    files = [p for p in static.rglob("*") if p.suffix in (".html", ".js", ".css", ".svg")]
    # Of KaTeX's fonts a browser loads those that a page uses.
    fonts = [
        p for p in static.rglob("*.woff2")
        if any(name in p.name for name in ("Main-Regular", "Math-Italic", "Size1", "Size3"))
    ]  # fmt: skip
    size = sum(len(gzip.compress(p.read_bytes())) for p in files + fonts)
    assert size <= 400_000, f"{size:,} bytes"
