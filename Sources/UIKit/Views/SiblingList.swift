/// What is in a `SiblingList`.
protocol Sibling: AnyObject {
    /// Where the list found it last. Nothing else uses it.
    var siblingPlace: Int { get set }
}

/// The subviews of a view, or the children of a view controller, in their order.
///
/// Removing all of them one by one, in any order, costs as many steps as there are: one that leaves
/// the middle leaves a gap, and the gaps are closed when the list is read next.
struct SiblingList<Element: Sibling> {
    /// The elements, while there are no gaps.
    private var list: [Element] = []
    /// The elements with their gaps; `nil` while there are none.
    private var gapped: [Element?]?
    private var gaps = 0
    /// From the end of a list without gaps so many elements are moved rather than leaving a gap.
    private static var movedMax: Int { 8 }

    var count: Int { gapped.map { $0.count - gaps } ?? list.count }

    var elements: [Element] {
        mutating get {
            if gapped != nil { closeGaps() }
            return list
        }
        set {
            gapped = nil
            list = newValue
        }
    }

    mutating func append(_ element: Element) {
        element.siblingPlace = gapped?.count ?? list.count
        if gapped == nil { list.append(element) } else { gapped?.append(element) }
    }

    mutating func insert(_ element: Element, at index: Int) {
        if index >= count { return append(element) }
        if gapped != nil { closeGaps() }
        element.siblingPlace = index
        list.insert(element, at: index)
    }

    mutating func remove(_ element: Element) {
        guard let place = place(of: element) else { return }
        if gapped == nil {
            if list.count - place <= Self.movedMax {
                list.remove(at: place)
                return
            }
            gapped = list
            list = []
            gaps = 0
        }
        gapped?[place] = nil
        gaps += 1
        if count == 0 { gapped = nil }
    }

    /// The elements before are those that were not removed.
    private mutating func closeGaps() {
        list = gapped?.compactMap { $0 } ?? list
        gapped = nil
    }

    /// Where the element is, gaps included. Elements that were moved by others are found once the
    /// places of all have been noted again.
    private func place(of element: Element) -> Int? {
        if holds(element, at: element.siblingPlace) { return element.siblingPlace }
        if let gapped {
            for (place, element) in gapped.enumerated() { element?.siblingPlace = place }
        } else {
            for (place, element) in list.enumerated() { element.siblingPlace = place }
        }
        return holds(element, at: element.siblingPlace) ? element.siblingPlace : nil
    }

    private func holds(_ element: Element, at place: Int) -> Bool {
        if let gapped { return place < gapped.count && gapped[place] === element }
        return place < list.count && list[place] === element
    }
}
