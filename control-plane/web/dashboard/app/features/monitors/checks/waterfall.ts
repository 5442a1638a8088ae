/** One phase of a check, in shares of the whole. */
type Phase = { name: string; ms: number; left: number; width: number };

/** In the order in which they follow each other. */
export const phaseNames = [
  'auth_ms',
  'dns_ms',
  'connect_ms',
  'proxy_ms',
  'starttls_ms',
  'tls_ms',
  'first_byte_ms',
  'download_ms',
] as const;

type Timings = Readonly<Partial<Record<(typeof phaseNames)[number], number | null | undefined>>>;

/** The phases of a check, one after the other. */
export function waterfall(timings: Timings | null): Phase[] {
  const phases = phaseNames.flatMap(name => {
    const ms = timings?.[name] ?? null;
    return ms === null ? [] : [{ name, ms }];
  });
  const total = phases.reduce((sum, { ms }) => sum + ms, 0) || 1;
  let before = 0;
  return phases.map(({ name, ms }) => {
    const left = before / total;
    before += ms;
    return { name: name.replace(/_ms$/, '').replace('_', ' '), ms, left, width: ms / total };
  });
}

type Timed = { latency_ms: number | null };

/** Steps one after the other, each with its part of the whole; one without a time has none. */
export function stepWaterfall<Step extends Timed>(
  steps: readonly Step[],
): { step: Step; left: number; width: number }[] {
  const total = steps.reduce((sum, { latency_ms }) => sum + (latency_ms ?? 0), 0) || 1;
  let before = 0;
  return steps.map(step => {
    const left = before / total;
    before += step.latency_ms ?? 0;
    return { step, left, width: (step.latency_ms ?? 0) / total };
  });
}
