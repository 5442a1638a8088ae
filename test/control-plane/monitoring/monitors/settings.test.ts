import test from 'ava';
import { type MonitorSettings, monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { compareSettings, rulesOf, settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';

const settings: MonitorSettings = withKind(
  monitorPostSchema.parse({
    name: 'm',
    url: 'https://example.com/',
    method: 'POST',
    interval_seconds: 60,
    regions: ['a', 'b', 'c'],
    headers: { accept: '*/*' },
    body: 'b',
  }),
);
/** Settings of a number of bytes, beside a body of the largest size. */
const size = (bytes: number) => ({ headers: { a: 'x'.repeat(bytes) }, body: 'x'.repeat(65_536) });
/** Bytes of the JSON around the header's value, for one of ASCII. */
const { url, assertions } = settings;
const envelope = JSON.stringify({ url, headers: { a: '' }, assertions }).length;
const ofBody = [
  { type: 'status', operator: 'eq', value: 200 },
  { type: 'json_path', path: '$.a', operator: 'exists' },
  { type: 'body_contains', value: 'a', operator: 'contains' },
] as const;

for (const [title, changes, expected] of [
  ['valid settings', {}, []],
  ['a timeout as long as the interval', { timeout_ms: 60_000 }, []],
  ['a timeout longer than the interval', { timeout_ms: 60_001 }, ['/timeout_ms out_of_range']],
  ['a quorum of all regions', { quorum: 3 }, []],
  ['a quorum of more than the regions', { quorum: 4 }, ['/quorum out_of_range']],
  ['a GET with a body', { method: 'GET' }, ['/body not_allowed']],
  ['a HEAD with an empty body', { method: 'HEAD', body: '' }, ['/body not_allowed']],
  ['a GET without a body', { method: 'GET', body: null }, []],
  ['64 KiB in all', size(65_536 - envelope), []],
  ['more than 64 KiB in all', size(65_537 - envelope), [' too_long']],
  [
    'assertions about a body that HEAD does not have',
    { method: 'HEAD', body: null, assertions: ofBody },
    ['/assertions/1 not_allowed', '/assertions/2 not_allowed'],
  ],
  ['assertions about the body of a GET', { method: 'GET', body: null, assertions: ofBody }, []],
  [
    'several errors',
    { timeout_ms: 60_001, quorum: 4, method: 'GET' },
    ['/timeout_ms out_of_range', '/quorum out_of_range', '/body not_allowed'],
  ],
] as const) {
  test(`errors of ${title}`, t => {
    const errors = settingsErrors({ ...settings, ...changes } as MonitorSettings);
    t.deepEqual(
      errors.map(error => `${'pointer' in error ? error.pointer : ''} ${error.code}`),
      [...expected],
    );
  });
}

test('missing fields are not checked against the others', t => {
  const wrong = { url: undefined, interval_seconds: undefined, regions: undefined };
  t.deepEqual(settingsErrors(wrong), []);
  t.deepEqual(settingsErrors({ ...wrong, timeout_ms: 60_000, quorum: 9, body: 'b' }), []);
});

const nothing = { newVersion: false, dropsVotes: false, resetsStart: false };
const scheduleOnly = { newVersion: true, dropsVotes: false, resetsStart: false };
const quorumChange = { newVersion: true, dropsVotes: false, resetsStart: true };
const targetChange = { newVersion: true, dropsVotes: true, resetsStart: true };

for (const [title, changes, expected] of [
  ['nothing', {}, nothing],
  ['the name', { name: 'other' }, nothing],
  ['the alert policy', { alert_policy: { severity: 'p1', slack_channel: null, escalate_after_minutes: 5 } }, nothing],
  ['the components', { component_ids: ['comp_1'] }, nothing],
  ['the order of regions', { regions: ['c', 'a', 'b'] }, nothing],
  ['the default timeout made explicit', { timeout_ms: 30_000 }, nothing],
  ['the default quorum made explicit', { quorum: 2 }, nothing],
  ['the interval', { interval_seconds: 90 }, scheduleOnly],
  ['the interval below the default timeout', { interval_seconds: 20 }, targetChange],
  ['the quorum', { quorum: 3 }, quorumChange],
  ['the regions', { regions: ['a', 'b', 'd'] }, quorumChange],
  ['the number of regions, and with it the default quorum', { regions: ['a'] }, quorumChange],
  ['the timeout', { timeout_ms: 1000 }, targetChange],
  ['the url', { url: 'https://example.com/other' }, targetChange],
  ['the method', { method: 'PUT' }, targetChange],
  ['a header', { headers: { accept: 'text/html' } }, targetChange],
  ['the body', { body: 'c' }, targetChange],
  ['the assertions', { assertions: [{ type: 'status', operator: 'eq', value: 204 }] }, targetChange],
  ['redirects', { follow_redirects: false }, targetChange],
  ['pausing', { enabled: false }, targetChange],
] as const) {
  test(`a change of ${title}: ${
    Object.entries(expected)
      .flatMap(([name, is]) => (is ? [name] : []))
      .join(', ') || 'no consequence'
  }`, t => {
    const changed = { ...settings, ...changes } as MonitorSettings;
    t.deepEqual(compareSettings(settings, changed), expected);
    t.deepEqual(compareSettings(changed, settings), expected, 'and so is undoing it');
  });
}

test('rules have defaults resolved and milliseconds', t => {
  t.deepEqual(rulesOf(settings, 7, false), {
    configVersion: 7,
    regions: ['a', 'b', 'c'],
    quorum: 2,
    intervalMs: 60_000,
    timeoutMs: 30_000,
    enabled: true,
    deleted: false,
  });
  t.like(rulesOf({ ...settings, quorum: 1, timeout_ms: 500, enabled: false }, -7, true), {
    configVersion: -7,
    quorum: 1,
    timeoutMs: 500,
    enabled: false,
    deleted: true,
  });
});
