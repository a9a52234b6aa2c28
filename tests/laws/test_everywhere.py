"""Whatever is entered in a table works everywhere: fits, streams, files, checkpoints, shards, page.

These laws range over RULES and READOUTS (and so over the spaces that rules ask for), so that a new
entry is tested without a line here.
"""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cluster import shard
from rosenblatt.cluster.mix import Part
from rosenblatt.engine.plan import Examples
from rosenblatt.engine.state import State
from rosenblatt.engine.trainer import make_runs
from rosenblatt.estimators.sources import InMemory
from rosenblatt.lab.schema import Document
from rosenblatt.storage.checkpoint import Checkpoints, resume
from rosenblatt.storage.replay import COMPUTED, Samples, run_document
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.theory.rules import RULES
from tests.laws.cases import reals

DATA = reals(7, n=60, d=2)
EVERY = [(rule, "last") for rule in RULES] + [("plain", readout) for readout in READOUTS]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(params=EVERY, ids=" ".join)
def clf(request):
    rule, readout = request.param
    return rb.PerceptronClassifier(rule, readout, max_iter=3, random_state=0)


def scores(clf):
    return clf.decision_function(DATA.X)


def test_a_fit_predicts_and_sums_up(clf):
    clf.fit(DATA.X, DATA.y)
    assert np.isfinite(scores(clf)).all()
    assert clf.n_updates_ > 0
    assert "updates" in clf.summary()


def test_a_model_file_brings_back_the_same_and_goes_on(clf, tmp_path):
    clf.fit(DATA.X, DATA.y)
    rb.save(clf, tmp_path / "m.rbt")
    again = rb.load(tmp_path / "m.rbt")
    assert np.array_equal(scores(again), scores(clf))
    for one in (clf, again):
        one.partial_fit(DATA.X[:20], DATA.y[:20])
    assert np.array_equal(scores(again), scores(clf))


def test_a_stream_in_parts_equals_the_whole(clf):
    whole = rb.PerceptronClassifier(clf.rule, clf.readout, random_state=0)
    whole.partial_fit(DATA.X, DATA.y)
    for part in np.array_split(np.arange(len(DATA.y)), 4):
        clf.partial_fit(DATA.X[part], DATA.y[part], classes=[-1, 1])
    if clf.rule != "adatron":  # each part is met for the first time
        np.testing.assert_allclose(scores(clf), scores(whole), rtol=1e-7, atol=1e-9)


def test_a_state_goes_through_arrays_without_losing_a_bit(clf):
    plan = clf.make_plan(np.array([-1, 1]), 2, len(DATA.y))
    made = make_runs(plan, Examples(DATA.X, DATA.y)).runs[0]
    made.go(1)
    made.advance(visits=13)
    state = State(plan.classes, [made.export_state()])
    other = make_runs(plan, Examples(DATA.X, DATA.y)).runs[0]
    other.import_state(State.from_arrays(state.to_arrays()).runs[0])
    for one in (made, other):
        one.go(3)
    assert np.array_equal(made.h, other.h)
    if clf.readout != "voted":
        results = [one.readout.hypothesis(one, one.n.t) for one in (made, other)]
        assert np.array_equal(*results)
    np.testing.assert_equal(made.n, other.n)


def test_a_checkpoint_resumes_to_the_same_bits(clf, tmp_path):
    source = InMemory(DATA.X, DATA.y, seed=1, rows=25)
    whole = rb.PerceptronClassifier(clf.rule, clf.readout, random_state=0)
    whole.fit_source(source, max_passes=2)
    clf.fit_source(source, max_passes=1, observers=[Checkpoints(tmp_path, {})])
    rest = rb.PerceptronClassifier(clf.rule, clf.readout, random_state=0)
    rest.fit_source(source, max_passes=2, state=resume(tmp_path, {}))
    assert np.array_equal(scores(rest), scores(whole))


def test_shards_are_joined_or_rejected_with_a_reason(clf):
    if not clf.learns_one_by_one():
        return
    plan = clf.make_plan(np.array([-1, 1]), 2, len(DATA.y))
    rounds = shard.RoundPlan(plan, "token", 0, "uniform", None, alone=False)
    halves = [
        shard.Shard(DATA.X[part], DATA.y[part], "rows") for part in (slice(0, 30), slice(30, 60))
    ]
    states = shard.begin(halves[0], rounds, 0)
    parts = [
        shard.make_pass(half, number, None, plan=rounds, states=states, settled=[False])[0]
        for number, half in enumerate(halves)
    ]
    reason = ""
    try:
        joined = Part.join(parts, states[0])
        state = joined.mixed(states[0], plan.flat, 1.0)
        state.readout.join([joined.readout])
    except ValueError as error:
        reason = str(error)
    if reason:
        assert "cannot be learned on several shards" in reason
    else:
        assert np.isfinite(state.hypothesis).all()
        assert state.counters.t == len(DATA.y)


def test_the_page_gets_all_that_it_needs(clf):
    samples = Samples()
    clf.fit(DATA.X, DATA.y, observers=[samples])
    made = Document.model_validate(run_document(clf, DATA.X, DATA.y, samples))
    known = READOUTS[clf.readout] in COMPUTED
    assert (made.reads is None) == known
    if not known:
        assert made.reads.t[-1] == len(DATA.y) * clf.n_iter_
        last = np.array(made.reads.w[-1])[:, :-1]
        np.testing.assert_allclose(last, clf.coef_, rtol=1e-12)


@pytest.mark.parametrize("readout", READOUTS)
def test_many_classes(readout, tmp_path):
    data = reals(3, n=60, d=3, classes=3)
    for multiclass in ("native", "ovr"):
        clf = rb.PerceptronClassifier("plain", readout, multiclass=multiclass, max_iter=2)
        clf.set_params(random_state=0).fit(data.X, data.y).partial_fit(data.X, data.y)
        rb.save(clf, tmp_path / "m.rbt")
        again = rb.load(tmp_path / "m.rbt")
        assert np.array_equal(again.predict(data.X), clf.predict(data.X))
