// A program with a live engine needs the engine's values and its handlers as well, and of SettlePlatform what is
// public in it: not the C library, which that exports to the other modules.
@_exported public import Settle
@_exported public import SettleHandlers

@_exported public import struct SettleClock.MonotonicClock
@_exported public import struct SettlePlatform.SystemError
