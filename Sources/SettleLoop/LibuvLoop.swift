internal import CLibuv
internal import CPlatform
internal import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// A libuv loop and the descriptors that it watches, which it owns: whatever has been
/// made is closed again when it goes away, also where making the rest failed.
final class LibuvLoop {
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private var watches: [(poll: UnsafeMutablePointer<uv_poll_t>, descriptor: Int32)] = []
    private var isClosed = false

    init() throws(LoopError) {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        do throws(LoopError) {
            try Self.making.locked { () throws(LoopError) in
                try Self.checkDescriptors()
                try Self.initialize(loop)
            }
        } catch {
            loop.deallocate()
            throw error
        }
        self.loop = loop
    }

    /// Loops are made one after the other, so that none takes the descriptors that
    /// another has just found free.
    private static let making = Lock()

    /// libuv ends the program when the process's first loop finds no descriptors for
    /// libuv's own signal pipe. It asks for them after the loop's epoll descriptor.
    private static func checkDescriptors() throws(LoopError) {
        var free: [Int32] = []
        defer { for descriptor in free { Glibc.close(descriptor) } }
        for _ in 0..<3 {
            let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
            if descriptor < 0 { throw .system("eventfd") }
            free.append(descriptor)
        }
    }

    /// libuv's codes are the system's, negated.
    private static func initialize(_ loop: UnsafeMutablePointer<uv_loop_t>) throws(LoopError) {
        let result = uv_loop_init(loop)
        if result >= 0 { return }
        // An initialization that fails half-way leaves its epoll descriptor open.
        let left = uv_backend_fd(loop)
        if left >= 0 { Glibc.close(left) }
        throw .system("uv_loop_init", code: -result)
    }

    /// The descriptor that a host's own loop watches for reading.
    var backendDescriptor: Int32 { uv_backend_fd(loop) }

    /// Makes the loop return when a new descriptor is readable. Reading its counter
    /// makes it quiet again; what to do is for the caller of `run`.
    ///
    /// - Parameters:
    ///   - call: What made the descriptor.
    ///   - descriptor: The loop's from now on, negative with errno if it could not be made.
    /// - Returns: The descriptor.
    func watch(_ call: String, _ descriptor: Int32) throws(LoopError) -> Int32 {
        if descriptor < 0 { throw .system(call) }
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let result = uv_poll_init(loop, poll, descriptor)
        if result < 0 {
            poll.deallocate()
            Glibc.close(descriptor)
            throw .system("uv_poll_init", code: -result)
        }
        // libuv has the handle now, so that it is closed with the loop.
        watches.append((poll, descriptor))
        let started = uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
            guard let poll else { return }
            var number: Int32 = 0
            var count: UInt64 = 0
            let handle = UnsafeRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
            if uv_fileno(handle, &number) == 0 { _ = read(number, &count, 8) }
        }
        if started < 0 { throw .system("uv_poll_start", code: -started) }
        return descriptor
    }

    func run(_ mode: EventLoop.Mode) {
        uv_run(loop, mode == .once ? UV_RUN_ONCE : UV_RUN_NOWAIT)
    }

    /// Closes the descriptors and frees the loop. Not to be called while it runs; further
    /// calls do nothing.
    func close() {
        if isClosed { return }
        isClosed = true
        for watch in watches {
            uv_close(UnsafeMutableRawPointer(watch.poll).assumingMemoryBound(to: uv_handle_t.self), nil)
        }
        // libuv owns its handles until their close has run.
        uv_run(loop, UV_RUN_DEFAULT)
        uv_loop_close(loop)
        for watch in watches {
            Glibc.close(watch.descriptor)
            watch.poll.deallocate()
        }
        loop.deallocate()
    }

    deinit { close() }
}
