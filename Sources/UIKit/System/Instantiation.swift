/// Makes objects of classes that only a name tells, as an Info.plist does.
///
/// Swift lets nobody call an initializer on a class that is known only at run time,
/// unless it is `required`; and if `UIResponder.init()` were, every view controller
/// with an initializer of its own would have to repeat it, which code written for
/// Apple's UIKit does not. But every class inherits this convenience initializer, and
/// it calls the class's own `init()`. The second declaration is the same function
/// under a name that may be called on any class. A class that has no `init()` stops
/// the program with a message that names it.
extension NSObject {
    @_silgen_name("settle_uikit_new_instance")
    convenience init(ofRuntimeClass: Void) { self.init() }

    @_silgen_name("settle_uikit_new_instance")
    static func newInstance() -> NSObject
}
