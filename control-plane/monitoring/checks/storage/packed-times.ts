/**
 * Times as text, 4 characters each where an array of numbers has 8: in microseconds and one more, 0 for null, in groups
 * of seven bits, lowest first. Null if they would not come back exactly as they are.
 */
export function packTimes(times: readonly (number | null)[]): string | null {
  const bytes: number[] = [];
  for (const ms of times) {
    const micros = ms === null ? -1 : Math.round(ms * 1000);
    if (ms !== null && micros / 1000 !== ms) return null;
    let rest = micros + 1;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64');
}

export function unpackTimes(packed: string): (number | null)[] {
  const times: (number | null)[] = [];
  let [value, weight] = [0, 1];
  for (const byte of Buffer.from(packed, 'base64')) {
    value += (byte % 128) * weight;
    weight *= 128;
    if (byte >= 128) continue;
    times.push(value === 0 ? null : (value - 1) / 1000);
    [value, weight] = [0, 1];
  }
  return times;
}
