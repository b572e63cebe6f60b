import SettleLog
import SettlePlatform
import SettleProgram

@main
enum SettleDemo {
    static func main() {
        // A window system that goes is an error of a call, not a signal; so is a full disk's limit.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        EndSignal.catchAll()
        do {
            switch try DemoOptions.parse(Array(CommandLine.arguments.dropFirst())) {
            case .print(let text): try printLine(text)
            case .run(let options): try run(options)
            }
        } catch let failure as DemoFailure {
            complain(failure.message)
            if failure.status == 2 { complain("try 'settle-demo --help'") }
            exit(failure.status)
        } catch {
            complain("\(error)")
            exit(3)
        }
    }

    private static func run(_ options: DemoOptions) throws {
        let file = options.screenshot.map {
            OutputFile($0, replaces: options.replacesScreenshot, printsBeside: options.printsReport)
        }
        // Refused before the window opens, not after somebody has played with it.
        if let file {
            guard !(file.isStandardOutput && options.printsReport) else {
                throw DemoFailure.usage("standard output is either the screenshot or the report")
            }
            try check(file)
        }
        let log = options.record.map { OutputFile($0, replaces: options.replacesScreenshot, printsBeside: true) }
        if let log { try check(log) }
        // Before a signal is kept: a server that does not answer keeps this waiting, and nobody
        // would look at the signal. There is nothing to write yet.
        let window = try open(options)
        let endSignal = try keepEndSignal()
        let demo = try Demo(options, window)
        try demo.run(until: endSignal.descriptor)
        if let file {
            let output = try ByteOutput(file)
            try output.write(demo.screenshot())
            try output.finish()
        }
        if let log {
            try demo.recording.write(to: ByteOutput(log))
        }
        if options.printsReport { try printLine(demo.report()) }
        endSignal.endProcessIfArrived()
    }

    private static func keepEndSignal() throws(DemoFailure) -> EndSignal {
        do throws(SystemError) { return try EndSignal(keeping: .first) } catch {
            throw .system("no descriptor left: \(error.reason)")
        }
    }

    private static func check(_ file: OutputFile) throws(DemoFailure) {
        do throws(LogError) {
            try file.check()
        } catch {
            let isThere = !file.replaces && access(file.path, F_OK) == 0
            throw .system(isThere ? "\(error); --force replaces it" : "\(error)")
        }
    }

    private static func open(_ options: DemoOptions) throws(DemoFailure) -> DemoWindow {
        if let system = options.system { return try DemoWindow(system, size: options.size) }
        var reason = "Wayland: WAYLAND_DISPLAY is not set"
        if getenv("WAYLAND_DISPLAY") != nil || getenv("WAYLAND_SOCKET") != nil {
            do throws(DemoFailure) {
                return try DemoWindow(.wayland, size: options.size)
            } catch {
                reason = error.message
            }
        }
        do throws(DemoFailure) {
            return try DemoWindow(.x11, size: options.size)
        } catch {
            throw .system(
                """
                no window could be opened
                  \(reason)
                  \(error.message)
                Start it in a desktop session, or without one under Debian's xvfb: xvfb-run settle-demo
                """)
        }
    }

    private static func printLine(_ line: String) throws {
        let output = ByteOutput(descriptor: 1, name: "standard output")
        try output.writeLine(line)
        try output.finish()
    }

    private static func complain(_ message: String) {
        let line = "settle-demo: \(message)\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }
}
