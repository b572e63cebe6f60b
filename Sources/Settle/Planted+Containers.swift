/// The planted faults of the module `UIKit` that break what docs/reference/containers.md promises.
@_spi(Faults) extension Planted {
    // Columns in the engine.
    /// A column counts as not being resized while a person drags its separator.
    @_alwaysEmitIntoClient @inline(__always) public static var draggedColumnFree: Bool { isSelected(201) }
    /// A column counts as not being resized while a person drags the window's edge.
    @_alwaysEmitIntoClient @inline(__always) public static var windowDragIgnored: Bool { isSelected(202) }
    /// A separator goes one point past the stop of a drag.
    @_alwaysEmitIntoClient @inline(__always) public static var stopPassed: Bool { isSelected(203) }
    /// A hidden column counts as shown, so rebuilds are decided for it.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenColumnNotHeld: Bool { isSelected(204) }
    /// A rebuild that waited for a hidden column is not decided when the column is shown.
    @_alwaysEmitIntoClient @inline(__always) public static var waitingRebuildForgotten: Bool { isSelected(205) }
    /// Columns of a split view within a column count as not being resized with that column.
    @_alwaysEmitIntoClient @inline(__always) public static var nestedColumnsFree: Bool { isSelected(206) }
    /// Another view controller in a column counts as built.
    @_alwaysEmitIntoClient @inline(__always) public static var replacedColumnBuilt: Bool { isSelected(207) }
    /// A drag of a separator goes on after a collapse.
    @_alwaysEmitIntoClient @inline(__always) public static var dragOutlivesCollapse: Bool { isSelected(208) }
    /// The column on top of a collapsed interface is held like a hidden one.
    @_alwaysEmitIntoClient @inline(__always) public static var stackedColumnHeld: Bool { isSelected(209) }

    // Collapse and expansion.
    /// A collapse leaves the lowest view controller out of the stack.
    @_alwaysEmitIntoClient @inline(__always) public static var lowestLostInCollapse: Bool { isSelected(211) }
    /// An expansion gives a column all of its view controllers but the last.
    @_alwaysEmitIntoClient @inline(__always) public static var lastLostInExpansion: Bool { isSelected(212) }
    /// An expansion makes the view controllers of a column load their views again.
    @_alwaysEmitIntoClient @inline(__always) public static var loadedAgain: Bool { isSelected(213) }
    /// What was pushed in a collapsed interface goes to the lowest column.
    @_alwaysEmitIntoClient @inline(__always) public static var pushedGoesLowest: Bool { isSelected(214) }
    /// The delegate gets didHide before the columns are stacked.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenTooSoon: Bool { isSelected(215) }
    /// The delegate gets didShow before the columns have their traits.
    @_alwaysEmitIntoClient @inline(__always) public static var shownTooSoon: Bool { isSelected(216) }
    /// isCollapsed is true before the delegate gets didHide.
    @_alwaysEmitIntoClient @inline(__always) public static var collapsedTooSoon: Bool { isSelected(217) }
    /// The layout environment changes after the size class, with isCollapsed.
    @_alwaysEmitIntoClient @inline(__always) public static var environmentLate: Bool { isSelected(218) }
    /// A shown inspector does not become a sheet in a collapse.
    @_alwaysEmitIntoClient @inline(__always) public static var inspectorNoSheet: Bool { isSelected(219) }
    /// The inspector's sheet does not become a column in an expansion.
    @_alwaysEmitIntoClient @inline(__always) public static var sheetNoColumn: Bool { isSelected(220) }
    /// The delegate gets the columns of a collapse in the reverse order.
    @_alwaysEmitIntoClient @inline(__always) public static var columnsReversed: Bool { isSelected(221) }
    /// A column whose view controllers were popped in a collapsed interface loses them.
    @_alwaysEmitIntoClient @inline(__always) public static var poppedForgotten: Bool { isSelected(222) }

    // The widths and modes of columns.
    /// A column that had no space is shown again without 20 points more.
    @_alwaysEmitIntoClient @inline(__always) public static var hysteresisLeftOut: Bool { isSelected(231) }
    /// The supplementary column gives way before the primary one.
    @_alwaysEmitIntoClient @inline(__always) public static var supplementaryGivesFirst: Bool { isSelected(232) }
    /// A column's maximum wins over its minimum.
    @_alwaysEmitIntoClient @inline(__always) public static var maximumWins: Bool { isSelected(233) }
    /// The automatic maximum bounds the width that the app prefers.
    @_alwaysEmitIntoClient @inline(__always) public static var automaticMaximumWins: Bool { isSelected(234) }
    /// The columns of an interface from right to left are not mirrored.
    @_alwaysEmitIntoClient @inline(__always) public static var mirrorMissing: Bool { isSelected(235) }
    /// The column that extends below the sidebar has no inset there.
    @_alwaysEmitIntoClient @inline(__always) public static var sidebarCoversNothing: Bool { isSelected(236) }
    /// The delegate gets the column methods for what the app changes.
    @_alwaysEmitIntoClient @inline(__always) public static var appChangeReported: Bool { isSelected(237) }
    /// The view of a hidden column stays in the window.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenColumnStays: Bool { isSelected(238) }
    /// A mode is reduced to the columns that fit though people cannot change it.
    @_alwaysEmitIntoClient @inline(__always) public static var strictReduced: Bool { isSelected(239) }

    // The layout pass, transitions and appearance.
    /// A window's root view is laid out in a second pass of each turn.
    @_alwaysEmitIntoClient @inline(__always) public static var passRepeated: Bool { isSelected(241) }
    /// A view whose size has changed is not laid out.
    @_alwaysEmitIntoClient @inline(__always) public static var resizedViewUnmarked: Bool { isSelected(242) }
    /// layoutIfNeeded removes the marks that lead from the window to other views.
    @_alwaysEmitIntoClient @inline(__always) public static var marksLost: Bool { isSelected(243) }
    /// A layout that marks itself is made more than 100 times in a turn.
    @_alwaysEmitIntoClient @inline(__always) public static var endlessLayout: Bool { isSelected(244) }
    /// A view gets its size before its controller is notified of the transition.
    @_alwaysEmitIntoClient @inline(__always) public static var frameFirst: Bool { isSelected(245) }
    /// A controller is notified of one size as often as it is asked about it.
    @_alwaysEmitIntoClient @inline(__always) public static var notifiedSizeForgotten: Bool { isSelected(246) }
    /// Work alongside a transition runs after the layout pass.
    @_alwaysEmitIntoClient @inline(__always) public static var alongsideLate: Bool { isSelected(247) }
    /// Windows get another size before their traits.
    @_alwaysEmitIntoClient @inline(__always) public static var traitsAfterSize: Bool { isSelected(248) }
    /// A window that waited is not laid out when it is shown.
    @_alwaysEmitIntoClient @inline(__always) public static var shownWindowNotLaidOut: Bool { isSelected(249) }
    /// A view controller that is visible gets the calls of its appearance again.
    @_alwaysEmitIntoClient @inline(__always) public static var appearanceRepeated: Bool { isSelected(250) }
    /// Children whose views are not in the window get the calls of their appearance.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenChildrenAppear: Bool { isSelected(251) }
    /// The completion of a presentation runs before the layout.
    @_alwaysEmitIntoClient @inline(__always) public static var completionEarly: Bool { isSelected(252) }
    /// viewSizeDidSettle is called before the layout pass.
    @_alwaysEmitIntoClient @inline(__always) public static var settledEarly: Bool { isSelected(253) }
    /// The size that settled while a window was hidden is not reported when it is shown.
    @_alwaysEmitIntoClient @inline(__always) public static var waitingSizeForgotten: Bool { isSelected(254) }

    // Safe area, margins, regions and the window control.
    /// Views are not laid out when the safe area around them changes.
    @_alwaysEmitIntoClient @inline(__always) public static var safeAreaStale: Bool { isSelected(261) }
    /// A view is not laid out when its margins change.
    @_alwaysEmitIntoClient @inline(__always) public static var marginsStale: Bool { isSelected(262) }
    /// Views are not laid out when the window control or their place changes.
    @_alwaysEmitIntoClient @inline(__always) public static var regionStale: Bool { isSelected(263) }
    /// A plan keeps the first rectangle of a guide.
    @_alwaysEmitIntoClient @inline(__always) public static var plannedRegionStale: Bool { isSelected(264) }
    /// A view that is no root view has the whole safe area of the view around it.
    @_alwaysEmitIntoClient @inline(__always) public static var uncoveredInset: Bool { isSelected(265) }
    /// A view is notified of the same safe area in each layout.
    @_alwaysEmitIntoClient @inline(__always) public static var insetsRepeated: Bool { isSelected(266) }
    /// A minimal window control adds nothing to the safe area.
    @_alwaysEmitIntoClient @inline(__always) public static var minimalTopMissing: Bool { isSelected(267) }
    /// A window that covers its screen has a window control.
    @_alwaysEmitIntoClient @inline(__always) public static var controlOnFullScreen: Bool { isSelected(268) }
    /// A root view in compact width has the margins of regular width.
    @_alwaysEmitIntoClient @inline(__always) public static var compactMarginMissing: Bool { isSelected(269) }
    /// The window control is at the left in an interface from right to left.
    @_alwaysEmitIntoClient @inline(__always) public static var controlNotMirrored: Bool { isSelected(270) }
    /// Another window control marks no views.
    @_alwaysEmitIntoClient @inline(__always) public static var controlChangeUnmarked: Bool { isSelected(271) }
    /// Another safe area of a scene marks no windows.
    @_alwaysEmitIntoClient @inline(__always) public static var hostInsetsUnmarked: Bool { isSelected(272) }
    /// Readable content is as wide as the margins leave.
    @_alwaysEmitIntoClient @inline(__always) public static var readableUnbounded: Bool { isSelected(273) }

    // Constraints.
    /// Of constraints that contradict each other, the one that was activated first is not applied.
    @_alwaysEmitIntoClient @inline(__always) public static var oldestDropped: Bool { isSelected(281) }
    /// Constraints that are not supported are not listed.
    @_alwaysEmitIntoClient @inline(__always) public static var unsupportedUnlisted: Bool { isSelected(282) }
    /// A view that is removed leaves its constraints to views outside of it active.
    @_alwaysEmitIntoClient @inline(__always) public static var removedStaysActive: Bool { isSelected(283) }
    /// Another constant of a constraint marks no view.
    @_alwaysEmitIntoClient @inline(__always) public static var constantUnmarked: Bool { isSelected(284) }
    /// The constant of a leading or trailing side is not mirrored from right to left.
    @_alwaysEmitIntoClient @inline(__always) public static var constantNotMirrored: Bool { isSelected(285) }
    /// Lengths are rounded to pixels instead of sides, so that neighbours have gaps.
    @_alwaysEmitIntoClient @inline(__always) public static var lengthRounded: Bool { isSelected(286) }

    // Traits and cells.
    /// The trait handler that was registered last is not called.
    @_alwaysEmitIntoClient @inline(__always) public static var lastHandlerUncalled: Bool { isSelected(291) }
    /// A trait handler is called twice for one change.
    @_alwaysEmitIntoClient @inline(__always) public static var handlerRepeated: Bool { isSelected(292) }
    /// A trait handler is called for a change of traits that it does not watch.
    @_alwaysEmitIntoClient @inline(__always) public static var otherTraitsReported: Bool { isSelected(293) }
    /// A window is regular in width only above the threshold.
    @_alwaysEmitIntoClient @inline(__always) public static var regularTooLate: Bool { isSelected(294) }
    /// Between the thresholds the width is always regular.
    @_alwaysEmitIntoClient @inline(__always) public static var sizeClassNotKept: Bool { isSelected(295) }
    /// A cell is not updated when its traits have changed.
    @_alwaysEmitIntoClient @inline(__always) public static var cellNotUpdated: Bool { isSelected(296) }
    /// A cell that is updated in a layout is updated once more with its traits.
    @_alwaysEmitIntoClient @inline(__always) public static var cellUpdatedTwice: Bool { isSelected(297) }
    /// A controller is notified of the transition to other traits after it has them.
    @_alwaysEmitIntoClient @inline(__always) public static var traitTransitionLate: Bool { isSelected(298) }

    // Tabs, navigation and presentation.
    /// The delegate is asked whether the app's own choice of a tab is allowed.
    @_alwaysEmitIntoClient @inline(__always) public static var appAsked: Bool { isSelected(301) }
    /// A tab makes its view controller again each time.
    @_alwaysEmitIntoClient @inline(__always) public static var paneMadeAgain: Bool { isSelected(302) }
    /// A group's stack that has not changed is built again.
    @_alwaysEmitIntoClient @inline(__always) public static var equalStackRebuilt: Bool { isSelected(303) }
    /// A tab bar that the app hides stays.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenBarShown: Bool { isSelected(304) }
    /// Of five tabs on a phone, the last is behind More.
    @_alwaysEmitIntoClient @inline(__always) public static var fifthTabBehindMore: Bool { isSelected(305) }
    /// The view of a pane that is not selected any more stays in the window.
    @_alwaysEmitIntoClient @inline(__always) public static var hiddenPaneStays: Bool { isSelected(306) }
    /// A pushed view controller goes to the bottom of the stack.
    @_alwaysEmitIntoClient @inline(__always) public static var pushedToBottom: Bool { isSelected(307) }
    /// A navigation bar leaves no inset.
    @_alwaysEmitIntoClient @inline(__always) public static var barCoversNothing: Bool { isSelected(308) }
    /// A person dismisses a sheet though its delegate refuses.
    @_alwaysEmitIntoClient @inline(__always) public static var personNotRefused: Bool { isSelected(309) }
    /// A sheet does not follow the size of its window.
    @_alwaysEmitIntoClient @inline(__always) public static var sheetKeepsFrame: Bool { isSelected(310) }
    /// Whether a sidebar is hidden follows the shape of the window though the app or a person has decided.
    @_alwaysEmitIntoClient @inline(__always) public static var sidebarChoiceForgotten: Bool { isSelected(311) }
    /// A navigation bar covers its content though it is in the row of the tab bar.
    @_alwaysEmitIntoClient @inline(__always) public static var barsInTwoRows: Bool { isSelected(312) }
    /// What the app pushed on a tab is not proposed when the tab is selected again.
    @_alwaysEmitIntoClient @inline(__always) public static var pushedNotProposed: Bool { isSelected(313) }
}
