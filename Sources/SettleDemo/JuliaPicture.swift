import SettlePlatform

/// The picture that all parts build: a Julia set, drawn for exactly one size, with the size
/// written into it. It stands for what a program makes for its window: textures, a layout, a swap
/// chain. Its time is spent on computing pixels, not on waiting.
struct JuliaPicture: Sendable {
    /// Points computed per pixel. More give smoother edges and take longer.
    let samples: Int
    /// The side of the squares that have one color, in pixels: above 1 where a point per pixel would take too long.
    let grain: Int
    /// About how long a picture of 600 × 600 pixels takes, in processor time.
    let typicalCost: Duration

    /// Measures what this machine needs, and chooses as many samples as fit a cost.
    ///
    /// - Parameter cost: How long a picture of 600 × 600 pixels may take; 256 samples per pixel are
    ///   the most. A slow machine gets fewer than one: a picture that takes longer than `liveLimit`
    ///   would not be built live.
    init(cost: Duration) {
        let side = 200
        let probe = JuliaPicture(samples: 1, grain: 1, typicalCost: .zero)
        // The first run also loads code and memory; the fastest is what the work takes.
        let times = (0..<4).map { _ in
            probe.build(PixelSize(width: side, height: side), number: 0).processorTime
        }
        let oneSample = max((times.min() ?? .zero) * 9, .microseconds(1))
        self.init(cost: cost, oneSample: oneSample)
    }

    /// - Parameter oneSample: What one sample per pixel takes.
    init(cost: Duration, oneSample: Duration) {
        let samples = min(256, max(1, Int(cost / oneSample)))
        let grain = max(1, Int((oneSample / cost).squareRoot().rounded(.up)))
        self.init(samples: samples, grain: grain, typicalCost: oneSample * samples / (grain * grain))
    }

    private init(samples: Int, grain: Int, typicalCost: Duration) {
        self.samples = samples
        self.grain = grain
        self.typicalCost = typicalCost
    }

    /// What a build made and what it took.
    struct Result: Sendable {
        /// `nil` if the build was given up.
        let picture: Picture?
        let processorTime: Duration
    }

    /// Computes the picture on the calling thread.
    ///
    /// - Parameters:
    ///   - number: How many pictures its part has built with this one.
    ///   - isCancelled: Asked at each row: a build that nobody needs any more is given up.
    func build(_ size: PixelSize, number: Int, isCancelled: () -> Bool = { false }) -> Result {
        let start = Self.threadTime()
        var isGivenUp = false
        let pixels = [UInt32](unsafeUninitializedCapacity: size.width * size.height) { buffer, count in
            // A picture is never empty.
            let pixels = buffer.baseAddress!
            isGivenUp = !fractal(pixels, size, isCancelled)
            count = size.width * size.height
            Self.label(Canvas(pixels: pixels, size: size), number)
        }
        let picture = isGivenUp ? nil : Picture(size: size, pixels: pixels)
        return Result(picture: picture, processorTime: Self.threadTime() - start)
    }

    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// - Returns: False if it was given up; the rows that are left are black.
    private func fractal(
        _ pixels: UnsafeMutablePointer<UInt32>, _ size: PixelSize, _ isCancelled: () -> Bool
    ) -> Bool {
        let scale = 2.5 / Float(min(size.width, size.height))
        let (centerX, centerY) = (Float(size.width) / 2, Float(size.height) / 2)
        // Evenly spread places within a pixel, by the plastic number's fractions.
        let offsets = (0..<samples).map { index in
            (
                (0.5 + 0.754_877_7 * Float(index)).truncatingRemainder(dividingBy: 1),
                (0.5 + 0.569_840_3 * Float(index)).truncatingRemainder(dividingBy: 1)
            )
        }
        return offsets.withUnsafeBufferPointer { offsets in
            for y in 0..<size.height {
                let row = pixels + y * size.width
                if isCancelled() {
                    row.update(repeating: 0, count: (size.height - y) * size.width)
                    return false
                }
                if y % grain > 0 {
                    row.update(from: row - size.width, count: size.width)
                    continue
                }
                for x in 0..<size.width {
                    if x % grain > 0 {
                        row[x] = row[x - 1]
                        continue
                    }
                    var sum: Float = 0
                    for offset in offsets {
                        sum += Self.escape(
                            (Float(x) + offset.0 - centerX) * scale, (Float(y) + offset.1 - centerY) * scale)
                    }
                    row[x] = Self.palette[Int(sum / Float(samples) * Float(Self.palette.count - 1))]
                }
            }
            return true
        }
    }

    private static let iterationsMax = 64

    /// How long a point of the plane takes to leave the circle, 0 to 1.
    @inline(__always)
    private static func escape(_ startX: Float, _ startY: Float) -> Float {
        var (x, y) = (startX, startY)
        var count = 0
        while count < iterationsMax {
            let (xx, yy) = (x * x, y * y)
            if xx + yy > 16 { break }
            y = 2 * x * y + 0.156
            x = xx - yy - 0.8
            count &+= 1
        }
        let share = Float(count) / Float(iterationsMax)
        return share * (2 - share)
    }

    /// From the background's blue over teal and sand to embers; what never leaves is dark again.
    private static let palette: [UInt32] = {
        let stops: [UInt32] = [
            0x16202E, 0x1D3A52, 0x2A6478, 0x4F9A94, 0xA9C9A4, 0xF1E3B8, 0xE9A86B, 0xA8574A, 0x241F2B,
        ]
        return (0..<224).map { index in
            let place = Double(index) / 223 * Double(stops.count - 1)
            let stop = min(Int(place), stops.count - 2)
            return mixed(stops[stop], stops[stop + 1], UInt32((place - Double(stop)) * 256))
        }
    }()

    /// A circle and the size in words, which show that a picture is stretched.
    private static func label(_ canvas: Canvas, _ number: Int) {
        let size = canvas.size
        canvas.frame(canvas.bounds, 0x5B7083)
        let radius = Float(min(size.width, size.height)) * 0.42
        let steps = max(1, Int(radius * 7))
        for step in 0..<steps {
            let angle = Float(step) / Float(steps) * 2 * .pi
            canvas.blend(
                size.width / 2 + Int((cos(angle) * radius).rounded()),
                size.height / 2 + Int((sin(angle) * radius).rounded()), 0xFFFFFF, 110)
        }
        let title = "\(size.width) × \(size.height)"
        let subtitle = number == 1 ? "first build" : "build \(number)"
        // As large as there is room for.
        let unit = max(1, min(size.width / 80, size.height / 60))
        let small = max(1, unit / 2)
        let width = max(Canvas.textWidth(title, size: unit), Canvas.textWidth(subtitle, size: small)) + 8 * unit
        let plate = PixelRectangle(
            x: (size.width - width) / 2, y: size.height / 2 - 10 * unit, width: width, height: 20 * unit)
        canvas.blend(plate, 0x10151C, share: 200)
        let titleX = (size.width - Canvas.textWidth(title, size: unit)) / 2
        canvas.text(title, x: titleX, y: plate.y + 3 * unit, size: unit, 0xFFFFFF)
        let x = (size.width - Canvas.textWidth(subtitle, size: small)) / 2
        canvas.text(subtitle, x: x, y: plate.y + 12 * unit, size: small, 0xB8C4D0)
    }
}
