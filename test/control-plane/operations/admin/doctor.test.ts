import test from 'ava';
import { Report } from '#control-plane/operations/admin/doctor/report.ts';
import * as rules from '#control-plane/operations/admin/doctor/rules.ts';
import type { Finding } from '#control-plane/platform/failures/finding.ts';
import { version } from '#control-plane/platform/http/version.ts';
import { admin } from '#test/support/admin.ts';
import { startReplica, testSecretKey } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';

const database = useDatabase(test);
const gib = 1024 ** 3;
const server = {
  version: '17.10',
  number: 170_010,
  role: 'upquorum',
  owns: true,
  creates: true,
  offersTimescale: false,
  edition: 'plain',
  sessions: 30,
  sessionsMax: 100,
  bytes: gib,
};
const statuses = (findings: readonly Finding[]) => findings.map(({ name, status }) => `${name} ${status}`);

const serverCases: readonly [changes: Partial<typeof server>, bypassing: string | null, bad: string[]][] = [
  [{}, null, []],
  [{ number: 140_000 }, null, ['PostgreSQL fail']],
  [{ owns: false }, null, []],
  [{ owns: false, creates: false }, null, ['role fail']],
  [{}, 'postgres', ['role fail']],
  [{ offersTimescale: true }, null, ['storage warn']],
  [{ offersTimescale: true, edition: 'apache' }, null, []],
  [{ sessions: 61 }, null, ['connections warn']],
];

for (const [changes, bypassing, bad] of serverCases)
  test(`a server with ${JSON.stringify(changes)} and the role ${bypassing} has ${bad.join() || 'no fault'}`, t => {
    const found = statuses(rules.serverFindings({ ...server, ...changes }, bypassing));
    t.deepEqual(
      found.filter(text => !text.endsWith(' ok')),
      bad,
    );
  });

const busy = { results: 4_000_000, events: 0, resultBytes: 500, eventBytes: 0 };
const idle = { results: 0, events: 0, resultBytes: 0, eventBytes: 0 };
const diskCases: readonly [free: number | null, growth: typeof busy, status: string][] = [
  [null, busy, 'ok'],
  [100 * gib, busy, 'ok'],
  [50 * gib, busy, 'warn'],
  [5 * gib, busy, 'fail'],
  [gib, idle, 'ok'],
  [0.4 * gib, idle, 'fail'],
];

for (const [free, growth, status] of diskCases)
  test(`with ${free === null ? 'unknown' : free / gib} GiB free and ${growth.results} results a day: ${status}`, t => {
    t.is(rules.diskFinding(gib, free, growth).status, status as Finding['status']);
  });

test('monitors that no agent of a region can run are named, at most five', t => {
  t.is(rules.abilitiesFinding([]).status, 'ok');
  const unable = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ region: `r${index}`, needs: 'ping', monitors: 2 }));
  const { status, detail } = rules.abilitiesFinding(unable(7));
  t.is(status, 'warn');
  t.true(detail.includes('2 in r0 (ping)') && detail.endsWith('and 2 more'), detail);
});

test('a schema, a clock, programs and agents that do not suit this version are found', t => {
  t.is(rules.schemaFinding({ pending: [], missing: [] }).status, 'ok');
  t.is(rules.schemaFinding({ pending: ['1'], missing: [] }).status, 'fail');
  t.is(rules.schemaFinding({ pending: [], missing: ['2'] }).status, 'fail');
  t.is(rules.clockFinding(-2000).status, 'ok');
  t.is(rules.clockFinding(2001).status, 'fail');
  const now = Date.UTC(2027, 5, 1);
  t.is(rules.timeZonesFinding('2026a', now).status, 'ok');
  t.regex(rules.timeZonesFinding('2026a', now).detail, /2026a/);
  t.is(rules.timeZonesFinding('2025c', now).status, 'warn');
  t.is(rules.timeZonesFinding(undefined, now).status, 'fail');
  const program = (name: string) => ({ name, address: '10.0.0.1' });
  t.is(rules.programsFinding([program('upquorum admin')], '1.2.3').status, 'warn');
  t.is(rules.programsFinding([program('upquorum 1.2.3 gateway+front')], '1.2.3').status, 'ok');
  t.is(
    rules.programsFinding(
      ['1.2.3', '1.2.2'].map(v => program(`upquorum ${v} front`)),
      '1.2.3',
    ).status,
    'warn',
  );
  const agent = { name: 'a', region: 'r', version: '1.2.3', online: true, clock: 10 };
  const agents = (...changes: Partial<typeof agent>[]) =>
    rules.agentsFinding(
      changes.map(change => ({ ...agent, ...change })),
      '1.2.3',
    ).status;
  t.is(agents(), 'warn');
  t.is(agents({}), 'ok');
  t.is(agents({ online: false }), 'fail');
  t.is(agents({}, { online: false }), 'warn');
  t.is(agents({ version: '1.2.2' }), 'warn');
  t.is(agents({ clock: -2001 }), 'warn');
});

test('what waits too long, and a certificate that ends soon, are found', t => {
  const backlog = { factSeconds: 0, deliverySeconds: 0, expiredResults: false };
  const bad = (changes: Partial<typeof backlog>, paused = false) =>
    statuses(rules.backlogFindings({ ...backlog, ...changes }, paused)).filter(text => !text.endsWith(' ok'));
  t.deepEqual(bad({}), []);
  t.deepEqual(bad({ factSeconds: 301, expiredResults: true }), ['work fail', 'retention warn']);
  t.deepEqual(bad({ deliverySeconds: 301 }), ['sending warn']);
  t.deepEqual(bad({}, true), ['sending warn']);
  const failure = { work: 'alerts', item: 'mon_1', project_id: null, failures: 3, first_at: 0, last_at: 0, error: 'x' };
  t.like(rules.failuresFinding([]), { status: 'ok' });
  t.like(rules.failuresFinding([{ ...failure, work: 'alerts' }]), {
    status: 'warn',
    detail: 'one item fails again and again; first alerts of mon_1: x',
  });
  const intake = { streams: 16, waitSeconds: 3, parked: 0 };
  t.deepEqual(statuses(rules.intakeFindings({ ...intake, streams: 0 })), []);
  t.deepEqual(statuses(rules.intakeFindings(intake)), ['intake ok', 'parked ok']);
  t.deepEqual(statuses(rules.intakeFindings({ ...intake, waitSeconds: 301, parked: 1 })), [
    'intake warn',
    'parked warn',
  ]);
  const day = 86_400_000;
  t.is(rules.registriesFinding({ domains: false, listAgeMs: 30 * day }).status, 'ok');
  t.is(rules.registriesFinding({ domains: true, listAgeMs: 7 * day }).status, 'ok');
  t.like(rules.registriesFinding({ domains: true, listAgeMs: 8.5 * day }), {
    status: 'warn',
    detail: 'their list is 8 days old',
  });
  t.is(rules.registriesFinding({ domains: true, listAgeMs: null }).status, 'warn');
  t.is(rules.certificateFinding('host', 15, null).status, 'ok');
  t.is(rules.certificateFinding('host', 13.9, null).status, 'warn');
  t.is(rules.certificateFinding('host', null, 'refused').status, 'fail');
});

test('a report is healthy without a fail, and has a line for each finding and its advice', t => {
  const good: Finding = { name: 'one', status: 'ok', detail: 'fine', advice: null };
  const bad: Finding = { name: 'two', status: 'fail', detail: 'broken', advice: 'mend it' };
  t.true(new Report([good]).healthy);
  t.false(new Report([good, bad]).healthy);
  t.is(new Report([good, bad]).text(), 'ok    one: fine\nfail  two: broken\n      → mend it');
  t.deepEqual(JSON.parse(JSON.stringify(new Report([good]))), { healthy: true, findings: [good] });
});

test('an installation is examined without sending an email, and each fault is its own line', async t => {
  await using mailbox = await startMailbox({ user: 'u', password: 'p' });
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const examine = async (smtpUrl: string, publicUrl: string) => {
    const settings = { secretsKeys: [testSecretKey], smtpUrl, publicUrl };
    const report = (await admin(database(), ['doctor'], settings)) as Report;
    return new Map(report.findings.map(finding => [finding.name, finding]));
  };
  const good = await examine(mailbox.url, 'http://localhost:8080');
  for (const name of ['connection', 'PostgreSQL', 'role', 'schema', 'clock', 'disk', 'work', 'secrets', 'email'])
    t.is(good.get(name)?.status, 'ok', `${name}: ${good.get(name)?.detail}`);
  t.true(good.get('control planes')?.detail.startsWith(`${version} (gateway+front+worker)`));
  const bad = await examine(mailbox.url.replace(':p@', ':wrong@'), 'https://127.0.0.1:9/');
  t.is(bad.get('email')?.status, 'fail');
  t.like(bad.get('certificate'), { status: 'fail' });
  t.regex(bad.get('certificate')?.detail ?? '', /ECONNREFUSED/);
  t.is(mailbox.emails.length, 0);
});
