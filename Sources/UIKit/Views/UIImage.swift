/// An image's name: nothing is loaded or drawn. Usable from every thread.
open class UIImage: NSObject, @unchecked Sendable {
    let name: String
    /// Whether the image is one of the system's symbols.
    public let isSymbolImage: Bool

    /// The system's symbol of that name; `nil` for an empty name. Whether there is such a
    /// symbol is not checked.
    public init?(systemName name: String) {
        guard !name.isEmpty else { return nil }
        self.name = name
        isSymbolImage = true
        super.init()
    }

    /// The app's image of that name; `nil` for an empty name. Whether there is such an
    /// image is not checked.
    public init?(named name: String) {
        guard !name.isEmpty else { return nil }
        self.name = name
        isSymbolImage = false
        super.init()
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIImage else { return false }
        return other.name == name && other.isSymbolImage == isSymbolImage
    }

    open override var hash: Int { name.hashValue }
    open override var description: String { name }
}
