internal import Settle

/// A line in order of arrival that any element can leave, each operation in
/// constant time. Room is reused, so it has as many links as it ever had elements.
struct Chain<Element: Sendable>: Sendable {
    /// Where an element stands, until it leaves; then the place may be another's.
    typealias Place = Int

    private struct Link: Sendable {
        var element: Element?
        var previous: Place?
        /// The next in line or, of a free link, the next free one.
        var next: Place?
    }

    private var links: [Link] = []
    private var free: Place?
    private var last: Place?
    private(set) var first: Place?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at a taken place.
    subscript(place: Place) -> Element {
        guard let element = links[place].element else { preconditionFailure("place \(place) is free") }
        return element
    }

    func next(after place: Place) -> Place? { links[place].next }

    mutating func append(_ element: Element) -> Place {
        let link = Link(element: element, previous: last, next: nil)
        let place = free ?? links.count
        if place == links.count {
            links.append(link)
        } else {
            free = links[place].next
            links[place] = link
        }
        if let last { links[last].next = place } else { first = place }
        last = place
        count += 1
        return place
    }

    @discardableResult
    mutating func remove(_ place: Place) -> Element {
        let element = self[place]
        let (previous, next) = (links[place].previous, links[place].next)
        if let previous { links[previous].next = next } else { first = next }
        if let next { links[next].previous = previous } else { last = previous }
        links[place] = Link(element: nil, previous: nil, next: free)
        free = place
        count -= 1
        return element
    }
}
