import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

/// A server that decides, and what it said.
final class Served: @unchecked Sendable {
    let folder = TemporaryFolder()
    let server: StreamServer
    let reports = Locked<[StreamReport]>([])
    /// `1:a began`, `1:a rebuild 3×1`, as it came.
    let said = Locked<[String]>([])
    let decisions = Locked<[StreamDecision]>([])
    var path: String { folder.file("s") }

    init(
        policy: Policy = .uikit, clientsMax: Int = 64,
        clientDelayMaximum: Duration = StreamServer.clientDelayMaximum,
        clock: @escaping StreamEngine.Clock = { MonotonicClock.now }
    ) throws {
        server = try StreamServer(
            .init(
                path: folder.file("s"), policy: policy, clientsMax: clientsMax, clientDelayMaximum: clientDelayMaximum),
            clock: clock,
            report: { [reports] report in reports.change { $0.append(report) } },
            handler: { [said, decisions] decision in
                XCTAssertLessThanOrEqual(decision.decision.at, clock(), "a decision came early")
                decisions.change { $0.append(decision) }
                said.change { $0.append("\(decision.name) \(Self.text(decision.decision.kind))") }
            })
        try server.start()
    }

    deinit { server.stop() }

    private static func text(_ kind: Decision.Kind) -> String {
        switch kind {
        case .interactionBegan: "began"
        case .interactionEnded(let reason, _): "ended \(reason.rawValue)"
        case .rebuild(let rebuild): "rebuild \(rebuild.size)"
        case .preview(let size, _): "preview(\(size))"
        default: "\(kind)"
        }
    }

    func waitFor(_ text: String, file: StaticString = #filePath, line: UInt = #line) {
        said.wait({ $0.contains(text) }, file: file, line: line)
    }

    func waitFor(_ change: StreamReport.Change, of client: Int, file: StaticString = #filePath, line: UInt = #line) {
        reports.wait({ $0.contains(StreamReport(client: client, change: change)) }, file: file, line: line)
    }

    func client() throws -> Client { try Client(path) }
}

/// The other end of the socket. One thread at a time.
final class Client: @unchecked Sendable {
    private var descriptor: Int32

    init(_ path: String) throws { descriptor = try UnixSocket.connect(to: path) }
    deinit { leave() }

    static let header = #"{"settle":"events","version":1}"# + "\n"

    func write(_ text: String) { write(Array(text.utf8)) }

    /// - Parameter waiting: Without it, what finds no room at once is dropped.
    /// - Returns: False once the server has dropped the client.
    @discardableResult
    func write(_ bytes: [UInt8], waiting: Bool = true) -> Bool {
        var bytes = bytes[...]
        let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return errno == EAGAIN }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    func geometry(_ scene: String, _ width: Int, resizing: Bool? = nil, at: UInt64 = MonotonicClock.now.nanoseconds) {
        let flag = resizing.map { #","resizing":\#($0)"# } ?? ""
        write(#"{"t_ns":\#(at),"scene":"\#(scene)","width":\#(width),"height":1\#(flag)}"# + "\n")
    }

    func pointer(_ button: UInt32, _ isPressed: Bool) {
        let now = MonotonicClock.now.nanoseconds
        write(#"{"t_ns":\#(now),"kind":"pointer","button":\#(button),"pressed":\#(isPressed)}"# + "\n")
    }

    /// What the server says to the end of the connection.
    func lastWords() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

extension StreamReport.Change {
    var isConnecting: Bool { if case .connected = self { true } else { false } }
}
