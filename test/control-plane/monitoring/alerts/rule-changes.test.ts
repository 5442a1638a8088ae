import test from 'ava';
import { plainEffectOf } from '#control-plane/monitoring/alerts/transitions.ts';
import { alertRulesSchema } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { verdicts } from '#shared/vocabulary.ts';
import { alertRules, followHistory, historyFrom, transitionText } from '#test/support/verdict-history.ts';

const slow = { degraded: { after_seconds: 60 } };

const changes: readonly [title: string, before: object, after: object, at: number, history: string, done: string[]][] =
  [
    [
      'a shorter confirmation opens what it would have',
      { confirm_seconds: 600 },
      { confirm_seconds: 30 },
      60,
      'down 0',
      ['60 down opens of 0'],
    ],
    [
      'a longer one takes nothing back',
      { confirm_seconds: 30 },
      { confirm_seconds: 600 },
      60,
      'down 0',
      ['30 down opens of 0'],
    ],
    [
      'a shorter recovery resolves what it would have',
      { recover_seconds: 600 },
      {},
      60,
      'down 0, up 10',
      ['0 down opens of 0', '60 down ends 10'],
    ],
    [
      'without the rule a degraded alert ends at that instant',
      slow,
      {},
      90,
      'degraded 0',
      ['60 degraded opens of 0', '90 degraded ends 90'],
    ],
    ['a new rule counts the time before it', {}, slow, 90, 'degraded 0', ['90 degraded opens of 0']],
    [
      'what was due before goes by the old rules',
      { confirm_seconds: 30 },
      { confirm_seconds: 0 },
      60,
      'down 0, up 29, down 40',
      ['60 down opens of 40'],
    ],
  ];
for (const [title, before, after, at, history, done] of changes)
  test(`new rules: ${title}`, t => {
    const later = [{ at: at * 1000, rules: alertRules(after) }];
    t.deepEqual(followHistory(historyFrom(history), alertRules(before), 3_600_000, later).map(transitionText), done);
  });

test('without rules of its own, down opens an alert, what is good or deleted ends it, the rest changes nothing', t => {
  const effects = Object.fromEntries(verdicts.map(verdict => [verdict, plainEffectOf(verdict)]));
  const nothing = { undetermined: null, pending: null, paused: null };
  t.deepEqual(effects, { up: 'resolve', degraded: 'resolve', down: 'open', deleted: 'resolve', ...nothing });
});

const threshold = (days_left: number) => ({ days_left });
const refused: readonly [rules: object, path: string][] = [
  [{ confirm_seconds: -1 }, 'confirm_seconds'],
  [{ confirm_seconds: 3601 }, 'confirm_seconds'],
  [{ recover_seconds: 86_401 }, 'recover_seconds'],
  [{ recover_seconds: 0.5 }, 'recover_seconds'],
  [{ flap: { changes: 2, window_seconds: 300 } }, 'flap.changes'],
  [{ flap: { changes: 51, window_seconds: 300 } }, 'flap.changes'],
  [{ flap: { changes: 3, window_seconds: 299 } }, 'flap.window_seconds'],
  [{ flap: { changes: 3 } }, 'flap.window_seconds'],
  [{ degraded: { after_seconds: 86_401 } }, 'degraded.after_seconds'],
  [{ degraded: { severity: 'p4' } }, 'degraded.severity'],
  [{ certificate: { thresholds: [] } }, 'certificate.thresholds'],
  [{ certificate: { thresholds: [threshold(0.03)] } }, 'certificate.thresholds.0.days_left'],
  [{ certificate: { thresholds: [threshold(399)] } }, 'certificate.thresholds.0.days_left'],
  [{ certificate: { thresholds: [threshold(7), threshold(7)] } }, 'certificate.thresholds.1.days_left'],
  [{ certificate: { thresholds: [6, 5, 4, 3, 2, 1].map(threshold) } }, 'certificate.thresholds'],
];
for (const [rules, path] of refused)
  test(`rules with ${JSON.stringify(rules)} are refused at ${path}`, t => {
    t.is(alertRulesSchema.safeParse(rules).error?.issues[0]?.path.join('.'), path);
  });

test('rules have the defaults of the contract', t => {
  const certificate = { enabled: true, thresholds: null, in_verdict: false };
  const thresholds = [
    { days_left: 30, severity: 'p3' },
    { days_left: 7, severity: 'p2' },
  ];
  const ends = { certificate, domain: { enabled: true, thresholds } };
  t.deepEqual(alertRules(), { confirm_seconds: 0, recover_seconds: 0, flap: null, degraded: null, ...ends });
  t.deepEqual(alertRules({ degraded: {} }).degraded, { after_seconds: 300, severity: 'p3' });
});
