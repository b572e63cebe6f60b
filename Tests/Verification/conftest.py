"""What all harnesses share: --long, folders, and a line for each result, with the sum that scripts/check-promises reads."""
import os
import pathlib
import signal
import tempfile

import pytest
import results

counts = {True: 0, False: 0}
MARKS = {True: "ok  ", False: "FAIL", None: "    "}


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also what takes long")


def pytest_configure(config):
    # A check that was started in the background, as by nohup, ignores these, and so would all that it starts.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # What runs is ended in order, and disks are unmounted.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    # tmux needs a locale with UTF-8.
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    for name in ("TMUX", "WAYLAND_SOCKET"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(config, items):
    # That a check finds its planted faults is tried by night: it costs more than the check.
    if not config.option.long:
        items[:] = [item for item in items if not item.get_closest_marker("long") and not item.name.startswith("test_planted")]


def new_folder():
    # Short, as a socket's path must be.
    with tempfile.TemporaryDirectory(prefix="settle-", ignore_cleanup_errors=True) as name:
        yield pathlib.Path(name).resolve()


folder = pytest.fixture(new_folder, name="folder")
work = pytest.fixture(new_folder, scope="session", name="work")


@pytest.fixture(scope="session")
def is_long(request):
    return request.config.option.long


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test has the results of its own, or is one."""
    report = (yield).get_result()
    report.results = [*results.found]
    results.found.clear()
    name = item.name.removeprefix("test_")
    if report.failed:
        report.results.append((False, f"{name}: {' '.join(call.excinfo.exconly().split())[:1000]}"))
    elif report.skipped:
        report.results.append((None, f"{name} is not tried: {report.longrepr[2].removeprefix('Skipped: ')}"))
    elif any(is_right is False for is_right, _ in report.results):
        report.outcome, report.longrepr = "failed", None
    elif report.when == "call" and all(is_right is None for is_right, _ in report.results):
        report.results.append((True, f"{name}: {' '.join((item.function.__doc__ or '').split())}".removesuffix(": ")))


def pytest_runtest_logreport(report):
    # A process of -n that ends has none.
    for is_right, said in getattr(report, "results", [(False, f"{report.nodeid}: {report.longrepr}")]):
        reporter.write_line(f"{MARKS[is_right]} {said}")
        if is_right is not None:
            counts[is_right] += 1
    reporter.flush()


def pytest_report_teststatus(report):
    # What failed without an exception is on its line.
    return "" if report.failed and not report.longrepr else report.outcome, "", ""


def pytest_sessionstart(session):
    global reporter
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        terminalreporter.write_line("no test is selected; --collect-only -vv lists all")
    terminalreporter.write_line(f"{counts[True]} passed, {counts[False]} failed")
