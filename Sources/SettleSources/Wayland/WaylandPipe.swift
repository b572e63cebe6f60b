internal import SettlePlatform

/// One direction of a connection: takes a chunk of bytes and descriptors from a socket, and hands
/// it on before it takes the next one. So memory is bounded, and a side that does not read soon
/// stops the other one, as without a proxy.
///
/// The system gives the descriptors of at most one message with a chunk, and never after its
/// bytes. They are sent with the chunk's first byte, so they do not arrive later than the bytes
/// that need them.
final class WaylandPipe {
    /// Which side has ended a direction.
    enum Side { case source, destination }

    enum Phase: Equatable {
        /// Waits for the source of the bytes.
        case receiving
        /// Holds a chunk, and waits for the other side to take it.
        case sending
        /// A side has ended it, and the other one knows.
        case ended(by: Side)
    }

    private static let chunkMax = 1 << 16
    /// Chunks until the other connections have their turn.
    private static let chunksPerTurn = 16

    private let from: UnixDomainSocket
    private let to: UnixDomainSocket
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkMax, alignment: 16)
    private var rest = 0..<0
    private var descriptors: [Int32] = []
    private(set) var phase = Phase.receiving

    var isEnded: Bool {
        if case .ended = phase { return true }
        return false
    }

    init(from: UnixDomainSocket, to: UnixDomainSocket) {
        self.from = from
        self.to = to
        descriptors.reserveCapacity(UnixDomainSocket.descriptorsMax)
    }

    deinit {
        closeDescriptors(descriptors)
        chunk.deallocate()
    }

    /// Hands on what there is, without waiting.
    ///
    /// - Parameter decode: Called with each chunk before it is sent.
    /// - Throws: When descriptors were lost, or the system cannot pass them on.
    func turn(_ decode: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        for _ in 0..<Self.chunksPerTurn {
            switch phase {
            case .receiving: guard try receive(decode) else { return }
            case .sending: break
            case .ended: return
            }
            guard try send() else { return }
            // A chunk that is not full was the last; asking again would cost a system call.
            if rest.upperBound < Self.chunkMax { return }
        }
    }

    /// False if nothing has come.
    private func receive(_ decode: (UnsafeRawBufferPointer) -> Void) throws(SystemError) -> Bool {
        let count: Int
        do throws(SystemError) {
            guard let received = try from.receive(into: chunk, descriptors: &descriptors) else { return false }
            count = received
        } catch {
            if error.isOutOfDescriptors { throw error }
            count = 0
        }
        if count == 0 {
            end(by: .source)
            return false
        }
        decode(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        rest = 0..<count
        phase = .sending
        return true
    }

    /// False if the chunk is not completely sent.
    private func send() throws(SystemError) -> Bool {
        while !rest.isEmpty {
            do throws(SystemError) {
                let bytes = UnsafeRawBufferPointer(rebasing: chunk[rest])
                guard let sent = try to.send(bytes, descriptors: descriptors) else { return false }
                rest = rest.lowerBound + sent..<rest.upperBound
                closeReceived()
            } catch {
                if error.isOutOfDescriptors { throw error }
                end(by: .destination)
                return false
            }
        }
        phase = .receiving
        // Keys and texts of the app are not kept, not even here.
        chunk[..<rest.upperBound].initializeMemory(as: UInt8.self, repeating: 0)
        return true
    }

    /// Ends the direction for both sides. They may still use the other one: a compositor's last
    /// message says why it ends a connection.
    private func end(by side: Side) {
        phase = .ended(by: side)
        closeReceived()
        to.shutdownSending()
        from.shutdownReceiving()
    }

    private func closeReceived() {
        guard !descriptors.isEmpty else { return }
        closeDescriptors(descriptors)
        descriptors.removeAll(keepingCapacity: true)
    }
}
