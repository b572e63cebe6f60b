/// The frames in a scene's windows as an SVG image, one unit per point.
///
/// A view controller's view is a filled rectangle, whose safe area has a dashed outline. The
/// innermost ones are labelled with their names, sizes and insets, and with the containers around
/// them. Other views are grey outlines, with their names unless they are plain views. Hidden views
/// are left out; later subviews cover earlier ones, as on a screen.
@MainActor struct LayoutDrawing {
    private var elements: [String] = []
    private let size: CGSize
    private let caption: String

    init(_ scene: UIWindowScene) {
        size = scene.pending.size
        let traits = scene.traitCollection
        caption =
            "\(Self.text(size.width)) × \(Self.text(size.height)), \(scene.pending.orientation), "
            + "\(traits.horizontalSizeClass) × \(traits.verticalSizeClass)"
        for window in scene.windows where !window.isHidden { draw(window) }
    }

    var svg: String {
        let (width, height) = (Self.text(size.width + 2 * Self.margin), Self.text(size.height + 4 * Self.margin))
        let (left, top) = (Self.text(-Self.margin), Self.text(-3 * Self.margin))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="\(left) \(top) \(width) \(height)" font-family="sans-serif" font-size="12">
            <rect x="\(left)" y="\(top)" width="\(width)" height="\(height)" fill="#fff"/>
            <text x="0" y="-10" fill="#000">\(Self.escaped(caption))</text>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    /// The space around the windows, in points.
    private static let margin: CGFloat = 10
    /// The height of a line of text, in points.
    private static let lineHeight: CGFloat = 16
    private static let fills = ["#fdf1e3", "#e6f2fd", "#eaf7e6", "#f8e8f4", "#f3f0dc", "#e5f5f3"]

    // MARK: Views

    private mutating func draw(_ window: UIWindow) {
        let frame = CGRect(origin: .zero, size: window.storedFrame.size)
        add(frame, "fill=\"#fff\" stroke=\"#000\"")
        drawSubviews(of: window, at: frame.origin, in: [], isNamed: false)
        guard let control = window.controlArea else { return }
        add(control, "rx=\"8\" fill=\"none\" stroke=\"#c00\"")
        label(["window control"], "#c00", in: control)
    }

    /// - Parameter isNamed: They are in a view that has its name in the drawing.
    /// - Returns: Whether there is a view controller's view among them, at any depth.
    @discardableResult
    private mutating func drawSubviews(
        of view: UIView, at origin: CGPoint, in containers: [String], isNamed: Bool
    ) -> Bool {
        var hasController = false
        let bounds = view.bounds.origin
        for subview in view.storedSubviews where !subview.isHidden {
            let frame = CGRect(
                x: origin.x + subview.storedFrame.origin.x - bounds.x,
                y: origin.y + subview.storedFrame.origin.y - bounds.y, width: subview.storedFrame.size.width,
                height: subview.storedFrame.size.height)
            if draw(subview, frame, in: containers, isNamed: isNamed) { hasController = true }
        }
        return hasController
    }

    /// - Returns: Whether it is, or has within it, a view controller's view.
    private mutating func draw(
        _ view: UIView, _ frame: CGRect, in containers: [String], isNamed: Bool
    ) -> Bool {
        guard let controller = view.controller else {
            add(frame, "fill=\"none\" stroke=\"#bbb\"")
            let hasName = !isNamed && type(of: view) != UIView.self
            if hasName { label(["\(type(of: view))"], "#888", in: frame) }
            return drawSubviews(of: view, at: frame.origin, in: containers, isNamed: isNamed || hasName)
        }
        let name = "\(type(of: controller))"
        let insets = view.safeAreaInsets
        let safeArea = frame.inset(by: insets)
        add(frame, "fill=\"\(Self.fill(name))\" stroke=\"#333\"")
        let isContainer = drawSubviews(of: view, at: frame.origin, in: containers + [name], isNamed: false)
        if isContainer { return true }
        if insets != .zero { add(safeArea, "fill=\"none\" stroke=\"#080\" stroke-dasharray=\"6 4\"") }
        var lines = [controller.title.map { "\(name) “\($0)”" } ?? name]
        lines.append("\(Self.text(frame.size.width)) × \(Self.text(frame.size.height))")
        if insets != .zero {
            let sides = [insets.top, insets.left, insets.bottom, insets.right].map(Self.text).joined(separator: " ")
            lines.append("safe area \(sides)")
        }
        lines += containers.reversed().map { "in \($0)" }
        labelAtBottom(lines, "#000", in: safeArea)
        return true
    }

    // MARK: Elements

    private mutating func add(_ frame: CGRect, _ style: String) {
        elements.append("<rect \(Self.attributes(frame)) \(style)/>")
    }

    /// Adds lines of text, clipped to a frame.
    private mutating func label(_ lines: [String], _ color: String, in frame: CGRect) {
        guard !lines.isEmpty, frame.size.width > 0, frame.size.height > 0 else { return }
        let texts = lines.enumerated().map { index, line in
            "<text x=\"6\" y=\"\(Self.text(Self.lineHeight * CGFloat(index + 1)))\" fill=\"\(color)\">"
                + "\(Self.escaped(line))</text>"
        }
        elements.append("<svg \(Self.attributes(frame))>\(texts.joined())</svg>")
    }

    /// The same at the frame's bottom, or at its top if they need more than its height.
    private mutating func labelAtBottom(_ lines: [String], _ color: String, in frame: CGRect) {
        let height = Self.lineHeight * CGFloat(lines.count) + 6
        let top = max(0, frame.size.height - height)
        label(
            lines, color,
            in: CGRect(
                x: frame.origin.x, y: frame.origin.y + top, width: frame.size.width, height: frame.size.height - top))
    }

    // MARK: Text

    private static func attributes(_ frame: CGRect) -> String {
        "x=\"\(text(frame.origin.x))\" y=\"\(text(frame.origin.y))\" width=\"\(text(max(0, frame.size.width)))\" "
            + "height=\"\(text(max(0, frame.size.height)))\""
    }

    /// At most two decimals.
    nonisolated static func text(_ length: CGFloat) -> String {
        let rounded = (Double(length) * 100).rounded() / 100
        guard let whole = Int(exactly: rounded) else { return "\(rounded)" }
        return "\(whole)"
    }

    /// A view controller has the same color in each drawing.
    private static func fill(_ name: String) -> String {
        fills[name.unicodeScalars.reduce(0) { $0 + Int($1.value) } % fills.count]
    }

    /// Text for XML, without the control characters that it forbids.
    nonisolated private static func escaped(_ text: String) -> String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.reduce(into: "") { result, character in
            guard character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0xFFFE || $0.value > 0xFFFF })
            else { return }
            result += entities[character] ?? String(character)
        }
    }
}
