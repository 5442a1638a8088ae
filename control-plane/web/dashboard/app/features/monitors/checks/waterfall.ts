/** One phase of a check, in shares of the whole. */
type Phase = { name: string; ms: number; left: number; width: number };

/** The phases of a check, one after the other. */
export function waterfall(timings: Readonly<Record<string, number | null>> | null): Phase[] {
  const phases = Object.entries(timings ?? {}).flatMap(([name, ms]) => (ms === null ? [] : [{ name, ms }]));
  const total = phases.reduce((sum, { ms }) => sum + ms, 0) || 1;
  let before = 0;
  return phases.map(({ name, ms }) => {
    const left = before / total;
    before += ms;
    return { name: name.replace(/_ms$/, '').replace('_', ' '), ms, left, width: ms / total };
  });
}
