"""The structured perceptron for sequences, in the manner of scikit-learn's estimators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.sequences import ENCODINGS, FeatureMap, Templates, as_tokens
from rosenblatt.engine import custom, inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.plan import Examples, Plan, SequencePlan
from rosenblatt.engine.sentences import Sentences, ranked, tagged
from rosenblatt.engine.trainer import Trainer, make_runs
from rosenblatt.estimators import tokens
from rosenblatt.estimators.members import complete
from rosenblatt.estimators.observers import ProgressPrinter
from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Integer,
    Result,
    array,
    declared,
    param,
    result,
    values,
)
from rosenblatt.estimators.shared import RESULTS, RULE, SharedParameters
from rosenblatt.estimators.transitions import constraints
from rosenblatt.estimators.validation import unchanged_on_error
from rosenblatt.theory import readouts, rules
from rosenblatt.theory.spaces import Array

SHARED = declared(SharedParameters)
KEPT = ("n_iter_", "converged_", "n_updates_")


@partial(complete, positional=("rule", "readout"))
class SequencePerceptron(BaseEstimator):
    """Label sequences: the structured perceptron of Collins (2002), with any rule of the family.

    Sentences are labelled as a whole: the score of a labelling adds up the weights of each token's
    features at its label and a weight for each two labels in a row, and the best is found exactly
    (Viterbi). Learning compares the right labelling with the best wrong one. On a mistake, which
    includes a tie, it adds the difference of their features; a rule with a margin also learns from
    a lead that is too small. The rule sees one example for each sentence, so that its bounds hold:
    with R the radius and g the best margin, the plain rule makes at most (R/g)² updates.

    X is a list of sentences, each a list of tokens, or a `Corpus`. A token is a text or a tuple of
    columns, of which `templates` make features, or a dict of features. Or X is a matrix with a row
    for each token, and `lengths` has the number of rows of each sentence. Labels are lists, one for
    each sentence. Features that were not seen in learning are left out. There are no probabilities,
    so no marginals.

    Examples
    --------
    >>> from rosenblatt import SequencePerceptron
    >>> X = [["the", "dog", "barks"], ["dogs", "bark"], ["the", "bark", "peels"]]
    >>> y = [["D", "N", "V"], ["N", "V"], ["D", "N", "V"]]
    >>> tagger = SequencePerceptron(random_state=0).fit(X, y)
    >>> tagger.converged_, tagger.predict([["the", "dogs", "bark"]])
    (True, [['D', 'N', 'V']])
    """

    rule: Any = param(
        "plain",
        RULE,
        "When to update and how far: a name from the table of rules, a record such as "
        "`rules.PA1(C=0.1)`, or a function of `Look` that returns (a, c). A rule that scales all "
        "weights at each step is slow with many features.",
    )
    readout: str = param(
        "averaged",
        Choice("averaged", "last", "pocket"),
        "What to make of the hypotheses that come and go.",
    )
    templates: Any = param(
        None,
        Anything("Templates, str or None", "Templates | str | None", nullable=True),
        "Which features to make of tokens with columns, in the notation of CRF++; None for "
        "`Templates.default`. The weights of transitions are always learned.",
    )
    hash_bits: int | None = param(
        None,
        Integer(least=8, nullable=True),
        "Number the features of tokens by a hash of this many bits, at most 30: no data "
        "are kept, but features may share a number.",
        advanced=True,
    )
    transitions: Any = param(
        None,
        Anything(
            "str, pairs of labels or None",
            "str | Sequence[tuple[Any, Any]] | None",
            tuple(ENCODINGS),
            nullable=True,
        ),
        'Labellings that may be: those of an encoding of spans such as "BIO" or "BIOES", or those '
        "in which each label follows another as a pair (label before, label) says; pairs with None "
        "name the first and the last labels, which otherwise may be any. Others are neither "
        "learned against nor predicted.",
    )
    order: int = param(
        1,
        Choice(1, 2),
        "How many labels before a label have weights with it: 2 learns three labels in a row as "
        "well as two, and takes as many times longer as there are labels, without the features.",
    )
    max_iter: int = param(10, Integer(least=1), "Passes at most.")
    shuffle: Any = SHARED["shuffle"]
    random_state: Any = param(
        None, SHARED["random_state"].kind, "Seed of the order.", advanced=True
    )
    count_errors: Any = SHARED["count_errors"]
    journal_size: Any = SHARED["journal_size"]
    verbose: Any = SHARED["verbose"]

    declared_results: tuple[Result, ...] = (
        array("classes_", "(n_classes,)", "Labels."),
        array("coef_", "(n_classes, n_features)", "Weights of the features."),
        array(
            "transition_coef_",
            "(n_classes + 1, n_classes)",
            "Weights of the transitions: from the label of the row, the last row from the "
            "beginning, to that of the column.",
        ),
        array(
            "pair_coef_",
            "(n_classes + 1, n_classes + 1, n_classes)",
            "With order=2, weights of three labels in a row, the last place again the beginning.",
        ),
        result("n_features_in_", "int", "Features."),
        result(
            "features_",
            "FeatureMap",
            "The numbers of the features; not there if X was a table.",
        ),
        *[r for r in RESULTS if r.name in KEPT],
        array("pass_mistakes_", "(n_iter_,)", "Sentences that were mistaken, in each pass."),
        array(
            "pass_errors_",
            "(n_iter_,)",
            "Sentences that the hypothesis left by each pass mistakes; -1 where not counted (see "
            "`count_errors`; a pass without a mistake always is).",
        ),
        result(
            "radius_",
            "float",
            "No difference between two labellings of a sentence is longer: the R of the bound.",
        ),
        *[r for r in RESULTS if r.name == "margin_bracket_"],
        result(
            "journal_",
            "Journal",
            "The updates: an entry for each token at which the best wrong labelling differs.",
        ),
    )

    classes_: Array
    n_features_in_: int
    outcome_: Outcome

    # --- learning ---------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, lengths: Any = None, sample_weight: Any = None,
        observers: Sequence[Observer] = (),
    ) -> SequencePerceptron:  # fmt: skip
        """Learn from sentences X and the labels y of their tokens.

        Parameters
        ----------
        X : list of lists of tokens, or matrix of shape (n_tokens, n_features)
            Sentences. Of a sparse matrix in CSR format the indices are read in place.
        y : list of lists of labels
            Labels of each sentence; with `lengths` also one after the other. None for those that a
            corpus has.
        lengths : array of shape (n_sentences,), optional
            Tokens of each sentence, if X is a matrix.
        sample_weight : array of shape (n_sentences,), optional
            Factors of the step that each sentence makes; one of weight 0 is left out.
        observers : sequence of Observer, optional
            Called after each pass; see `rosenblatt.engine.observers`.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            rows, counts = self._learn_tokens(X, lengths, anew=True)
            self.n_features_in_ = rows.shape[1]
            chosen = tokens.weighted(rows, counts, tokens.labels_of(X, y, counts), sample_weight)
            classes = tokens.distinct(chosen[2])
            plan = self._plan(classes, check_random_state(self.random_state))
            examples = self._examples(plan, *chosen)
            progress = [ProgressPrinter(self.verbose)] if self.verbose else []
            Trainer(plan, examples, None, [*progress, *observers]).train().write(self)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        lengths: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
    ) -> SequencePerceptron:
        """Go on learning: one pass over these sentences in the order given.

        After a `fit` it continues from there. New labels may appear, and in sentences of named
        features new features.

        Parameters
        ----------
        X : list of lists of tokens, or matrix of shape (n_tokens, n_features)
            The next sentences.
        y : list of lists of labels
            Their labels.
        lengths : array of shape (n_sentences,), optional
            Tokens of each sentence, if X is a matrix.
        classes : array, optional
            Labels that will appear, as far as they are known.
        sample_weight : array of shape (n_sentences,), optional
            Factors of the step that each sentence makes.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            before: Outcome | None = getattr(self, "outcome_", None)
            rows, counts = self._learn_tokens(X, lengths, anew=False)
            self.n_features_in_ = rows.shape[1]
            chosen = tokens.weighted(rows, counts, tokens.labels_of(X, y, counts), sample_weight)
            announced = [] if classes is None else np.asarray(classes).tolist()
            known = [] if before is None else before.classes.tolist()
            plan = self._plan(tokens.distinct([*chosen[2], *announced, *known]), None)
            examples = self._examples(plan, *chosen)
            state = None if before is None else before.state
            outcome = Trainer(plan, examples, state).train()
            if before is not None:
                outcome.continues(before)
            outcome.write(self)
        return self

    def check_parameters(self) -> None:
        """Raise an error that names the first parameter that cannot work."""
        self._rule()

    def check_state(self) -> None:
        """Raise an error if partial_fit could not go on from what was learned."""
        known: FeatureMap | None = getattr(self, "features_", None)
        if known is not None and known.width < self.n_features_in_:
            raise ValueError("there are weights of features that are not known")
        constraints(self.transitions, self.classes_)
        state = self.outcome_.state
        if state is None:
            return
        plan = self._plan(self.classes_, None)
        row = csr_matrix((1, self.n_features_in_))
        sentence = Sentences.of(row, np.ones(1, np.int64))
        make_runs(plan, Examples(sentence, np.ones(1, np.int8), None, np.ones(1)), state)

    def _rule(self) -> Any:
        """The rule as a record, the parameters checked."""
        rule = custom.rule(values(self).rule)
        unfit = rules.prior_variance(rule) or getattr(rule, "needs_dual", False)
        if unfit or getattr(rule, "space", None):
            raise ValueError(
                f"the rule {type(rule).__name__} is for two classes; sequences need another one, "
                "such as 'plain', 'margin', 'pa1' or 'mira'."
            )
        return rule

    def _readout(self, streaming: bool) -> readouts.Readout:
        if self.readout == "pocket":
            return readouts.Pocket(ratchet=not streaming)
        return readouts.READOUTS[self.readout]()

    def _plan(self, classes: Array, random: Any) -> Plan:
        """The plan of a fit, or without random numbers that of a part of a stream."""
        given, rule, streaming = values(self), self._rule(), random is None
        return Plan(
            rule=rule,
            classes=classes,
            multiclass="native",
            seeds=(0,) if streaming else (int(random.randint(2**31)),),
            readout=self._readout(streaming),
            order="shuffled" if given.shuffle and not streaming else "cyclic",
            bias=0.0,
            max_passes=1 if streaming else given.max_iter,
            proves=not streaming,
            count_errors=given.count_errors,
            journal_size=given.journal_size,
            streaming=streaming,
            sequences=self._sequences(classes),
        )

    def _examples(
        self, plan: Plan, rows: Any, counts: Array, labels: list[Any], weights: Array | None
    ) -> Examples:
        if weights is not None and rules.full_step_only(plan.rule):
            weights = weights / weights.max()
        sentences = Sentences.of(rows, counts, tokens.codes(labels, plan.classes))
        assert plan.sequences is not None
        wrong = sentences.first_not_allowed(plan.sequences)
        if wrong is not None:
            raise ValueError(
                f"the labels of sentence {wrong} are not allowed by "
                f"transitions={self.transitions!r}; correct them, or set transitions=None."
            )
        signs = np.ones(len(counts), np.int8)
        return Examples(sentences, signs, weights, sentences.norms2(plan.sequences.order))

    def _sequences(self, classes: Array) -> SequencePlan:
        given = values(self)
        return SequencePlan(*constraints(given.transitions, classes), order=given.order)

    # --- sentences --------------------------------------------------------------------------

    def _learn_tokens(self, X: Any, lengths: Any, anew: bool) -> tuple[Any, Array]:
        """Return the features of all tokens and the lengths; what is new about them is learned."""
        known: FeatureMap | None = None if anew else getattr(self, "features_", None)
        if tokens.is_table(X):
            if known is not None:
                raise ValueError("features were learned from tokens; give these, not a table.")
            rows, counts = tokens.table(X, lengths)
            if not anew:
                self._check_width(rows)
            self.__dict__.pop("features_", None)
            return rows, counts
        if lengths is not None:
            raise ValueError("lengths is for tables; a list of sentences has its own.")
        if known is None and not anew and hasattr(self, "n_features_in_"):
            raise ValueError("features were learned from a table; give one, and lengths.")
        given = as_tokens(X)
        if not len(given):
            raise ValueError("X has no sentence.")
        if known is None:
            known = self.features_ = FeatureMap(self._templates(), values(self).hash_bits)
        return known.learn(given), given.lengths

    def _known_tokens(self, X: Any, lengths: Any) -> tuple[Any, Array]:
        """Return the features of all tokens that were learned, and the lengths."""
        known: FeatureMap | None = getattr(self, "features_", None)
        if known is None or tokens.is_table(X):
            rows, counts = self._learn_tokens(X, lengths, anew=False)
            return rows, counts
        if lengths is not None:
            raise ValueError("lengths is for tables; a list of sentences has its own.")
        given = as_tokens(X)
        # A call that failed may have left features without weights.
        return known.transform(given)[:, : self.n_features_in_], given.lengths

    def _check_width(self, rows: Any) -> None:
        known = getattr(self, "n_features_in_", rows.shape[1])
        if rows.shape[1] != known:
            raise ValueError(f"X has {rows.shape[1]:,} features, but {known:,} were learned.")

    def _templates(self) -> Templates | None:
        given = self.templates
        return Templates.parse(given) if isinstance(given, str) else given

    # --- prediction -------------------------------------------------------------------------

    def _tagged(self, X: Any, lengths: Any) -> tuple[Array, Array, Array]:
        """Return the numbers of the labels, the scores of the sentences and their lengths."""
        sentences, plan, counts = self._to_tag(X, lengths)
        numbers, scores = tagged(sentences, self.outcome_.predictor, plan)
        if np.isneginf(scores).any():
            raise ValueError(
                f"transitions={self.transitions!r} allows no labelling of sentence "
                f"{int(np.argmax(np.isneginf(scores)))}."
            )
        return numbers, scores, counts

    def _to_tag(self, X: Any, lengths: Any) -> tuple[Sentences, SequencePlan, Array]:
        """Return sentences, what their labellings may be, and their lengths."""
        check_is_fitted(self, "classes_")
        rows, counts = self._known_tokens(X, lengths)
        plan = self._sequences(self.classes_)
        return Sentences.of(rows, counts), plan, counts

    def predict(self, X: Any, lengths: Any = None) -> list[list[Any]]:
        """Return the best labels of each sentence, as lists."""
        numbers, _, counts = self._tagged(X, lengths)
        return _split(self.classes_[numbers].tolist(), counts)

    def predict_paths(
        self, X: Any, n: int = 5, lengths: Any = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return the n best labellings of each sentence, best first, as pairs (score, labels).

        A short sentence may have fewer. Only of order 1.
        """
        if self.order != 1:
            raise ValueError("predict_paths needs order=1; of order 2 there is `predict`.")
        ranks = inputs.whole_number("n", n, 1)
        sentences, plan, counts = self._to_tag(X, lengths)
        numbers, scores = ranked(sentences, self.outcome_.predictor, plan, ranks)
        each = [_split(self.classes_[row].tolist(), counts) for row in numbers]
        return [
            [(s, each[k][i]) for k, s in enumerate(row) if s > -inf]
            for i, row in enumerate(scores.T.tolist())
        ]

    def decision_function(self, X: Any, lengths: Any = None) -> Array:
        """Return the score of the best labelling of each sentence."""
        return self._tagged(X, lengths)[1]

    def score(self, X: Any, y: Any = None, lengths: Any = None, sample_weight: Any = None) -> float:
        """Return the share of tokens with the right label; weights are of sentences."""
        numbers, _, counts = self._tagged(X, lengths)
        found, labels = self.classes_[numbers].tolist(), tokens.labels_of(X, y, counts)
        right = np.array([a == b for a, b in zip(found, labels, strict=True)], float)
        weights = inputs.sample_weights(sample_weight, len(counts))
        each = None if weights is None else np.repeat(weights, counts)
        return float(np.average(right, weights=each))


def _split(labels: list[Any], counts: Array) -> list[list[Any]]:
    """Return the labels of all tokens as lists, one for each sentence."""
    ends = np.cumsum(counts).tolist()
    return [labels[start:end] for start, end in zip([0, *ends], ends, strict=False)]
