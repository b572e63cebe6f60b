internal import SettlePlatform

/// The compositor that shows the windows, by its socket's path.
struct WaylandCompositor {
    let path: String

    init(path: String) { self.path = path }

    /// Finds it as libwayland does, by WAYLAND_DISPLAY and XDG_RUNTIME_DIR.
    ///
    /// - Throws: If they name none, or nobody answers.
    init() throws(SourceError) {
        self.init(path: try Self.path())
        guard isAnswering else { throw SourceError(refusal) }
    }

    private static func path() throws(SourceError) -> String {
        if environmentVariable("WAYLAND_SOCKET") != nil {
            throw SourceError(
                "WAYLAND_SOCKET passes one open connection, which cannot serve an app behind a proxy; unset it, and set"
                    + " WAYLAND_DISPLAY to the compositor's socket")
        }
        // Without the variable, libwayland takes this name.
        let display = environmentVariable("WAYLAND_DISPLAY") ?? "wayland-0"
        if display.hasPrefix("/") { return display }
        guard let folder = environmentVariable("XDG_RUNTIME_DIR") else {
            throw SourceError(
                "there is no Wayland compositor: WAYLAND_DISPLAY is no path, and XDG_RUNTIME_DIR is not set; run this"
                    + " inside a Wayland session, or set WAYLAND_DISPLAY to the path of the compositor's socket")
        }
        return "\(folder)/\(display)"
    }

    /// Why nobody answers, and what to do.
    private var refusal: String {
        guard UnixDomainSocket.accepts(path: path) else {
            return "\(path) is no path for a Wayland socket: it has more than \(UnixDomainSocket.pathLengthMax) bytes"
        }
        return "no Wayland compositor answers at \(path); start it, or set WAYLAND_DISPLAY to the one that runs"
    }

    /// Whether it accepts connections.
    var isAnswering: Bool {
        do throws(SystemError) {
            let socket = try UnixDomainSocket()
            defer { socket.close() }
            return try socket.isAnswered(at: path)
        } catch {
            // Without a descriptor to ask with, nothing is known against it.
            return error.isOutOfDescriptors
        }
    }

    /// A new connection to it, which does not block.
    ///
    /// - Throws: With the code EAGAIN if it is busy, and may be asked again.
    func connect() throws(SystemError) -> UnixDomainSocket {
        let socket = try UnixDomainSocket()
        socket.setNonblocking()
        do throws(SystemError) {
            try socket.connect(to: path)
            return socket
        } catch {
            socket.close()
            throw error
        }
    }
}
