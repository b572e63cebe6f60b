import Glibc
import Settle
import SettleLog
import SettleLoop

/// `settle send`: a log as a live stream.
enum SendVerb {
    static let verb = Verb(
        name: "send", summary: "send a log to a settle serve as if it happened now", help: help, run: run)

    static let help = """
        usage: settle send [OPTION]... SOCKET LOG

        Sends a log's events to the server at a socket, with times of now. LOG is a file of
        any known format, or - for standard input. A server that is busy is waited for; one
        that goes away ends it with exit status 3.

          --rate max|N              as fast as possible (max), or N times real speed
          --linger TIME             stay connected behind the last event, so that what is
                                    owed is still decided (200ms)
          --format FORMAT           jsonl, settle, wayland-debug, xev, asciicast, rrweb
        """

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(
            arguments, verb: "send", specs: [.value("rate"), .value("linger"), .value("format")])
        guard options.positional.count == 2 else { throw Failure.usage("send takes two words, SOCKET and LOG") }
        let rate = try options.pace()
        let linger = try options.duration("linger") ?? .milliseconds(200)
        // A server that goes away is an error of a write rather than a signal.
        signal(SIGPIPE, SIG_IGN)
        let reader = try LogReader(path: options.positional[1], format: options.format())
        let server = try ServerConnection(options.positional[0])
        var sending = try Sending(reader, server, rate: rate)
        let fault = try sending.run()
        Terminal.clearProgress()
        try server.finish(linger: linger, sent: sending.sent)
        Terminal.say("settle: \(counted(sending.sent, "event")) sent")
        guard let fault else { return .fine }
        Terminal.say("settle: \(fault); everything before it was sent")
        return Failure(fault).code
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

    init(_ reader: LogReader, _ server: ServerConnection, rate: Double?) throws {
        self.reader = reader
        self.server = server
        self.rate = rate
        progress = ReadProgress(reader)
        var header = reader.header
        header.clock = "monotonic"
        writer = try JSONLinesWriter(server.output, header: header)
    }

    /// Sends to the end; a fault of the log is returned after all before it was sent.
    mutating func run() throws -> LogError? {
        let timer = try rate.map { _ in try LoopTimer() }
        var pace: Pace?
        while true {
            do throws(LogError) {
                guard try reader.read(into: batch) else { return nil }
            } catch {
                return error
            }
            if let rate, let timer, pace == nil { pace = Pace(batch[0].at, rate: rate, timer: timer) }
            do throws(LogError) {
                if let pace { try sendPaced(pace) } else { try sendAtOnce() }
            } catch {
                throw server.gone(error, sent: sent)
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
                return false
            }
            event.at = pace.due(event.at)
            one.removeAll()
            one.append(event, at: .line(0))
            try writer.write(one, scenes: reader.scenes)
            try writer.flush()
            sent += 1
        }
    }
}

/// The connection to a server, which says one line if it refuses or drops us.
private final class ServerConnection {
    let output: ByteOutput
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = try UnixSocket.connect(to: path)
        output = ByteOutput(descriptor: descriptor, name: path)
    }

    deinit { close(descriptor) }

    /// Stays a while, says that nothing more comes, and waits until the server has
    /// read it all.
    func finish(linger: Duration, sent: Int) throws {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: linger.wholeNanoseconds / 1_000_000)
        while poll(&waiting, 1, milliseconds) < 0, errno == EINTR {}
        shutdown(descriptor, Int32(SHUT_WR))
        let said = lastWords()
        if !said.isEmpty { throw failure(said, sent) }
    }

    /// What to tell when the server went away.
    func gone(_ error: LogError, sent: Int) -> Failure {
        let said = lastWords()
        return failure(said.isEmpty ? error.problem : said, sent)
    }

    private func failure(_ reason: String, _ sent: Int) -> Failure {
        Failure(code: .io, message: "\(path): the server is gone: \(reason); \(counted(sent, "event")) sent before")
    }

    private static let wordsMax = 4096

    /// What the server says to the end of the connection.
    private func lastWords() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        var resets = 0
        while text.count < Self.wordsMax {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                text += buffer[..<count]
            } else if count == 0 {
                break
            } else if errno == ECONNRESET, resets == 0 {
                // Said once; what the server wrote before may still follow.
                resets += 1
            } else if errno != EINTR {
                break
            }
        }
        return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
