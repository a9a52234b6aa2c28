"""The server's answers are the library's, and nobody else gets any."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from rosenblatt import Perceptron, certify
from rosenblatt.data.toys import TOYS
from rosenblatt.estimators import MEMBERS
from rosenblatt.theory.budgets import BUDGETS

TOY = TOYS["halfplanes"].make(n=40, margin=0.1, seed=0)
TABLE = {"points": TOY.X.tolist(), "labels": TOY.y.tolist()}


def asked(**more):
    return {"data": TABLE, "algorithm": "Perceptron", **more}


def test_the_registry_knows_every_member_with_its_own_parameters(client):
    found = client.get("/api/registry").json()
    assert [a["name"] for a in found["algorithms"]] == list(MEMBERS)
    assert [g["name"] for g in found["generators"]] == list(TOYS)
    for algorithm in found["algorithms"]:
        defaults = MEMBERS[algorithm["name"]]().get_params()
        for parameter in algorithm["parameters"] + algorithm["common"]:
            default = parameter["default"]
            own = defaults[parameter["name"]]
            assert (float("inf") if default == "inf" else default) == own


def test_a_kernel_member_has_all_its_controls(client):
    found = client.get("/api/registry").json()
    kernel = next(a for a in found["algorithms"] if a["name"] == "KernelPerceptron")
    known = {p["name"]: p for p in kernel["parameters"] + kernel["common"]}
    assert known["readout"]["choices"] == ["last", "averaged", "voted", "pocket", "random"]
    assert known["normalise"]["kind"] == "boolean"
    assert (known["budget"]["kind"], known["budget"]["nullable"]) == ("integer", True)
    assert known["budget_policy"]["choices"] == list(BUDGETS)


def test_who_cannot_branch_explains_it_and_is_refused(client):
    found = client.get("/api/registry").json()
    why = {a["name"]: a["restarts"] for a in found["algorithms"] if a["restarts"] is not None}
    assert set(why) == {"KernelPerceptron", "AdaTron"}
    start = {"coef": [[1.0, 0.0]], "intercept": [0.0]}
    for name in MEMBERS:
        body = asked(algorithm=name, parameters={"max_iter": 2}, start=start)
        status = client.post("/api/continue", json=body).status_code
        assert status == (422 if name in why else 200), name


@pytest.mark.parametrize("name", MEMBERS)
def test_defaults_of_the_registry_run(client, name):
    found = client.get("/api/registry").json()
    algorithm = next(a for a in found["algorithms"] if a["name"] == name)
    given = {p["name"]: p["default"] for p in algorithm["parameters"] + algorithm["common"]}
    given["max_iter"] = 3
    answer = client.post("/api/run", json=asked(algorithm=name, parameters=given))
    assert answer.status_code == 200, answer.text


def test_data_is_the_library_s(client):
    drawn = client.post("/api/data", json={"generator": "halfplanes", "seed": 0}).json()
    toy = TOYS["halfplanes"].make(seed=0)
    assert drawn["points"] == toy.X.tolist()
    assert drawn["labels"] == toy.y.tolist()
    assert drawn["margin"] == toy.margin


def test_a_run_is_the_library_s_to_the_bit(client):
    found = client.post("/api/run", json=asked(seed=5)).json()
    clf = Perceptron(random_state=5).fit(TOY.X, TOY.y)
    assert found["result"]["coef"] == clf.coef_.tolist()
    assert found["updates"]["i"] == clf.journal_.updates.i.tolist()
    assert found["result"]["converged"] is True
    assert found["cut"] is None


def test_a_branch_goes_on_from_the_weights_given(client):
    start = {"coef": [[0.3, -2.0]], "intercept": [0.25]}
    found = client.post("/api/continue", json=asked(start=start)).json()
    clf = Perceptron(random_state=0).fit(
        TOY.X, TOY.y, coef_init=np.array([[0.3, -2.0]]), intercept_init=np.array([0.25])
    )
    assert found["start"]["w"] == [[0.3, -2.0, 0.25]]
    assert found["result"]["coef"] == clf.coef_.tolist()


def test_a_branch_of_what_cannot_go_on_is_refused(client):
    start = {"coef": [[0.3, -2.0]], "intercept": [0.25]}
    answer = client.post("/api/continue", json=asked(algorithm="AdaTron", start=start))
    assert answer.status_code == 422
    assert "begins at zero" in answer.json()["detail"]


def test_a_certificate_is_the_library_s(client):
    found = client.post("/api/certify", json={"data": TABLE}).json()
    own = certify(TOY.X, TOY.y)
    assert found["verdict"] == own.verdict == "separable"
    assert found["margin_bracket"] == list(own.margin_bracket)
    assert found["mistake_bound"] == own.mistake_bound
    xor = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0]}
    found = client.post("/api/certify", json={"data": xor}).json()
    assert found["verdict"] == "inseparable"
    assert found["coefficients"] == ["1/4"] * 4


def test_orders_are_real_runs_within_the_bound(client):
    found = client.post("/api/orders", json={"data": TABLE, "orders": 50}).json()
    assert len(found["updates"]) == 50
    assert all(found["converged"])
    assert max(found["updates"]) <= found["bound"] == certify(TOY.X, TOY.y).mistake_bound
    assert len(set(found["updates"])) > 5


def test_a_run_without_end_is_cut_off_and_reports_it(client):
    toy = TOYS["halfplanes"].make(n=2000, margin=0.05, noise=0.4, seed=0)
    table = {"points": toy.X.tolist(), "labels": toy.y.tolist()}
    body = {"data": table, "algorithm": "Perceptron", "parameters": {"max_iter": 1_000_000}}
    answer = client.post("/api/run", json=body)
    assert answer.status_code == 200
    assert answer.json()["cut"].startswith("cut off after")
    assert answer.json()["result"]["converged"] is False
    assert len(answer.json()["updates"]["t"]) == answer.json()["result"]["updates"]


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (asked(algorithm="Nobody"), "no member of the family"),
        (asked(parameters={"verbose": 3}), "no parameter 'verbose'"),
        (asked(parameters={"max_iter": "many"}), "max_iter='many' must be a whole number"),
        (asked(parameters={"max_iter": 0}), "max_iter=0"),
        (asked(parameters={"scheme": "guess"}), "take one of"),
        (asked(parameters={"shuffle": 1}), "must be True or False"),
        (asked(path="/etc/passwd"), "path"),
        (asked(data={"points": [[1, 2], [3, 4]], "labels": [1, 1]}), "two classes"),
        (asked(data={"points": [[1, 2], [3]], "labels": [1, -1]}), "more coordinates"),
        (asked(data={"points": [[1, 2]] * 3, "labels": [1, -1]}), "3 points but 2 labels"),
        (
            asked(data={"points": [[1e9, 2], [3, 4]], "labels": [1, -1]}),
            "[0][0] must be at most 1,000,000.",
        ),
    ],
)
def test_bad_requests_get_one_sentence(client, body, words):
    answer = client.post("/api/run", json=body)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_what_is_not_finite_is_refused_and_never_sent(client):
    text = json.dumps(asked()).replace(str(TABLE["points"][0][0]), "NaN", 1)
    answer = client.post("/api/run", content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    body = asked(algorithm="AdaTron", parameters={"C": "inf", "max_iter": 2})
    answer = client.post("/api/run", json=body)
    assert answer.status_code == 200
    json.loads(answer.text, parse_constant=pytest.fail)


def test_too_much_at_once_is_refused(client):
    table = {"points": [[0.0, 1.0]] * 2001, "labels": [1] * 2001}
    assert client.post("/api/run", json=asked(data=table)).status_code == 422
    huge = b"[" + b"1," * 1_500_000 + b"1]"
    answer = client.post("/api/run", content=huge, headers={"content-type": "application/json"})
    assert answer.status_code == 413

    def endless():
        for _ in range(60):
            yield b" " * 65536

    answer = client.post(
        "/api/run", content=endless(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


def test_only_its_own_page_may_ask(server, client):
    good = client.get("/api/alive")
    assert good.status_code == 200
    for headers in (
        {"host": "evil.example"},
        {"host": f"evil.example:{server.port}"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ):
        assert client.get("/api/alive", headers=headers).status_code == 403
    form = {"content-type": "text/plain"}
    assert client.post("/api/run", content="{}", headers=form).status_code == 415
    own = {"origin": server.url.rstrip("/")}
    assert client.get("/api/alive", headers=own).status_code == 200


def test_every_answer_carries_the_policy(client):
    for path in ("/", "/api/alive", "/api/nothing", "/assets/nothing.js"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        # WebAssembly may be compiled; no text may become a script.
        assert "'unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_no_path_leads_out_of_the_page(client):
    for path in ("/assets/../../app.py", "/assets/%2e%2e/%2e%2e/app.py", "/..%2fapp.py"):
        assert client.get(path).status_code in (404, 405)


def test_it_listens_on_this_machine_only(server):
    with open("/proc/net/tcp") as table:
        entries = [line.split()[1] for line in table.readlines()[1:] if line.split()[3] == "0A"]
    mine = [entry for entry in entries if entry.endswith(f":{server.port:04X}")]
    assert mine == [f"0100007F:{server.port:04X}"]


def test_many_at_once_are_served(server):
    def visit(number):
        codes = []
        with httpx.Client(base_url=server.url, timeout=60) as one:
            for turn in range(4):
                answer = one.post("/api/run", json=asked(seed=number * 10 + turn))
                codes.append(answer.status_code)
        return codes

    with ThreadPoolExecutor(50) as pool:
        codes = [code for part in pool.map(visit, range(50)) for code in part]
    assert len(codes) == 200
    assert set(codes) == {200}  # as many as may wait; more are rejected, see test_guard
