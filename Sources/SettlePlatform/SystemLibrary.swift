// The system's C library. Every other file gets it by importing SettlePlatform, and what differs between systems is
// in this module and in CPlatform.
//
// Only Linux with glibc is run. The branches for Musl and Darwin, here, in the files of this module and in CPlatform,
// are written and not run: scripts/checks/portable-loop compiles those of CPlatform, and checks the types of those in
// Swift.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
