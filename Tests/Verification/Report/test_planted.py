"""Each fault of the page is found by the test that it names."""
import pytest
import test_answers
import test_builds
import test_fleet
import test_many
import test_page
import test_scripts
import test_tables
from planted import FAULTS
from results import report

TESTS = {name: each for module in (test_answers, test_builds, test_fleet, test_many, test_page, test_scripts, test_tables) for name, each in vars(module).items()}


@pytest.mark.parametrize("fault, name", [fault[:2] for fault in FAULTS])
def test_planted(browser, fault, name):
    browser.fault = fault
    with pytest.raises(AssertionError) as found:
        TESTS[f"test_{name}"](browser)
    report(f"{name} finds {fault}", True, " ".join(str(found.value).split())[:110])
