"""What can be wrong before a fleet's run begins."""

from __future__ import annotations

import difflib
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .._messages import escaped
from .._sums import SUMS_POLICIES_MAX
from ..errors import Error

#: The oldest Java that Spark 4 runs on.
JAVA_MIN = 17

#: Arrow's types of text.
TEXT = {"string", "large_string", "string_view"}
_BINARY = {"binary", "large_binary", "binary_view"}
_WHOLE = re.compile(r"u?int(8|16|32|64)|(tiny|small|big)?int|bool(ean)?|date(32\[day\])?|(var)?char\(\d+\)")


class FleetError(Error):
    """Why a fleet's run cannot begin or did not end.

    Attributes:
        status: The command's exit status: 1 for a fault of what it was given, 2 for a wrong command line, 3 for what
            cannot be read, written or started.
    """

    def __init__(self, problem: str, status: int = 1) -> None:
        super().__init__(problem)
        self.status = status

    def __reduce__(self) -> tuple[type[FleetError], tuple[str, int]]:
        return FleetError, (str(self), self.status)


def local_path(name: str, *, master_is_local: bool) -> Path | None:
    """The path of a local file or folder; None for one that only Spark's file systems reach."""
    if name.startswith("file:"):
        return Path(re.sub("^file:(//)?(?=/)", "", name))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", name):
        return None
    return Path(name) if master_is_local else None


def check_columns(
    found: Sequence[tuple[str, str]], *, session: str, log: str, cohort: Sequence[str], taken: Iterable[str], where: str
) -> None:
    """Checks the input's columns, of which the names and types are given. Raises FleetError: one is missing or of
    another type than is expected, or a cohort column has a name that is taken by the outputs."""
    for name in cohort:
        if cohort.count(name) > 1:
            raise FleetError(f"--cohort names the column '{escaped(name)}' twice", 2)
        if name.casefold() in {other.casefold() for other in taken}:
            raise FleetError(
                f"the column '{name}' cannot make cohorts, since the output has a column of that name; rename it in the"
                " input"
            )
    types = dict(found)
    for name, option, kinds, expected in (
        (session, "--session", TEXT, "text or a whole number"),
        (log, "--log", _BINARY, "binary: whole binary logs, as settle pack writes them"),
        *((name, "--cohort", TEXT, "text, a whole number, a boolean or a date") for name in cohort),
    ):
        if name not in types:
            raise FleetError(f"{where}: there is no column '{escaped(name)}' ({option}){_guess(name, types)}")
        kind = types[name]
        kind = re.sub(r"^dictionary<values=(\w+).*>$", r"\1", kind)
        fits = (
            kind in kinds
            or (kinds is TEXT and _WHOLE.fullmatch(kind))
            or (kinds is _BINARY and kind.startswith("fixed_size_binary"))
        )
        if not fits:
            raise FleetError(
                f"{where}: the column '{escaped(name)}' ({option}) is of type {types[name][:100]};"
                f" expected is {expected}"
            )


def _guess(name: str, types: dict[str, str]) -> str:
    folded = {other.casefold(): other for other in types}
    near = difflib.get_close_matches(name.casefold(), folded, 1, 0.6)
    if near:
        return f"; did you mean '{escaped(folded[near[0]])}'?"
    shown = ", ".join(f"'{escaped(other)}'" for other in list(types)[:10])
    return f"; there are {shown}{' and others' if len(types) > 10 else ''}" if types else "; there is none"


def check_schema(schema: Any, *, where: str = "the input", more: Iterable[str] = (), **expected: Any) -> None:
    """Checks the columns of an Arrow schema, and `more` ones of text. Raises FleetError: one is not as expected."""
    found = [(field.name, str(field.type)) for field in schema]
    check_columns([*found, *((name, "string") for name in more)], where=where, **expected)


def folder_columns(file: str, root: Path) -> list[tuple[str, str]]:
    """The columns that stand in the names of a file's folders, such as platform=x11, and their values."""
    return re.findall(r"(?:^|/)([^/=]+)=([^/]*)(?=/)", os.path.relpath(file, root) if root.is_dir() else "")


def check_input(path: Path, **expected: Any) -> tuple[list[str], int, int]:
    """Checks the columns of all Parquet files of a local input; returns the files, their bytes and their row groups.
    Raises FleetError: it is missing, it is no Parquet, or a column is not as expected."""
    import pyarrow as pa
    import pyarrow.dataset
    import pyarrow.parquet

    if not path.exists():
        raise FleetError(f"{escaped(str(path))}: there is no such file or folder", 3)
    try:
        data = pyarrow.dataset.dataset(str(path), format="parquet", partitioning="hive")
    except (pa.ArrowInvalid, OSError) as error:
        raise FleetError(f"{escaped(str(path))}: this cannot be read as Parquet: {first_line(error)}") from None
    files = data.files
    if not files:
        raise FleetError(f"{escaped(str(path))}: the folder has no Parquet file")
    groups = size = 0
    for file in files:
        shown = escaped(file)
        try:
            metadata = pyarrow.parquet.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
        except (pa.ArrowInvalid, OSError) as error:
            raise FleetError(f"{shown}: this is no Parquet file: {first_line(error)}") from None
        groups += metadata.num_row_groups
        size += os.path.getsize(file)
        of_folders = {name for name, _ in folder_columns(file, path)}
        check_schema(schema, where=shown, more=of_folders - set(schema.names), **expected)
    return files, size, groups


def check_cohort(cohort: Sequence[str]) -> None:
    """Checks that columns are a sequence of names, and not a name. Raises TypeError."""
    if isinstance(cohort, str):
        raise TypeError(f"cohort is the text {cohort!r}; give a sequence of columns, as [{cohort!r}]")


def check_sums(policies: int, sums: bool) -> None:
    """Checks how many policies there are for sums. Raises FleetError: too many."""
    if sums and policies > SUMS_POLICIES_MAX:
        raise FleetError(
            f"sums have at most {SUMS_POLICIES_MAX} policies, and there are {policies}; give those of the sums, in"
            " their order, by --policies",
            2,
        )


def check_java() -> None:
    """Checks that there is a Java which Spark runs on. Raises FleetError: there is none, or it is too old."""
    advice = "install the package openjdk-17-jre-headless, or set JAVA_HOME"
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin/java") if home else shutil.which("java")
    if java is None or not os.access(java, os.X_OK):
        raise FleetError(f"Spark needs Java {JAVA_MIN} or later, and {java or 'java'} is not there; {advice}", 3)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', said.stderr + said.stdout)
    if not found or int(found[1]) < JAVA_MIN:
        which = f"version {found[1]}" if found else "of an unknown version"
        raise FleetError(f"Spark needs Java {JAVA_MIN} or later, and {java} is {which}; {advice}", 3)


def check_packages(*, spark: bool) -> None:
    """Checks that PyArrow is there, and PySpark and what it needs. Raises FleetError: one is missing, or too old."""
    advice = f"install {'them' if spark else 'it'} by: pip install pyarrow" + " 'pyspark>=4' 'pandas>=2.2,<3'" * spark
    # PySpark passes Arrow's batches only if there is pandas, which it does not depend on.
    for name in ("pyarrow", "pandas", "pyspark") if spark else ("pyarrow",):
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise FleetError(f"the package {name} cannot be used: {error}; {advice}", 3) from None
    if not spark:
        return
    import pyspark

    if int(pyspark.__version__.split(".")[0]) < 4:
        raise FleetError(f"pyspark is version {pyspark.__version__}, and 4.0 or later is needed; {advice}", 3)


def first_line(error: BaseException) -> str:
    """The first line of an error's text, for a message of one line."""
    return escaped(str(error).strip().split("\n")[0][:300])
