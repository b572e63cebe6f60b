import SettleSources

/// The options that select a live source, made from the rows of `SourceKind.all`.
struct SourceOptions {
    /// A source that sees a desktop, and the flag that names it.
    struct Desktop {
        let kind: SourceKind
        let flag: String
        let name: String
    }

    static let desktops = SourceKind.all.compactMap { kind -> Desktop? in
        guard case .flag(let flag, let name) = kind.selection else { return nil }
        return Desktop(kind: kind, flag: flag, name: name)
    }

    /// What the verb does, for help.
    let verb: String
    /// Whether the verb takes the first desktop if no option names a source, which then has no flag.
    let hasDefault: Bool

    private var flags: [Desktop] { Array(Self.desktops.dropFirst(hasDefault ? 1 : 0)) }

    var specs: [OptionSpec] {
        flags.map { .flag($0.flag) } + SourceKind.all.flatMap(\.parameters).map { .value($0.name) }
    }

    /// The options' lines.
    var help: String {
        let flags = flags.map { ("--\($0.flag)", "\(verb) the windows of the \($0.name)") }
        let values = SourceKind.all.flatMap(\.parameters).map { ("--\($0.name) NAME", $0.summary) }
        return (flags + values).map { HelpText.option($0, $1, column: 28) }.joined(separator: "\n")
    }

    /// The lines of usage with a flag each.
    func usage(_ rest: String) -> String {
        flags.map { "       settle \(verb) [OPTION]... --\($0.flag)\(rest)" }.joined(separator: "\n")
    }
}

extension Options {
    /// The desktop that a flag names; `nil` if none does.
    ///
    /// - Parameter verb: What the verb does, and what is done by it.
    func desktop(_ verb: (does: String, isDone: String)) throws -> SourceOptions.Desktop? {
        let named = SourceOptions.desktops.filter { has($0.flag) }
        if named.count > 1 {
            throw Failure.usage("--\(named[0].flag) and --\(named[1].flag) are two desktops; choose one")
        }
        if let first = named.first, command != nil {
            throw Failure.usage(
                "--\(first.flag) \(verb.does) a desktop, and an app after -- is \(verb.isDone) under Wayland; choose one"
            )
        }
        return named.first
    }

    /// The kind of live source that reads a desktop or, without one, what the options name: the app after
    /// `--`, or the first desktop. And what to open it with.
    func source(_ desktop: SourceOptions.Desktop?) throws -> (kind: SourceKind, arguments: SourceArguments) {
        let kind =
            command == nil
            ? (desktop ?? SourceOptions.desktops.first)?.kind : SourceKind.all.first { $0.selection == .command }
        guard let kind else { throw Failure(code: .io, message: "this settle has no source for that") }
        for other in SourceOptions.desktops where other.kind.name != kind.name {
            for parameter in other.kind.parameters where has(parameter.name) {
                let app = command == nil ? "" : "; an app after -- is watched under Wayland"
                throw Failure.usage("--\(parameter.name) is for the \(other.name)\(app)")
            }
        }
        let names = kind.parameters.map(\.name)
        let values = names.reduce(into: [:]) { $0[$1] = value($1) }
        return (kind, SourceArguments(values: values, command: command ?? [], ownsProcess: true))
    }
}
