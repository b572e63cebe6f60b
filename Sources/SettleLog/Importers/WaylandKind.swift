/// The messages that matter.
enum WaylandKind: UInt8 {
    case configure, shellConfigure, layerConfigure, popupConfigure, surfaceConfigure, button, enter, leave, motion
    case getWindow, getRole, getPopup, setPopup, setOtherRole, setTitle, setAppID, acknowledge, resize, setState
    case destroy, destroySurface
    case getViewport, createBuffer, createBufferOfFile, askForBuffer, bufferCreated
    case attach, setScale, setTransform, setDestination, setSource, setGeometry, setLayerSize, commit

    var isEvent: Bool {
        switch self {
        case .configure, .shellConfigure, .layerConfigure, .popupConfigure, .surfaceConfigure, .button, .enter,
            .leave, .motion, .bufferCreated:
            true
        default: false
        }
    }

    init?(_ message: WaylandMessage) {
        guard let names = Self.names(of: message.interface),
            let found = names.first(where: { message.name.isText($0.0) })
        else { return nil }
        self = found.1
    }

    private typealias Names = [(StaticString, Self)]

    private static func names(of interface: UnsafeRawBufferPointer) -> Names? {
        switch interface {
        case let text where text.isText("wl_surface"): ofSurface
        case let text where text.isText("wl_pointer"): ofPointer
        case let text where text.isText("xdg_toplevel") || text.isText("zxdg_toplevel_v6"): ofWindow
        case let text where text.isText("xdg_surface") || text.isText("zxdg_surface_v6"): ofRole
        case let text where text.isText("xdg_popup") || text.isText("zxdg_popup_v6"): ofPopup
        case let text where text.isText("wp_viewport"): ofViewport
        case let text where text.isText("wl_shm_pool"): ofPool
        case let text where text.isText("zwp_linux_buffer_params_v1"): ofBufferParameters
        case let text where text.isText("wl_drm"): ofDRM
        case let text where text.isText("zwlr_layer_surface_v1"): ofLayerSurface
        case let text where text.isText("wl_shell_surface"): ofShellSurface
        case let text where text.isText("wp_viewporter"): ofViewporter
        case let text where text.isText("wl_subcompositor"): ofSubcompositor
        case let text
        where text.isText("xdg_wm_base") || text.isText("zxdg_shell_v6") || text.isText("xdg_shell")
            || text.isText("wl_shell") || text.isText("zwlr_layer_shell_v1"):
            ofShell
        default: nil
        }
    }

    private static let ofSurface: Names = [
        ("commit", .commit), ("attach", .attach), ("set_buffer_scale", .setScale),
        ("set_buffer_transform", .setTransform), ("destroy", .destroySurface),
    ]
    private static let ofPointer: Names = [
        ("button", .button), ("enter", .enter), ("set_cursor", .setOtherRole), ("leave", .leave), ("motion", .motion),
    ]
    private static let ofWindow: Names = [
        ("configure", .configure), ("set_title", .setTitle), ("set_app_id", .setAppID), ("destroy", .destroy),
        ("resize", .resize), ("set_maximized", .setState), ("unset_maximized", .setState),
        ("set_fullscreen", .setState), ("unset_fullscreen", .setState),
    ]
    private static let ofShellSurface: Names = [
        ("configure", .shellConfigure), ("set_title", .setTitle), ("set_class", .setAppID), ("resize", .resize),
        ("set_popup", .setPopup), ("set_maximized", .setState), ("set_fullscreen", .setState),
        ("set_toplevel", .setState),
    ]
    private static let ofLayerSurface: Names = [
        ("configure", .layerConfigure), ("destroy", .destroy), ("set_size", .setLayerSize),
        ("ack_configure", .acknowledge),
    ]
    private static let ofRole: Names = [
        ("configure", .surfaceConfigure), ("set_window_geometry", .setGeometry), ("get_toplevel", .getWindow),
        ("get_popup", .getPopup), ("ack_configure", .acknowledge), ("destroy", .destroy), ("set_title", .setTitle),
        ("set_app_id", .setAppID), ("resize", .resize), ("set_maximized", .setState), ("unset_maximized", .setState),
        ("set_fullscreen", .setState), ("unset_fullscreen", .setState),
    ]
    private static let ofPopup: Names = [("configure", .popupConfigure)]
    private static let ofShell: Names = [
        ("get_xdg_surface", .getRole), ("get_shell_surface", .getRole), ("get_layer_surface", .getRole),
    ]
    private static let ofSubcompositor: Names = [("get_subsurface", .setOtherRole)]
    private static let ofViewporter: Names = [("get_viewport", .getViewport)]
    private static let ofViewport: Names = [("set_destination", .setDestination), ("set_source", .setSource)]
    private static let ofPool: Names = [("create_buffer", .createBufferOfFile)]
    private static let ofDRM: Names = [
        ("create_buffer", .createBufferOfFile), ("create_planar_buffer", .createBufferOfFile),
        ("create_prime_buffer", .createBufferOfFile),
    ]
    private static let ofBufferParameters: Names = [
        ("create_immed", .createBuffer), ("create", .askForBuffer), ("created", .bufferCreated),
    ]
}
