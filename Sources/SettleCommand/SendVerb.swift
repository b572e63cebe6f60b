import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleServer

/// `settle send`: a log as a live stream.
enum SendVerb {
    static let verb = Verb(
        name: "send", summary: "send a log to settle serve with current times",
        specs: [.value("rate"), .value("policy"), .value("linger"), FormatOption.spec],
        help: help, run: run)

    static let help = """
        usage: settle send [OPTION]... SOCKET LOG
        example: settle send --rate 1 /tmp/settle.socket drag.jsonl

        Sends a log's events to the server at a socket, with current times, and the policy
        that its header asks for, if any. LOG is a file of any known format, or - for
        standard input. Waits while the server is busy. If the
        server disconnects before --linger is over, send ends with exit status 3.

          --rate max|N              as fast as possible (max), or N times real speed
          --policy NAME|FILE        ask the server for this policy: default, live, uikit, or a
                                    file that settle policy wrote; settle serve --help says
                                    what a server grants
          --linger TIME             stay connected after the last event, so that pending
                                    rebuilds are still decided (200ms)
        \(FormatOption.help(column: 28))
        """

    static let lingerStandard = Duration.milliseconds(200)

    private static func run(_ options: Options) throws -> ExitCode {
        guard options.positional.count == 2 else { throw Failure.usage("send takes two words, SOCKET and LOG") }
        try options.checkStandardInput(options.positional[1])
        try checkOrder(socket: options.positional[0], log: options.positional[1])
        let rate = try options.pace()
        let linger = try options.duration("linger") ?? lingerStandard
        let policy = try options.value("policy").map { try PolicyOptions.policy($0).policy }
        // A server that goes away is an error of a write rather than a signal.
        signal(SIGPIPE, SIG_IGN)
        let format = try options.format()
        let server = try ServerConnection(options.positional[0])
        // A server that goes away ends the wait for a silent input.
        let input = try ByteInput(path: options.positional[1], interruption: server.descriptor)
        let reader: LogReader
        do {
            reader = try LogReader(input, format: format)
        } catch {
            try server.checkIsThere(sent: 0)
            throw error
        }
        var sending = try Sending(reader, server, rate: rate, policy: policy)
        let fault = try sending.run()
        Terminal.clearProgress()
        try server.finish(linger: linger, sent: sending.sent)
        Terminal.say("settle: \(counted(sending.sent, "event")) sent")
        guard let fault else { return .fine }
        Terminal.say("settle: \(fault); everything before it was sent")
        return Failure(fault).code
    }
}

extension SendVerb {
    /// Throws for a socket that is a file, as that of a swapped command line is.
    private static func checkOrder(socket: String, log: String) throws {
        func kind(_ path: String) -> mode_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
        }
        guard let found = kind(socket), found != S_IFSOCK else { return }
        let isSwapped = kind(log) == S_IFSOCK
        throw Failure.usage(
            "'\(socket)' is no socket; send takes SOCKET and LOG in this order"
                + (isSwapped ? ": settle send '\(log)' '\(socket)'" : ""))
    }
}

/// A log on its way to a server.
private struct Sending {
    private let reader: LogReader
    private let server: ServerConnection
    private let writer: JSONLinesWriter
    private let rate: Double?
    private let batch = EventBatch()
    private let one = EventBatch()
    private var progress: ReadProgress
    private(set) var sent = 0

    init(_ reader: LogReader, _ server: ServerConnection, rate: Double?, policy: Policy?) throws {
        self.reader = reader
        self.server = server
        self.rate = rate
        progress = ReadProgress(reader)
        var header = reader.header
        header.clock = "monotonic"
        if let policy { header.policy = policy }
        writer = try JSONLinesWriter(server.output, header: header)
    }

    /// Sends to the end; a fault of the log is returned after all before it was sent.
    mutating func run() throws -> LogError? {
        let timer = try rate.map { _ in try LoopTimer() }
        var pace: Pace?
        while true {
            var isMore = false
            var fault: LogError?
            do throws(LogError) { isMore = try reader.read(into: batch) } catch { fault = error }
            // Of an input that the server's end cut off, neither end nor fault is its own.
            try server.checkIsThere(sent: sent)
            guard isMore else { return fault }
            if let rate, let timer, pace == nil { pace = Pace(batch[0].at, rate: rate, timer: timer) }
            do throws(LogError) {
                if let pace { try sendPaced(pace) } else { try sendAtOnce() }
            } catch {
                throw server.gone(error.problem, sent: sent)
            }
        }
    }

    private mutating func sendAtOnce() throws(LogError) {
        for position in 0..<batch.count { batch[position].at = MonotonicClock.now }
        try writer.write(batch, scenes: reader.scenes)
        try writer.flush()
        sent += batch.count
        progress.update(events: sent)
    }

    private mutating func sendPaced(_ pace: Pace) throws(LogError) {
        for position in 0..<batch.count {
            var event = batch[position]
            pace.wait(until: event.at) {
                Terminal.progress("at \(pace.position.text): \(counted(sent, "event"))")
                return server.hasEnded
            }
            if server.hasEnded { return }
            event.at = pace.due(event.at)
            one.removeAll()
            one.append(event)
            try writer.write(one, scenes: reader.scenes)
            try writer.flush()
            sent += 1
        }
    }
}

/// The connection to a server. The server sends one line if it refuses or drops the client.
private final class ServerConnection {
    let output: ByteOutput
    let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = try UnixSocket.connect(to: path)
        output = ByteOutput(descriptor: descriptor, name: path)
    }

    deinit { close(descriptor) }

    /// Keeps the connection for the duration `linger`, then ends the sending and waits until the
    /// server has read everything.
    func finish(linger: Duration, sent: Int) throws {
        if hasEnded(within: Int32(clamping: linger.wholeNanoseconds / 1_000_000)) { throw gone(sent: sent) }
        shutdown(descriptor, Int32(SHUT_WR))
        let (line, isReset) = answer()
        // A reset connection: the server did not read everything.
        if !line.isEmpty || isReset { throw failure(line, Self.hangUp, sent) }
    }

    /// Whether the server has sent a line, which it does only at the end, or has closed the
    /// connection.
    var hasEnded: Bool { hasEnded(within: 0) }

    private func hasEnded(within milliseconds: Int32) -> Bool {
        UnixSocket.waitForAnswer(descriptor, milliseconds: milliseconds)
    }

    func checkIsThere(sent: Int) throws { if hasEnded { throw gone(sent: sent) } }

    /// The error to report when the server has closed the connection.
    func gone(_ problem: String = hangUp, sent: Int) -> Failure { failure(answer().line, problem, sent) }

    private static let hangUp = "it has closed the connection"

    private func failure(_ answer: String, _ problem: String, _ sent: Int) -> Failure {
        let reason = answer.isEmpty ? "the server is gone: \(problem)" : "the server answered: \(answer)"
        return Failure(code: .io, message: "\(path): \(reason); \(counted(sent, "event")) had been written to it")
    }

    /// The most bytes that are read of the server's answer.
    private static let answerMax = 4096

    /// Reads the server's answer up to the end of the connection.
    private func answer() -> (line: String, isReset: Bool) {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        var resets = 0
        while text.count < Self.answerMax {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                text += buffer[..<count]
            } else if count == 0 {
                break
            } else if errno == ECONNRESET, resets == 0 {
                // The error is reported once; bytes that were sent before it may still follow.
                resets += 1
            } else if errno != EINTR {
                break
            }
        }
        return (String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self), resets > 0)
    }
}
