"""What is seen from outside a process: imports, Ctrl-C, the same bits elsewhere."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

from sklearn.datasets import load_digits

import rosenblatt as rb

# --- imports --------------------------------------------------------------------------------


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_is_light():
    heavy = "{'numba', 'sklearn', 'scipy', 'matplotlib'}"
    code = f"import sys, rosenblatt; print({heavy} & set(sys.modules))"
    assert run_python(code).strip() == "set()"


def test_prediction_needs_no_numba(tmp_path, noisy):
    X, y = noisy
    models = [
        rb.AveragedPerceptron(max_iter=2).fit(X, y),
        rb.VotedPerceptron(max_iter=2).fit(X, y),
    ]
    (tmp_path / "models.pkl").write_bytes(pickle.dumps((models, X)))
    code = f"""
import pickle, sys
models, X = pickle.load(open({str(tmp_path / "models.pkl")!r}, "rb"))
for model in models:
    model.predict(X)
print("numba" in sys.modules)
"""
    assert run_python(code).strip() == "False"


def test_an_interrupted_fit_leaves_the_estimator_as_it_was(noisy):
    """Ctrl-C in the middle of a fit, sent to a real process."""
    code = """
import os, signal, threading, time, warnings
import numpy as np
import rosenblatt as rb
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20000, 50)), rng.integers(0, 2, 20000)
model = rb.Perceptron(max_iter=2, random_state=0).fit(X, y)
before = {k: repr(v) for k, v in model.__dict__.items()}
model.max_iter, model.tol = 10**9, None
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
threading.Thread(target=lambda: (time.sleep(1.0), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    model.max_iter, model.tol = 2, 1.0
    print(before == {k: repr(v) for k, v in model.__dict__.items()})
"""
    assert run_python(code).strip() == "True"


def test_same_seed_same_bits_in_another_process(noisy):
    code = """
import warnings; warnings.simplefilter("ignore")
import rosenblatt as rb
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
m = rb.PassiveAggressive(random_state=5, max_iter=3).fit(X, y)
print(m.coef_.tobytes().hex()[:4000])
"""
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = rb.PassiveAggressive(random_state=5, max_iter=3).fit(X, y)
    assert run_python(code).strip() == here.coef_.tobytes().hex()[:4000]
