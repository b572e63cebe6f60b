@testable import SettleSources

/// A screen is held by libvterm, which the tests are to have: without it they would see nothing.
struct LibvtermIsNotInstalled: Error, CustomStringConvertible {
    let description = "libvterm is not installed; scripts/install-dependencies installs it"
}

func needLibvterm(_ screen: HeldScreen) throws {
    if screen.process == nil { throw LibvtermIsNotInstalled() }
}
