"""Policies in JSON, as the settle command reads and writes them."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import settle

NAMES = list(settle.Policy().to_json())
TEXTS = [
    "0", "0s", "00", ".0", ".", "", "0.", "..0", "5", "5ns", "1us", "1µs", "1μs", "1.5ms", ".5s", "5.s", ".s", "1min",
    "2h", "-1s", "+1s", " 1s", "1s ", "1 s", "1e3s", "1S", "0.0000000004s", "0.0000000005s", "0.4ns", "0.5ns", "1.5ns",
    "2.5ns", "0.123456789123456789123s", "1152921504606846976ns", "1152921504606846977ns", "9223372036854775807ns",
    "9223372036854775808ns", "18446744073709551616ns", "99999999999999999999999999h", "0" * 5000 + "1ms", "٣s",
    "3600s", "3600.000000001s", "60min", "1h", "none", "None", "null", "1,5s", "1.2.3s", "0x10ns", "ms", "50ms",
]


def written(settle_command, tmp_path: Path, text: str) -> settle.Policy | None:
    """The policy that settle reads from a file, None if it refuses it."""
    path = tmp_path / "policy.json"
    path.write_text(text)
    try:
        return settle.Policy.from_json(settle_command("policy", "--policy", path))
    except AssertionError:
        return None


def test_default_and_presets(settle_command):
    assert settle.Policy().to_json() == json.loads(settle_command("policy"))
    assert settle.Policy.uikit().to_json() == json.loads(settle_command("policy", "--policy", "uikit"))


def test_policies_of_the_grid_goes_both_ways():
    for policy in settle.Policy.grid()[::7]:
        assert settle.Policy.from_json(policy.to_json()) == policy
        assert settle.Policy.from_json(json.dumps(policy.to_json())) == policy


@pytest.mark.parametrize("name", ["quietMaximum", "jumpDelay"])
def test_texts_are_read_as_settle_reads_them(settle_command, tmp_path, name):
    for text in TEXTS:
        source = json.dumps({"quietDelay": "0s", name: text}, ensure_ascii=False)
        expected = written(settle_command, tmp_path, source)
        try:
            found = settle.Policy.from_json(source)
        except settle.PolicyError as error:
            found = None
            assert str(error).startswith(name), error
        assert found == expected, text


def test_random_durations_are_printed_as_settle_prints_them(settle_command, tmp_path):
    generator = random.Random(1)
    for _ in range(40):
        durations = {name: int(2 ** (generator.random() * 41)) for name in settle.Policy.__dataclass_fields__}
        durations["quiet_delay_ns"] = min(durations["quiet_delay_ns"], durations["quiet_maximum_ns"])
        policy = settle.Policy(**durations)
        path = tmp_path / "policy.json"
        path.write_text(json.dumps(policy.to_json()))
        assert json.loads(settle_command("policy", "--policy", path)) == policy.to_json()
        assert settle.Policy.read(path) == policy


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"quietDelai":"1s"}', "quietDelai is no duration of a policy; did you mean 'quietDelay'?"),
        ('{"lockDelay":"1s","lockDelay":"1s"}', "lockDelay is given twice"),
        ('{"lockDelay":5}', 'lockDelay must be a string with a unit, such as "50ms"'),
        ('{"lockDelay":null}', "lockDelay cannot be none; give 0s for no wait"),
        ('{"quietDelay":"2h"}', "quietDelay is 7200s; it must be from 0s to 3600s"),
        (
            '{"quietDelay":"2s","quietMaximum":"500ms"}',
            "quietDelay is 2s; it must be from 0s to 500ms, its quietMaximum",
        ),
        ('{"quietMaximum":"2h"}', "quietMaximum is 7200s; it must be from 0s to 3600s"),
        ('{"maximumWait":"1152921504606846977ns"}', "maximumWait is 1152921504.606846977s; it must be from 0s to"),
        ("{} {}", "something follows the policy's object"), ("[]", "a policy is an object"),
        ("", "a policy is an object"), ("{", "expected '\"'"), ('{"lockDelay":"1s"', "expected '}'"),
        ('{"lockDelay":"1s",}', "expected '\"'"), ('{"\\ud800":"1s"}', "a lone surrogate"),
    ],
)
def test_faults(text, problem):
    with pytest.raises(settle.PolicyError) as caught:
        settle.Policy.from_json(text)
    assert problem in str(caught.value)


@pytest.mark.parametrize("delay", [0, 100, 200, 201, 500, 501, 2_000, 3_600_000])
def test_a_quiet_time_that_is_given_alone_takes_the_other_along_as_in_settle(settle_command, delay):
    for option, name in (("--quiet-delay", "quiet_delay_ns"), ("--quiet-maximum", "quiet_maximum_ns")):
        by_option = settle.Policy.from_json(settle_command("policy", option, f"{delay}ms"))
        key = {"quiet_delay_ns": "quietDelay", "quiet_maximum_ns": "quietMaximum"}[name]
        for number in (delay * 1_000_000, np.int64(delay * 1_000_000)):
            assert settle.Policy(**{name: number}) == by_option
        assert settle.Policy.from_json({key: f"{delay}ms"}) == by_option
    with pytest.raises(settle.PolicyError, match="quiet_maximum_ns must be at least quiet_delay_ns"):
        settle.Policy(quiet_delay_ns=2_000_000_000, quiet_maximum_ns=500_000_000)
    with pytest.raises(settle.PolicyError, match="quiet_delay_ns must be an int"):
        settle.Policy(quiet_delay_ns="2s")


def test_integers_of_numpy_are_integers():
    policy = settle.Policy(first_delay_ns=np.int64(5))
    assert policy == settle.Policy(first_delay_ns=5) and type(policy.first_delay_ns) is int
    for wrong in (5.0, np.float64(5), True, "5"):
        with pytest.raises(settle.PolicyError, match="first_delay_ns must be an int"):
            settle.Policy(first_delay_ns=wrong)


def test_mappings_are_checked():
    with pytest.raises(settle.PolicyError, match="lockDelay must be a string"):
        settle.Policy.from_json({"lockDelay": 5})
    with pytest.raises(settle.PolicyError, match="is no duration"):
        settle.Policy.from_json({5: "1s"})
    with pytest.raises(settle.PolicyError, match="jump_delay_ns must be an int of"):
        settle.Policy(jump_delay_ns=True)


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
