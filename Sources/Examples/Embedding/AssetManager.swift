import Settle
import SettleLoop

// A game's assets: textures that take long to draw, for the window's final size only,
// while what is there already is stretched live.

actor Textures {
    private(set) var drawn: [Size] = []

    /// Draws one texture after the other and stops when it is cancelled.
    func draw(for size: Size) async throws {
        for _ in 0..<4 {
            try Task.checkCancellation()
            try await Task.sleep(for: .milliseconds(5))
        }
        drawn.append(size)
    }
}

let start = ContinuousClock.now
let textures = Textures()
let engine = try LiveEngine()
let rebuilder = try engine.makeRebuilder { _, rebuild in
    try await textures.draw(for: rebuild.size)
} onFailure: { _, rebuild, error in
    print("no textures for \(rebuild.size): \(error)")
}
let geometries = engine.makeGeometryStream()
let stretching = Task {
    var stretched: [LatestGeometry] = []
    for await geometry in geometries { stretched.append(geometry) }
    return stretched
}
try engine.start()

/// What the window system's thread does: every size there is, at 1000 Hz.
func drag(_ window: SceneID, to widths: some Sequence<Int>, with source: inout EventSource) async throws {
    for width in widths {
        source.send(
            .geometry(
                window, at: MonotonicClock.now, size: Size(width: Double(width), height: 600),
                isInteractivelyResizing: true))
        try await Task.sleep(for: .milliseconds(1))
    }
    // The button is released; the size stays.
    source.send(.geometry(window, at: MonotonicClock.now, isInteractivelyResizing: false))
}

/// Three events of a user's: a window appears, is dragged, and is dragged there and back.
func useWindow() async throws {
    let window = try engine.connect()
    var source = try engine.makeSource()
    source.send(.geometry(window, at: MonotonicClock.now, size: Size(width: 800, height: 600)))
    // The first size is built at once; the drag begins when it is drawn.
    while await textures.drawn.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
    try await drag(window, to: 801...1000, with: &source)
    while await textures.drawn.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    try await drag(window, to: [990, 980, 990, 1000], with: &source)
    try await Task.sleep(for: .milliseconds(150))
}

try await useWindow()
engine.stop()
await rebuilder.waitUntilIdle()
let stretched = await stretching.value
let frames = (ContinuousClock.now - start) / GeometryStream.defaultFrameInterval + 1
let drawn = await textures.drawn.map(\.description).joined(separator: ", ")
print("\(engine.statistics.engine.events) events, textures drawn for \(drawn)")
if let size = stretched.last?.size {
    print("stretched to \(size), at most once a frame: \(Double(stretched.count) <= frames)")
}
