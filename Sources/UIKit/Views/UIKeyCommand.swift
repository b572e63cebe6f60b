/// Names a method of a class. Without Objective-C nothing calls it, and `#selector` does not exist.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    /// The name of a method, such as `close:`.
    public init(_ string: String) { description = string }
    /// The name of a method.
    public init(stringLiteral value: String) { description = value }
}

/// The keys that are held with another one. The raw values are Apple's.
public struct UIKeyModifierFlags: OptionSet, Sendable {
    public let rawValue: Int

    /// The keys with these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Caps lock.
    public static let alphaShift = UIKeyModifierFlags(rawValue: 1 << 16)
    public static let shift = UIKeyModifierFlags(rawValue: 1 << 17)
    public static let control = UIKeyModifierFlags(rawValue: 1 << 18)
    /// Option.
    public static let alternate = UIKeyModifierFlags(rawValue: 1 << 19)
    public static let command = UIKeyModifierFlags(rawValue: 1 << 20)
    /// A key of the numeric pad.
    public static let numericPad = UIKeyModifierFlags(rawValue: 1 << 21)
}

/// Keys that do something, as a value: nobody types, and nothing is called.
@preconcurrency @MainActor open class UIKeyCommand: NSObject {
    public nonisolated static let inputUpArrow = "UIKeyInputUpArrow"
    public nonisolated static let inputDownArrow = "UIKeyInputDownArrow"
    public nonisolated static let inputLeftArrow = "UIKeyInputLeftArrow"
    public nonisolated static let inputRightArrow = "UIKeyInputRightArrow"
    public nonisolated static let inputEscape = "UIKeyInputEscape"
    public nonisolated static let inputPageUp = "UIKeyInputPageUp"
    public nonisolated static let inputPageDown = "UIKeyInputPageDown"
    public nonisolated static let inputHome = "UIKeyInputHome"
    public nonisolated static let inputEnd = "UIKeyInputEnd"
    public nonisolated static let inputDelete = "UIKeyInputDelete"

    /// What people read in a menu; empty for nothing.
    open var title = ""
    /// What people see in a menu; `nil` for none.
    open var image: UIImage?
    /// What people read while they hold the command key; `nil` for nothing.
    open var discoverabilityTitle: String?
    /// The key, by its character or by one of the names above; `nil` for none.
    public private(set) var input: String?
    /// The keys that are held with it.
    public private(set) var modifierFlags: UIKeyModifierFlags = []
    /// What the keys do; `nil` for nothing.
    public private(set) var action: Selector?
    /// For the app's own use.
    public private(set) var propertyList: Any?
    /// Whether it comes before what the system does with the keys.
    open var wantsPriorityOverSystemBehavior = false

    /// A command of a menu.
    public convenience init(
        title: String = "", image: UIImage? = nil, action: Selector, input: String,
        modifierFlags: UIKeyModifierFlags = [], propertyList: Any? = nil, discoverabilityTitle: String? = nil
    ) {
        self.init(input: input, modifierFlags: modifierFlags, action: action)
        (self.title, self.image, self.propertyList) = (title, image, propertyList)
        self.discoverabilityTitle = discoverabilityTitle
    }

    /// A command without a title.
    public convenience init(input: String, modifierFlags: UIKeyModifierFlags, action: Selector) {
        self.init()
        (self.input, self.modifierFlags, self.action) = (input, modifierFlags, action)
    }
}

extension UIViewController {
    /// Adds keys to `keyCommands`.
    public func addKeyCommand(_ keyCommand: UIKeyCommand) { links.keyCommands.append(keyCommand) }
    /// Removes keys that were added.
    public func removeKeyCommand(_ keyCommand: UIKeyCommand) { links.keyCommands.removeAll { $0 === keyCommand } }
}
