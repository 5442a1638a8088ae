// Loaded before an agent with --import: its wall clock is wrong by CLOCK_SKEW_MS, and both of its clocks run
// CLOCK_RATE times as fast as they should.
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const rate = Number(process.env.CLOCK_RATE ?? 1);
const trueNow = Date.now.bind(Date);
const trueMonotonic = performance.now.bind(performance);
const loadedAt = trueNow();

Date.now = () => Math.round(loadedAt + (trueNow() - loadedAt) * rate + skewMs);
performance.now = () => trueMonotonic() * rate;
