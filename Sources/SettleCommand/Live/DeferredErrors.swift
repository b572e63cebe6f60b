import Glibc

/// Keeps what this process and its programs print on standard error while a table is shown, which
/// it would destroy, and prints it afterwards. One at a time.
final class DeferredErrors {
    /// Standard error as it was.
    private let original: Int32
    private let kept: UnsafeMutablePointer<FILE>
    private var isOpen = true

    /// `nil` if there is no temporary file for it: then nothing is kept.
    init?() {
        // Without a name, so that nothing is left behind.
        guard let file = tmpfile() else { return nil }
        let flags = fcntl(fileno(file), F_GETFL)
        let copy = fcntl(2, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0, fcntl(fileno(file), F_SETFL, flags | O_APPEND) == 0, dup2(fileno(file), 2) == 2 else {
            if copy >= 0 { Glibc.close(copy) }
            fclose(file)
            return nil
        }
        original = copy
        kept = file
    }

    deinit { close() }

    /// Prints what was kept, and lets standard error be what it was.
    func close() {
        guard isOpen else { return }
        isOpen = false
        dup2(original, 2)
        Glibc.close(original)
        rewind(kept)
        var block = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&block, 1, block.count, kept), count > 0 { _ = write(2, block, count) }
        fclose(kept)
    }
}
