import type { FieldError } from '../http/problem.ts';
import { effectiveQuorum, effectiveTimeoutMs, type MonitorSettings } from './monitor.ts';
import type { Rules } from './state.ts';

/** An agent takes messages of 1 MiB; a monitor must fit one with room for what surrounds it. */
const settingsBytesMax = 900_000;

/** Rules between fields, on the whole that a POST or PATCH would leave; of fields that are missing nothing is said. */
export function settingsFaults(settings: Partial<MonitorSettings>): FieldError[] {
  const { timeout_ms, interval_seconds, quorum, regions, body, method } = settings;
  const faults: FieldError[] = [];
  if (isNumber(timeout_ms) && isNumber(interval_seconds) && timeout_ms > interval_seconds * 1000) {
    faults.push({ pointer: '/timeout_ms', code: 'out_of_range', detail: 'must not be longer than the interval' });
  }
  if (isNumber(quorum) && regions !== undefined && quorum > regions.length) {
    const detail = `must be at most the number of regions, ${regions.length}`;
    faults.push({ pointer: '/quorum', code: 'out_of_range', detail });
  }
  if (typeof body === 'string' && (method === 'GET' || method === 'HEAD')) {
    faults.push({ pointer: '/body', code: 'not_allowed', detail: `a ${method} request has no body` });
  }
  const { url, headers, assertions } = settings;
  if (Buffer.byteLength(JSON.stringify({ url, headers, body, assertions })) > settingsBytesMax) {
    const detail = `url, headers, body and assertions together must have at most ${settingsBytesMax} bytes`;
    faults.push({ pointer: '', code: 'too_long', detail });
  }
  return faults;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}

/** What a change of settings sets off. */
export type ConfigurationChange = {
  /** Agents or judging must know: the version grows and all regions check at once. */
  bumps: boolean;
  /** What the votes were about is gone. */
  dropsVotes: boolean;
  /** No verdict may start before it. */
  movesFloor: boolean;
};

const targetFields = ['url', 'method', 'headers', 'body', 'assertions', 'follow_redirects'] as const;

export function compareSettings(before: MonitorSettings, after: MonitorSettings): ConfigurationChange {
  const target = targetFields.some(field => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const timeout = effectiveTimeoutMs(before) !== effectiveTimeoutMs(after);
  const dropsVotes = target || timeout || before.enabled !== after.enabled;
  const quorum = effectiveQuorum(before) !== effectiveQuorum(after);
  const regions = before.regions.toSorted().join() !== after.regions.toSorted().join();
  const movesFloor = dropsVotes || quorum || regions;
  return { dropsVotes, movesFloor, bumps: movesFloor || before.interval_seconds !== after.interval_seconds };
}

export function rulesOf(settings: MonitorSettings, configVersion: number, deleted: boolean): Rules {
  return {
    configVersion,
    regions: settings.regions,
    quorum: effectiveQuorum(settings),
    intervalMs: settings.interval_seconds * 1000,
    timeoutMs: effectiveTimeoutMs(settings),
    enabled: settings.enabled,
    deleted,
  };
}
