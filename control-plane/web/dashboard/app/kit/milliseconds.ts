/** `84 ms`; what is shorter than one is not shown as none. A dash for what was not measured. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–';
  return ms > 0 && ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`;
}
