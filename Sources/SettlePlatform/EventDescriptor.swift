internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// A new eventfd that does not block; negative, with errno, when there is none.
package func makeEventDescriptor() -> Int32 {
    eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
}
