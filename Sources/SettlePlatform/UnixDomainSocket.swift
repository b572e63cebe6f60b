internal import CPlatform

/// A Unix-domain stream socket. A value names the socket and does not own it: whoever makes,
/// accepts or receives one calls `close` once. Any thread.
package struct UnixDomainSocket: Equatable, Sendable {
    /// The socket's descriptor, which is closed in programs that the process starts.
    package let descriptor: Int32

    /// The longest path in bytes.
    package static let pathLengthMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Whether a socket can have the path: 1 to `pathLengthMax` bytes, none of them zero.
    package static func accepts(path: String) -> Bool {
        let bytes = path.utf8
        return !bytes.isEmpty && bytes.count <= pathLengthMax && !bytes.contains(0)
    }

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Makes a socket.
    ///
    /// - Throws: When the system has no descriptor or memory left.
    package init() throws(SystemError) {
        descriptor = settle_unix_socket()
        if descriptor < 0 { throw .last("socket") }
    }

    /// Sets the permissions of the file that `bind` makes.
    package func setMode(_ mode: UInt32) throws(SystemError) {
        if fchmod(descriptor, mode_t(mode)) != 0 { throw .last("fchmod") }
    }

    /// Makes the socket's file. The path must be free.
    package func bind(to path: String) throws(SystemError) {
        if Self.withAddress(path, { SettlePlatform.bind(descriptor, $0, $1) }) != 0 { throw .last("bind") }
    }

    /// Lets clients connect. `waitingMax` of them may wait to be accepted.
    package func listen(waitingMax: Int32) throws(SystemError) {
        if SettlePlatform.listen(descriptor, waitingMax) != 0 { throw .last("listen") }
    }

    /// Connects to the socket that listens at a path.
    package func connect(to path: String) throws(SystemError) {
        if Self.withAddress(path, { SettlePlatform.connect(descriptor, $0, $1) }) != 0 { throw .last("connect") }
    }

    /// Connects only to find out whether a process listens at a path. Does not wait.
    ///
    /// - Returns: False for the file of a socket that nobody listens on.
    package func isAnswered(at path: String) throws(SystemError) -> Bool {
        // A server whose queue is full would block the caller; it is alive.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        do {
            try connect(to: path)
            return true
        } catch {
            if error.code == EAGAIN { return true }
            if error.code == ECONNREFUSED { return false }
            throw error
        }
    }

    /// The next client that waits, for which this blocks.
    ///
    /// - Returns: `nil` if the client has disconnected, or a signal came first.
    /// - Throws: When the system has no descriptor or memory left.
    package func accept() throws(SystemError) -> UnixDomainSocket? {
        let client = SettlePlatform.accept(descriptor, nil, nil)
        if client < 0 {
            if errno == ECONNABORTED || errno == EINTR { return nil }
            throw .last("accept")
        }
        settle_keep_to_process(client)
        return UnixDomainSocket(descriptor: client)
    }

    /// Whether the other end has closed, also while bytes of it are still to be read.
    package var hasPeerClosed: Bool {
        var end = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&end, 1, 0) > 0
    }

    /// The user and the process at the other end when it connected; `nil` if the kernel does
    /// not know them.
    package var peer: (user: UInt32, process: Int32)? {
        var user: UInt32 = 0
        var process: Int32 = 0
        return settle_peer_credentials(descriptor, &user, &process) == 0 ? (user, process) : nil
    }

    /// Sends bytes without blocking. What the other end has no space for is lost.
    package func sendIfPossible(_ bytes: [UInt8]) {
        _ = SettlePlatform.send(descriptor, bytes, bytes.count, Int32(settle_send_flags))
    }

    /// Ends the connection in both directions. Calls that block on the socket return.
    package func shutdown() { _ = SettlePlatform.shutdown(descriptor, Int32(SHUT_RDWR)) }

    package func close() { _ = SettlePlatform.close(descriptor) }

    /// Calls the closure with the address of a path; -1 with errno for a path that no socket
    /// can have.
    private static func withAddress(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        guard accepts(path: path) else {
            errno = EINVAL
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The identity of a socket's file, which differs from that of a later one at the same path.
package struct SocketFile: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// What there is at a path.
    package enum Found: Sendable {
        case nothing
        case socket(SocketFile)
        /// A file of another kind.
        case other
    }

    /// Looks at a path without following a symbolic link.
    package static func find(_ path: String) throws(SystemError) -> Found {
        var status = stat()
        if lstat(path, &status) != 0 {
            if errno == ENOENT { return .nothing }
            throw .last("lstat")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .other }
        return .socket(SocketFile(device: status.st_dev, inode: status.st_ino))
    }

    private init(device: dev_t, inode: ino_t) {
        self.device = device
        self.inode = inode
    }

    /// The file at a path, which must be a socket.
    package init(_ path: String) throws(SystemError) {
        guard case .socket(let file) = try Self.find(path) else { throw SystemError(call: "lstat", code: ENOENT) }
        self = file
    }

    /// Removes the file at a path, whatever it is.
    package static func remove(_ path: String) throws(SystemError) {
        if unlink(path) != 0 { throw .last("unlink") }
    }
}

/// The user whose rights the process has.
package var effectiveUser: UInt32 { geteuid() }
