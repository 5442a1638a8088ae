import test from 'ava';
import { followSeen } from '#control-plane/monitoring/alerts/certificates/follow.ts';
import { domainEnd } from '#control-plane/monitoring/certificates/domain.ts';
import { alertRulesSchema } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { certificatesOf, type MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import type { DomainFacts } from '#shared/checks/facts.ts';
import { dayMs } from '#shared/duration.ts';
import { makeNewResult, makeState, makeVersion, testRules } from '#test/support/monitor-state.ts';

const startMs = Date.UTC(2027, 0, 1);
const at = (day: number) => new Date(startMs + day * dayMs).toISOString();

function factsOf(changes: Partial<DomainFacts> = {}): DomainFacts {
  const facts = { name: 'example.com', registrar: 'Registrar', statuses: ['active'], server: 'rdap.example' };
  return { ...facts, ends_at: at(90), registered_at: at(-1000), ...changes };
}

for (const [title, domain, code, expected] of [
  ['names both ends', factsOf(), null, [at(-1000), at(90)]],
  ['does not name the begin', factsOf({ registered_at: null }), null, [at(0), at(90)]],
  ['names a begin that is no time', factsOf({ registered_at: 'long ago' }), null, [at(0), at(90)]],
  ['names no end', factsOf({ ends_at: null }), null, null],
  ['names an end that is no time', factsOf({ ends_at: 'never' }), null, null],
  ['did not answer', factsOf(), 'lookup_failed', null],
  ['knows a domain that has expired', factsOf({ ends_at: at(-1) }), 'domain_expired', [at(-1000), at(-1)]],
  ['does not know the domain', null, 'not_registered', null],
] as const)
  test(`the end of a domain whose registry ${title}`, t => {
    const fact = domainEnd({ domain, code }, startMs)?.fact;
    const ends = fact && [fact.validFrom, fact.validTo].map(ms => new Date(ms).toISOString());
    t.deepEqual(ends ?? null, expected as string[] | null);
  });

/** What a lookup says: the day of the end, or that it failed; `null`: no end. */
type Lookup = [day: number, end: number | null | 'failed'];
const usual = [30, 7];

for (const [title, days, lookups, expected] of [
  ['nothing before the first threshold', usual, [[0, 31]], []],
  ['opens at the first threshold, to the millisecond', usual, [[1, 31]], ['1 open p3']],
  ['opens at the second when it is seen first then', usual, [[0, 6]], ['0 open p2']],
  [
    'is raised once',
    usual,
    [
      [0, 20],
      [13, 20],
      [14, 20],
    ],
    ['0 open p3', '13 raise p2'],
  ],
  ['opens after the end as well', usual, [[0, -1]], ['0 open p2']],
  [
    'resolves by a renewal',
    usual,
    [
      [0, 20],
      [1, 385],
    ],
    ['0 open p3', '1 resolve'],
  ],
  [
    'stays for a renewal that is too short',
    usual,
    [
      [0, 5],
      [1, 25],
    ],
    ['0 open p2'],
  ],
  [
    'says nothing of a lookup that failed',
    usual,
    [
      [0, 20],
      [15, 'failed'],
    ],
    ['0 open p3'],
  ],
  [
    'stays where the registry names no end any more',
    usual,
    [
      [0, 20],
      [1, null],
    ],
    ['0 open p3'],
  ],
  [
    'opens at thresholds of its own',
    [90, 60, 1],
    [
      [0, 80],
      [25, 80],
      [79, 80],
    ],
    ['0 open p3', '25 raise p2', '79 raise p2'],
  ],
  ['is none where the rules are off', [], [[0, 1]], []],
] as [string, number[], Lookup[], string[]][])
  test(`an alert about a domain: ${title}`, t => {
    const thresholds = days.map((days_left, index) => ({ days_left, severity: index === 0 ? 'p3' : 'p2' }));
    const domain = thresholds.length === 0 ? { enabled: false } : { thresholds };
    const rules = alertRulesSchema.parse({ domain }).domain;
    t.deepEqual(transitionsOf(rules, lookups), expected);
  });

function transitionsOf(rules: Parameters<typeof certificatesOf>[0], lookups: readonly Lookup[]): string[] {
  const standing = { ...testRules, regions: ['registry'], intervalMs: dayMs };
  let state: MonitorState = makeState({ rules: standing, certificates: certificatesOf(rules, null, 'domain') });
  return lookups.flatMap(([day, end]) => {
    const nowMs = startMs + day * dayMs;
    const isFailed = end === 'failed';
    const domain = factsOf({ ends_at: isFailed ? at(0) : end === null ? null : at(end) });
    const result = makeNewResult(nowMs, {
      region: 'registry',
      config_version: standing.configVersion,
      facts: { domain },
      error: isFailed ? { code: 'lookup_failed', message: 'no answer' } : null,
    });
    const followed = followSeen(state, [{ result, version: makeVersion({ intervalMs: dayMs }) }], nowMs);
    if (followed === null) return [];
    state = { ...state, certificates: certificatesOf(rules, followed.watched.watch, 'domain') };
    return followed.watched.transitions.map(one =>
      [(one.at - startMs) / dayMs, one.type, ...('severity' in one ? [one.severity] : [])].join(' '),
    );
  });
}
