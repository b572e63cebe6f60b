internal import SettlePlatform

extension UISystem {
    /// Commands that act on an app as a person and the device would, as text: for what an
    /// event log cannot express. `docs/guide/scenes.md` lists the commands. They act on the app's
    /// first window, in virtual time; after the last one the app is terminated.
    struct Script {
        struct Line {
            let number: Int
            let text: String
            let command: Command
        }

        enum Command {
            case wait(Duration)
            case open(URL)
            case rotate(UIInterfaceOrientation)
            case drag(CGSize, steps: Int)
            case resize(CGSize)
            case fullscreen
            case cover(Bool)
            case display(CGSize?)
            case background
            case foreground
            case kill
            case tab(String)
            case separator(UISplitViewController.Column, to: CGFloat, steps: Int)
            case inspector(Bool)
            case sidebar(Bool)
            case dismiss
            case keyboard(CGFloat)
        }

        static let stepsMax = 100_000

        private let name: String
        private let lines: [Line]

        /// Reads and parses a script.
        ///
        /// - Throws: `UISystem.Error.script`, with the line that cannot be parsed.
        init(path: String) throws(UISystem.Error) {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw .script("\(path): cannot be read as UTF-8 text; use the path of a script")
            }
            try self.init(text, name: path)
        }

        init(_ text: String, name: String) throws(UISystem.Error) {
            self.name = name
            var lines: [Line] = []
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                // A # starts a comment only at the start of a word: a URL may contain one.
                let words = line.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("#") }.map(String.init)
                guard !words.isEmpty else { continue }
                let text = words.joined(separator: " ")
                guard let command = Command(words) else {
                    throw .script(
                        "\(name): line \(index + 1): '\(text)' is not a command; commands are \(Command.forms)")
                }
                lines.append(Line(number: index + 1, text: text, command: command))
            }
            self.lines = lines
        }

        /// Runs the commands on a launched app.
        ///
        /// - Parameter willRun: Gets each command before it is run.
        /// - Throws: `UISystem.Error.script`, with the line that the app or platform refuses.
        @MainActor func run(on system: UISystem, willRun: (String) -> Void) throws {
            for line in lines {
                willRun(line.text)
                do {
                    try line.command.run(on: system)
                } catch {
                    throw UISystem.Error.script("\(name): line \(line.number): '\(line.text)' was refused: \(error)")
                }
            }
        }
    }
}

extension UISystem.Script.Command {
    private typealias Column = UISplitViewController.Column

    static let forms =
        "wait TIME, open URL, rotate ORIENTATION, drag WIDTHxHEIGHT STEPS, resize WIDTHxHEIGHT, fullscreen, "
        + "cover on|off, display WIDTHxHEIGHT|off, background, foreground, tab IDENTIFIER, dismiss, "
        + "separator COLUMN WIDTH STEPS, inspector show|hide, sidebar show|hide, keyboard HEIGHT|off, kill"

    /// `nil` unless the words have one of `forms`.
    fileprivate init?(_ words: [String]) {
        let size = words.count > 1 ? CGSize(screen: words[1]) : nil
        switch (words[0], words.count) {
        case ("wait", 2):
            guard let duration = Duration(script: words[1]) else { return nil }
            self = .wait(duration)
        case ("open", 2):
            guard let url = URL(string: words[1]) else { return nil }
            self = .open(url)
        case ("rotate", 2):
            let named = (1...4).compactMap(UIInterfaceOrientation.init).first { "\($0)" == words[1] }
            guard let orientation = named else { return nil }
            self = .rotate(orientation)
        case ("drag", 3):
            guard let size, let steps = Int(words[2]), (1...UISystem.Script.stepsMax).contains(steps) else {
                return nil
            }
            self = .drag(size, steps: steps)
        case ("resize", 2):
            guard let size else { return nil }
            self = .resize(size)
        case ("display", 2):
            guard size != nil || words[1] == "off" else { return nil }
            self = .display(size)
        case ("cover", 2):
            guard ["on", "off"].contains(words[1]) else { return nil }
            self = .cover(words[1] == "on")
        case ("fullscreen", 1): self = .fullscreen
        case ("background", 1): self = .background
        case ("foreground", 1): self = .foreground
        case ("kill", 1): self = .kill
        case ("tab", 2...): self = .tab(words.dropFirst().joined(separator: " "))
        case ("dismiss", 1): self = .dismiss
        case ("separator", 4):
            let columns = ["primary": Column.primary, "supplementary": .supplementary, "inspector": .inspector]
            guard let column = columns[words[1]], let width = Double(words[2]), width.isFinite, width >= 0,
                let steps = Int(words[3]), (1...UISystem.Script.stepsMax).contains(steps)
            else { return nil }
            self = .separator(column, to: CGFloat(width), steps: steps)
        case ("inspector", 2), ("sidebar", 2):
            guard ["show", "hide"].contains(words[1]) else { return nil }
            self = words[0] == "inspector" ? .inspector(words[1] == "show") : .sidebar(words[1] == "show")
        case ("keyboard", 2):
            guard let height = words[1] == "off" ? 0 : Double(words[1]), height.isFinite, height >= 0 else {
                return nil
            }
            self = .keyboard(CGFloat(height))
        default: return nil
        }
    }

    @MainActor fileprivate func run(on system: UISystem) throws {
        func window() throws -> UIWindowScene {
            let scene = system.windowScenes.first { $0.session.role == .windowApplication }
            guard let scene else { throw UISystem.Error.notConnected }
            return scene
        }
        switch self {
        case .wait(let duration): system.advance(by: duration)
        case .open(let url): try system.open([url])
        case .rotate(let orientation): system.rotate(to: orientation)
        case .drag(let size, let steps): try drag(system, window(), to: size, steps)
        case .resize(let size): try system.resize(window(), to: size)
        case .fullscreen: try system.enterFullScreen(window())
        case .cover(let isCovered): try system.setOccluded(window(), isCovered)
        case .display(let size?): system.attachDisplay(size: size)
        case .display(nil):
            guard let screen = system.screens.last else { return }
            try system.detachDisplay(screen)
        case .background: try system.bring(window(), to: .background)
        case .foreground: try system.bring(window(), to: .foregroundActive)
        case .tab(let identifier): try system.select(tab: identifier, in: window())
        case .dismiss: try system.dismiss(in: window())
        case .separator(let column, let width, let steps):
            try system.dragSeparator(of: column, to: width, steps, in: window())
        case .inspector(let isShown): try system.showInspector(isShown, in: window())
        case .sidebar(let isShown): try system.showSidebar(isShown, in: window())
        case .keyboard(let height): try system.setKeyboardHeight(height, of: window())
        case .kill:
            // Output printed so far is kept, as it is when a process is killed later.
            fflush(nil)
            _ = raise(SIGKILL)
        }
    }

    @MainActor private func drag(_ system: UISystem, _ scene: UIWindowScene, to size: CGSize, _ steps: Int) throws {
        let from = scene.effectiveGeometry.coordinateSpace.bounds.size
        try system.beginResize(scene)
        for step in 1...steps {
            system.advance(by: .milliseconds(1))
            let part = CGFloat(step) / CGFloat(steps)
            try system.resize(
                scene,
                to: CGSize(
                    width: (from.width + (size.width - from.width) * part).rounded(),
                    height: (from.height + (size.height - from.height) * part).rounded()))
        }
        try system.endResize(scene)
    }
}

extension Duration {
    /// `nil` unless the text is a whole number of `ms` or `s`, at most a day.
    fileprivate init?(script text: String) {
        let isMilliseconds = text.hasSuffix("ms")
        guard isMilliseconds || text.hasSuffix("s"), let number = Int(text.dropLast(isMilliseconds ? 2 : 1)) else {
            return nil
        }
        guard (0...(isMilliseconds ? 86_400_000 : 86_400)).contains(number) else { return nil }
        self = isMilliseconds ? .milliseconds(number) : .seconds(number)
    }
}
