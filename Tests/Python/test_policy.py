"""Policies in JSON, as the settle command reads and writes them, and as Tests/Cases/policies has them."""

import json
import random

import numpy as np
import pytest
from cases import pairs

import settle

def test_default_and_presets(settle_command):
    assert settle.Policy().to_json() == json.loads(settle_command("policy"))
    assert settle.Policy.uikit().to_json() == json.loads(settle_command("policy", "--policy", "uikit"))
    assert settle.Policy.default() == settle.Policy()
    live = settle.Policy.live()
    assert live.to_json() == json.loads(settle_command("policy", "--policy", "live"))
    assert live.to_json() == json.loads(settle_command("policy", "--live-share", "30%", "--live-pause", "50ms"))
    assert live == settle.Policy(live_share_percent=30, live_pause_ns=50_000_000)
    assert live == settle.Policy.from_json({"liveShare": "30%", "livePause": "50ms"})
    assert live.to_json()["liveShare"] == "30%" and settle.Policy().to_json()["liveShare"] is None
    prepared = settle.Policy.prepared()
    assert prepared.to_json() == json.loads(settle_command("policy", "--policy", "prepared"))
    assert prepared == settle.Policy(pause_delay_ns=50_000_000, pause_share_percent=50)
    assert prepared == settle.Policy.from_json({"pauseDelay": "50ms", "pauseShare": "50%"})


def test_policies_of_the_grid_goes_both_ways():
    for policy in settle.Policy.grid()[::7] + settle.Policy.grid(live=True)[::7]:
        assert settle.Policy.from_json(policy.to_json()) == policy
        assert settle.Policy.from_json(json.dumps(policy.to_json())) == policy


def test_cases():
    standard, found = settle.Policy().to_json(), 0
    for text, sign, answer in pairs("policies"):
        if text.startswith('"'):
            continue
        found += 1
        if sign == "!":
            with pytest.raises(settle.PolicyError) as caught:
                settle.Policy.from_json(text)
            assert str(caught.value) == answer
        else:
            words = [None if word == "none" else word for word in answer.split()]
            assert settle.Policy.from_json(text).to_json() == standard | dict(zip(words[::2], words[1::2]))
    assert found > 80


def test_random_durations_are_printed_as_settle_prints_them(settle_command, tmp_path):
    generator = random.Random(1)
    for _ in range(5):
        durations = {name: int(2 ** (generator.random() * 41)) for name in settle.Policy.__dataclass_fields__}
        durations["live_share_percent"] = generator.randint(1, 100)
        durations["pause_share_percent"] = generator.randint(1, 100)
        policy = settle.Policy(**durations)
        path = tmp_path / "policy.json"
        path.write_text(json.dumps(policy.to_json()))
        assert json.loads(settle_command("policy", "--policy", path)) == policy.to_json()
        assert settle.Policy.read(path) == policy


@pytest.mark.parametrize(("text", "problem"), [
    ("{} {}", "something follows the policy's object"), ("", "a policy is an object"), ({5: "1s"}, "is no duration"),
    ({"lockDelay": 5}, "lockDelay must be"), ({"lockDelay": {1}}, "a policy is a mapping from names to strings"),
])
def test_faults(text, problem):
    with pytest.raises(settle.PolicyError) as caught:
        settle.Policy.from_json(text)
    assert problem in str(caught.value)


def test_durations_are_integers_in_their_range():
    policy = settle.Policy(first_delay_ns=np.int64(5))
    assert policy == settle.Policy(first_delay_ns=5) and type(policy.first_delay_ns) is int
    for durations, problem in [
        *(({"first_delay_ns": wrong}, "must be an int of 0 … 2\\*\\*60 ns, and") for wrong in (5.0, True, "5", -1)),
        ({"jump_delay_ns": True}, "jump_delay_ns must be an int of 0 … 2\\*\\*60 ns or None, and"),
        *(
            ({f"{share}_share_percent": wrong}, f"{share}_share_percent must be an int of 1 … 100 or None, and is")
            for share in ("live", "pause") for wrong in (0, 101, 0.3, "30%", True)
        ),
        ({"live_limit_ns": -1}, "live_limit_ns must be an int of 0 … 2\\*\\*60 ns or None, and is -1"),
        ({"live_interval_ns": None}, "live_interval_ns must be an int of 0 … 2\\*\\*60 ns, and is None"),
        ({"quiet_delay_ns": 2**60 + 1}, "quiet_delay_ns must be an int of 0 … 2\\*\\*60 ns, and is"),
        ({"calm_delay_ns": None}, "calm_delay_ns must be an int of 0 … 2\\*\\*60 ns, and is None"),
    ]:
        with pytest.raises(settle.PolicyError, match=problem):
            settle.Policy(**durations)


def test_a_file_has_a_bound(tmp_path):
    path = tmp_path / "policy.json"
    path.write_text("{}" + " " * (64 * 1024 - 2))
    assert settle.Policy.read(path) == settle.Policy()
    path.write_text("{}" + " " * (64 * 1024 - 1))
    with pytest.raises(settle.PolicyError, match="the file is longer than 65536 bytes"):
        settle.Policy.read(path)


def test_lists(settle_command, tmp_path):
    path = tmp_path / "policies.json"
    path.write_text(settle_command("policy") + settle_command("policy", "--policy", "uikit") + "{}{}\n")
    assert settle.Policy.read_list(path) == [settle.Policy(), settle.Policy.uikit(), settle.Policy(), settle.Policy()]
    with pytest.raises(settle.PolicyError, match="there are more than 3 policies"):
        settle.Policy.read_list(path, most=3)
    for content, problem in [
        (b"", "there is no policy"), (b"{}\n{}\n{\n \"x\":\"1s\"}", "line 4: x is no duration"),
        (b"{}\n\xff", "line 2: this is no UTF-8"), (b"{}\n{}\n[]", "line 3: a policy is an object"),
    ]:
        path.write_bytes(content)
        with pytest.raises(settle.PolicyError, match=problem) as caught:
            settle.Policy.read_list(path)
        assert str(path) in str(caught.value)
