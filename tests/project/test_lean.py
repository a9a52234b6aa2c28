"""A lean install: what works without any extra, and the sentence where one is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rosenblatt as rb
from rosenblatt.data.extras import extra

OPTIONAL = (
    "anyio", "anywidget", "dask", "distributed", "fastapi", "llvmlite", "matplotlib", "numba",
    "onnx", "pandas", "polars", "pyarrow", "pydantic", "rich", "skl2onnx", "starlette", "traitlets",
    "typer", "uvicorn",
)  # fmt: skip
"""What only extras install, and what must not be imported without them."""

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
sys.modules["numba"] = None  # whose absence is asked for, not only found on import
"""
LEAN = (
    WITHOUT.format(absent=OPTIONAL)
    + """
import rosenblatt as rb
from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True)
clf = rb.Perceptron(random_state=0).fit(X - X.mean(axis=0), y)
"""
)

ENTRIES = {
    "plot": ("rb.plot.mistakes(clf)", "a plot", "matplotlib"),
    "data": ("rb.data.read('table.csv')", "reading files", "pyarrow"),
    "recipe": ("rb.data.Recipe", "reading files", "pyarrow"),
    "onnx": ("rb.to_onnx(clf)", "export to ONNX", "onnx"),
    "lab": ("import rosenblatt.lab; rosenblatt.lab.serve()", "the lab", "uvicorn"),
    "frame": ("rb.compare(X, y, members=['MIRA'], cv=2, progress=False).frame()", "a frame",
              "pandas"),
    "cluster": ("from rosenblatt.cluster import DistributedPerceptron as D; D().fit(X, y)",
                "a cluster", "dask"),
    "notebook": ("rb.watch(clf, X, y)", "the lab in a notebook", "anywidget"),
    "report": ("from types import SimpleNamespace as N\n"
               "from rosenblatt.plot.html_report import html_report\n"
               "html_report(N(estimator=clf, provenance={}, version=''), clf.top_features(2))",
               "a report with plots", "matplotlib"),
}  # fmt: skip
"""Each use of an extra: the code, what it is called, and the package that it asks for first."""
EXTRAS = {"data": "cli", "recipe": "cli", "frame": "notebook", "report": "plot"}


def run(code):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )


def test_the_core_works_without_any_extra(tmp_path):
    code = (
        LEAN
        + f"""
import pickle
import scipy.sparse as sp
rb.save(clf, {str(tmp_path / "model.rbt")!r})
loaded = rb.load({str(tmp_path / "model.rbt")!r})
assert (loaded.predict(X) == clf.predict(X)).all()
assert (pickle.loads(pickle.dumps(clf)).predict(X) == clf.predict(X)).all()
rb.KernelPerceptron().fit(X, y).predict(sp.csr_array(X))
rb.PassiveAggressive().partial_fit(X, y)
clf.summary(), clf.top_features(3), clf.margins(X, y)
certificate = rb.certify(X, y)
rb.verify(certificate, X, y)
points, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
assert rb.certify(points, labels).verdict == "inseparable"
rb.max_margin(X[y < 2], y[y < 2]), rb.bounds(X, y == 0)
print(rb.compare(X, y, members=["Perceptron"], cv=2, progress=False))
print(rb.holdout(rb.MIRA(max_iter=2), X, y))
rb.data.TOYS
print(sorted(n for n, m in sys.modules.items() if m and n.partition(".")[0] in {OPTIONAL!r}))
"""
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("use", ENTRIES)
def test_a_missing_extra_is_one_sentence_with_its_command(use):
    code, purpose, package = ENTRIES[use]
    done = run(LEAN + code)
    said = f'{purpose} needs {package}; install it with: pip install "rosenblatt'
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f'ImportError: {said}[{EXTRAS.get(use, use)}]"'
    assert "During handling" not in done.stderr
    assert "direct cause" not in done.stderr


@pytest.mark.parametrize(
    "start", ["rosenblatt.cli.main()", "import runpy; runpy.run_module('rosenblatt')"]
)
def test_the_command_line_without_its_extra(start):
    done = run(LEAN + f"import rosenblatt.cli; {start}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'rosenblatt: the command line needs typer; install it with: pip install "rosenblatt[cli]"\n'
    )


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        ("fit table.csv --target y --out model.rbt", "pyarrow", "cli"),
        ("lab", "uvicorn", "lab"),
        ("lab table.csv --export page.html", "fastapi", "lab"),
        ("export model.rbt --onnx model.onnx", "skl2onnx", "onnx"),
        ("report model.rbt -o report.html", "matplotlib", "plot"),
        ("fit table.csv --target y --out model.rbt --cluster local:1", "distributed", "cluster"),
    ],
)
def test_a_command_without_its_extra(arguments, package, extra, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("x,y\n1,a\n2,b\n")
    rb.save(rb.Perceptron().fit([[1.0], [2.0]], ["a", "b"]), "model.rbt")
    start = f"import rosenblatt.cli; rosenblatt.cli.main({arguments.split()!r})"
    done = run(WITHOUT.format(absent=(package,)) + start)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith(
        f' needs {package}; install it with: pip install "rosenblatt[{extra}]"\n'
    )


def test_mistakes_in_our_own_modules_are_not_called_missing_packages():
    with pytest.raises(ModuleNotFoundError), extra("cli", "this"):
        import rosenblatt.no_such_module  # noqa: F401
