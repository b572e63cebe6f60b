import CCommandLine
import Settle
import SettlePlatform

/// The program's command line.
struct DemoOptions {
    var system: DemoWindow.System?
    /// Costly builds: at the end, by a debounce, and prepared.
    var isPrepared = false
    var chosenCost: Duration?
    var size = PixelSize(width: 1240, height: 640)
    var duration: Duration?
    var screenshot: String?
    var record: String?
    var replacesScreenshot = false
    var printsReport = false

    var cost: Duration { chosenCost ?? .milliseconds(isPrepared ? 500 : 20) }

    static let help = """
        usage: settle-demo [OPTION...]

        Opens a window whose three parts show the same costly picture, made for exactly their size.
        Drag an edge of the window: until a part has built its picture anew, it stretches the last one.
          left    every size as GTK and Qt do, which compress size changes: the newest one, at most
                  once a frame (16 ms) and when the last build is done
          middle  a debounce: 100 ms after the last change
          right   Settle with the policy 'live': during the drag for 30 % of the time, where builds
                  above 16 ms count more unless the size rests, and when the drag has ended at another size
        With --prepared it is about costly builds:
          left    Settle with the default policy: begins when the drag has ended
          middle  a debounce: 100 ms after the last change
          right   Settle with the policy 'prepared': begins when the size stands still for 50 ms, and
                  shows it when the drag has ended
        Each part states how long after letting go the right picture was there.

        Each part builds on a thread of its own, so none waits for another or holds up the window.
        Work is processor time. The meter states how wrong a part's size is, as a part of the right
        one; its bar is full at 20 %. That part, summed up over time, is the wrong time: one second
        at a size that is wrong by 10 % counts 100 ms. The line below says what the last drag cost.

        The window opens under Wayland if WAYLAND_DISPLAY is set and a compositor answers, else
        under X11. It has as many pixels as the display's scale asks for: of the screen under
        Wayland, by the resource Xft.dpi under X11 (192 is 2). Under Wayland the title strip moves the window, and its × closes it.

        options:
          --wayland, --x11      open the window there, or fail
          --prepared            costly builds: at the end, by a debounce, and prepared
          --cost 20ms           how long a build at 600 × 600 pixels takes; the picture's quality
                                is chosen for it when the program starts; with --prepared 500ms
          --size 1240x640       the window's first size, on a display with the scale 1
          --seconds N           end after N seconds
          --screenshot FILE     write the window's content at the end as a PNG
          --record LOG          write the sizes, buttons and reports of live builds as a log: binary if its
                                name ends in .settle, else JSON Lines
          --force               replace FILE or LOG if it exists
          --report              print what was counted at the end, as a line of JSON
          --version             print the version
          --help                print this

        exit status: 0 success, 2 usage error, 3 no window could be opened, the window system is
        gone, or a file could not be written. After SIGINT and SIGTERM the screenshot, the
        log and the report are written, and the program ends by the signal.
        """

    enum Request {
        case run(DemoOptions)
        case print(String)
    }

    private static let specs: [(name: String, takesValue: Bool)] = [
        ("wayland", false), ("x11", false), ("prepared", false), ("cost", true), ("size", true), ("seconds", true),
        ("screenshot", true),
        ("record", true), ("force", false), ("report", false), ("version", false), ("help", false),
    ]

    static var names: [String] { specs.map(\.name) }

    /// Reads the words after the program's name.
    ///
    /// - Throws: `DemoFailure` for a word that is not understood.
    static func parse(_ arguments: [String]) throws(DemoFailure) -> Request {
        let names = Self.names.map { UnsafePointer(strdup($0)) }
        var words = (["settle-demo"] + arguments).map { strdup($0) } + [nil]
        let owned = words
        defer {
            for name in names { free(UnsafeMutablePointer(mutating: name)) }
            for word in owned { free(word) }
        }
        let letters = specs.map { CChar($0.name == "help" ? UInt8(ascii: "h") : 0) }
        var options = DemoOptions()
        command_line_start(false)
        while true {
            let step = command_line_next(
                Int32(owned.count - 1), &words, names, letters, specs.map(\.takesValue), specs.count)
            switch step.outcome {
            case COMMAND_LINE_OPTION:
                let name = specs[Int(step.index)].name
                if name == "help" { return .print(help) }
                if name == "version" { return .print("settle-demo \(Engine.version)") }
                try options.set(name, step.value.map { String(cString: $0) } ?? "")
            case COMMAND_LINE_END:
                if let word = words[Int(step.next)] { throw .usage("'\(String(cString: word))' is not an option") }
                return .run(options)
            case COMMAND_LINE_NO_VALUE: throw .usage("\(String(cString: step.word)) needs a value")
            default: throw unknown(String(cString: step.word))
            }
        }
    }

    private static func unknown(_ word: String) -> DemoFailure {
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let guess = closest(to: name, among: names).map { "; did you mean '--\($0)'?" } ?? ""
        return .usage("there is no option '\(word)'\(guess)")
    }

    private mutating func set(_ name: String, _ value: String) throws(DemoFailure) {
        switch name {
        case "wayland", "x11":
            let wanted = DemoWindow.System(rawValue: name)
            guard system == nil || system == wanted else { throw .usage("--wayland and --x11 exclude each other") }
            system = wanted
        case "prepared": isPrepared = true
        case "cost": chosenCost = try Self.cost(value)
        case "size": size = try Self.size(value)
        case "seconds":
            guard let seconds = Double(value), seconds > 0, seconds <= 86_400 else {
                throw .usage("--seconds is '\(value)'; give a number above 0, at most 86400")
            }
            duration = .seconds(seconds)
        case "screenshot": screenshot = value
        case "record": record = value
        case "force": replacesScreenshot = true
        default: printsReport = true
        }
    }

    private static func cost(_ text: String) throws(DemoFailure) -> Duration {
        guard text.hasSuffix("ms"), let milliseconds = Double(text.dropLast(2)), (1...10_000).contains(milliseconds)
        else { throw .usage("--cost is '\(text)'; give milliseconds as 80ms, from 1ms to 10000ms") }
        return .milliseconds(milliseconds)
    }

    private static func size(_ text: String) throws(DemoFailure) -> PixelSize {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        let minimum = WindowLayout.minimum
        guard sides.count == 2, let width = sides[0], let height = sides[1], width >= minimum.width,
            height >= minimum.height, width <= 8192, height <= 8192
        else { throw .usage("--size is '\(text)'; give WIDTHxHEIGHT, from \(minimum) to 8192x8192") }
        return PixelSize(width: width, height: height)
    }
}
