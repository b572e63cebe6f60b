internal import CPlatform

/// The processors that this process may run on, at least 1.
package func processorsAvailable() -> Int { max(1, Int(settle_processors())) }
