// Of the C library what Swift's overlay declares, for a library that has none here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

var errno: Int32 {
    get { 0 }
    set { _ = newValue }
}
func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
var S_IFMT: mode_t { 0 }
var S_IFREG: mode_t { 0 }
var S_IFSOCK: mode_t { 0 }
