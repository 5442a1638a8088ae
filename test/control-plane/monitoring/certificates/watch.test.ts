import test from 'ava';
import fc from 'fast-check';
import { factOf, warns } from '#control-plane/monitoring/certificates/certificate.ts';
import {
  advanceWatch,
  dropFacts,
  endWatch,
  followCertificate,
  followCertificateRules,
  nextWatchDue,
  type Watched,
} from '#control-plane/monitoring/certificates/watch.ts';
import { type CertificateRules, defaultCertificateRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { type CertificateWatch, certificatesOf, watchOf } from '#control-plane/monitoring/monitors/state/state.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import type { Severity } from '#shared/vocabulary.ts';
import { type OracleCertificateAlert, oracleCertificates, type Seen } from '#test/oracles/certificates.ts';

const gridMs = 5 * minuteMs;
const numRuns = Number(process.env.ALERT_HISTORIES ?? 200);
const certificates = [
  { validFrom: 0, validTo: 6 * dayMs },
  { validFrom: -80 * dayMs, validTo: 10 * dayMs },
  { validFrom: -78 * dayMs, validTo: 14 * dayMs + 6 * hourMs },
  { validFrom: 0, validTo: 90 * dayMs },
];

const rulesArbitrary: fc.Arbitrary<CertificateRules> = fc.record({
  enabled: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  thresholds: fc.option(
    fc
      .uniqueArray(fc.constantFrom(100, 14, 13.9, 10, 9.8, 5.9, 1), { minLength: 1, maxLength: 5 })
      .chain(days =>
        fc
          .array(fc.constantFrom<Severity>('p1', 'p2', 'p3'), { minLength: days.length, maxLength: days.length })
          .map(severities =>
            days
              .toSorted((left, right) => right - left)
              .map((days_left, index) => ({ days_left, severity: severities[index] ?? 'p3' })),
          ),
      ),
    { nil: null },
  ),
  in_verdict: fc.boolean(),
});
type Step = { gap: number } & (
  | { type: 'seen'; region: string; certificate: number }
  | { type: 'rules'; rules: CertificateRules }
  | { type: 'drop' }
);
const gap = fc.integer({ min: 1, max: 20 });
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      gap,
      type: fc.constant('seen' as const),
      region: fc.constantFrom('a', 'b', 'c'),
      certificate: fc.integer({ min: 0, max: certificates.length - 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ gap, type: fc.constant('rules' as const), rules: rulesArbitrary }) },
  { weight: 1, arbitrary: fc.record({ gap, type: fc.constant('drop' as const) }) },
);
const historyArbitrary = fc.record({
  first: rulesArbitrary,
  intervalMs: fc.constantFrom(30_000, hourMs),
  steps: fc.array(stepArbitrary, { minLength: 5, maxLength: 40, size: 'max' }),
  deleted: fc.boolean(),
  sweeps: fc.boolean(),
});
type History = typeof historyArbitrary extends fc.Arbitrary<infer T> ? T : never;

const rankOf = (severity: Severity) => Number(severity[1]);

/** What live evaluation makes of a history; what is kept between events passes through JSON, as in the database. */
function follow({ first, intervalMs, steps, deleted, sweeps }: History, untilMs: number): OracleCertificateAlert[] {
  const alerts: OracleCertificateAlert[] = [];
  let [at, rules] = [0, first];
  let watch: CertificateWatch | null = null;
  const take = ({ watch: next, transitions }: Watched) => {
    watch = watchOf(JSON.parse(JSON.stringify(certificatesOf(rules, next))));
    for (const transition of transitions) {
      const last = alerts.at(-1);
      if (transition.type === 'open')
        alerts.push({ openedAt: transition.at, resolvedAt: null, severities: [transition.severity], flaps: false });
      else if (last === undefined) throw new Error(`${transition.type} of nothing`);
      else if (transition.type === 'resolve') last.resolvedAt = transition.at;
      else if (transition.type === 'reopen') last.resolvedAt = null;
      else if (transition.type === 'flap') last.flaps = true;
      else {
        const before = last.severities.at(-1) ?? transition.severity;
        const isHigher = rankOf(transition.severity) < rankOf(before);
        last.severities.push(isHigher ? transition.severity : before);
      }
    }
  };
  for (const step of steps) {
    if (sweeps) take(advanceWatch(watch, rules, at + Math.floor(step.gap / 2) * gridMs, intervalMs));
    at += step.gap * gridMs;
    if (step.type === 'rules') {
      take(followCertificateRules(watch, rules, step.rules, at, intervalMs));
      rules = step.rules;
    } else if (step.type === 'drop') take(dropFacts(watch, rules, at, intervalMs));
    else {
      const fact = { at, ...(certificates[step.certificate] ?? { validFrom: 0, validTo: 0 }) };
      take(followCertificate(watch, rules, { region: step.region, fact }, intervalMs));
    }
  }
  if (deleted) take(endWatch(watch, rules, at + gridMs, intervalMs));
  else take(advanceWatch(watch, rules, untilMs, intervalMs));
  return alerts;
}

function expectedOf({ first, intervalMs, steps, deleted }: History, untilMs: number): OracleCertificateAlert[] {
  const seen: Seen[] = [];
  const versions = [{ at: 0, rules: first }];
  const drops: number[] = [];
  let at = 0;
  for (const step of steps) {
    at += step.gap * gridMs;
    if (step.type === 'rules') versions.push({ at, rules: step.rules });
    else if (step.type === 'drop') drops.push(at);
    else seen.push({ at, region: step.region, ...(certificates[step.certificate] ?? { validFrom: 0, validTo: 0 }) });
  }
  const ends = { drops, deletedAt: deleted ? at + gridMs : null, intervalMs };
  return oracleCertificates(seen, versions, ends, untilMs, gridMs);
}

test('alerts about certificates of any history by any rules are those of the contract', t => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(historyArbitrary, history => {
      const untilMs = history.steps.reduce((sum, step) => sum + step.gap * gridMs, 0) + 4 * hourMs;
      const expected = expectedOf(history, untilMs);
      for (const { resolvedAt, severities, flaps } of expected) {
        kinds.add(resolvedAt === null ? 'open' : 'resolved');
        if (severities.length > 1) kinds.add('raised');
        if (flaps) kinds.add(resolvedAt === null ? 'flapping' : 'calm again');
      }
      t.deepEqual(follow(history, untilMs), expected);
    }),
    { numRuns },
  );
  t.deepEqual([...kinds].sort(), ['calm again', 'flapping', 'open', 'raised', 'resolved']);
});

/** Checks every quarter of an hour, or so often, of the certificate that is in place then. */
function watchFor(
  days: number,
  certificateAt: (at: number) => { validFrom: number; validTo: number },
  everyMs = 15 * minuteMs,
  unitMs = dayMs,
) {
  let watch: CertificateWatch | null = null;
  const seen: string[] = [];
  for (let at = 0; at <= days * dayMs; at += everyMs) {
    const fact = { at, ...certificateAt(at) };
    const next: Watched = followCertificate(watch, defaultCertificateRules, { region: 'a', fact }, everyMs);
    watch = next.watch;
    const unit = unitMs === dayMs ? 'on day' : 'at minute';
    seen.push(...next.transitions.map(({ type, at }) => `${type} ${unit} ${at / unitMs}`));
  }
  return { seen, watch: watch as CertificateWatch | null };
}

test('a 6-day certificate renewed at half of its life for 30 days opens no alert', t => {
  const { seen } = watchFor(30, at => {
    const validFrom = Math.floor(at / (3 * dayMs)) * 3 * dayMs;
    return { validFrom, validTo: validFrom + 6 * dayMs };
  });
  t.deepEqual(seen, []);
});

test('a 6-day certificate that is not renewed opens its alert two days before its end', t => {
  t.deepEqual(watchFor(6, () => ({ validFrom: 0, validTo: 6 * dayMs })).seen, ['open on day 4']);
});

test('a 90-day certificate left alone opens one alert at 14 days, which its renewal resolves', t => {
  const { seen } = watchFor(90, at =>
    at < 80 * dayMs ? { validFrom: 0, validTo: 90 * dayMs } : { validFrom: 80 * dayMs, validTo: 170 * dayMs },
  );
  t.deepEqual(seen, ['open on day 76', 'resolve on day 80']);
});

const old = { validFrom: -88 * dayMs, validTo: 2 * dayMs };
const renewed = { validFrom: -2 * dayMs, validTo: 88 * dayMs };

test('two servers of which one has the old certificate open one alert, which stays open', t => {
  const bad = new Set([0, 2, 3, 5, 9, 40]);
  const { seen, watch } = watchFor(1 / 24, at => (bad.has(at / minuteMs) ? old : renewed), minuteMs, minuteMs);
  t.deepEqual(seen, ['open at minute 0', 'resolve at minute 1', 'reopen at minute 2', 'flap at minute 2']);
  t.deepEqual(watch?.answers, { since: minuteMs, bad: 5, total: 60 });
});

test('once it alternated, an alert resolves when the old certificate was not seen for an hour or ten checks', t => {
  const bad = new Set([0, 2, 7]);
  const often = watchFor(0.2, at => (bad.has(at / minuteMs) ? old : renewed), minuteMs, minuteMs).seen;
  t.deepEqual(often.slice(-1), ['resolve at minute 67']);
  t.is(often.length, 5);
  const everyMs = 30 * minuteMs;
  const seldom = watchFor(1, at => (bad.has(at / everyMs) ? old : renewed), everyMs, minuteMs).seen;
  t.deepEqual(seldom.slice(-1), [`resolve at minute ${(7 + 10) * 30}`]);
  t.is(seldom.length, 5);
});

test('a certificate that comes back long after its renewal opens another alert', t => {
  const bad = new Set([0, 62]);
  const { seen } = watchFor(0.1, at => (bad.has(at / minuteMs) ? old : renewed), minuteMs, minuteMs);
  t.deepEqual(seen.slice(0, 3), ['open at minute 0', 'resolve at minute 1', 'open at minute 62']);
});

test('a resolved alert is stored apart from an unresolved one', t => {
  const watch = {
    at: 1,
    crossedMs: 2,
    facts: { a: { at: 1, ...old } },
    flappingSince: null,
    lastBad: null,
    answers: null,
  };
  t.deepEqual(watchOf({ rules: null, watch: { ...watch, resolvedAt: null } }), { ...watch, resolvedAt: null });
  const ended = certificatesOf(defaultCertificateRules, { ...watch, resolvedAt: 3 });
  t.is(ended?.watch, null);
  t.is(watchOf(ended)?.resolvedAt, 3);
});

test('a region that falls silent holds an alert open for an hour, and longer if nobody else says anything', t => {
  const bad = { at: 0, validFrom: -80 * dayMs, validTo: 10 * dayMs };
  const good = { validFrom: 0, validTo: 90 * dayMs };
  const rules = defaultCertificateRules;
  const opened = followCertificate(null, rules, { region: 'a', fact: bad }, minuteMs).watch;
  t.truthy(opened);
  if (opened === null) return;
  t.is(nextWatchDue(opened, rules, minuteMs), null, 'without results it stays');
  const other = followCertificate(opened, rules, { region: 'b', fact: { ...good, at: minuteMs } }, minuteMs);
  t.deepEqual(other.transitions, []);
  t.is(other.watch === null ? null : nextWatchDue(other.watch, rules, minuteMs), hourMs);
  const late = followCertificate(opened, rules, { region: 'b', fact: { ...good, at: 3 * hourMs } }, minuteMs);
  t.deepEqual(late.transitions, [{ type: 'resolve', at: 3 * hourMs }]);
});

test('a certificate says something only with the start of its life, and instants that are some', t => {
  const tls = { protocol: 'TLSv1.3', valid_to: '1970-01-11T00:00:00.000Z', days_left: 10 };
  t.is(factOf({ tls }, 0), null);
  t.is(factOf({ tls: null }, 0), null);
  t.is(factOf({ tls: { ...tls, valid_from: 'yesterday' } }, 0), null);
  t.is(factOf({ tls: { ...tls, valid_from: '1970-01-01T00:00:00.000Z', valid_to: '' } }, 0), null);
  const fact = factOf({ tls: { ...tls, valid_from: '1969-01-01T00:00:00.000Z' } }, 0);
  t.deepEqual(fact, { at: 0, validFrom: Date.UTC(1969), validTo: 10 * dayMs });
  t.true(warns({ thresholds: null }, fact));
  t.false(warns({ thresholds: [{ days_left: 9.9, severity: 'p1' }] }, fact));
  t.false(warns(null, fact));
  t.false(warns({ thresholds: null }, null));
});
