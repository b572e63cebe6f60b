"""The command `settle-fleet`, on this machine or on Apache Spark."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._durations import nanoseconds
from .._log_files import Ended
from .._messages import escaped
from .._output import Identity, Output, OutputError, identity
from .._private_folder import delete_left, private_folder
from .._signals import ending_by_signals
from ..errors import Error
from ._input import FleetError, check_columns, check_input, check_java, check_packages, check_sums, local_path
from ._options import POLICIES_MAX, check_merge, number, parser, policy_of, share
from ._session import is_spark_error, problem_of, progress, start, task_progress
from ..policy import DELAY_MAX, Policy

if TYPE_CHECKING:
    from ._output import Fleet

#: Partitions for each processor: small ones, so that all processors end at about the same time.
PARTITIONS_PER_CORE = 4
#: What the name of a folder begins with that has partial counts for --cohort-minimum, beside OUT.
PRIVATE = ".settle-fleet-"
#: Bytes of the input in a partition.
PARTITION_BYTES_MIN, PARTITION_BYTES_MAX = 1 << 20, 64 << 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status, that of an Error or 3 if Spark failed."""
    return ending_by_signals(lambda _: _main(arguments), signal.SIGTERM, signal.SIGHUP, at_once=True)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        own = parser()
        own.check_options(given)
        options = own.parse_intermixed_args(given)
        plan = _Plan(options)
    except (Error, OSError) as error:
        return _failed(error)
    try:
        check_packages(spark=plan.is_spark)
        plan.check()
        plan.run()
    except BrokenPipeError:
        plan.forget_messages()
        _drop_output()
        return 141
    except (Error, OSError) as error:
        cause = error.__cause__
        if cause is not None and is_spark_error(cause):
            return _say(problem_of(cause, plan.messages), 3)
        plan.forget_messages()
        return _failed(error)
    except Ended:
        plan.forget_messages()
        raise
    except KeyboardInterrupt:
        plan.forget_messages()
        return _say("stopped" + "; give --force to replace what was written" * plan.is_spark, 130)
    except Exception as error:  # noqa: BLE001
        if not is_spark_error(error):
            raise
        return _say(problem_of(error, plan.messages), 3)
    plan.forget_messages()
    return 0


class _Plan:
    """What the options ask for. Raises FleetError: a value is none that the option takes; PolicyError: a policy is not
    accepted."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.cohort = [] if options.cohort is None else options.cohort.split(",")
        for name in self.cohort:
            if not name:
                raise FleetError(
                    f"--cohort is '{escaped(options.cohort)}', with an empty name; give columns, as platform,version", 2
                )
            if self.cohort.count(name) > 1:
                raise FleetError(f"--cohort names the column '{escaped(name)}' twice", 2)
        self.p95_lag_ns = None
        if options.p95_lag is not None:
            self.p95_lag_ns = nanoseconds(options.p95_lag)
            if self.p95_lag_ns is None or self.p95_lag_ns > DELAY_MAX:
                raise FleetError(
                    f"--p95-lag is '{escaped(options.p95_lag)}'; give a number and a unit"
                    " (ns, us, ms, s, min, h), as 50ms",
                    2,
                )
        self.max_damaged = share("--max-damaged", options.max_damaged)
        self.minimum = number("--cohort-minimum", options.cohort_minimum, 999_999)
        if self.minimum is not None and options.damaged_names:
            raise FleetError("--cohort-minimum is for others, who get no names; leave out --damaged-names", 2)
        self.is_submitted = self.is_spark = False
        self.input: Path | None = None
        self.output = local_path(options.output, master_is_local=True)
        self.messages: str | None = None
        if options.merge:
            check_merge(options)
            return
        if len(options.input) > 1:
            raise FleetError("there is one IN and one OUT; give --merge to add up outputs", 2)
        (options.input,) = options.input
        today = policy_of(options.policy)
        tried = Policy.read_list(options.policies, POLICIES_MAX) if options.policies else Policy.grid(today)
        self.policies = list(dict.fromkeys([today, *tried]))
        check_sums(len(self.policies), options.sums)
        if options.sums and options.salvage:
            raise FleetError("--salvage is for logs, and --sums has none", 2)
        self.partitions = number("--partitions", options.partitions, 999_999)
        self.memory = (number("--memory", options.memory, 65_536) or 1024) << 20
        self.jobs = number("--jobs", options.jobs, 1024)
        self.conf = {}
        for setting in options.conf:
            name, is_set, value = setting.partition("=")
            if not is_set or not name:
                raise FleetError(
                    f"--conf is '{escaped(setting)}'; give a setting of Spark and its value, as spark.cores.max=8", 2
                )
            self.conf[name] = value
        # spark-submit has started a JVM, and has a master.
        self.is_submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        self.is_spark = options.master is not None or (self.is_submitted and not options.local)
        self.is_local = not self.is_spark or (options.master or "").startswith("local")
        for name, value in (("--partitions", self.partitions), ("--conf", options.conf)):
            if value and not self.is_spark:
                raise FleetError(f"{name} is for Spark; give --master as well, as local[*]", 2)
        if self.jobs is not None and self.is_spark:
            raise FleetError("--jobs is for a run without Spark, whose own settings say how many tasks run", 2)
        self.input = local_path(options.input, master_is_local=self.is_local)
        self.output = local_path(options.output, master_is_local=self.is_local)
        self.size: int | None = None
        self.groups: int | None = None

    def check(self) -> None:
        """What can be known before Spark starts. Raises FleetError: what is wrong."""
        options = self.options
        if not options.merge:
            self._check_input()
        if self.output is not None:
            _check_output(self.output, self.input, force=options.force)
        if options.json not in (None, "-"):
            path = Path(options.json)
            if path.is_dir() or not path.absolute().parent.is_dir():
                raise FleetError(f"{escaped(options.json)}: --json needs a file in a folder that exists", 3)
            if path.exists() and not options.force:
                raise FleetError(f"{escaped(options.json)}: the file exists; give --force to replace it", 3)
            if any(place and path.resolve().is_relative_to(place.resolve()) for place in (self.input, self.output)):
                raise FleetError(f"{escaped(options.json)}: --json must not be within the input or OUT", 3)
            # What its folder and the file allow is known only by beginning to write.
            Output(options.json, force=options.force, inputs=self._inputs()).close()
        if self.is_spark and not self.is_submitted:
            check_java()

    def _check_input(self) -> None:
        from ._output import TAKEN

        options = self.options
        if not self.is_spark and (self.input is None or self.output is None):
            name = options.input if self.input is None else options.output
            raise FleetError(f"{escaped(name)}: only Spark reaches this file system; give --master, as local[*]", 3)
        if self.input is not None:
            _, self.size, self.groups = check_input(
                self.input, session=options.session, log=options.log, cohort=self.cohort, taken=TAKEN
            )
        else:
            # What needs no schema.
            names = [(name, "string") for name in (*self.cohort, options.session)]
            check_columns(
                [*names, (options.log, "binary")], session=options.session, log=options.log, cohort=self.cohort,
                taken=TAKEN, where=escaped(options.input),
            )

    def _inputs(self) -> list[Identity]:
        """The files that are read beside the input."""
        names = (self.options.policies, self.options.policy)
        return [found for found in (identity(name) for name in names if name is not None) if found is not None]

    def run(self) -> None:
        """Runs it, and prints the result."""
        if self.minimum is None:
            if self.output is not None:
                delete_left(PRIVATE, self.output.absolute().parent)
            self._run()
            return
        if self.output is None:
            raise FleetError(f"{escaped(self.options.output)}: --cohort-minimum needs an OUT on this machine", 2)
        from ._publish import publish

        # What is not for others is beside OUT, and nobody else may read it.
        output, force = self.output, self.options.force
        with private_folder(PRIVATE, output.absolute().parent) as place:
            self.output = place / "whole"
            try:
                self._run()
            except OSError as error:
                if str(error.filename or "").startswith(str(place)):
                    error.filename = str(output)
                raise
            self.output = output
            self.show(publish(place / "whole", output, minimum=self.minimum, force=force))

    def _run(self) -> None:
        """Runs it, and prints the result unless that is published."""
        from ._local import run_local
        from ._merge import merge
        from ._output import Fleet

        options = self.options
        if self.is_spark:
            self._run_on_spark()
            return
        assert self.output is not None
        if options.merge:
            self._done(merge(options.input, self.output, force=options.force))
            return
        assert self.input is not None
        with progress() as say:
            run_local(
                self.input, self.output, self.policies, cohort=self.cohort, session=options.session, log=options.log,
                salvage=options.salvage, force=options.force, jobs=self.jobs, memory_max=self.memory,
                progress=lambda sessions: say(f"{sessions:,} sessions"), damaged_names=options.damaged_names,
                sums=options.sums,
            )
        self._done(Fleet(self.output))

    def _done(self, result: Fleet) -> None:
        if self.minimum is None:
            self.show(result)

    def _run_on_spark(self) -> None:
        from ._folder import HadoopFiles
        from ._output import Fleet
        from ._spark import run

        if not self.is_submitted:
            file, self.messages = tempfile.mkstemp(prefix="settle-fleet-", suffix=".log")
            os.close(file)
        spark = start(self.options.master, self.conf, self.messages)
        try:
            cores = spark.sparkContext.defaultParallelism
            partitions = self.partitions
            if partitions is None and self.groups is not None and self.size is not None:
                wanted = cores * PARTITIONS_PER_CORE
                if self.groups < wanted:
                    partitions = max(min(wanted, self.size // PARTITION_BYTES_MIN), 1)
            split = min(
                max((self.size or 1 << 40) // (cores * PARTITIONS_PER_CORE), PARTITION_BYTES_MIN), PARTITION_BYTES_MAX
            )
            spark.conf.set("spark.sql.files.maxPartitionBytes", str(split))
            options = self.options
            output = _name(options.output, self.output)
            with task_progress(spark):
                run(
                    spark, _name(options.input, self.input), output, self.policies, cohort=self.cohort,
                    session=options.session, log=options.log, salvage=options.salvage, partitions=partitions,
                    force=options.force, memory_max=self.memory, damaged_names=options.damaged_names, sums=options.sums,
                )
            with private_folder("settle-fleet-") as copies:
                folder = self.output
                if folder is None:
                    # Sums are small, and the tables are read by PyArrow.
                    HadoopFiles(spark, output).copy_output(output, str(copies))
                    folder = copies
                self._done(Fleet(folder))
        finally:
            if not self.is_submitted:
                spark.stop()

    def show(self, result: Fleet) -> None:
        """Writes the export, and prints the result also if that fails. Raises FleetError: one of them cannot be
        written."""
        from ._text import text_of, too_damaged

        options, failure = self.options, None
        if options.json is not None:
            try:
                _write_json(result, options.json, options.force, self._inputs())
            except BrokenPipeError:
                raise
            except (OutputError, OSError) as error:
                failure = self._unwritten(options.json, error)
                if options.json == "-":
                    _drop_output()
        if options.json != "-":
            try:
                for line in text_of(result, self.p95_lag_ns):
                    print(line)
                sys.stdout.flush()
            except OSError as error:
                if failure is None and isinstance(error, BrokenPipeError):
                    raise
                failure = failure or self._unwritten("-", error)
                _drop_output()
        if failure is not None:
            raise failure
        problem = too_damaged(result, self.max_damaged)
        if problem is not None:
            raise FleetError(escaped(f"{problem}; {self._damage_advice()}"))

    def _damage_advice(self) -> str:
        options = self.options
        ways = [] if options.damaged_names or self.minimum is not None else ["--damaged-names to name them"]
        if not options.salvage and not options.sums and not options.merge:
            ways.append("--salvage to count their intact parts")
        ways.append(f"a larger --max-damaged than {options.max_damaged}")
        return f"the output {options.output} is complete, and its table damaged lists them; give {', or '.join(ways)}"

    def _unwritten(self, name: str, error: Error | OSError) -> FleetError:
        """What cannot be written after a run, which is not lost."""
        shown = "standard output" if name == "-" else name
        problem = error.in_command() if isinstance(error, Error) else f"{shown}: cannot write: {error.strerror}"
        out = self.options.output
        reads = f"; settle report {out} -o FILE.html reads it" if self.output is not None else ""
        return FleetError(escaped(f"{problem}; the output {out} is complete{reads}"), 3)

    def forget_messages(self) -> None:
        """Removes the file with Spark's messages."""
        if self.messages is not None:
            os.unlink(self.messages)
            self.messages = None


def _check_output(output: Path, input: Path | None, *, force: bool) -> None:
    from ._folder import MARK

    shown = escaped(str(output))
    if input is not None:
        one, other = input.resolve(), output.resolve()
        if one == other or one in other.parents or other in one.parents:
            raise FleetError(f"{shown}: OUT must not be the input, within it or around it", 3)
    if not output.exists() and not output.is_symlink():
        return
    if not output.is_dir():
        raise FleetError(f"{shown}: this is no folder; choose another name for OUT", 3)
    if not any(output.iterdir()):
        return
    if not (output / MARK).exists():
        raise FleetError(f"{shown}: this exists, and settle-fleet did not write it; choose another folder", 3)
    if not force:
        raise FleetError(f"{shown}: the output exists; give --force to replace it", 3)


def _name(given: str, path: Path | None) -> str:
    """A name for Spark: local files are local whatever its default file system is."""
    return given if path is None else "file://" + str(path.absolute())


def _drop_output() -> None:
    """Sends standard output nowhere from now on: Python writes what is left at its end, and would fail again."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _write_json(fleet: Fleet, name: str, force: bool, inputs: list[Identity]) -> None:
    if name == "-":
        fleet.write_json(sys.stdout)
        sys.stdout.flush()
        return
    with Output(name, force=force, inputs=inputs) as output:
        text = io.TextIOWrapper(output.file, encoding="utf-8", write_through=True)
        fleet.write_json(text)
        text.detach()
        output.finish()


def _failed(error: Exception) -> int:
    if isinstance(error, OSError):
        return _say(f"{escaped(str(error.filename))}: {error.strerror}" if error.filename else error, 3)
    if isinstance(error, OutputError):
        return _say(escaped(error.in_command()), 3)
    return _say(error.in_command(), error.status) if isinstance(error, Error) else _say(error, 1)


def _say(problem: object, status: int) -> int:
    print(f"settle-fleet: {problem}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
