import Settle

/// Rounds sizes to multiples of a step.
struct SizeStep {
    /// The step, in the log's unit; a whole number.
    let length: Double

    /// A size with both sides rounded. A size that engines reject is replaced by another that they
    /// reject.
    func rounded(_ size: Size) -> Size {
        guard size.isValid else { return Self.rejected }
        return Size(width: rounded(size.width), height: rounded(size.height))
    }

    /// In place of each size that engines reject.
    static let rejected = Size(width: -1, height: -1)

    /// The nearest multiple, a half upwards. Zero, which keeps a scene's size, stays zero and is the
    /// result of nothing else.
    private func rounded(_ side: Double) -> Double {
        if side == 0 { return 0 }
        let multiple = max((side / length).rounded(), 1) * length
        // The multiple nearest to the largest number can be too large for one.
        return min(multiple, .greatestFiniteMagnitude)
    }
}
