/// Makes instances of classes that are known only by name, as from an Info.plist.
///
/// Swift calls an initializer on a class that is known only at run time if it is
/// `required`. If `UIResponder.init()` were, every view controller with its own initializer
/// would have to repeat it, which code written for Apple's UIKit does not do. But every
/// class inherits this convenience initializer, which calls the class's own `init()`. The
/// second declaration is the same function, under a name that can be called on any class. A
/// class without `init()` stops the program with a message that names it.
extension NSObject {
    @_silgen_name("settle_uikit_new_instance")
    convenience init(ofRuntimeClass: Void) { self.init() }

    @_silgen_name("settle_uikit_new_instance")
    static func newInstance() -> NSObject
}
