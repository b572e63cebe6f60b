internal import Settle

/// Draws many moments into few columns of a picture, one unit wide: what shares a column is drawn
/// once, and of a curve its least and greatest value.
struct ColumnPaths {
    /// The time of the left edge.
    let first: Timestamp
    /// The time from edge to edge, at least 1 ns.
    let span: UInt64
    let columns: Int

    init(from first: Timestamp, to last: Timestamp, columns: Int) {
        self.first = first
        span = max(1, last > first ? last.duration(since: first).wholeNanoseconds : 1)
        self.columns = columns
    }

    func column(_ at: Timestamp) -> Int {
        let since = at > first ? min(span, at.duration(since: first).wholeNanoseconds) : 0
        // At most `columns`.
        let (column, _) = span.dividingFullWidth(since.multipliedFullWidth(by: UInt64(columns)))
        return min(columns - 1, Int(column))
    }

    /// How many of the moments are in each column.
    func counts(_ moments: [Timestamp]) -> [Int] {
        var counts = [Int](repeating: 0, count: columns)
        for moment in moments { counts[column(moment)] += 1 }
        return counts
    }

    /// Bars for moments, a step higher for each doubling of how many are in a column, as in the page (`lane.mjs`).
    ///
    /// - Parameters:
    ///   - most: How many have the whole height.
    ///   - width: Of a bar.
    func bars(_ moments: [Timestamp], most: Int, width: Int, height: Int) -> String {
        func doublings(_ count: Int) -> Int { Int.bitWidth - count.leadingZeroBitCount }
        var heights = [Int](repeating: 0, count: columns + width)
        for (column, count) in counts(moments).enumerated() where count > 0 {
            let bar = max((4 * height + 9) / 10, height * doublings(count) / doublings(most))
            for part in column..<column + width { heights[part] = max(heights[part], bar) }
        }
        // The outline of each run of bars; the last height is 0.
        var (path, from, drawn) = ("", 0, 0)
        for (column, bar) in heights.enumerated() where bar != drawn {
            if drawn > 0 { path += "h\(column - from)" }
            path += drawn == 0 ? "M\(column) \(height)v-\(bar)" : bar == 0 ? "V\(height)z" : "v\(drawn - bar)"
            (from, drawn) = (column, bar)
        }
        return path
    }

    /// Rectangles for spans in the order of their beginnings, `height` high.
    func bands(_ spans: [(from: Timestamp, to: Timestamp)], top: Int, height: Int) -> String {
        var path = ""
        var run: Range<Int>?
        func close() {
            guard let run else { return }
            path += "M\(run.lowerBound) \(top)h\(run.count)v\(height)h-\(run.count)z"
        }
        for span in spans {
            let columns = column(span.from)..<max(column(span.to), column(span.from)) + 1
            if let known = run, columns.lowerBound <= known.upperBound {
                run = known.lowerBound..<max(known.upperBound, columns.upperBound)
            } else {
                close()
                run = columns
            }
        }
        close()
        return path
    }

    /// A curve that keeps a value until the next one; it is interrupted while there is none.
    ///
    /// - Parameters:
    ///   - values: The values from a time on, in tenths of a unit from the top, in order.
    ///   - last: The curve's end.
    func curve(_ values: [(at: Timestamp, y: Int?)], to last: Timestamp) -> String {
        var pen = Pen()
        var next = 0
        while next < values.count {
            let here = column(values[next].at)
            var end = next + 1
            while end < values.count, column(values[end].at) == here { end += 1 }
            pen.draw(values[next..<end].map(\.y), column: here)
            next = end
        }
        pen.move(to: column(last))
        return pen.path
    }

    /// Draws with relative commands, which are short.
    private struct Pen {
        var path = ""
        private var x = 0
        /// `nil` where the curve is interrupted.
        private var y: Int?

        mutating func draw(_ values: [Int?], column: Int) {
            move(to: column)
            var part: [Int] = []
            for value in values {
                if let value {
                    part.append(value)
                    continue
                }
                draw(part)
                part = []
                y = nil
            }
            draw(part)
        }

        private mutating func draw(_ values: [Int]) {
            guard let least = values.min(), let greatest = values.max(), let last = values.last else { return }
            if y == nil {
                path += "M\(x) \(Self.text(values[0]))"
                y = values[0]
            }
            // What is already there lies between, or is passed on the way.
            vertical(greatest)
            vertical(least)
            vertical(last)
        }

        mutating func move(to column: Int) {
            if y != nil, column > x { path += "h\(column - x)" }
            x = column
        }

        private mutating func vertical(_ to: Int) {
            guard let from = y, from != to else { return }
            path += "v" + Self.text(to - from)
            y = to
        }

        /// Tenths as a decimal.
        private static func text(_ tenths: Int) -> String {
            let whole = tenths.magnitude / 10
            let rest = tenths.magnitude % 10
            return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
        }
    }
}
