import { availableParallelism, loadavg } from 'node:os';

/** A test that waits 20 s for something is not ended by AVA, after 180 s in which no test ended. */
const slownessMax = 8;
const steps = 500_000;
/** What a step takes on a machine that is not slow. */
const stepNs = 1.5;
let speed: number | null = null;

/** How many times longer everything takes than on a quiet, ordinary machine: a factor for limits of time in tests. */
export function slowness(): number {
  const [load = 0] = loadavg();
  // The first time it is compiled.
  speed ??= Math.max(1, Math.min(measureStepNs(), measureStepNs()) / stepNs);
  return Math.min(slownessMax, speed * Math.max(1, load / availableParallelism()));
}

/** The processor's time for a step, without what others take of it. */
function measureStepNs(): number {
  const before = process.threadCpuUsage();
  let value = 1;
  for (let step = 0; step < steps; step++) value = (Math.imul(value, 31) + step) | 0;
  const { user, system } = process.threadCpuUsage(before);
  return value === 0 ? 0 : ((user + system) * 1000) / steps;
}
