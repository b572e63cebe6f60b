/// The scenes on external displays.
extension Connections {
    /// Offers the app a scene on a display that was attached.
    func offer(_ screen: UIScreen) {
        displaysToOffer.append(screen)
        offerDisplays()
    }

    func stopOffering(_ screen: UIScreen) { displaysToOffer.removeAll { $0 === screen } }

    /// Connects scenes on the displays that do not have one, once the app has a scene.
    func offerDisplays() {
        guard app.phase == .scenes, !displaysToOffer.isEmpty else { return }
        turn.afterCallbacks { [unowned self] in
            let screens = displaysToOffer
            displaysToOffer = []
            for screen in screens {
                do { try offerScene(on: screen) } catch {
                    reports.log("The external display stays \(displays.displayMode(of: screen)): \(error).")
                }
            }
        }
    }

    private func offerScene(on screen: UIScreen) throws {
        let role = UISceneSession.Role.windowExternalDisplayNonInteractive
        let session = app.sessions.first { $0.role == role && $0.scene == nil } ?? UISceneSession(role: role)
        _ = try connect(session, UIScene.ConnectionOptions(), onDisplay: screen, state: .foregroundActive)
    }

    func connect(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, onDisplay screen: UIScreen,
        state: UIScene.ActivationState
    ) throws -> UIScene {
        defer { displays.updateMirroring(of: screen) }
        return try connectScene(
            of: session, options, on: screen, frame: screen.bounds, state: state, firstEvent: submitInitialSize(of:))
    }
}
