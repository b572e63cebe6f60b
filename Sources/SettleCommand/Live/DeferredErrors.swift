import SettlePlatform

/// Keeps what this process and its programs print on standard error while a table is shown, which
/// it would destroy, and prints it afterwards. One at a time.
final class DeferredErrors {
    /// Standard error as it was.
    private let original: Int32
    private let kept: UnsafeMutablePointer<FILE>
    private var isOpen = true
    private var isCut = false
    /// An app may print without end while the table is shown.
    private static let keptMax = 1 << 20

    /// `nil` if there is no temporary file for it: then nothing is kept.
    init?() {
        // Without a name, so that nothing is left behind.
        guard let file = tmpfile() else { return nil }
        let flags = fcntl(fileno(file), F_GETFL)
        let copy = fcntl(2, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0, fcntl(fileno(file), F_SETFL, flags | O_APPEND) == 0, dup2(fileno(file), 2) == 2 else {
            if copy >= 0 { SettlePlatform.close(copy) }
            fclose(file)
            return nil
        }
        original = copy
        kept = file
    }

    deinit { close() }

    /// Forgets what was kept so far if it is more than a mebibyte. To be called now and then.
    func limit() {
        var status = stat()
        guard isOpen, fstat(fileno(kept), &status) == 0, status.st_size > Self.keptMax else { return }
        isCut = ftruncate(fileno(kept), 0) == 0 || isCut
    }

    /// Lets standard error be what it was.
    ///
    /// - Parameter prints: Whether to print what was kept.
    func close(prints: Bool = true) {
        guard isOpen else { return }
        isOpen = false
        dup2(original, 2)
        SettlePlatform.close(original)
        defer { fclose(kept) }
        if !prints { return }
        if isCut { Terminal.say("settle: earlier messages of more than a mebibyte are not shown") }
        rewind(kept)
        var block = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&block, 1, block.count, kept), count > 0 { Terminal.pass(block[..<count]) }
    }
}
