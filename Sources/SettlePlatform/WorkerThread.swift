#if canImport(Glibc)
    internal import Glibc
#endif

/// A thread that runs one closure. It must be joined or detached, once.
package struct WorkerThread: Equatable, Sendable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    package init(_ run: @escaping @Sendable () -> Void) throws(LoopError) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run))
        let result = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw LoopError(call: "pthread_create", problem: String(cString: strerror(result)))
        }
        self.thread = thread
    }

    package func join() { pthread_join(thread, nil) }

    /// Nobody will wait for the thread's end. It may do so itself.
    package func detach() { pthread_detach(thread) }
}
