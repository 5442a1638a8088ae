import {
  assertionTypes,
  checkStatuses,
  errorCodes,
  failureSources,
  wireLimits as limits,
  type WireResult,
} from '#shared/check-result.ts';
import { errorPhases, spokenVersions } from '#shared/checks/vocabulary.ts';

type Fields = Readonly<Record<string, unknown>>;

const idPattern = /^mon_[0-9a-hjkmnp-tv-z]{26}$/;
const fingerprintPattern = /^[0-9a-f]{64}$/;

/**
 * True only for a result that its schema would return as it is: then the schema need not make a copy of it, which takes
 * three times as long. Fields that the schema does not know, too, are left to it.
 */
export function isWellFormed(value: unknown): value is WireResult {
  // `delayed_ms` and `warnings` are rare, and agents before 0.11.0 say no version of HTTP.
  const fields = Object(value);
  const rare = Number('delayed_ms' in fields) + Number('warnings' in fields) + Number('facts' in fields);
  if (!hasFields(value, 19 + rare) || !('warnings' in value ? isWarnings(value.warnings) : true)) return false;
  return (
    isWhole(value.seq, 1) &&
    typeof value.monitor_id === 'string' &&
    idPattern.test(value.monitor_id) &&
    isWhole(value.config_version, 1, limits.version) &&
    (value.kind === 'scheduled' || value.kind === 'confirm') &&
    (value.attempt === 1 || value.attempt === 2) &&
    isWhole(value.scheduled_at, 0, limits.instant) &&
    isWhole(value.started_at, 0, limits.instant) &&
    isWhole(value.completed_at, 0, limits.instant) &&
    isOneOf(checkStatuses, value.status) &&
    isMs(value.latency_ms) &&
    (value.delayed_ms === undefined || (value.delayed_ms !== null && isMs(value.delayed_ms))) &&
    isTimings(value.timings) &&
    (value.status_code === null || isWhole(value.status_code, 100, 999)) &&
    isError(value.error) &&
    (value.failure_source === null || isOneOf(failureSources, value.failure_source)) &&
    isOutcomes(value.assertions) &&
    isTextOrNull(value.remote_ip, limits.address) &&
    isWhole(value.bytes, 0) &&
    typeof value.truncated === 'boolean' &&
    isTls(value.tls) &&
    ('facts' in value ? isVersionAlone(value.facts) : true)
  );
}

function isTimings(value: unknown): boolean {
  if (value === null) return true;
  if (!hasFields(value, 5)) return false;
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms } = value;
  return isMs(dns_ms) && isMs(connect_ms) && isMs(tls_ms) && isMs(first_byte_ms) && isMs(download_ms);
}

function isError(value: unknown): boolean {
  if (value === null) return true;
  const where = Number('phase' in Object(value)) + Number('host' in Object(value));
  return (
    hasFields(value, 2 + where) &&
    isOneOf(errorCodes, value.code) &&
    isText(value.message, limits.message) &&
    (value.phase === undefined || isOneOf(errorPhases, value.phase)) &&
    (value.host === undefined || isText(value.host, limits.host))
  );
}

function isOutcomes(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > limits.outcomes) return false;
  for (let index = 0; index < value.length; index++) if (!isOutcome(value[index])) return false;
  return true;
}

function isOutcome(value: unknown): boolean {
  // `skipped` is rare.
  if (!hasFields(value, 5)) return false;
  const { index, type, passed, expected, actual } = value;
  return (
    isWhole(index, 0, limits.outcomes - 1) &&
    isOneOf(assertionTypes, type) &&
    (passed === null || typeof passed === 'boolean') &&
    isText(expected, limits.message) &&
    isTextOrNull(actual, limits.message)
  );
}

/** Other facts are left to the schema. */
function isVersionAlone(value: unknown): boolean {
  return hasFields(value, 1) && isOneOf(spokenVersions, value.http_version);
}

/** Few results have any. */
function isWarnings(value: unknown): boolean {
  return Array.isArray(value) && value.length <= limits.warnings && value.every(word => isText(word, limits.warning));
}

function isTls(value: unknown): boolean {
  if (value === null) return true;
  const more = Number('alpn' in Object(value));
  const withFacts = hasFields(value, 7 + more);
  if (!withFacts && !hasFields(value, 3 + more)) return false;
  const { protocol, valid_to, days_left, alpn } = value;
  if (alpn !== undefined && !isText(alpn, limits.tlsText)) return false;
  if (!isText(protocol, limits.tlsText) || !isText(valid_to, limits.tlsText) || !Number.isFinite(days_left))
    return false;
  if (!withFacts) return true;
  const { valid_from, issuer, subject, fingerprint_sha256: fingerprint } = value;
  return (
    isText(valid_from, limits.tlsText) &&
    isText(issuer, limits.tlsName) &&
    isText(subject, limits.tlsName) &&
    typeof fingerprint === 'string' &&
    fingerprintPattern.test(fingerprint)
  );
}

/** Of a plain object: what JSON makes has no other keys than its own. */
function hasFields(value: unknown, count: number): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  let own = 0;
  for (const _ in value) own += 1;
  return own === count;
}

function isWhole(value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isMs(value: unknown): boolean {
  return value === null || (typeof value === 'number' && value >= 0 && value <= limits.ms);
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value.length <= max;
}

function isTextOrNull(value: unknown, max: number): boolean {
  return value === null || isText(value, max);
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return (values as readonly unknown[]).includes(value);
}
