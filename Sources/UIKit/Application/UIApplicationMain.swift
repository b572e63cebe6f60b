internal import Dispatch
internal import SettleLog
internal import SettlePlatform

/// Runs an app on the main thread until `UISystem.terminate`, SIGTERM or SIGINT ends it. The
/// system's configuration is `UISystem.hostConfiguration` or, without one, what the
/// environment says (docs/guide/scenes.md). With the argument `--help` it prints that instead.
///
/// - Parameters:
///   - argc: Ignored.
///   - argv: Ignored.
///   - principalClassName: A subclass of `UIApplication`, as `MODULE.CLASS`; `nil` for
///     `UIApplication` itself.
///   - delegateClassName: The app delegate's class, as `MODULE.CLASS`, neither nested nor
///     private.
/// - Returns: 0; 1 if the app could not be launched, with the error on standard error.
// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@preconcurrency @MainActor @discardableResult
public func UIApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    do throws(UISystem.Error) {
        let delegateClass: AnyClass? = try delegateClassName.map { name throws(UISystem.Error) in
            try appClass(name, "delegateClassName", "class that adopts UIApplicationDelegate") {
                $0 is any UIApplicationDelegate.Type && $0 is NSObject.Type
            }
        }
        let principalClass: AnyClass? = try principalClassName.map { name throws(UISystem.Error) in
            try appClass(name, "principalClassName", "subclass of UIApplication") { $0 is UIApplication.Type }
        }
        return run(principalClass, delegateClass)
    } catch {
        UISystem.Configuration.standardError("\(error)")
        return 1
    }
}

extension UIApplicationDelegate {
    /// Runs an app with this delegate, as `UIApplicationMain` does, and exits: the entry
    /// point of a delegate that is marked `@main`.
    @MainActor public static func main() { exit(run(nil, Self.self)) }
}

@MainActor private func appClass(
    _ name: String, _ parameter: String, _ expected: String, _ isUsable: (AnyClass) -> Bool
) throws(UISystem.Error) -> AnyClass {
    guard let found = NSClassFromString(name), isUsable(found) else {
        throw .unusableClass(name: name, key: parameter, expected: expected)
    }
    return found
}

@MainActor private func run(_ principalClass: AnyClass?, _ delegateClass: AnyClass?) -> Int32 {
    let help = HostHelp(program: Bundle.main.executableURL?.lastPathComponent ?? "the app")
    if HostHelp.isWanted { return help.print() }
    do {
        let environment = HostEnvironment(ProcessInfo.processInfo.environment)
        let module = delegateClass.map { Connections.module(of: $0) } ?? ""
        var configuration = try UISystem.hostConfiguration ?? environment.configuration(module: module)
        if !environment.isLive { configuration.clock = .virtual }
        let script = try environment.script()
        let trace = try environment.trace()
        let layoutTrace = try environment.layoutTrace()
        let app = (principalClass as? NSObject.Type)?.newInstance() as? UIApplication
        let system = try UISystem(configuration, application: app ?? UIApplication())
        let delegate = (delegateClass as? NSObject.Type)?.newInstance() as? any UIApplicationDelegate
        trace?.attach(to: system)
        layoutTrace?.attach(to: system)
        defer { trace?.flush() }
        if let log = environment.replay {
            let reader = try LogReader(path: log)
            try system.launch(delegate, connectsScene: false)
            try system.replay(reader)
            system.terminate()
        } else if let script {
            try system.launch(delegate)
            try script.run(on: system) { trace?.note($0) }
            system.terminate()
        } else {
            if environment.isBare, UISystem.hostConfiguration == nil {
                UISystem.Configuration.standardError(help.explanation)
            }
            try system.launch(delegate)
            system.runUntilTerminated()
        }
        return 0
    } catch {
        UISystem.Configuration.standardError("\(error)")
        return 1
    }
}

extension UISystem {
    /// The configuration of an app that `UIApplicationMain` or `@main` runs; `nil` for what
    /// the environment says. Set it before. A replay or a script uses virtual time, whatever
    /// its `clock` is.
    public static var hostConfiguration: Configuration?

    /// Runs Foundation's loop on the main thread, which serves timers, the main queue and the
    /// main actor.
    fileprivate func runUntilTerminated() {
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { [unowned self] in MainActor.assumeIsolated { terminate() } }
            source.activate()
            return source
        }
        while !hasEnded { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        for source in signals { source.cancel() }
    }
}
