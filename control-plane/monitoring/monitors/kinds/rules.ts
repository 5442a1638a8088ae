import { isDeepStrictEqual } from 'node:util';
import type { Capability } from '#shared/capabilities.ts';
import type { Check } from '#shared/checks/check.ts';
import { type MonitorKind, monitorKinds } from '#shared/checks/vocabulary.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { defaultAlertRules } from '../alert-rules.ts';
import { authErrors } from '../auth/auth.ts';
import { wireEgressOf } from '../egress/egress.ts';
import { egressErrors } from '../egress/rules.ts';
import { cronIntervalSeconds } from '../heartbeats/expected.ts';
import type { MonitorSettings } from '../monitor.ts';
import type { StoredMonitor } from '../row.ts';
import { secretNeeds } from '../secrets/uses.ts';
import { otherHttpVersion } from './http-version.ts';
import type { Kind } from './kind.ts';
import { kindOf, kindOfUrl, takesAssertion } from './kinds.ts';
import { agentErrors } from './without-agents.ts';

type Settings = Pick<
  MonitorSettings,
  'url' | 'kind' | 'egress' | 'auth' | 'http_version' | Exclude<MonitorKind, 'http'>
>;

/** What only HTTP has, and what it reads with other kinds. */
const ofHttp = { method: 'GET', body: null, follow_redirects: true } as const;

/** Assertions and members that agents understand which say `assert.2`. */
const assertions1 = ['status', 'body_contains', 'header', 'json_path', 'latency_p95'];

/** Pure: what the kind of a monitor does not take. Fields that are wrong by themselves are not looked at. */
export function kindErrors(settings: ValidFields<MonitorSettings>): FieldError[] {
  const { url, kind: given, headers = {}, assertions = [], interval_seconds: interval, alert_rules } = settings;
  const ofUrl = url === undefined ? null : kindOfUrl(url);
  // No rules hold for a word that is no kind.
  if (given === undefined && Object.hasOwn(settings, 'kind')) return [];
  const name = given ?? ofUrl ?? 'http';
  const kind = kindOf(name);
  const takesUrl = kind.withoutAgents?.takesUrl !== false;
  const errors: FieldError[] = [];
  const refuse = (pointer: string, detail: string) => errors.push({ pointer, code: 'not_allowed', detail });
  if (kind.urlOf !== undefined) {
    if (url !== undefined) refuse('/url', `must be left out: monitors of kind ${name} take none`);
  } else if (takesUrl && url !== undefined && url !== '' && ofUrl !== name)
    errors.push({ pointer: '/url', code: 'format', detail: `must begin with ${kind.schemes.join('// or ')}//` });
  for (const other of monitorKinds)
    if (other !== 'http' && other !== name && settings[other] != null)
      refuse(`/${other}`, `is of monitors of kind ${other}`);
  if (name !== 'http') {
    for (const [field, value] of Object.entries(ofHttp))
      if (settings[field as keyof typeof ofHttp] !== undefined && settings[field as keyof typeof ofHttp] !== value)
        refuse(`/${field}`, `is of monitors of kind http, and ${JSON.stringify(value)} with others`);
    if (name !== 'websocket' && Object.keys(headers).length > 0)
      refuse('/headers', 'are of monitors of kind http or websocket');
  }
  if (name === 'websocket')
    for (const header of Object.keys(headers))
      if (/^sec-websocket-/i.test(header)) refuse(pointerTo(['headers', header]), 'is set by the handshake');
  if (!kind.takesHttpVersion && settings.http_version != null)
    refuse('/http_version', `is not of monitors of kind ${name}`);
  if (!kind.hasCertificate && isOther(alert_rules, 'certificate'))
    refuse('/alert_rules/certificate', `is about certificates, which checks of kind ${name} do not see`);
  if (name !== 'domain' && isOther(alert_rules, 'domain'))
    refuse('/alert_rules/domain', 'is of monitors of kind domain');
  for (const [index, { type }] of assertions.entries())
    if (!takesAssertion(name, type)) refuse(`/assertions/${index}/type`, `is not of monitors of kind ${name}`);
  errors.push(...intervalErrors(kind, interval));
  errors.push(...cronErrors(name, settings), ...egressErrors(settings.egress, kind.egress, name));
  const sent = [...Object.keys(headers), ...Object.keys(settings.grpc?.metadata ?? {})];
  errors.push(...authErrors(settings.auth, sent, { takesAuth: kind.takesAuth, kind: name }));
  return [
    ...errors,
    ...agentErrors(name, settings),
    ...ownErrors(kind, name, settings),
    ...assertionErrors(name, settings),
  ];
}

/** Whether rules about an end are given that are not those by default. */
function isOther(rules: MonitorSettings['alert_rules'] | undefined, kind: 'certificate' | 'domain'): boolean {
  return rules != null && !isDeepStrictEqual(rules[kind], defaultAlertRules[kind]);
}

/** Of a kind that has one interval alone another is refused elsewhere. */
function intervalErrors(kind: Kind<unknown>, interval: number | undefined): FieldError[] {
  const { intervalMin: min, intervalMax: max, withoutAgents } = kind;
  if (interval === undefined || typeof withoutAgents?.intervalSeconds === 'number') return [];
  const refuse = (detail: string): FieldError[] => [{ pointer: '/interval_seconds', code: 'out_of_range', detail }];
  if (interval < min) return refuse(`must be at least ${min}`);
  return interval > max ? refuse(`must be at most ${max}`) : [];
}

/** With a cron expression the interval follows from it; without one it is needed. */
function cronErrors(name: MonitorKind, settings: ValidFields<MonitorSettings>): FieldError[] {
  const { heartbeat, interval_seconds: interval } = settings;
  const isWrong = Object.hasOwn(settings, 'heartbeat') && heartbeat === undefined;
  if (name !== 'heartbeat' || isWrong) return [];
  if (heartbeat?.cron == null)
    return Object.hasOwn(settings, 'interval_seconds')
      ? []
      : [{ pointer: '/interval_seconds', code: 'required', detail: 'is required without `heartbeat.cron`' }];
  if (interval === undefined || interval === cronIntervalSeconds(heartbeat.cron, heartbeat.timezone)) return [];
  return [{ pointer: '/interval_seconds', code: 'not_allowed', detail: 'follows from `heartbeat.cron`' }];
}

function ownErrors(
  kind: Kind<unknown>,
  name: MonitorKind,
  settings: ValidFields<MonitorSettings>,
): readonly FieldError[] {
  const { url, timeout_ms, interval_seconds, assertions } = settings;
  const isWrong = name !== 'http' && name in settings && settings[name] === undefined;
  const own = isWrong ? undefined : ownOf(name, settings);
  const isFitting = url === undefined || kindOfUrl(url) === name;
  return kind.errors({ url: isFitting ? url : undefined, timeout_ms, interval_seconds, assertions, own });
}

/** Assertions that need something else of the settings. */
function assertionErrors(
  name: MonitorKind,
  { url = '', assertions = [], tcp, dns, egress }: ValidFields<MonitorSettings>,
): FieldError[] {
  return assertions.flatMap(({ type }, index): FieldError[] => {
    const pointer = `/assertions/${index}/type`;
    if (name === 'tcp' && type === 'body_contains' && tcp?.read !== true)
      return [{ pointer, code: 'not_allowed', detail: 'needs `tcp.read`: without it no answer is read' }];
    if (type === 'tls_version' && /^(?:ws|grpc):/i.test(url))
      return [{ pointer, code: 'not_allowed', detail: 'needs TLS: a URL that begins with wss:// or grpcs://' }];
    if (type === 'addresses' && egress?.addresses !== 'each')
      return [{ pointer, code: 'not_allowed', detail: 'needs `egress.addresses` to be `each`' }];
    if (type === 'dns_agree' && (dns?.agree_with ?? []).length === 0)
      return [{ pointer, code: 'not_allowed', detail: 'needs servers in `dns.agree_with`' }];
    return [];
  });
}

function ownOf(name: MonitorKind, settings: ValidFields<Settings>): unknown {
  return name === 'http' ? null : (settings[name] ?? kindOf(name).own.parse({}));
}

/**
 * Pure: what agents must be able to do to run a monitor, in alphabetical order; HTTP checks of before: nothing.
 * `secretFields`: the fields in which references stand for secrets.
 */
export function neededOf(
  settings: Settings & Pick<MonitorSettings, 'assertions'>,
  secretFields: readonly string[] = [],
): Capability[] {
  const name = settings.kind ?? kindOfUrl(settings.url) ?? 'http';
  const needs = new Set(kindOf(name).needs({ url: settings.url, own: ownOf(name, settings) }));
  if (settings.assertions.some(isOfSecondVersion)) needs.add('assert.2');
  const ofSteps = settings.multistep?.steps.flatMap(({ assertions }) => assertions) ?? [];
  if ([...settings.assertions, ...ofSteps].some(isOfThirdVersion)) needs.add('assert.3');
  if (wireEgressOf(settings.egress ?? null) !== null) needs.add('egress.1');
  if (name === 'multistep' && needs.has('egress.1')) needs.add('egress.steps');
  if (settings.egress?.proxy != null) needs.add('egress.proxy');
  if (settings.egress?.addresses === 'each') needs.add('egress.each');
  if (otherHttpVersion(settings) !== null) needs.add('http.2');
  if (settings.auth != null) needs.add('gateway.2');
  if (settings.auth?.type === 'oauth2') needs.add('auth.oauth2');
  for (const word of secretNeeds(settings, secretFields)) needs.add(word);
  return [...needs].sort();
}

/** The words of a monitor's row: no agent has that of a kind which no agent checks. */
export function storedNeeds({ settings, secretFields }: Pick<StoredMonitor, 'settings' | 'secretFields'>): string[] {
  const { withoutAgents } = kindOf(settings.kind ?? kindOfUrl(settings.url) ?? 'http');
  return withoutAgents === null ? neededOf(settings, secretFields) : [withoutAgents.voter];
}

/** Agents of before refuse all that comes in one message with a type that they do not know. */
function isOfThirdVersion({ type }: MonitorSettings['assertions'][number]): boolean {
  return type === 'http_version' || type === 'dns_changed';
}

function isOfSecondVersion(assertion: MonitorSettings['assertions'][number]): boolean {
  const { type } = assertion;
  if (!assertions1.includes(type) || ('on_fail' in assertion && assertion.on_fail !== undefined)) return true;
  if (type === 'body_contains') return assertion.operator === 'matches' || assertion.operator === 'not_matches';
  return type === 'header' && assertion.operator === 'not_matches';
}

/** Pure: the type of record that a DNS query asks for; null of other kinds. */
export function recordTypeOf(settings: Settings): string | null {
  const check = checkOf(settings);
  return check?.kind === 'dns' ? check.type : null;
}

/** Pure: what agents get of a monitor that is not of kind `http`; null for one that is. */
export function checkOf(settings: Settings): Check | null {
  const name = settings.kind ?? kindOfUrl(settings.url) ?? 'http';
  return kindOf(name).check({ url: settings.url, own: ownOf(name, settings) });
}
