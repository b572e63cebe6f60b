internal import CSettle
internal import Settle

extension Policy {
    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            var raw = settle_policy()
            try store(at: &raw)
            return raw
        }
    }

    /// The policy of the core's form.
    init(_ raw: settle_policy) {
        var raw = raw
        self.init(storedAt: &raw)
    }
}
