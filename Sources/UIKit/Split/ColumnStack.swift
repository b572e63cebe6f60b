internal import Settle

/// The stack that a collapsed split view makes of its columns' stacks, and which column each
/// item came from. A value without views, so that its rules can be tested alone.
struct ColumnStack<Item: AnyObject> {
    typealias Column = UISplitViewController.Column

    /// The columns' own items: those on the stack as they were last, and those that are not.
    private(set) var items = PerColumn<[Item]>(repeating: [])
    private(set) var bottom = Column.primary
    /// The columns whose own navigation controllers are empty, as theirs went onto the stack.
    var emptied = ColumnSet()

    /// The stack of the columns up to the top one.
    ///
    /// - Parameter columns: The items of every column, the lowest first.
    init(_ columns: PerColumn<[Item]>, bottom: Column) {
        items = columns
        self.bottom = bottom
    }

    /// The items of the columns from `first` to `last`, the lowest first.
    func items(from first: Column, through last: Column) -> [Item] {
        Column.stacked.filter { $0.rawValue >= first.rawValue && $0.rawValue <= last.rawValue }.flatMap { items[$0] }
    }

    /// The column that the item came from; `nil` if it was pushed later.
    func origin(of item: Item) -> Column? {
        Column.stacked.first { column in items[column].contains { $0 === item } }
    }

    /// The column that each part of a stack belongs to: what came from no column stays with
    /// the column below it.
    func columns(of stack: [Item]) -> PerColumn<[Item]> {
        var result = PerColumn<[Item]>(repeating: [])
        var current = bottom
        for item in stack {
            if let origin = origin(of: item) { current = origin }
            result[current].append(item)
        }
        return result
    }

    func top(of stack: [Item]) -> Column {
        for item in stack.reversed() {
            if let origin = origin(of: item) { return origin }
        }
        return bottom
    }

    /// Follows a change of the stack. A column that has left it keeps the items that it had.
    mutating func update(_ stack: [Item]) {
        let present = columns(of: stack)
        for column in Column.stacked where !present[column].isEmpty {
            items[column] = present[column]
        }
    }

    mutating func replace(_ column: Column, with new: [Item]) { items[column] = new }
}
