"""What results look like in a notebook: text of data stays text, and nothing is asked for."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS, report
from rosenblatt.markup import bars, curves, escaped

NAMES = ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "a\u202eb\n<b>c</b>")
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
TAGS = {
    "div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "svg",
    "line", "polyline", "figcaption", "span",
}  # fmt: skip


class Reader(HTMLParser):
    """Reads a view; notes its elements, its attributes and its text."""

    def __init__(self, view):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.open = set(), set(), "", []
        self.feed(view)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def hostile():
    """Examples of three classes, with hostile names for columns and labels."""
    pd = pytest.importorskip("pandas")
    toy = rb.data.TOYS["clouds"].make(n=60, seed=0, classes=3)
    X = pd.DataFrame(np.column_stack([toy.X, toy.X[:, 0]]), columns=NAMES)
    return X, np.array(NAMES, object)[toy.y]


def results():
    """Every kind of result that has a view."""
    X, y = hostile()
    two = y == NAMES[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = rb.Perceptron(random_state=0, max_iter=10).fit(X, y)
        return {
            "estimator": report.html(clf, False),
            "kernel": report.html(rb.KernelPerceptron(random_state=0).fit(X, y), False),
            "summary": clf.summary(),
            "journal": clf.journal_,
            "certificate": rb.certify(X, y),
            "one class": rb.certify(X, y, multiclass="ovr")[NAMES[1]],
            "in a kernel": rb.certify(X, two, kernel="rbf"),
            "exclusive or": rb.certify(CORNERS, [NAMES[n] for n in (0, 1, 1, 0)]),
            "holdout": rb.holdout(clf, X, y, random_state=0),
            "leaderboard": rb.compare(X, y, members=["Perceptron"], cv=2, progress=False),
            "bounds": rb.bounds(X.to_numpy(), two, max_iter=3),
        }  # fmt: skip


RESULTS = (
    "estimator", "kernel", "summary", "journal", "certificate", "one class", "in a kernel",
    "exclusive or", "holdout", "leaderboard", "bounds",
)  # fmt: skip


@pytest.fixture(scope="module")
def shown():
    made = results()
    assert set(made) == set(RESULTS)
    return {
        name: one if name in ("estimator", "kernel") else one._repr_html_()
        for name, one in made.items()
    }


@pytest.mark.parametrize("name", RESULTS)
def test_a_view_has_no_script_no_request_and_no_markup_of_the_data(name, shown):
    view = shown[name]
    read = Reader(view)
    assert read.open == []
    assert read.tags <= TAGS
    assert read.attributes <= {
        "class", "style", "viewbox", "role", "aria-label", "x1", "x2", "y1", "y2", "points",
        "stroke",
    }  # fmt: skip
    assert "url(" not in view
    assert "://" not in view
    assert "@import" not in view
    assert "\u202e" not in view


@pytest.mark.parametrize("name", ["estimator", "summary", "certificate", "one class"])
def test_names_are_shown_as_they_are(name, shown):
    words = Reader(shown[name]).words
    assert NAMES[1] in words
    assert r"a\u202eb\n<b>c</b>" in words or name == "one class"


def test_an_estimator_is_shown_with_what_it_learned_and_its_parameters():
    X, y = hostile()
    clf = rb.Perceptron(random_state=0, max_iter=3)
    unfitted = clf._repr_html_()
    assert "rosenblatt" not in unfitted.partition("<style>")[0]
    clf.fit(X, y)
    view, bundle = clf._repr_html_(), clf._repr_mimebundle_()
    card = report.html(clf, False)
    assert view.startswith(card)
    assert bundle["text/html"].startswith(card)
    assert "sk-" in view[len(card) :]  # scikit-learn's own display of the parameters
    assert bundle["text/plain"] == repr(clf)
    with config_context(display="text"):
        assert not hasattr(clf, "_repr_html_")
        assert set(clf._repr_mimebundle_()) == {"text/plain"}
    assert "sk-" in make_pipeline(clf)._repr_html_()


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_has_a_view(name):
    toy = rb.data.TOYS["clouds"].make(n=30, seed=1, classes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = MEMBERS[name](max_iter=3, random_state=0).fit(toy.X, toy.y)
        part = MEMBERS[name](random_state=0)
        if part.learns_one_by_one():
            assert name in part.partial_fit(toy.X, toy.y)._repr_html_()
    read = Reader(report.html(clf, False))
    assert read.open == []
    assert f"{name} · 30 examples x 2 features" in read.words
    assert "pass" in read.words


def test_the_summary_is_text_that_a_notebook_shows_in_paragraphs():
    X, y = hostile()
    text = rb.Perceptron(random_state=0, max_iter=10).fit(X, y).summary()
    assert isinstance(text, str)
    assert str(text) == text
    shown = Reader(text._repr_html_()).words
    for line in text.replace("\n  ", " ").split("\n"):
        assert line in shown


def test_drawings_begin_at_zero_and_show_every_pass():
    drawn = curves("by pass", {"mistakes": [4, 2, 0]})
    assert 'points="0.0,0.0 160.0,36.0 320.0,72.0"' in drawn
    assert "mistakes: 4 to 0" in drawn
    assert curves("by pass", {"mistakes": [0, 0]}).count("72.0") == 2
    assert curves("by pass", {"mistakes": [4]}) == ""
    long = bars("weights", [("x" * 1000, 2.0), ("y", -1.0)])
    assert "x" * 117 + "..." in long
    assert "x" * 118 not in long
    assert 'for" style="width: 10.00em' in long
    assert 'against" style="width: 5.00em' in long
    assert escaped("<&\"'\x1b") == "&lt;&amp;&quot;&#x27;\\x1b"
