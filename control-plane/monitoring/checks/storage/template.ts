import { isDeepStrictEqual } from 'node:util';
import type { StoredResult, TlsDetail } from '#shared/check-result.ts';
import type { Delayed, ResultDetail } from '../result.ts';
import { detailOf, given, storableJson } from './detail.ts';
import { type CommonFacts, commonFactsOf, joinFacts, joinTimings, type OwnFacts, ownFactsOf } from './facts.ts';
import { type CheckMetrics, packMetrics, unpackMetrics } from './metrics.ts';

type Outcome = ResultDetail['assertions'][number];
type Tls = TlsDetail;

/**
 * What most results of a monitor and region have in common. `days_left` is missing if it is among the metrics, and an
 * outcome's `actual` if it is beside the row.
 */
export type Template = {
  agent_id: string;
  assertions: (Omit<Outcome, 'actual'> & { actual?: string | null })[];
  remote_ip: string | null;
  tls: (Omit<Tls, 'days_left'> & { days_left?: number }) | null;
  warnings?: string[];
  facts?: CommonFacts;
};

/** What is stored of a result in `agent_id`, `detail`, `shape` (the template) and `figures` (the metrics). */
export type StoredParts = { agentId: string; detail: string; template: number | null; metrics: Buffer | null };

/** The same as it is read; `ResultDetail` in rows without a template. */
export type ReadParts = {
  agent_id: string;
  detail: ResultDetail | { actual?: (string | null)[]; delayed?: Delayed; own?: OwnFacts };
  template: number | null;
  metrics: Uint8Array | null;
};

/** A result and the agent that reported it. */
export type ResultOfAgent = StoredResult & { agentId: string; delayed?: Delayed | undefined };

/** All in one row: failures, of which hardly two are alike, and what a monitor has too many variants of. */
export function wholeParts(result: ResultOfAgent): StoredParts {
  return { agentId: result.agentId, detail: detailOf(result), template: null, metrics: null };
}

/** The metrics of a result that can be divided into metrics and a template; null if it cannot. */
export function metricsOf({ status, error, timings, bytes, truncated, tls }: ResultOfAgent): Buffer | null {
  if (status === 'err' || error !== null) return null;
  return packMetrics({ timings, bytes, truncated, daysLeft: daysLeftOf(tls) });
}

/** The template of a result as JSON text. */
export function templateOf(result: ResultOfAgent): string {
  return templateText(result, result.assertions);
}

function templateText(result: ResultOfAgent, assertions: Template['assertions']): string {
  const { agentId, remote_ip, tls, warnings } = result;
  const facts = commonFactsOf(result);
  const common = { agent_id: agentId, assertions, remote_ip, tls: commonTls(tls), ...given(warnings) };
  const template: Template = facts === undefined ? common : { ...common, facts };
  return storableJson(template);
}

/** The fields of a result that its template is made of, besides the agent. */
export type TemplateFields = Pick<StoredResult, 'assertions' | 'remote_ip' | 'tls' | 'warnings' | 'facts'>;

/** True only if both have the same template, when the same agent reported them. */
export function hasSameTemplate(left: TemplateFields, right: TemplateFields): boolean {
  const { assertions } = right;
  return (
    left.remote_ip === right.remote_ip &&
    left.assertions.length === assertions.length &&
    left.assertions.every((outcome, index) => isSameOutcome(outcome, assertions[index])) &&
    isSameTls(left.tls, right.tls) &&
    isSameList(left.warnings, right.warnings) &&
    hasSameFacts(left, right)
  );
}

function hasSameFacts({ facts: left }: TemplateFields, { facts: right }: TemplateFields): boolean {
  if (left === right) return true;
  if (left?.http_version !== right?.http_version) return false;
  return (
    (isVersionAlone(left) && isVersionAlone(right)) ||
    isDeepStrictEqual(commonFactsOf({ facts: left }), commonFactsOf({ facts: right }))
  );
}

/** As of most checks. */
function isVersionAlone(facts: TemplateFields['facts']): boolean {
  for (const name in facts) if (name !== 'http_version') return false;
  return true;
}

function isSameList(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

function isSameOutcome(left: Outcome, right: Outcome | undefined): boolean {
  return (
    right !== undefined &&
    left.index === right.index &&
    left.type === right.type &&
    left.passed === right.passed &&
    left.expected === right.expected &&
    left.actual === right.actual &&
    left.skipped === right.skipped &&
    left.step === right.step
  );
}

function isSameTls(left: Tls | null, right: Tls | null): boolean {
  if (left === null || right === null) return left === right;
  const sameDays = daysLeftOf(left) === null ? left.days_left === right.days_left : daysLeftOf(right) !== null;
  return (
    sameDays &&
    left.protocol === right.protocol &&
    left.valid_to === right.valid_to &&
    left.valid_from === right.valid_from &&
    left.issuer === right.issuer &&
    left.subject === right.subject &&
    left.fingerprint_sha256 === right.fingerprint_sha256 &&
    left.host === right.host &&
    left.alpn === right.alpn &&
    left.verified === right.verified &&
    isDeepStrictEqual(left.earlier, right.earlier)
  );
}

/** The template without what the assertions found, for results that find something else each time. */
export function templateWithoutActuals(result: ResultOfAgent): string {
  const bare = result.assertions.map(({ actual: _, ...outcome }) => outcome);
  return templateText(result, bare);
}

/** The detail of a row whose template does not have what the assertions found. */
export function actualsOf(result: ResultOfAgent): string {
  const { assertions, delayed } = result;
  return storableJson({ actual: assertions.map(({ actual }) => actual), delayed, own: ownFactsOf(result) });
}

/** The detail of a row whose template has all but the metrics, and what differs each time. */
export function delayOf(result: ResultOfAgent): string {
  const { delayed } = result;
  const own = ownFactsOf(result);
  return delayed === undefined && own === undefined ? '{}' : storableJson({ delayed, own });
}

/** Puts a result together again, with the fields in the order in which they were reported. */
export function joinParts(row: ReadParts, template: Template | undefined): { agent_id: string; detail: ResultDetail } {
  if (row.metrics === null || template === undefined)
    return { agent_id: row.agent_id, detail: wholeDetail(row.detail) };
  const { timings: packed, bytes, truncated, daysLeft } = unpackMetrics(row.metrics);
  const own = 'own' in row.detail ? row.detail.own : undefined;
  const timings = joinTimings(packed, own);
  const actuals = 'actual' in row.detail ? row.detail.actual : undefined;
  const assertions =
    actuals === undefined ? template.assertions.map(withActual) : addActuals(template.assertions, actuals);
  const { remote_ip, warnings } = template;
  const tls = joinTls(template.tls, daysLeft);
  const { delayed } = row.detail;
  const facts = joinFacts(template.facts, own);
  const common = { timings, error: null, assertions, remote_ip, bytes, truncated, tls, ...given(warnings) };
  const detail: ResultDetail = facts === undefined ? common : { ...common, facts };
  return { agent_id: template.agent_id, detail: delayed === undefined ? detail : { ...detail, delayed } };
}

function addActuals(outcomes: Template['assertions'], actuals: readonly (string | null)[]): Outcome[] {
  return outcomes.map(({ index, type, passed, expected, ...rest }, position) => ({
    index,
    type,
    passed,
    expected,
    actual: actuals[position] ?? null,
    ...rest,
  }));
}

function withActual(outcome: Template['assertions'][number]): Outcome {
  return { ...outcome, actual: outcome.actual ?? null };
}

/** Fields that a row lacks are blank. */
function wholeDetail(detail: ReadParts['detail']): ResultDetail {
  if ('assertions' in detail) return detail;
  return { timings: null, error: null, assertions: [], remote_ip: null, bytes: 0, truncated: false, tls: null };
}

function commonTls(tls: Tls | null): Template['tls'] {
  if (tls === null || daysLeftOf(tls) === null) return tls;
  const { days_left: _, ...common } = tls;
  return common;
}

function joinTls(tls: Template['tls'], daysLeft: number | null): Tls | null {
  if (tls === null) return null;
  const { protocol, valid_to, days_left, ...facts } = tls;
  return { protocol, valid_to, days_left: days_left ?? daysLeft ?? 0, ...facts };
}

/** Days left change each day; agents report them as whole numbers. */
function daysLeftOf(tls: Tls | null): CheckMetrics['daysLeft'] {
  return tls !== null && Number.isInteger(tls.days_left) && Math.abs(tls.days_left) < 2 ** 31 ? tls.days_left : null;
}
