internal import CLibuv
internal import Settle
internal import SettlePlatform

/// A libuv loop and the descriptors that it watches. Everything is closed when it goes away,
/// also when making it failed half-way.
final class LibuvLoop {
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private var watches: [(poll: UnsafeMutablePointer<uv_poll_t>, descriptor: CounterDescriptor)] = []
    private var isClosed = false

    init() throws(SystemError) {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        do throws(SystemError) {
            try Self.making.withLock { () throws(SystemError) in
                // libuv ends the program when the process's first loop finds no descriptors for
                // libuv's own signal pipe. It asks for them after the loop's epoll descriptor.
                try checkDescriptors(3)
                try Self.initialize(loop)
            }
        } catch {
            loop.deallocate()
            throw error
        }
        self.loop = loop
    }

    /// Loops are made one at a time, so that none uses the descriptors that another has just
    /// found free.
    private static let making = PthreadMutex()

    /// libuv's codes are the system's, negated.
    private static func initialize(_ loop: UnsafeMutablePointer<uv_loop_t>) throws(SystemError) {
        let result = uv_loop_init(loop)
        if result >= 0 { return }
        // An initialization that fails half-way leaves its epoll descriptor open.
        let left = uv_backend_fd(loop)
        if left >= 0 { closeDescriptor(left) }
        throw SystemError(call: "uv_loop_init", code: -result)
    }

    /// The descriptor that a host's own loop watches for reading.
    var backendDescriptor: Int32 { uv_backend_fd(loop) }

    /// Makes the loop return when a descriptor is readable, and drains it then. The caller of
    /// `run` decides what to do. The loop keeps the descriptor until it is closed.
    func watch(_ descriptor: CounterDescriptor) throws(SystemError) {
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let result = uv_poll_init(loop, poll, descriptor.number)
        if result < 0 {
            poll.deallocate()
            throw SystemError(call: "uv_poll_init", code: -result)
        }
        // libuv has the handle now, so it must be closed with the loop.
        watches.append((poll, descriptor))
        let started = uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
            guard let poll else { return }
            var number: Int32 = 0
            let handle = UnsafeRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
            if uv_fileno(handle, &number) == 0 { drainCounter(number) }
        }
        if started < 0 { throw SystemError(call: "uv_poll_start", code: -started) }
    }

    func run(_ mode: LoopMode) {
        uv_run(loop, mode == .once ? UV_RUN_ONCE : UV_RUN_NOWAIT)
    }

    /// Frees the loop and releases the descriptors. Must not be called while the loop runs.
    /// Idempotent.
    func close() {
        if isClosed { return }
        isClosed = true
        for watch in watches {
            uv_close(UnsafeMutableRawPointer(watch.poll).assumingMemoryBound(to: uv_handle_t.self), nil)
        }
        // libuv owns its handles until their close has run.
        uv_run(loop, UV_RUN_DEFAULT)
        uv_loop_close(loop)
        for watch in watches { watch.poll.deallocate() }
        watches = []
        loop.deallocate()
    }

    deinit { close() }
}
