/// The environment of a view or view controller.
@preconcurrency @MainActor public final class UITraitCollection: NSObject {}
