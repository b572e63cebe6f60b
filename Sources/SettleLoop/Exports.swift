// A program with a live engine needs the engine's values and its handlers as well.
@_exported public import Settle
@_exported public import SettleHandlers
@_exported public import SettlePlatform
