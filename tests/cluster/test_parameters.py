"""The estimator of the cluster has its parameters from declarations, as the members have."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.parameters import declared

PARAMETERS = ["estimator", "mixing", "shards", "client", "checkpoint", "verbose"]


def test_signature_and_documentation_come_from_the_declarations():
    assert list(declared(DistributedPerceptron)) == PARAMETERS
    arguments = inspect.signature(DistributedPerceptron).parameters
    assert list(arguments) == PARAMETERS
    assert arguments["estimator"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert all(arguments[name].kind is inspect.Parameter.KEYWORD_ONLY for name in PARAMETERS[1:])
    documentation = inspect.getdoc(DistributedPerceptron)
    for name, parameter in declared(DistributedPerceptron).items():
        assert f"{name} : {parameter.words}\n" in documentation
    assert "rounds_ : list of dict\n" in documentation
    assert "DistributedPerceptron" not in MEMBERS  # it is no rule and no readout


def test_scikit_learn_reads_copies_and_shows_it():
    clf = DistributedPerceptron(rb.AROW(r=2.0), mixing="mistakes", shards=3)
    assert clf.get_params(deep=False) == {
        "estimator": clf.estimator, "mixing": "mistakes", "shards": 3, "client": None,
        "checkpoint": None, "verbose": 0,
    }  # fmt: skip
    assert clf.get_params()["estimator__r"] == 2.0
    assert repr(clf) == (
        "DistributedPerceptron(estimator=AROW(r=2.0), mixing='mistakes', shards=3)"
    )
    copy = clone(clf)
    assert copy is not clf
    assert copy.estimator is not clf.estimator
    assert repr(copy) == repr(clf)
    copy.set_params(estimator__r=3.0, shards=None)
    assert (copy.estimator.r, copy.shards, clf.estimator.r) == (3.0, None, 2.0)


def test_clones_share_a_connection():
    connection = object()  # as one to a scheduler it cannot be copied
    assert clone(DistributedPerceptron(client=connection)).client is connection


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"mixing": "median"}, ValueError, "mixing='median' is not known; take one of uniform, "),
        ({"shards": 0}, ValueError, "shards=0 must be a whole number of at least 1 or None."),
        ({"shards": 1.5}, TypeError, "shards=1.5 must be a whole number or None."),
        ({"verbose": "loud"}, ValueError, "verbose='loud' must be True, False or a whole number"),
        ({"client": 7}, TypeError, "client=7 must be a Client of Dask, an address,"),
        ({"client": "local:0"}, ValueError, "client='local:0' is not known"),
    ],
    ids=str,
)
def test_a_bad_value_is_rejected_before_a_cluster_starts(given, error, sentence):
    with pytest.raises(error) as raised:
        DistributedPerceptron(**given).fit([[0.0], [1.0]], [0, 1])
    assert str(raised.value).startswith(sentence)


def test_a_misspelt_parameter_is_named():
    with pytest.raises(TypeError, match="has no parameter 'mixng'; did you mean 'mixing'"):
        DistributedPerceptron(mixng="uniform")
