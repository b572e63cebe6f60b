/// A thread that runs one closure. It must be joined or detached, once.
package struct WorkerThread: Equatable, @unchecked Sendable {
    // A number with glibc, elsewhere a pointer that any thread may pass on.
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` if the system has no thread left.
    package init(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t!
        #endif
        let body = Unmanaged.passRetained(Body(run))
        let result = pthread_create(
            &thread, nil,
            { context in
                // The body. Where the system's header says so, it is an optional already.
                let context: UnsafeMutableRawPointer? = context
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw SystemError(call: "pthread_create", code: result)
        }
        self.thread = thread
    }

    /// Waits for the thread's end.
    package func join() { pthread_join(thread, nil) }

    /// Declares that nobody joins the thread. The thread itself may call this.
    package func detach() { pthread_detach(thread) }
}

/// Which thread is running, to be compared with another.
package struct ThreadIdentity: Equatable, @unchecked Sendable {
    private let thread: pthread_t

    private init(_ thread: pthread_t) { self.thread = thread }

    /// The calling thread. Not inlined: glibc declares `pthread_self` constant, so a task
    /// that continues on another thread would see the old one.
    @inline(never)
    package static func current() -> ThreadIdentity { ThreadIdentity(pthread_self()) }

    package static func == (a: ThreadIdentity, b: ThreadIdentity) -> Bool { pthread_equal(a.thread, b.thread) != 0 }
}

/// Lets the calling thread sleep. A signal may end the sleep early.
///
/// - Parameter milliseconds: At most 999.
package func sleepThread(milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// Lets another thread that is ready run on this processor.
package func yieldProcessor() { sched_yield() }
