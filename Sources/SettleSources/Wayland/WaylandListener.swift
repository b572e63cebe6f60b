internal import SettlePlatform

/// The socket on which the app's clients connect, in a folder that nobody else can enter. Both are
/// removed with this object.
final class WaylandListener {
    /// Clients that may wait to be accepted.
    private static let waitingMax: Int32 = 128

    let socket: UnixDomainSocket
    /// The socket's path, for WAYLAND_DISPLAY.
    let path: String
    private let folder: PrivateFolder
    /// A descriptor that is given up for a moment, to refuse a client when there is no other.
    private var reserve: UnixDomainSocket?

    /// - Parameter parents: Where the folder may be made; the first is taken in which it can be, and
    ///   whose path is short enough for a socket.
    /// - Throws: `SourceError` if there is none.
    init(in parents: [String]) throws(SourceError) {
        var problems: [String] = []
        for parent in parents {
            do throws(SystemError) {
                let folder = try PrivateFolder(in: parent, prefix: "settle-")
                let path = "\(folder.path)/wayland-0"
                let socket = try UnixDomainSocket()
                do throws(SystemError) {
                    try socket.bind(to: path)
                    try socket.listen(waitingMax: Self.waitingMax)
                } catch {
                    socket.close()
                    throw error
                }
                socket.setNonblocking()
                reserve = try? UnixDomainSocket()
                self.folder = folder
                self.path = path
                self.socket = socket
                return
            } catch {
                problems.append("\(parent) (\(error.call): \(error.reason))")
            }
        }
        throw SourceError(
            "no folder for the app's private socket can be made in \(problems.joined(separator: " or in "));"
                + " set XDG_RUNTIME_DIR or TMPDIR to a folder that you can write to")
    }

    deinit {
        socket.close()
        reserve?.close()
        try? SocketFile.remove(path)
    }

    /// What has come of accepting.
    enum Accepted {
        case client(UnixDomainSocket)
        /// A client was disconnected, because the process has no descriptor left.
        case refused
        /// Not even that was possible.
        case full
        /// Nobody waits.
        case nobody
    }

    /// Takes the next client, without waiting for one.
    func accept() -> Accepted {
        do throws(SystemError) {
            guard let client = try socket.accept() else { return .nobody }
            client.setNonblocking()
            return .client(client)
        } catch {
            if error.isAgain { return .nobody }
            return refuse() ? .refused : .full
        }
    }

    private func refuse() -> Bool {
        guard let given = reserve else { return false }
        given.close()
        reserve = nil
        defer { reserve = try? UnixDomainSocket() }
        do throws(SystemError) {
            try socket.accept()?.close()
            return true
        } catch {
            return false
        }
    }
}
