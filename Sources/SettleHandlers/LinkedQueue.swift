/// A queue that any element can leave, each operation in constant time. Nodes are reused, so
/// there are as many as the queue ever had elements at the same time.
struct LinkedQueue<Element: Sendable>: Sendable {
    /// Names an element until it is removed; then another element may get the same index.
    typealias Index = Int

    private struct Node: Sendable {
        var element: Element?
        var previous: Index?
        /// The next element or, of a free node, the next free one.
        var next: Index?
    }

    private var nodes: [Node] = []
    private var free: Index?
    private var last: Index?
    /// The oldest element's index.
    private(set) var first: Index?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at an index.
    subscript(index: Index) -> Element {
        guard let element = nodes[index].element else { preconditionFailure("no element has the index \(index)") }
        return element
    }

    func index(after index: Index) -> Index? { nodes[index].next }

    mutating func append(_ element: Element) -> Index {
        let node = Node(element: element, previous: last, next: nil)
        let index = free ?? nodes.count
        if index == nodes.count {
            nodes.append(node)
        } else {
            free = nodes[index].next
            nodes[index] = node
        }
        if let last { nodes[last].next = index } else { first = index }
        last = index
        count += 1
        return index
    }

    @discardableResult
    mutating func remove(at index: Index) -> Element {
        let element = self[index]
        let (previous, next) = (nodes[index].previous, nodes[index].next)
        if let previous { nodes[previous].next = next } else { first = next }
        if let next { nodes[next].previous = previous } else { last = previous }
        nodes[index] = Node(element: nil, previous: nil, next: free)
        free = index
        count -= 1
        return element
    }
}
