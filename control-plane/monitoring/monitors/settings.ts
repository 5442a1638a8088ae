import { isDeepStrictEqual } from 'node:util';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { warningOf } from './alert-rules.ts';
import { shownHttpVersion } from './kinds/http-version.ts';
import { kindErrors } from './kinds/rules.ts';
import { effectiveQuorum, effectiveTimeoutMs, type MonitorSettings, ownNames } from './monitor.ts';
import type { Rules } from './state/state.ts';
import { votersOf } from './voters.ts';

/**
 * What fits into the columns. Only heartbeats may have longer intervals: they are judged by their settings, and their
 * votes do not run out.
 */
const intervalMsMax = 2 ** 31 - 1;
/** Of URL, headers and assertions together; the body has a limit of its own. Both reach agents in one message. */
const settingsBytesMax = 65_536;

/** Errors between the fields of the settings that a POST or PATCH would produce. Missing fields are not checked. */
export function settingsErrors(settings: ValidFields<MonitorSettings>): FieldError[] {
  const { timeout_ms, interval_seconds, quorum, regions, body, method } = settings;
  const errors: FieldError[] = [];
  if (isNumber(timeout_ms) && isNumber(interval_seconds) && timeout_ms > interval_seconds * 1000) {
    errors.push({ pointer: '/timeout_ms', code: 'out_of_range', detail: 'must not exceed the interval' });
  }
  if (isNumber(quorum) && regions !== undefined && regions.length > 0 && quorum > regions.length) {
    const detail = `must not exceed the number of regions, ${regions.length}`;
    errors.push({ pointer: '/quorum', code: 'out_of_range', detail });
  }
  const ofKind = kindErrors(settings);
  const isOfOther = ofKind.some(error => 'pointer' in error && error.pointer === '/body');
  if (typeof body === 'string' && !isOfOther && (method === 'GET' || method === 'HEAD')) {
    errors.push({ pointer: '/body', code: 'not_allowed', detail: `must be null: ${method} requests have no body` });
  }
  errors.push(...ofKind);
  const { url, headers: given, assertions, grpc } = settings;
  const headers = grpc?.metadata ?? given;
  for (const [index, { type }] of (method === 'HEAD' ? (assertions ?? []) : []).entries()) {
    if (type !== 'body_contains' && type !== 'json_path') continue;
    const detail = 'needs a body, and the answer to a HEAD request has none';
    errors.push({ pointer: `/assertions/${index}`, code: 'not_allowed', detail });
  }
  if (Buffer.byteLength(JSON.stringify({ url, headers, assertions })) > settingsBytesMax) {
    const detail = `url, headers and assertions together must not exceed ${settingsBytesMax} bytes`;
    errors.push({ pointer: '', code: 'too_long', detail });
  }
  return errors;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}

/** The consequences of a change of settings. */
export type ConfigurationChange = {
  /** Agents or judging are affected: the version increases and all regions check immediately. */
  newVersion: boolean;
  /** The target changed: existing votes say nothing about the new one. */
  dropsVotes: boolean;
  /** No verdict may start before the change. */
  resetsStart: boolean;
};

const targetFields = ['url', 'method', 'headers', 'body', 'assertions', 'follow_redirects', 'dns'] as const;

/** Pure: the consequences of replacing `before` with `after`. */
export function compareSettings(before: MonitorSettings, after: MonitorSettings): ConfigurationChange {
  const target = targetFields.some(field => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const steps = JSON.stringify(urlsOfSteps(before)) !== JSON.stringify(urlsOfSteps(after));
  const timeout = effectiveTimeoutMs(before) !== effectiveTimeoutMs(after);
  const service = before.grpc?.service !== after.grpc?.service;
  const way = !isDeepStrictEqual(wayOf(before), wayOf(after));
  const counted = !isDeepStrictEqual(countedOf(before), countedOf(after));
  const dropsVotes = way || target || counted || service || steps || timeout || before.enabled !== after.enabled;
  const quorum = effectiveQuorum(before) !== effectiveQuorum(after);
  const regions = before.regions.toSorted().join() !== after.regions.toSorted().join();
  const resetsStart = dropsVotes || quorum || regions;
  const own = ownNames.some(name => !isDeepStrictEqual(before[name], after[name]));
  const goesOut = ['egress', 'auth'] as const;
  const egress =
    goesOut.some(name => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null)) ||
    shownHttpVersion(before) !== shownHttpVersion(after);
  const warning = !isDeepStrictEqual(warningOf(before.alert_rules), warningOf(after.alert_rules));
  return {
    dropsVotes,
    resetsStart,
    newVersion: resetsStart || own || egress || warning || before.interval_seconds !== after.interval_seconds,
  };
}

function urlsOfSteps({ multistep }: MonitorSettings): readonly string[] {
  return (multistep?.steps ?? []).map(({ url }) => url);
}

/** What of events is counted, apart from how it is judged. */
function countedOf({ events }: MonitorSettings) {
  return events == null ? null : { ...events, min_sample: null, settle_seconds: null };
}

/** What of the egress leads elsewhere. */
function wayOf({ egress }: MonitorSettings) {
  return { family: egress?.ip_family ?? 'any', proxy: egress?.proxy ?? null };
}

/** The part of the settings that judging depends on, with defaults resolved. */
export function rulesOf(settings: MonitorSettings, configVersion: number, deleted: boolean): Rules {
  return {
    configVersion,
    regions: votersOf(settings),
    quorum: effectiveQuorum(settings),
    intervalMs: Math.min(settings.interval_seconds * 1000, intervalMsMax),
    timeoutMs: settings.events == null ? effectiveTimeoutMs(settings) : settings.events.settle_seconds * 1000,
    enabled: settings.enabled,
    deleted,
  };
}
