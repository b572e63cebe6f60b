"""A browser for all tests of reports."""
import pathlib

import pytest
from page import Browser


def pytest_addoption(parser):
    parser.addoption("--screenshots", metavar="FOLDER", type=pathlib.Path, help="also writes pictures of pages there")


def pytest_collection_modifyitems(config, items):
    if not config.option.screenshots:
        items[:] = [item for item in items if item.name != "test_screenshots"]


@pytest.fixture(scope="session")
def chromium(work):
    with Browser(work) as browser:
        yield browser


@pytest.fixture
def browser(chromium):
    # A test that found a fault may have left another.
    chromium.size(1600)
    chromium.fault = None
    return chromium
