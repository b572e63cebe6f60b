#if canImport(Glibc)
    internal import Glibc
#endif

/// The system's numbers for errors that this module itself makes.
enum SystemCode {
    static let noMemory = ENOMEM
}
