internal import CSettle
internal import CUnpack
internal import Settle

extension LogFormat {
    /// Detects the format of a log from its beginning, or else from its file name's extension.
    ///
    /// Reads no further than it takes to recognize a format.
    ///
    /// - Throws: `.malformed` if neither shows the format; `.io` when reading fails.
    static func detect(_ input: ByteInput) throws(LogError) -> LogFormat {
        if let format = try detectContent(input) ?? allCases.first(where: { $0.matches(path: input.name) }) {
            return format
        }
        if let stranger = Stranger.detect(input.available) {
            throw LogError(
                .malformed, file: input.name,
                "this looks like \(stranger.name): \(stranger.advice); see \(Stranger.page)#\(stranger.heading)")
        }
        let names = allCases.map(\.name).joined(separator: ", ")
        throw LogError(
            .malformed, file: input.name,
            "neither the content nor the file name shows the format; name it with --format (\(names));"
                + " \(Stranger.page) lists what is read, and how")
    }

    /// The same by the beginning alone; `nil` if it does not show the format.
    static func detectContent(_ input: ByteInput) throws(LogError) -> LogFormat? {
        let number = try input.ask(settle_log_format_detect)
        return allCases.first { $0.number == number }
    }

    /// Detects the encoding of a live stream from its first byte. Waits for that byte.
    ///
    /// - Throws: `.truncated` for a stream without any; `.io` when reading fails.
    static func detectStream(_ input: ByteInput) throws(LogError) -> LogFormat {
        guard try input.require(1), let first = input.available.first else {
            throw LogError(.truncated, file: input.name, "the stream is empty")
        }
        return first == BinaryFrames.fileMagic.first ? .settle : .jsonl
    }
}

/// Content that cannot be a log: an empty input, a compressed file, text that is not UTF-8, a policy.
enum ForeignContent {
    /// Rejects an input that cannot be a log, and skips a UTF-8 byte order mark.
    static func check(_ input: ByteInput, unpacks: Bool = false) throws(LogError) {
        let mayUnpack = unpacks && input.unpackedBytesMax > 0
        if mayUnpack, let kind = packing(try input.ask(settle_log_find_foreign)) { try input.unpack(kind) }
        if let error = try error(input) { throw error }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if input.available[0] == mark[0], try input.require(mark.count), input.available.starts(with: mark) {
            input.consume(mark.count)
        }
    }

    /// What unpacks an input; `nil` if it is not compressed, or by another program.
    private static func packing(_ foreign: Int32) -> unpack_kind? {
        switch settle_log_foreign(foreign) {
        case SETTLE_FOREIGN_GZIP: UNPACK_GZIP
        case SETTLE_FOREIGN_XZ: UNPACK_XZ
        case SETTLE_FOREIGN_ZSTD: UNPACK_ZSTD
        case SETTLE_FOREIGN_BZIP2: UNPACK_BZIP2
        default: nil
        }
    }

    /// Why an input cannot be a log, `nil` if it may be one.
    static func error(_ input: ByteInput) throws(LogError) -> LogError? {
        let foreign = try input.ask(settle_log_find_foreign)
        let hint: String
        switch settle_log_foreign(foreign) {
        case SETTLE_FOREIGN_NONE:
            guard isPolicy(input.available) else { return nil }
            return LogError(.malformed, file: input.name, "is a policy and no log; --policy takes it")
        case SETTLE_FOREIGN_PAGE: hint = " (docs/guide/reports.md says how to get the logs out of a report)"
        case SETTLE_FOREIGN_GZIP, SETTLE_FOREIGN_ZSTD, SETTLE_FOREIGN_XZ, SETTLE_FOREIGN_BZIP2:
            hint = ", and give - for the log to read a pipe"
        case SETTLE_FOREIGN_ARCHIVE, SETTLE_FOREIGN_TAR, SETTLE_FOREIGN_PICTURE:
            hint = " (\(Stranger.page) lists what is read)"
        default: hint = ""
        }
        let kind: LogError.Kind = foreign == SETTLE_FOREIGN_EMPTY.rawValue ? .truncated : .malformed
        return LogError(kind, file: input.name, String(cString: settle_log_foreign_problem(foreign)) + hint)
    }

    /// Whether bytes begin as a policy does that `settle policy` writes: an object whose first key is a field.
    private static func isPolicy(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let object = bytes.drop(while: isSpace)
        guard object.first == UInt8(ascii: "{") else { return false }
        let key = object.dropFirst().drop(while: isSpace)
        guard key.first == UInt8(ascii: "\"") else { return false }
        let name = key.dropFirst().prefix(64).prefix { $0 != UInt8(ascii: "\"") }
        return Policy.names.contains(String(decoding: name, as: UTF8.self))
    }
}

extension ByteInput {
    /// What a function of C finds in the first bytes. Waits for no more bytes than that takes, as the
    /// input may be a live stream.
    fileprivate func ask(_ find: (UnsafePointer<UInt8>?, Int, Bool) -> Int32) throws(LogError) -> Int32 {
        var isAll = false
        while true {
            let found = find(available.bindMemory(to: UInt8.self).baseAddress, available.count, isAll)
            guard found == SETTLE_FORMAT_NEEDS_MORE.rawValue else { return found }
            isAll = try !more()
        }
    }
}
