import Settle
import UIKit
import XCTest

// Tests state many sizes and frames: in the order of Apple's labels, without them.

extension CGRect {
    init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
        self.init(x: x, y: y, width: width, height: height)
    }
}

extension CGSize {
    init(_ width: CGFloat, _ height: CGFloat) { self.init(width: width, height: height) }

    /// For example `700×500`.
    var text: String { "\(Int(width))×\(Int(height))" }
}

extension CGPoint {
    init(_ x: CGFloat, _ y: CGFloat) { self.init(x: x, y: y) }
}

extension Size {
    init(_ width: Double, _ height: Double) { self.init(width: width, height: height) }
}

extension UIEdgeInsets {
    /// In the order top, left, bottom, right.
    init(_ top: CGFloat, _ left: CGFloat, _ bottom: CGFloat, _ right: CGFloat) {
        self.init(top: top, left: left, bottom: bottom, right: right)
    }
}

/// Compares texts, each joined by commas: what was recorded, and what is expected in one line.
func assertText(
    _ texts: [String], _ expected: String, _ message: String = "", file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertEqual(texts.joined(separator: ", "), expected, message, file: file, line: line)
}

/// The calls that delegates get while this runs, only those that contain a text if there is one.
@MainActor func calls(_ part: String = "", _ body: () throws -> Void) rethrows -> [String] {
    DelegateCalls.all = []
    try body()
    return DelegateCalls.drain().filter { part.isEmpty || $0.contains(part) }
}

/// Compares the calls that delegates got since they were asked for last.
@MainActor func assertCalls(
    _ expected: String, _ message: String = "", file: StaticString = #filePath, line: UInt = #line
) {
    assertText(DelegateCalls.drain(), expected, message, file: file, line: line)
}

/// Compares the calls that delegates get while this runs.
@MainActor func assertCalls(
    _ expected: String, _ message: String = "", file: StaticString = #filePath, line: UInt = #line,
    in body: () throws -> Void
) rethrows {
    assertText(try calls("", body), expected, message, file: file, line: line)
}

@MainActor protocol Anchored {
    var leadingAnchor: NSLayoutXAxisAnchor { get }
    var trailingAnchor: NSLayoutXAxisAnchor { get }
    var leftAnchor: NSLayoutXAxisAnchor { get }
    var rightAnchor: NSLayoutXAxisAnchor { get }
    var topAnchor: NSLayoutYAxisAnchor { get }
    var bottomAnchor: NSLayoutYAxisAnchor { get }
    var widthAnchor: NSLayoutDimension { get }
    var heightAnchor: NSLayoutDimension { get }
}

extension UIView: Anchored {}
extension UILayoutGuide: Anchored {}

extension Anchored {
    /// Inactive equalities of the sides that are named with those of another view or guide; trailing, right and
    /// bottom sides lie inside of the other by a positive distance.
    func sides(
        of other: some Anchored, top: CGFloat? = nil, leading: CGFloat? = nil, bottom: CGFloat? = nil,
        trailing: CGFloat? = nil, left: CGFloat? = nil, right: CGFloat? = nil
    ) -> [NSLayoutConstraint] {
        [
            top.map { topAnchor.constraint(equalTo: other.topAnchor, constant: $0) },
            leading.map { leadingAnchor.constraint(equalTo: other.leadingAnchor, constant: $0) },
            bottom.map { bottomAnchor.constraint(equalTo: other.bottomAnchor, constant: -$0) },
            trailing.map { trailingAnchor.constraint(equalTo: other.trailingAnchor, constant: -$0) },
            left.map { leftAnchor.constraint(equalTo: other.leftAnchor, constant: $0) },
            right.map { rightAnchor.constraint(equalTo: other.rightAnchor, constant: -$0) },
        ].compactMap { $0 }
    }

    /// Inactive constraints of constant lengths.
    func lengths(width: CGFloat? = nil, height: CGFloat? = nil) -> [NSLayoutConstraint] {
        [width.map(widthAnchor.constraint(equalToConstant:)), height.map(heightAnchor.constraint(equalToConstant:))]
            .compactMap { $0 }
    }
}

extension [NSLayoutConstraint] {
    @MainActor func activate() { NSLayoutConstraint.activate(self) }
}
