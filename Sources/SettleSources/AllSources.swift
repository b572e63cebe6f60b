extension SourceKind {
    /// A row for each source of this library.
    public static let all: [SourceKind] = [X11Source.kind, WaylandSource.kind, TerminalSource.kind]
}
