// Access to objects that something else keeps alive meanwhile, without counting a reference.
// Counting was half of the time of a layout. Only for an owner that cannot go away during the body:
// a list that is held, or a way upwards on which nothing of the app's is called.

extension Unmanaged {
    /// Runs the body with the object.
    ///
    /// Unlike with the standard library's function of this kind, the isolation of the body is not
    /// checked at run time.
    @inline(__always)
    func borrow<Result>(_ body: (Instance) -> Result) -> Result { _withUnsafeGuaranteedRef(body) }
}

extension Array where Element: AnyObject {
    /// Runs the body with each element of the list as it is now, which keeps them alive.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) -> Void) {
        for index in indices { Unmanaged.passUnretained(self[index]).borrow(body) }
    }
}

extension UIView {
    // The references to a view's superview and controller are cleared when those are deallocated.

    nonisolated final var parentView: UIView? {
        get { parentReference?.takeUnretainedValue() }
        set {
            if let newValue { parentReference = .passUnretained(newValue) } else { parentReference = nil }
        }
    }

    /// The view controller whose root view this is.
    nonisolated final var controller: UIViewController? {
        get { controllerReference?.takeUnretainedValue() }
        set {
            // It adds to the insets.
            marks.remove(.knowsInsets)
            if let newValue { controllerReference = .passUnretained(newValue) } else { controllerReference = nil }
        }
    }

    /// The view above all others around this one, or this one.
    final var topReference: Unmanaged<UIView> {
        var top = Unmanaged.passUnretained(self)
        while let next = top.borrow({ $0.parentReference }) { top = next }
        return top
    }

    final func isSubview(of view: UIView) -> Bool {
        parentReference?.toOpaque() == Unmanaged.passUnretained(view).toOpaque()
    }
}

extension CGRect {
    /// `==` without a call into another module.
    @inline(__always)
    func isSame(as other: CGRect) -> Bool {
        origin.x == other.origin.x && origin.y == other.origin.y && size.width == other.size.width
            && size.height == other.size.height
    }
}

/// Memory for the frames of which the app changes a part. There are several while such a change
/// makes others.
@MainActor enum FrameCopies {
    private static let count = 16
    private static let memory = UnsafeMutablePointer<CGRect>.allocate(capacity: count)
    private static var used = 0

    static func push(_ frame: CGRect) -> UnsafeMutablePointer<CGRect> {
        let copy = used < count ? memory + used : .allocate(capacity: 1)
        used += 1
        copy.initialize(to: frame)
        return copy
    }

    /// The last copy that was made.
    static func pop(_ copy: UnsafeMutablePointer<CGRect>) -> CGRect {
        let frame = copy.pointee
        used -= 1
        if used >= count { copy.deallocate() }
        return frame
    }
}
