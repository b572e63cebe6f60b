import Settle
import SettleLog

/// `settle pack`: starts the Python package, which packs folders of logs into a Parquet file.
enum PackVerb {
    static let verb = Verb(
        name: "pack", summary: "pack folders of logs into a Parquet file, for a fleet", specs: nil, help: help
    ) { try PythonPackage.run(["pack"] + $0.positional) }

    static let help = """
        usage: settle pack [OPTION]... DIR OUT
        example: settle pack --path-pattern '{platform}/{version}/**' logs/ fleet.parquet

        Packs the logs in a folder, and in the folders in it, into a Parquet file with a row
        for each session: the columns session, the cohort columns, and log, a whole log in
        the binary encoding. settle-fleet reads it. A log is of any known format:
        \(FormatOption.names).
        A damaged binary log is packed as it is; other logs with a fault are left out. Files
        that are no logs are skipped, and so are links. The exit status is 1 if a log has a
        fault, and 3 if a file cannot be read or is compressed; OUT has the others.

          --cohorts FILE          cohorts from a CSV file, whose header has session or path
                                  and the names of the cohort columns
          --path-pattern PATTERN  cohorts from the path below DIR: {platform}/{version}/**
                                  names two columns
          --session-from WHAT     what names a session: path (its path below DIR), name (of
                                  its file) or stem (the name up to the last dot) (path)
          --partial               pack the events before a fault of a log
          --strict                pack nothing if a log has a fault, or if sessions and
                                  cohorts differ
          --force                 replace OUT if it exists
          --jobs N                threads, 1 to 256 (one for each processor)

        It needs Python with the packages settle and pyarrow (docs/guide/fleet.md). The
        environment variable SETTLE_PYTHON names another Python than python3.
        \(Outputs.rule)
        """
}
