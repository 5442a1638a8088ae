import { availableParallelism, loadavg } from 'node:os';

const slownessMax = 6;

/** How many times longer everything takes here than on a quiet machine: a factor for limits of time in tests. */
export function slowness(): number {
  const [load = 0] = loadavg();
  return Math.min(slownessMax, Math.max(1, load / availableParallelism()));
}
