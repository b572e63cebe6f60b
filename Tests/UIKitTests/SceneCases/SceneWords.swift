import Settle
import XCTest

@testable import UIKit

/// The words of a part of a line that are not read yet.
@MainActor struct Words {
    private var rest: ArraySlice<String>
    private let world: SceneWorld

    init(_ text: String, _ world: SceneWorld) {
        rest = text.split(separator: " ").map(String.init)[...]
        self.world = world
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func word() throws -> String {
        guard let word = rest.popFirst() else { throw CaseFault("a word is missing") }
        return word
    }

    /// The next word if it ends in a colon, without that.
    mutating func label() -> String? {
        guard let word = rest.first, word.hasSuffix(":") else { return nil }
        rest.removeFirst()
        return String(word.dropLast())
    }

    /// All that is left, as text.
    mutating func all() -> String {
        defer { rest = [] }
        return rest.joined(separator: " ")
    }

    mutating func value<Value: CaseValue>(_ type: Value.Type = Value.self) throws -> Value {
        let words = Array(rest.prefix(Value.count))
        guard words.count == Value.count, let value = Value(words: words) else {
            throw CaseFault("\(Value.count == 1 ? "\(Value.self)" : "\(Value.count) numbers"), not '\(all())'")
        }
        rest = rest.dropFirst(Value.count)
        return value
    }

    /// The object of a name or a path; `nil` for `none`.
    mutating func object<Object>(_ type: Object.Type = Object.self) throws -> Object? {
        let name = try word()
        if name == "none" { return nil }
        let found: Any?
        if name.contains(".") {
            let (object, last) = try world.resolve(name)
            found = CaseTable.value(last, of: object).flatMap(unwrapped)
        } else {
            found = Object.self == UIViewController.self ? try world.controller(name) : try world.object(name)
        }
        guard let object = found as? Object else { throw CaseFault("'\(name)' is no \(Object.self)") }
        return object
    }

    mutating func some<Object>(_ type: Object.Type = Object.self) throws -> Object {
        guard let object = try object(type) else { throw CaseFault("none is no \(Object.self)") }
        return object
    }

    mutating func objects<Object>(_ type: Object.Type = Object.self) throws -> [Object] {
        var all: [Object] = []
        while !isEmpty { if let object = try object(type) { all.append(object) } }
        return all
    }

    /// Tabs, which are made as far as there are none of their names.
    mutating func tabs() throws -> [UITab] {
        var tabs: [UITab] = []
        while !isEmpty { tabs.append(try world.tab(word())) }
        return tabs
    }

    func end() throws {
        guard isEmpty else { throw CaseFault("nothing is expected after that: '\(rest.joined(separator: " "))'") }
    }
}

/// A value that a case can write, in a number of words.
protocol CaseValue {
    static var count: Int { get }
    init?(words: [String])
}

extension CaseValue where Self: RawRepresentable, RawValue == Int {
    /// By the name of the case.
    init?(words: [String]) {
        guard let value = (-2...40).lazy.compactMap(Self.init).first(where: { "\($0)" == words[0] }) else { return nil }
        self = value
    }
}

extension UITabBarController.Mode: CaseValue {}
extension UITabBarController.Sidebar.Layout: CaseValue {}
extension UITab.Placement: CaseValue {}
extension UISplitViewController.Column: CaseValue {}
extension UISplitViewController.DisplayMode: CaseValue {}
extension UISplitViewController.SplitBehavior: CaseValue {}
extension UISplitViewController.PrimaryEdge: CaseValue {}
extension UIModalPresentationStyle: CaseValue {}
extension UISemanticContentAttribute: CaseValue {}
extension UIInterfaceOrientation: CaseValue {}
extension UIScene.ActivationState: CaseValue {}
extension UIUserInterfaceSizeClass: CaseValue {}
extension UIUserInterfaceStyle: CaseValue {}
extension UIStackView.Distribution: CaseValue {}
extension UIStackView.Alignment: CaseValue {}
extension UITraitEnvironmentLayoutDirection: CaseValue {}
extension NSLayoutConstraint.Attribute: CaseValue {}
extension NSLayoutConstraint.Axis: CaseValue {}

extension CaseValue {
    static var count: Int { 1 }
}

extension CaseValue where Self: LosslessStringConvertible {
    init?(words: [String]) { self.init(words[0]) }
}

extension Bool: CaseValue {}
extension Int: CaseValue {}
extension String: CaseValue {}

extension CGFloat: CaseValue {
    init?(words: [String]) {
        switch words[0] {
        case "automatic": self = UISplitViewController.automaticDimension
        case "greatest": self = .greatestFiniteMagnitude
        default:
            guard let number = Double(words[0]) else { return nil }
            self = CGFloat(number)
        }
    }
}

extension UILayoutPriority: CaseValue {
    init?(words: [String]) {
        guard let number = Float(words[0]) else { return nil }
        self.init(number)
    }
}

extension CGSize: CaseValue {
    init?(words: [String]) {
        let sides = words[0].split(separator: "x", maxSplits: 1).compactMap { CGFloat(words: [String($0)]) }
        guard sides.count == 2 else { return nil }
        self.init(sides[0], sides[1])
    }
}

/// A value of four numbers, or two.
protocol CaseNumbers: CaseValue {
    init(numbers: [CGFloat])
}

extension CaseNumbers {
    static var count: Int { 4 }
    init?(words: [String]) {
        let numbers = words.compactMap { CGFloat(words: [$0]) }
        guard numbers.count == words.count else { return nil }
        self.init(numbers: numbers)
    }
}

extension CGPoint: CaseNumbers {
    static var count: Int { 2 }
    init(numbers n: [CGFloat]) { self.init(n[0], n[1]) }
}
extension CGRect: CaseNumbers { init(numbers n: [CGFloat]) { self.init(n[0], n[1], n[2], n[3]) } }
extension UIEdgeInsets: CaseNumbers { init(numbers n: [CGFloat]) { self.init(n[0], n[1], n[2], n[3]) } }
extension NSDirectionalEdgeInsets: CaseNumbers {
    init(numbers n: [CGFloat]) { self.init(top: n[0], leading: n[1], bottom: n[2], trailing: n[3]) }
}

/// What is in an optional, however often it is wrapped.
func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { unwrapped($0.value) }
}

extension SceneWorld {
    /// A value as cases write it: numbers without labels, sizes as 700x500, objects by their names.
    func text(_ value: Any) -> String {
        func numbers(_ all: CGFloat...) -> String {
            all.map { $0 == $0.rounded() && abs($0) < 1e15 ? "\(Int($0))" : "\($0)" }.joined(separator: " ")
        }
        switch value {
        case let number as CGFloat: return numbers(number)
        case let size as CGSize: return "\(numbers(size.width))x\(numbers(size.height))"
        case let point as CGPoint: return numbers(point.x, point.y)
        case let rect as CGRect: return numbers(rect.minX, rect.minY, rect.width, rect.height)
        case let all as UIEdgeInsets: return numbers(all.top, all.left, all.bottom, all.right)
        case let all as NSDirectionalEdgeInsets: return numbers(all.top, all.leading, all.bottom, all.trailing)
        case let priority as UILayoutPriority: return numbers(CGFloat(priority.rawValue))
        case let all as [Any]: return all.isEmpty ? "none" : all.map(text).joined(separator: " ")
        case let text as String: return text
        default:
            guard let value = unwrapped(value) else { return "none" }
            return Mirror(reflecting: value).displayStyle == .class ? name(of: value as AnyObject) : "\(value)"
        }
    }
}

/// A constraint in a line: `a.left == b.right * 2 + 10 @ 750`, with a name for later before a colon.
@MainActor struct Equation {
    private let name: String?
    private let left, relation, right: String
    private let rest: [(sign: String, number: CGFloat)]

    init?(_ text: String) {
        var words = text.split(separator: " ").map(String.init)
        name = words[0].hasSuffix(":") ? String(words.removeFirst().dropLast()) : nil
        guard words.count >= 3, ["==", "<=", ">="].contains(words[1]), words.count % 2 == 1 else { return nil }
        (left, relation, right) = (words[0], words[1], words[2])
        rest = stride(from: 3, to: words.count, by: 2).map { index in
            let numbers = words[index + 1].split(separator: "/").map { Double($0) ?? .nan }
            return (words[index], CGFloat(numbers.dropFirst().reduce(numbers[0], /)))
        }
    }

    func activate(in world: SceneWorld) throws {
        let relations: [String: NSLayoutConstraint.Relation] = ["<=": .lessThanOrEqual, ">=": .greaterThanOrEqual]
        func part(_ path: String) throws -> (AnyObject, NSLayoutConstraint.Attribute) {
            let (object, name) = try world.resolve(path)
            var words = Words(name, world)
            return (object, try words.value())
        }
        guard rest.allSatisfy({ "*+-@".contains($0.sign) && $0.number.isFinite }) else {
            throw CaseFault("A.X == B.Y * NUMBER + NUMBER @ PRIORITY")
        }
        func value(_ signs: String) -> CGFloat? {
            rest.first { signs.contains($0.sign) }.map { $0.sign == "-" ? -$0.number : $0.number }
        }
        let first = try part(left)
        let number = Double(right)
        let second = number == nil ? try part(right) : nil
        let constraint = NSLayoutConstraint(
            item: first.0, attribute: first.1, relatedBy: relations[relation] ?? .equal, toItem: second?.0,
            attribute: second?.1 ?? .notAnAttribute, multiplier: value("*") ?? 1,
            constant: number.map { CGFloat($0) } ?? value("+-") ?? 0)
        if let priority = value("@") { constraint.priority = UILayoutPriority(Float(priority)) }
        if let name { try world.add(constraint, name) }
        constraint.isActive = true
    }
}
