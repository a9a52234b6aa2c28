"""The family on a real Dask cluster: equal to the local one, sound in its proofs."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import cross_val_score

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.engine.state import State
from rosenblatt.storage import codec

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def client():
    """A scheduler and two workers in threads: the same messages, without waiting for processes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        )
    with cluster, Client(cluster) as client:
        yield client


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def separable(seed, n=120, d=4):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    X = X[abs(X @ w) > 0.3 * np.linalg.norm(w)]
    return X, np.where(X @ w > 0, "yes", "no")


MEMBERS = [
    rb.Perceptron(max_iter=8),
    rb.AveragedPerceptron(max_iter=4),
    rb.VotedPerceptron(max_iter=3),
    rb.PocketPerceptron(max_iter=4),
    rb.MarginPerceptron(max_iter=4),
    rb.PassiveAggressive(max_iter=4, readout="averaged"),
    rb.ALMA(max_iter=4),
    rb.ROMMA(max_iter=4),
    rb.AROW(max_iter=3),
    rb.AveragedPerceptron(max_iter=60),
    rb.VotedPerceptron(max_iter=60),
    rb.Perceptron(max_iter=4, class_weight="balanced", fit_intercept=False),
]


def same(spread, local, X):
    assert np.array_equal(spread.coef_, local.coef_)
    assert np.array_equal(spread.intercept_, local.intercept_)
    assert np.array_equal(spread.decision_function(X), local.decision_function(X))
    assert np.array_equal(spread.predict(X), local.predict(X))
    for name in ("converged_", "n_iter_", "n_updates_", "radius_", "margin_bracket_"):
        assert getattr(spread, name) == getattr(local, name), name
    for name in ("classes_", "pass_mistakes_", "pass_errors_"):
        assert np.array_equal(getattr(spread, name), getattr(local, name)), name


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_one_shard_is_the_local_estimator(client, member, sparse):
    X, y = cancer()
    X = sp.csr_array(np.round(4 * X)) if sparse else X
    member = member.set_params(random_state=3)
    spread = DistributedPerceptron(member, shards=1, client=client).fit(X, y)
    same(spread, member.fit(X, y), X)


@pytest.mark.parametrize("shards", [1, 2])
def test_a_fit_that_has_not_settled_says_what_is_proved(client, shards):
    member = rb.Perceptron(random_state=0, max_iter=1, count_errors=True)
    X, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array([1, 0, 1, 0])
    spread = DistributedPerceptron(member, shards=shards, client=client).fit(X, y)
    words = "separated: after pass 1 the last hypothesis classifies the 4 training examples"
    assert words in " ".join(spread.model_.summary().split())


@pytest.mark.parametrize("shards", [1, 3])
def test_an_order_that_leaves_examples_out_settles_when_the_rule_does(client, shards):
    X, y = separable(0)
    order = np.zeros(len(X) // 3, int)  # the first example of each shard, again and again
    member = rb.Perceptron(order=order, max_iter=4, random_state=0)
    spread = DistributedPerceptron(member, shards=shards, client=client).fit(X, y)
    local = member.fit(X, y)
    assert local.n_iter_ == spread.n_iter_ == 4
    assert not local.converged_
    assert not spread.converged_


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("readout", ["last", "averaged", "voted"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_one_shard_of_many_classes(client, multiclass, readout, sparse):
    X, y = (a[:500] for a in load_digits(return_X_y=True))
    X = sp.csr_array(X) if sparse else X
    member = rb.PerceptronClassifier(
        readout=readout, multiclass=multiclass, max_iter=6, random_state=0
    )
    spread = DistributedPerceptron(member, shards=1, client=client).fit(X, y)
    same(spread, member.fit(X, y), X)


# --- McDonald, Hall & Mann 2010 ---------------------------------------------------------------


def towards_one(look):
    """The plain rule of the paper's example: a tie is the label 1."""
    return (1.0 if look.m < 0.0 or (look.m == 0.0 and look.y < 0.0) else 0.0), 1.0


COUNTER = [
    (np.array([[1, 1, 0, -1, -1, 0], [0, 0, -1, 0, 0, 1]]), np.array([-1, 1])),
    (np.array([[0, 1, 1, 0, -1, -1], [-1, 0, 0, 1, 0, 0]]), np.array([-1, 1])),
]
"""Signed differences of the features of theorem 2; of the label -1 the sign is turned."""


def shards_of_theorem_2():
    return [(X * np.array([[-1], [1]]), y) for X, y in COUNTER]


def test_theorem_2_one_shot_mixing_fails_and_iterative_mixing_separates(client):
    member = rb.PerceptronClassifier(
        towards_one, fit_intercept=False, shuffle=False, max_iter=1, count_errors=False
    )
    alone = [member.fit(*pair).coef_[0].copy() for pair in shards_of_theorem_2()]
    assert alone[0].tolist() == [1, 1, 0, -1, -1, 0]
    assert alone[1].tolist() == [0, 1, 1, 0, -1, -1]
    signed = np.concatenate([X for X, _ in COUNTER])
    right = np.array([True, False, True, False])  # where a tie is wrong
    for share in np.linspace(0, 1, 101):
        margins = signed @ (share * alone[0] + (1 - share) * alone[1])
        assert ((margins < 0) | ((margins == 0) & right)).any()
    member.set_params(max_iter=3)
    spread = DistributedPerceptron(member, client=client).fit(shards_of_theorem_2())
    assert [told["updates"] > 0 for told in spread.rounds_] == [True, True, False]
    assert spread.coef_[0].tolist() == [0, 1, 0, 0, -1, 0]


@pytest.mark.parametrize("mixing", ["uniform", "mistakes"])
@pytest.mark.parametrize("count", [2, 5, 16])
@pytest.mark.parametrize("seed", range(3))
def test_theorem_3_bounds_the_mixed_updates(client, mixing, count, seed):
    X, y = separable(seed)
    member = rb.Perceptron(max_iter=500, random_state=seed)
    spread = DistributedPerceptron(member, shards=count, mixing=mixing, client=client).fit(X, y)
    assert spread.converged_
    assert spread.score(X, y) == 1
    lower, upper = spread.margin_bracket_
    assert 0 < lower <= upper
    bound = (spread.radius_ / rb.max_margin(X, y).margin) ** 2
    mixed = rounds = 0.0
    for told in spread.rounds_:
        made = np.array(told["by_shard"], float)
        assert made.sum() == told["updates"]
        share = made / made.sum() if mixing == "mistakes" and made.sum() else 1 / len(made)
        mixed += float((share * made).sum())
        rounds += made.sum() > 0
    assert mixed <= bound
    if mixing == "mistakes":
        assert rounds <= bound  # however many shards


def test_the_bracket_of_a_mixture_is_true(client):
    X, y = separable(7)
    best = rb.max_margin(X, y).margin
    member = rb.Perceptron(max_iter=3, random_state=0)
    for count in (2, 4):
        spread = DistributedPerceptron(member, shards=count, client=client).fit(X, y)
        lower, upper = spread.margin_bracket_
        assert lower <= best * (1 + 1e-9)
        assert best <= upper * (1 + 1e-9)


def test_averages_are_over_all_visits(client):
    """Shards that all hold the same data, in the same order: the average is that of one of them."""
    X, y = cancer()
    member = rb.AveragedPerceptron(max_iter=3, shuffle=False)
    spread = DistributedPerceptron(member, client=client).fit([(X, y)] * 3)
    assert spread.coef_ == pytest.approx(member.fit(X, y).coef_, rel=1e-9)


def test_votes_of_shards_add_up(client):
    X, y = cancer()
    member = rb.VotedPerceptron(max_iter=3, shuffle=False)
    spread = DistributedPerceptron(member, client=client).fit([(X, y)] * 3)
    local = member.fit(X, y)
    assert spread.votes_.sum() == 3 * local.votes_.sum()
    assert np.mean(spread.predict(X) == local.predict(X)) > 0.99


# --- what goes in -----------------------------------------------------------------------------


def test_collections_of_dask(client):
    X, y = cancer()
    member = rb.AveragedPerceptron(max_iter=3, random_state=0)
    edges = [0, 150, 300, 450, 569]
    pairs = [(X[a:b], y[a:b]) for a, b in itertools.pairwise(edges)]
    expected = DistributedPerceptron(member, client=client).fit(pairs)
    A, b = da.from_array(X, chunks=(150, 7)), da.from_array(y, chunks=100)
    assert np.array_equal(
        DistributedPerceptron(member, client=client).fit(A, b).coef_, expected.coef_
    )
    lazy = [dask.delayed(pair) for pair in pairs]
    assert np.array_equal(
        DistributedPerceptron(member, client=client).fit(lazy).coef_, expected.coef_
    )
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(30)]).assign(label=y)
    whole = dd.concat(
        [dd.from_pandas(frame[a:b], npartitions=1) for a, b in itertools.pairwise(edges)]
    )
    spread = DistributedPerceptron(member, client=client).fit(whole, target="label")
    assert np.array_equal(spread.coef_, expected.coef_)
    assert spread.feature_names_in_.tolist() == [f"f{j}" for j in range(30)]


def test_folds_share_the_client(client, noisy):
    X, y = noisy
    member = rb.AveragedPerceptron(max_iter=5, random_state=0)
    one = DistributedPerceptron(member, shards=1, client=client)
    local = cross_val_score(member, X, y, cv=3)
    assert cross_val_score(one, X, y, cv=3).tolist() == local.tolist()


def test_shards_may_lack_classes(client):
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    spread = DistributedPerceptron(
        rb.AveragedPerceptron(max_iter=10, random_state=0), shards=4, client=client
    )
    assert spread.fit(X[order], y[order]).score(X, y) > 0.7


def test_held_out_error_of_each_round(client):
    X, y = cancer()
    member = rb.AveragedPerceptron(max_iter=3, random_state=0)
    spread = DistributedPerceptron(member, client=client).fit(
        X[:400], y[:400], X_val=X[400:], y_val=y[400:]
    )
    assert spread.rounds_[-1]["held_out"] == pytest.approx(1 - spread.score(X[400:], y[400:]))


def test_a_poisoned_shard_is_named(client):
    X, y = cancer()
    X[470, 3] = np.nan
    with pytest.raises(ValueError, match=r"rows 284 to 568, row 186: feature 3 is nan"):
        DistributedPerceptron(client=client).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "data", "words"),
    [
        ({"mixing": "median"}, None, "mixing='median' is not known"),
        ({"estimator": rb.MaxOver()}, None, "looks at all examples at once"),
        ({"estimator": rb.AdaTron()}, None, "looks at all examples at once"),
        ({"estimator": rb.Perceptron(early_stopping=True)}, None, "early_stopping"),
        ({}, [], "there is no shard"),
        ({}, [(np.eye(2), [0, 1]), (np.eye(3), [0, 1, 1])], "all shards need the same"),
        ({}, [(np.eye(2), [0, 0])], "one class only"),
        ({"client": "local:x"}, None, "client='local:x' is not known"),
    ],
)
def test_bad_input_is_one_sentence(client, arguments, data, words):
    X, y = cancer()
    clf = DistributedPerceptron(**({"client": client} | arguments))
    with pytest.raises(ValueError, match=words):
        clf.fit(data) if data is not None else clf.fit(X, y)


# --- stop here, go on elsewhere ---------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "member",
    [rb.AveragedPerceptron(), rb.PocketPerceptron(), rb.AROW()],
    ids=["averaged", "pocket", "arow"],
)
def test_a_checkpoint_goes_on_to_the_same_bits(client, tmp_path, count, member):
    X, y = cancer()
    member = member.set_params(max_iter=6, random_state=1)
    whole = DistributedPerceptron(member, shards=count, client=client).fit(X, y)
    options = {"shards": count, "client": client, "checkpoint": tmp_path / "rounds"}
    DistributedPerceptron(member.set_params(max_iter=2), **options).fit(X, y)
    on = DistributedPerceptron(member.set_params(max_iter=6), **options).fit(X, y)
    assert np.array_equal(on.coef_, whole.coef_)
    assert on.n_updates_ == whole.n_updates_
    assert on.margin_bracket_ == whole.margin_bracket_
    with pytest.raises(ValueError, match="other parameters"):
        DistributedPerceptron(member.set_params(random_state=2), **options).fit(X, y)
    (tmp_path / "rounds").write_bytes(b"rubbish")
    with pytest.raises(ValueError, match="not a checkpoint"):
        DistributedPerceptron(member, **options).fit(X, y)


@pytest.mark.parametrize("change", [{"mixing": None}, {"speed": 3}], ids=["less", "more"])
def test_a_checkpoint_that_knows_less_or_more_is_of_another_fit(client, tmp_path, change):
    X, y = cancer()
    path = tmp_path / "rounds"
    options = {"shards": 2, "client": client, "checkpoint": path}
    DistributedPerceptron(rb.Perceptron(max_iter=1, random_state=0), **options).fit(X, y)
    state = State.from_arrays(codec.read_npz(path))
    known = state.settings["fit"] | change
    state.settings["fit"] = {name: value for name, value in known.items() if value is not None}
    path.write_bytes(codec.npz_content(state.to_arrays()))
    with pytest.raises(ValueError, match=f"other {next(iter(change))}"):
        DistributedPerceptron(rb.Perceptron(max_iter=2, random_state=0), **options).fit(X, y)


CASES = list(itertools.product(["last", "averaged", "voted", "pocket"], [1, 3]))


@pytest.fixture(scope="module")
def without_dask(client, tmp_path_factory):
    """Fits by readout and number of shards, and scores of their models where there is no Dask."""
    folder = tmp_path_factory.mktemp("models")
    X, y = cancer()
    fits = {}
    for case in CASES:
        member = rb.PerceptronClassifier(readout=case[0], max_iter=3, random_state=0)
        fits[case] = DistributedPerceptron(member, shards=case[1], client=client).fit(X, y)
        rb.save(fits[case].model_, folder / f"{len(fits)}.rbt")
    script = (
        "import sys; sys.modules['dask'] = sys.modules['distributed'] = None\n"
        "import numpy as np, rosenblatt as rb\n"
        "from sklearn.datasets import load_breast_cancer\n"
        "X, y = load_breast_cancer(return_X_y=True)\n"
        "X = (X - X.mean(axis=0)) / X.std(axis=0)\n"
        f"for number in range(1, {len(fits) + 1}):\n"
        f"    model = rb.load({str(folder)!r} + f'/{{number}}.rbt')\n"
        "    print(model.decision_function(X).tobytes().hex())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return fits, dict(zip(fits, done.stdout.split(), strict=True))


@pytest.mark.parametrize(("readout", "count"), CASES)
def test_the_model_is_kept_and_goes_on_without_dask(without_dask, readout, count):
    X, y = cancer()
    fits, scores = without_dask
    spread = fits[readout, count]
    assert scores[readout, count] == spread.decision_function(X).tobytes().hex()
    if readout == "voted" and count > 1:
        with pytest.raises(ValueError, match="votes of several shards"):
            spread.model_.partial_fit(X, y)
        return
    errors = spread.model_.partial_fit(X, y).n_updates_ - spread.n_updates_
    assert errors < 60  # it goes on from there: from nothing it would make more
