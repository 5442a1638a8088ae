import test from 'ava';
import type { AlertRow } from '#control-plane/monitoring/alerts/store.ts';
import type { ResultRow } from '#control-plane/monitoring/checks/result.ts';
import type { Ballot } from '#control-plane/monitoring/verdicts/timeline.ts';
import type { VerdictRow } from '#control-plane/monitoring/verdicts/verdict-row.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { type Evidence, explain } from '#control-plane/on-call/explain/explain.ts';
import { alertRules } from '#test/support/verdict-history.ts';

const start = Date.parse(sampleAlert.started_at);
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const alert: AlertRow = {
  ...sampleAlert,
  started_at: start,
  opened_at: start + 2000,
  created_at: start + 2100,
  last_seen_at: start + 2000,
  rules_version: 1,
  held_since: null,
  released_at: null,
  flapping_since: null,
  acknowledged_at: null,
  escalated_at: null,
  resolved_at: null,
};

/** A region's vote, as it was `as_of` some seconds after the alert began. */
function ballot(vote: Ballot['vote'], asOf: number, changes: Partial<Ballot> = {}): Ballot {
  const since = start + Math.min(asOf, 0) * 1000;
  return {
    vote,
    since,
    as_of: start + asOf * 1000,
    expires_at: start + 180_000,
    counted: vote !== 'unknown',
    ...changes,
  };
}

function resultOf(region: string, endsAt: number, changes: Partial<ResultRow> = {}): ResultRow {
  const completed_at = start + endsAt * 1000;
  return {
    monitor_id: alert.monitor_id,
    scheduled_at: start,
    region,
    kind: 'scheduled',
    attempt: 1,
    status: 'err',
    failure_source: 'target',
    agent_id: 'agt_1',
    config_version: 1,
    started_at: start,
    completed_at,
    received_at: completed_at + 40,
    latency_ms: null,
    status_code: null,
    detail: {
      timings: null,
      error: { code: 'connect_refused', message: 'connection refused' },
      assertions: [],
      remote_ip: null,
      bytes: 0,
      truncated: false,
      tls: null,
    },
    ...changes,
  };
}

const failing = { 'eu-west': ballot('down', 1), 'us-east': ballot('down', 2), 'ap-south': ballot('up', -4) };
const row: VerdictRow = {
  verdict: 'down',
  since: start,
  until: null,
  decided_at: start + 2000,
  cause: 'vote',
  revised: false,
  quorum: 2,
  config_version: 3,
  votes: {},
  ballots: failing,
};
const evidence: Evidence = {
  alert,
  notifiedAt: null,
  row,
  rules: alertRules(),
  results: [],
  lastGoodAt: null,
  window: null,
  group: null,
  certificates: [],
  deliveries: [],
};
const told = (ballots: Record<string, Ballot>, changes: Partial<Evidence> = {}) =>
  explain({ ...evidence, row: { ...row, ballots }, ...changes });

const head = `Down since ${at(0)}: 2 of 3 regions failed (quorum 2)`;
const slowHead = `Degraded since ${at(0)}: 2 of 3 regions warned or failed (quorum 2)`;
const allSlow = 'eu-west warned 1.0 s before; us-east warned 1.0 s before; ap-south up 1.0 s before';
const two = `eu-west failed since ${at(0)}; us-east failed since ${at(0)}`;
const firstRefused = two.replace('failed', 'connect_refused').replace(';', ': the connection was refused;');
const slow = { alert: { ...alert, kind: 'degraded' as const } };
const sentences: readonly [
  title: string,
  ballots: Record<string, Ballot>,
  changes: Partial<Evidence>,
  sentence: string,
][] = [
  ['the votes and their age', failing, {}, `${head}: ${two}; ap-south up 6.0 s before.`],
  [
    'what failed, where results are kept',
    failing,
    { results: [resultOf('eu-west', 1)] },
    `${head}: ${firstRefused}; ap-south up 6.0 s before.`,
  ],
  [
    'a region that never said anything',
    { ...failing, 'ap-south': ballot('unknown', -4, { as_of: 0 }) },
    {},
    `${head}: ${two}; ap-south not counted (no result yet).`,
  ],
  [
    'a region whose vote was too old',
    { ...failing, 'ap-south': ballot('unknown', -4) },
    {},
    `${head}: ${two}; ap-south not counted (no recent result).`,
  ],
  [
    'a region in quarantine',
    { ...failing, 'ap-south': ballot('down', -4, { counted: false }) },
    {},
    `${head}: ${two}; ap-south not counted (it fails alone for many monitors).`,
  ],
  [
    'a region that could not tell',
    { ...failing, 'ap-south': ballot('unknown', -4) },
    { results: [resultOf('ap-south', -4, { failure_source: 'resolver' })] },
    `${head}: ${two}; ap-south not counted (the agent’s resolver does not answer).`,
  ],
  [
    'how long it waited',
    failing,
    { rules: alertRules({ confirm_seconds: 60 }) },
    `${head}: ${two}; ap-south up 6.0 s before. It opened after 60 s.`,
  ],
  ['nothing of rules that are not kept', failing, { rules: null }, `${head}: ${two}; ap-south up 6.0 s before.`],
  [
    'slow regions beside those that fail',
    { ...failing, 'us-east': ballot('warn', 1) },
    slow,
    `${slowHead}: eu-west failed since ${at(0)}; us-east warned 1.0 s before; ap-south up 6.0 s before.`,
  ],
  [
    'the wait of a degraded one',
    { 'eu-west': ballot('warn', 1), 'us-east': ballot('warn', 1), 'ap-south': ballot('up', 1) },
    { ...slow, rules: alertRules({ degraded: { after_seconds: 300 } }) },
    `${slowHead}: ${allSlow}. It opened after 300 s.`,
  ],
  ['only numbers without its verdict', failing, { row: null }, `${head}.`],
];
for (const [title, ballots, changes, sentence] of sentences)
  test(`an explanation says ${title}`, t => {
    t.is(told(ballots, changes).sentence, sentence);
  });

const missing: readonly [title: string, changes: Partial<Evidence>, what: string[]][] = [
  ['a verdict that was corrected', { row: null }, ['votes']],
  ['checks older than 30 days', {}, ['check of eu-west', 'check of us-east', 'check of ap-south']],
  ['one of them', { results: [resultOf('eu-west', 1), resultOf('us-east', 2)] }, ['check of ap-south']],
  ['what a version before 0.5.0 did not keep', { row: { ...row, ballots: null } }, ['votes']],
  ['rules older than 31 days', { rules: null, row: { ...row, ballots: {} } }, ['alert_rules']],
  [
    'no rules where there were none',
    { rules: null, row: { ...row, ballots: {} }, alert: { ...alert, rules_version: null } },
    [],
  ],
];
for (const [title, changes, what] of missing)
  test(`an explanation names as missing ${title}`, t => {
    t.deepEqual(
      explain({ ...evidence, ...changes }).missing.map(one => one.what),
      what,
    );
  });

test('the clock goes from the last good check to the first message, each step with its time', t => {
  const results = [
    resultOf('eu-west', 1, { started_at: start, attempt: 1 }),
    resultOf('eu-west', 1.5, { attempt: 2 }),
    resultOf('us-east', 2, { kind: 'confirm', scheduled_at: start + 1100, attempt: 2 }),
  ];
  const deliveries = [
    { id: 'dlv_2', channel: 'slack', state: 'sent', created_at: start + 2200, sent_at: start + 3000 },
    { id: 'dlv_1', channel: 'email', state: 'sent', created_at: start + 2200, sent_at: start + 2700 },
    { id: 'dlv_3', channel: 'ntfy', state: 'queued', created_at: start + 2200, sent_at: null },
  ];
  const { clock } = told(failing, { results, deliveries, lastGoodAt: start - 9000, notifiedAt: start + 2100 });
  t.deepEqual(clock, {
    last_good: at(-9),
    failing: at(0),
    failed: at(1),
    reported: at(1.04),
    confirm_asked: at(1.1),
    confirmed: [
      { region: 'eu-west', at: at(1.5) },
      { region: 'us-east', at: at(2) },
    ],
    quorum: at(2),
    opens: at(2),
    created: at(2.1),
    told: at(2.1),
    sent: at(2.7),
    ms: {
      failing: 9000,
      failed: 1000,
      reported: 40,
      confirm_asked: 60,
      quorum: 900,
      opens: 0,
      created: 100,
      told: 0,
      sent: 600,
    },
    unseen_ms: 9000,
  });
  const { clock: bare } = explain({ ...evidence, row: null });
  t.like(bare, { last_good: null, failing: null, quorum: null, opens: at(2), sent: null, unseen_ms: null });
  t.deepEqual(bare.ms, { created: 100 });
});
