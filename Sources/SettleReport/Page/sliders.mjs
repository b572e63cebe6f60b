// Each field's words and slider: what it is called, the slider's most and step, and what one that was none begins with. In
// milliseconds, and liveShare in percent.

export const sliders = {
  firstDelay: ["First size", 1000, 1],
  reportedEndDelay: ["After a reported end", 500, 1],
  releasedEndDelay: ["After a button's release", 500, 1],
  discreteDelay: ["Discrete change", 1000, 1],
  quietDelay: ["Quiet", 2000, 5],
  jumpDelay: ["Jump", 1000, 1, 50],
  calmDelay: ["Calm before a jump", 3000, 5],
  lockDelay: ["Orientation lock", 1000, 1],
  pauseDelay: ["Preview in a pause", 2000, 5, 50],
  pauseShare: ["Previews, share of the time", 100, 1, 50],
  maximumWait: ["Longest wait", 10_000, 10, 1000],
  interactionTimeout: ["Watchdog", 60_000, 50, 10_000],
  liveShare: ["Live, share of the time", 100, 1, 30],
  liveLimit: ["Live, longest build", 1000, 1, 16],
  liveInterval: ["Live, interval", 1000, 1],
  livePause: ["Live, pause", 1000, 1, 50],
};
