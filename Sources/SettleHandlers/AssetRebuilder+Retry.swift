internal import Settle

extension AssetRebuilder {
    /// Whether a failed build is tried again without a new change.
    ///
    /// A retry is a flush event, so it is in the log and in the order of events, and the engine
    /// decides: it rebuilds for the scene's size of that time, with the reason `flush`. If an
    /// interaction is going on then, the flush does nothing, and the interaction's end decides. A
    /// flush also decides a change that is pending, before its quiet time is over.
    ///
    /// A newer rebuild decision, `remove`, `stop` and the end of a live engine drop a retry that has
    /// not begun. A retry counts as an attempt even if its flush decides nothing, as within an
    /// interaction or after `cancel`.
    public enum Retry: Hashable, Sendable {
        /// The scene's next change, interaction end or flush decides (contract, rule 13).
        case never
        /// The scene is flushed `first` after its build failed, after twice that time when it
        /// fails again, and so on up to `limit`. After `attempts` retries a further failure waits
        /// as for `never`. Failures in a row count, whatever their sizes; a build that returns
        /// begins anew. No wait is longer than `Policy.longestDelay`.
        case backoff(first: Duration, limit: Duration, attempts: Int)

        /// How long to wait after so many failures in a row, `nil` for no retry.
        func delay(afterFailures failures: Int) -> Duration? {
            guard case .backoff(let first, let limit, let attempts) = self, failures <= attempts else { return nil }
            var (delay, doublings) = (first, failures - 1)
            let most = min(limit, Policy.longestDelay)
            while doublings > 0, delay > .zero, delay < most {
                delay += delay
                doublings -= 1
            }
            return min(delay, most)
        }

        /// Why the values are out of range, `nil` if they are not.
        var problem: String? {
            guard case .backoff(let first, let limit, let attempts) = self else { return nil }
            if first < .zero { return "first is \(first); it must not be negative" }
            if limit < first { return "limit is \(limit); it must be at least first, \(first)" }
            return attempts < 0 ? "attempts is \(attempts); it must not be negative" : nil
        }
    }
}
