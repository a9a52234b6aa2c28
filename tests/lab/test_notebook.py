"""The lab in a notebook: a run as a widget, and as a figure where there are no widgets."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import traitlets

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from tests.lab.conftest import Watch

TOY = rb.data.TOYS["halfplanes"].make(n=30, seed=7, margin=0.02)
THREE = rb.data.TOYS["clouds"].make(n=30, seed=1, classes=3)

pytestmark = pytest.mark.usefixtures("built")


def fitted(kind=rb.Perceptron, toy=TOY, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(random_state=0, **settings).fit(toy.X, toy.y)


def test_the_moment_is_in_traits_that_both_sides_set():
    clf, seen = fitted(), []
    view = rb.watch(clf, TOY.X, TOY.y)
    assert (view.step, view.point, view.steps) == (0, None, clf.n_updates_)
    view.observe(lambda change: seen.append((change.name, change.new)), ["step", "point"])
    view.step = 5
    view.set_state({"step": 6, "point": 2})  # as the browser does
    assert seen == [("step", 5), ("step", 6), ("point", 2)]
    synced = view.get_state()
    assert (synced["step"], synced["point"]) == (6, 2)
    assert "as default }" in synced["_esm"]
    assert repr(view) == f"<Figure of Perceptron: 6 of {clf.n_updates_} updates>"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("step", 99, "step=99 is not in this run of 16 updates; give a number from 0 to 16"),
        ("step", -1, "from 0 to 16"),
        ("point", 30, "point=30 is not in this run of 30 examples; give a number from 0 to 29"),
        ("step", "three", "expected an int"),
    ],
)
def test_a_moment_that_the_run_does_not_have(name, value, words):
    view = rb.watch(fitted(), TOY.X, TOY.y)
    with pytest.raises(traitlets.TraitError, match=words):
        setattr(view, name, value)
    assert (view.step, view.point) == (0, None)


@pytest.mark.parametrize("name", [*MEMBERS])
def test_every_member_can_be_watched_before_and_after_its_fit(name):
    kind = MEMBERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = kind(max_iter=10, random_state=0)
        new = rb.watch(clf, THREE.X, THREE.y)
        assert not hasattr(clf, "classes_")  # a clone has learned
        old = rb.watch(clf.fit(THREE.X, THREE.y), THREE.X, THREE.y)
    journals = clf.journal_ if isinstance(clf.journal_, list) else [clf.journal_]
    visits = {t for journal in journals for t in journal.updates.t.tolist()}
    assert new.steps == old.steps == len(visits)


@pytest.mark.parametrize("toy", [TOY, THREE], ids=["two", "three"])
def test_a_journal_alone(toy, tmp_path):
    clf = fitted(rb.PerceptronClassifier, toy, rule="romma", max_iter=20)
    clf.journal_.save(tmp_path / "run.json")
    view = rb.watch(rb.Journal.load(tmp_path / "run.json"), toy.X, toy.y)
    assert view.steps == rb.watch(clf, toy.X, toy.y).steps


def test_labels_and_tables_of_any_kind():
    pd = pytest.importorskip("pandas")
    names = np.array(["</script><script>alert(1)</script>", "no"])[(TOY.y > 0).astype(int)]
    X = pd.DataFrame(TOY.X, columns=["a", "b"])
    assert rb.watch(rb.Perceptron(random_state=0), X, names).steps > 0
    clf = rb.Perceptron(random_state=0).fit(sp.csr_matrix(TOY.X), names)
    assert rb.watch(clf, sp.csr_matrix(TOY.X), names).steps == clf.n_updates_


def test_the_figure_without_widgets_is_one_frame_that_holds_all():
    view = rb.watch(fitted(), TOY.X, TOY.y)
    data, _ = view._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    assert data["text/plain"] == repr(view)
    assert data["text/html"] == view._repr_html_()
    frame = re.fullmatch(
        r'<iframe ([^<>]*?)srcdoc="([^"<>]*)" ([^<>]*)></iframe>', view._repr_html_()
    )
    assert frame is not None  # one element: nothing of the page is left outside
    assert 'sandbox="allow-scripts"' in frame[1]
    assert len(frame[2]) < 1_000_000


HOLDER = """
globalThis.values = JSON.parse(document.getElementById("values").textContent);
globalThis.saved = [];
const listeners = [];
globalThis.model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; for (const tell of listeners) tell(); },
  save_changes: () => saved.push([values.step, values.point]),
  on: (events, listener) => listeners.push(listener),
  off: (events, listener) => listeners.splice(listeners.indexOf(listener), 1),
};
const code = new Blob([values._esm], { type: "text/javascript" });
const made = await import(URL.createObjectURL(code));
globalThis.end = made.default.render({ model, el: document.getElementById("here") });
"""
"""A document that calls the widget's module as anywidget does."""


def test_the_frame_and_its_holder_tell_each_other_the_moment(browser, tmp_path):
    from playwright.sync_api import expect

    expect.set_options(timeout=60_000)  # as pages have elsewhere: a busy machine draws late
    view = rb.watch(fitted(), TOY.X, TOY.y)
    state = view.get_state()
    values = json.dumps({name: state[name] for name in ("_esm", "page", "step", "point")})
    held = (
        f'<!doctype html><body style="color: white; background: black"><div id="here"></div>'
        f'<script id="values" type="application/json">{values.replace("<", chr(92) + "u003c")}'
        f'</script><script type="module">{HOLDER}</script>{view._repr_html_()}'
    )
    (tmp_path / "held.html").write_text(held, encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    watch = Watch(page, "file:")
    page.goto((tmp_path / "held.html").as_uri(), wait_until="commit")
    frame, alone = page.frame_locator("iframe >> nth=0"), page.frame_locator("iframe >> nth=-1")
    step = frame.locator("[data-step]")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    page.evaluate("model.set('step', 5)")
    expect(step).to_have_attribute("data-step", "5")
    frame.get_by_label("One update on").click()
    frame.locator("[data-plane]").press(".")
    page.wait_for_function("values.step === 6 && values.point === 0")
    assert page.evaluate("saved") == [[6, None], [6, 0]]  # what it was told, it does not repeat
    frame.locator("[data-plane]").press("ArrowLeft")  # the run is as it is: the point stays
    expect(step).to_have_attribute("data-step", "5")
    page.wait_for_function("values.step === 5")
    page.evaluate("end()")
    page.evaluate("model.set('step', 1)")
    alone.get_by_label("To the end").click()  # the figure without widgets
    expect(alone.locator("[data-step]")).to_have_attribute("data-step", str(view.steps))
    expect(step).to_have_attribute("data-step", "5")  # nobody told it any more
    context.close()
    assert watch.complaints == []


def wrong(given):
    clf = fitted()
    X, y = TOY.X, TOY.y
    many = np.random.default_rng(0).normal(size=(2001, 2))
    return {
        "another object": lambda: rb.watch(np.zeros(3), X, y),
        "other data": lambda: rb.watch(clf, 2 * X, y),
        "another order": lambda: rb.watch(clf, X[::-1], y[::-1]),
        "other labels": lambda: rb.watch(clf, X, -y),
        "fewer examples": lambda: rb.watch(clf, X[:20], y[:20]),
        "one class": lambda: rb.watch(rb.Perceptron(), X, np.ones(30)),
        "too many": lambda: rb.watch(rb.Perceptron(), many, many[:, 0] > 0),
        "too wide": lambda: rb.watch(rb.Perceptron(), np.ones((30, 21)), y),
        "no journal": lambda: rb.watch(rb.Perceptron(journal_size=0).fit(X, y), X, y),
        "no sum": lambda: rb.watch(fitted(rb.AROW).journal_, X, y),
    }[given]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("another object", "not ndarray; of a pipeline"),
        ("other data", r"updates on X end with \|w\|² = "),
        ("another order", "y has 30 labels that are not those of the run"),
        ("other labels", "not those of the run"),
        ("fewer examples", "y has 20 labels that are not those of the run on 30 examples"),
        ("one class", "at least two classes"),
        ("too many", "2,001 examples; the lab shows at most 2,000: give a part"),
        ("too wide", "21 features; the lab shows at most 20"),
        ("no sum", "give the fitted estimator"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(given, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        wrong(given)()
    assert "\n" not in str(caught.value)
