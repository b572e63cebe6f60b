/// The orientations that an Info.plist declares: `UISupportedInterfaceOrientations`, and the
/// same with `~ipad` and `~iphone` for one kind of device.
package struct DeclaredOrientations: Hashable, Sendable {
    private static let key = "UISupportedInterfaceOrientations"
    private static let names: [String: UIInterfaceOrientationMask] = [
        "UIInterfaceOrientationPortrait": .portrait,
        "UIInterfaceOrientationPortraitUpsideDown": .portraitUpsideDown,
        "UIInterfaceOrientationLandscapeLeft": .landscapeLeft,
        "UIInterfaceOrientationLandscapeRight": .landscapeRight,
    ]

    private var common: UIInterfaceOrientationMask?
    private var pad: UIInterfaceOrientationMask?
    private var phone: UIInterfaceOrientationMask?

    package init() {}

    /// - Parameter warnings: Gets what the app should change, a line each.
    /// - Throws: `ManifestError` for a value that is not an array of strings.
    init(_ root: PropertyListNode, warnings: inout [String]) throws(UISystem.ManifestError) {
        common = try Self.mask(root, Self.key, &warnings)
        pad = try Self.mask(root, "\(Self.key)~ipad", &warnings)
        phone = try Self.mask(root, "\(Self.key)~iphone", &warnings)
    }

    /// `nil` if nothing, or an empty array, is declared.
    func mask(on kind: UISystem.Platform.Kind) -> UIInterfaceOrientationMask? {
        let own = kind == .phone ? phone : kind == .pad ? pad : nil
        return (own ?? common).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func mask(
        _ root: PropertyListNode, _ key: String, _ warnings: inout [String]
    ) throws(UISystem.ManifestError) -> UIInterfaceOrientationMask? {
        guard let node = try root.child(key) else { return nil }
        var mask: UIInterfaceOrientationMask = []
        for item in try node.elements() {
            let name = try item.string()
            if let orientation = names[name] {
                mask.formUnion(orientation)
            } else {
                warnings.append(
                    "\(item.keyPath): ignored, as \"\(name)\" is none of "
                        + names.keys.sorted().joined(separator: ", "))
            }
        }
        return mask
    }
}

extension InfoPropertyList {
    /// The orientations that are declared for a kind of device; `nil` for none.
    func orientations(on kind: UISystem.Platform.Kind) -> UIInterfaceOrientationMask? { orientations.mask(on: kind) }
}
