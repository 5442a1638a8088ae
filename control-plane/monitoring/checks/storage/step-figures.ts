import type { StepFacts } from '#shared/checks/step-facts.ts';

type Timings = NonNullable<StepFacts['timings']>;

/** What of a step repeats from check to check. */
export type CommonStep = Omit<StepFacts, 'latency_ms' | 'timings'>;

const names = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'download_ms'] as const;
/** Phases that few requests have. They follow those of all steps, where version 0.13.0 does not look. */
const rareNames = ['proxy_ms', 'auth_ms'] as const;
const hasTimings = 1 << names.length;
const hasLatency = hasTimings << 1;

/**
 * The times of all steps as text, some 20 characters a step: which there are, then each in microseconds, in groups of
 * seven bits, lowest first. Null if they would not come back exactly as they are.
 */
export function packSteps(steps: readonly StepFacts[]): string | null {
  const bytes: number[] = [];
  const usual = steps.every(({ latency_ms: latency, timings }) => {
    const given = names.filter(name => timings !== null && timings[name] !== null);
    bytes.push(flagsOf(names, given) | (timings === null ? 0 : hasTimings) | (latency === null ? 0 : hasLatency));
    return [latency, ...given.map(name => timings?.[name] ?? 0)].every(ms => ms === null || pack(ms, bytes));
  });
  const isRare = steps.some(({ timings }) => rareNames.some(name => timings?.[name] !== undefined));
  const rare = (isRare ? steps : []).every(({ timings }) => {
    const given = rareNames.filter(name => timings?.[name] !== undefined);
    bytes.push(flagsOf(rareNames, given));
    return given.every(name => pack(timings?.[name] ?? 0, bytes));
  });
  return usual && rare ? Buffer.from(bytes).toString('base64') : null;
}

function flagsOf(all: readonly string[], given: readonly string[]): number {
  return given.reduce((sum, name) => sum | (1 << all.indexOf(name)), 0);
}

/** Whether the time is one of whole microseconds. */
function pack(ms: number, bytes: number[]): boolean {
  const micros = Math.round(ms * 1000);
  let rest = micros;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return micros / 1000 === ms;
}

/** Of as many steps, the latency and timings of each. */
function unpackSteps(packed: string, count: number): Pick<StepFacts, 'latency_ms' | 'timings'>[] {
  const bytes = Buffer.from(packed, 'base64');
  let offset = 0;
  const next = (): number => {
    let [value, weight, byte] = [0, 1, 128];
    while (byte >= 128 && offset < bytes.length) {
      byte = bytes[offset++] ?? 0;
      value += (byte % 128) * weight;
      weight *= 128;
    }
    return value / 1000;
  };
  const usual = Array.from({ length: count }, () => {
    const flags = bytes[offset++] ?? 0;
    const latency_ms = (flags & hasLatency) === 0 ? null : next();
    if ((flags & hasTimings) === 0) return { latency_ms, timings: null };
    const times = names.map(name => [name, (flags & (1 << names.indexOf(name))) === 0 ? null : next()]);
    return { latency_ms, timings: Object.fromEntries(times) as Timings };
  });
  return usual.map(({ latency_ms, timings }) => {
    const flags = bytes[offset++] ?? 0;
    const given = rareNames.filter((_, index) => (flags & (1 << index)) !== 0);
    const rare = Object.fromEntries(given.map(name => [name, next()]));
    return { latency_ms, timings: timings === null ? null : { ...timings, ...rare } };
  });
}

/** The steps without their times, or as they are if those cannot be packed. */
export function commonSteps(steps: readonly StepFacts[], packed: string | null): (StepFacts | CommonStep)[] {
  return steps.map(step => {
    if (packed === null) return step;
    const { latency_ms: _latency, timings: _timings, ...common } = step;
    return common;
  });
}

/** The steps as they were reported. */
export function joinSteps(common: readonly (StepFacts | CommonStep)[], packed: string | undefined): StepFacts[] {
  const times = packed === undefined ? [] : unpackSteps(packed, common.length);
  return common.map((step, index) => {
    const { name, status, reason, status_code, error, http_version } = step;
    const own = 'timings' in step ? step : (times[index] ?? { latency_ms: null, timings: null });
    const { latency_ms, timings } = own;
    const version = http_version === undefined ? {} : { http_version };
    return { name, status, reason, status_code, latency_ms, timings, error, ...version };
  });
}
