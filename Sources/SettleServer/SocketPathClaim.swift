internal import SettlePlatform

/// The exclusive right to make a socket at a path. A server holds it while it starts, so
/// that servers which start at one path at once do not remove each other's sockets.
///
/// It is a file lock on a file of our own beside the socket, which `release` removes. Only the
/// file's owner can open and so lock it. A lock on the folder could be held by anybody who can
/// read the folder, in `/tmp` by everybody. Where another user's file has the name, the next
/// name is used; servers of one user find the same one.
struct SocketPathClaim {
    /// How many names are tried: `SOCKET.lock`, `SOCKET.lock.1`, …
    static let namesMax = 100

    private let lock: FileLock

    /// Waits up to two seconds for other servers that start at the path.
    ///
    /// - Throws: When another server holds the claim for longer, or no file can be locked.
    init(_ socket: String) throws(StreamError) {
        for _ in 0..<200 {
            if let lock = try Self.tryLock(socket) {
                self.lock = lock
                return
            }
            sleepThread(milliseconds: 10)
        }
        throw StreamError(path: socket, problem: "another server has been starting there for two seconds")
    }

    /// Locks the first file that is ours; `nil` while another server holds it.
    private static func tryLock(_ socket: String) throws(StreamError) -> FileLock? {
        for number in 0..<namesMax {
            let path = number == 0 ? "\(socket).lock" : "\(socket).lock.\(number)"
            do {
                switch try FileLock.attempt(path) {
                case .locked(let lock): return lock
                case .held: return nil
                case .notOurs: continue
                }
            } catch {
                throw StreamError(socket, "cannot open \(path), which servers lock as they start", error)
            }
        }
        throw StreamError(
            path: socket,
            problem: "\(socket).lock and the \(namesMax - 1) names after it are not files of our own that nobody else"
                + " can open; remove one, or listen in a folder that only you can write")
    }

    /// Lets the next server start.
    func release() { lock.remove() }
}
