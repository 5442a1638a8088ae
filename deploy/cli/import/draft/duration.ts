const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration of Go or Prometheus, such as `1h30m` or `500ms`; null for everything else. */
export function durationMs(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdw]))+$/.test(text.trim())) return null;
  let sum = 0;
  for (const [, value, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|[smhdw])/g))
    sum += Number(value) * (units[unit ?? ''] ?? 0);
  return sum;
}
