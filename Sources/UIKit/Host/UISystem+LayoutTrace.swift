extension UISystem {
    /// Draws the layout of a scene, as an SVG file, whenever a rebuild was decided for it or for a
    /// column in it. A layout that was drawn last for the scene is not drawn again.
    ///
    /// Files are named by their number and the scene's size: `0003-1366x1024.svg`.
    @MainActor final class LayoutTrace {
        private let folder: URL
        private var waiting: [UIWindowScene] = []
        /// The last drawing of each scene, by its session's identifier.
        private var last: [String: String] = [:]
        private var count = 0

        /// - Returns: `nil` if the folder does not exist and cannot be made.
        init?(folder: URL) {
            self.folder = folder
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                return nil
            }
        }

        /// Draws a system's layouts from now on.
        func attach(to system: UISystem) {
            system.reports.onSettled = { [self, unowned system] in wait(for: $0, of: system) }
        }

        private func wait(for scene: UIWindowScene, of system: UISystem) {
            guard !waiting.contains(where: { $0 === scene }) else { return }
            waiting.append(scene)
            if waiting.count == 1 { drawLater(system) }
        }

        /// Draws at the end of the turn. The app's rebuilds may have asked for another layout,
        /// which comes first.
        private func drawLater(_ system: UISystem) {
            system.turn.afterLayout { [self, unowned system] in
                if system.turn.waiting != .nothing { return drawLater(system) }
                let scenes = waiting
                waiting = []
                for scene in scenes { draw(scene, of: system) }
            }
        }

        private func draw(_ scene: UIWindowScene, of system: UISystem) {
            let drawing = LayoutDrawing(scene).svg
            let identifier = scene.session.persistentIdentifier
            guard drawing != last[identifier] else { return }
            last[identifier] = drawing
            count += 1
            let number = "\(count)"
            let size = scene.pending.size
            let name =
                String(repeating: "0", count: max(0, 4 - number.count)) + number
                + "-\(LayoutDrawing.text(size.width))x\(LayoutDrawing.text(size.height)).svg"
            do {
                try Data(drawing.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
            } catch {
                system.logOnce("Layouts cannot be drawn in \(folder.path): \(error)")
            }
        }
    }
}
