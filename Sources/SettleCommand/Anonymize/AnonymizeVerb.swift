import Settle
import SettleLog
import SettlePlatform

/// `settle anonymize`: writes a log without what identifies its origin.
enum AnonymizeVerb {
    static let verb = Verb(
        name: "anonymize", summary: "write a log without names, exact sizes and dates", specs: specs,
        help: help, run: run)

    static let stepStandard = 8
    private static let stepRange = 1...1_000_000

    private static var help: String {
        """
        usage: settle anonymize [OPTION]... IN OUT
               settle anonymize [OPTION]... DIR|IN.parquet OUT.parquet
        example: settle anonymize --step 16 drag.settle public.settle

        Reads a log of any format and writes it as JSON Lines (.jsonl) or in the binary
        encoding (.settle) without what identifies its origin:

          names    each scene's name is replaced by a keyed hash (BLAKE2b), the same one
                   everywhere in the log. Without --key the key is random and forgotten, so
                   that nobody can link the names of two logs or test a guess.
          sizes    each side is rounded to the nearest multiple of --step, but never to 0.
                   Sizes that become equal are no change any more, so another number of
                   rebuilds may be decided. With --step 1 a log of whole sizes is decided
                   as before, but for the names and times. A size that engines reject
                   becomes −1×−1, which they reject as well.
          times    shifted so that the smallest is 0. Where some are 0 already, as of
                   windows that were there before, those after them begin at most a
                   minute later: they may count from the machine's start.
          header   only the clock and the unit are kept. Comments and unknown keys vanish.

        What stays recognisable:
        \(list(AnonymizeSummary.remaining))
        With --coarse, which makes times and sizes anew, only:
        \(list(AnonymizeSummary.remainingOfCoarse))
        With --key also:
        \(list(AnonymizeSummary.remainingWithKey))

        What was changed is printed on standard error. - is standard input or output. OUT
        is written completely or not at all, and begun only when IN has ended; its events
        are kept in memory until then. If IN has a fault, the exit status is 1 and nothing
        is written; with --partial OUT contains the events before the fault.
        \(Outputs.rule)

        Of a folder of logs, or of Parquet with a row for each session (settle pack), OUT is
        Parquet: sessions have new names, and only the columns of --cohort stay. It needs
        Python with the packages settle and pyarrow. Logs with a fault are left out, and the
        exit status is 1.

        \(FormatOption.help("of IN: ", column: 20))
        \(HelpText.option("--to FORMAT", "of OUT: jsonl or settle; by default, by its extension", column: 20))
        \(HelpText.option("--key FILE", "a file of 32 to 65536 random bytes: the same key gives the same names in every log. Keep it secret. To make one: head -c 32 /dev/urandom >KEY", column: 20))
        \(HelpText.option("--step N", "round sizes to multiples of N, in the log's unit: a whole number from 1 to 1000000 (\(stepStandard))", column: 20))
        \(HelpText.option("--coarse", "keep only what rebuilds depend on: the default policy and uikit decide as many, other policies may not; see docs/guide/privacy.md", column: 20))
        \(HelpText.option("--cohort COLUMN,…", "of Parquet: the columns to keep, of text, whole numbers, booleans or dates", column: 20))
          --session COLUMN  of Parquet: the column with the sessions' names (session)
          --log COLUMN      of Parquet: the column with the logs (log)
        \(HelpText.option("--path-pattern PATTERN", "of a folder: columns of the folders' names, as for settle pack", column: 20))
          --force           replace OUT if it exists
          --partial         write the events before a fault of IN
        """
    }

    private static func list(_ lines: [String]) -> String { lines.map { "  - " + $0 }.joined(separator: "\n") }

    private static let specs =
        [
            FormatOption.spec, .value("to"), .value("key"), .value("step"), .flag("coarse"), Outputs.force,
            Outputs.partial, OptionSpec(name: "framed", takesValue: false, isPublic: false),
        ] + specsOfMany
    private static let specsOfMany = [
        OptionSpec.value("cohort"), .value("session"), .value("log"), .value("path-pattern"),
    ]

    /// Whether a name is that of a folder or of Parquet: many logs, which the Python package reads.
    private static func isOfMany(_ path: String) -> Bool {
        var status = stat()
        return path.hasSuffix(".parquet") || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func form(_ options: Options) throws -> AnonymousForm {
        guard options.has("coarse") else {
            return .rounded(SizeStep(length: Double(try options.number("step", stepRange, default: stepStandard))))
        }
        guard options.value("step") == nil else {
            throw Failure.usage("--coarse makes sizes anew, and --step rounds them; give one of them")
        }
        return .coarse
    }

    private static func run(_ options: Options) throws -> ExitCode {
        if options.has("framed") { return try AnonymizeFrames.run(options, try form(options)) }
        guard options.positional.count == 2 else { throw Failure.usage("anonymize takes two logs, IN and OUT") }
        let (from, to) = (options.positional[0], options.positional[1])
        if isOfMany(from) { try PythonPackage.run(["anonymize"] + options.arguments) }
        if let spec = specsOfMany.first(where: { options.has($0.name) }) {
            throw Failure.usage("--\(spec.name) is for a folder or Parquet, and '\(from)' is one log")
        }
        if from == "-", options.value("key") == "-" {
            throw Failure.usage("standard input is either the log or the key; name a file for the other")
        }
        let format = try ConvertTarget.logFormat(options, to, exports: [])
        let form = try form(options)
        let given = try options.nameKey()
        let key = try given?.key ?? NameKey.random()
        let reader = try options.reader(from)
        var file = OutputFile(to, replaces: options.has("force"), input: reader.file)
        if let keyFile = given?.file { file.inputs.append(keyFile) }
        let output = try Outputs.open(file)

        let anonymizer = try LogAnonymizer(key, form, log: reader.name)
        let (events, fault) = try reader.readToFault { try anonymizer.take($0, reader.scenes) }
        let isWritten = fault == nil || options.has("partial")
        if isWritten { try anonymizer.finish(to: output, as: format, reader.header) }
        Terminal.clearProgress()
        let status = reader.sayEnd(fault, events: events, isWritten: isWritten)
        if isWritten {
            for line in anonymizer.summary.lines(output.name, form: form, hasKeyFile: given != nil) {
                Terminal.say(line)
            }
        }
        return status
    }
}
