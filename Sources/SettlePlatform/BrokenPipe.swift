/// Calls a closure that writes to a socket by a library's functions, which raise SIGPIPE when the other
/// side has gone. The signal, which would end the process, is dropped; the library learns of the end
/// by EPIPE. What the process does at SIGPIPE otherwise is not changed.
package func withoutBrokenPipe<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    var brokenPipe = sigset_t()
    sigemptyset(&brokenPipe)
    sigaddset(&brokenPipe, SIGPIPE)
    // One that was blocked and pending before belongs to somebody else.
    if isBrokenPipePending { return try body() }
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
    defer {
        if isBrokenPipePending {
            #if canImport(Darwin)
                var taken: Int32 = 0
                sigwait(&brokenPipe, &taken)
            #else
                var none = timespec()
                while sigtimedwait(&brokenPipe, nil, &none) < 0, errno == EINTR {}
            #endif
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return try body()
}

private var isBrokenPipePending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return sigismember(&pending, SIGPIPE) == 1
}
