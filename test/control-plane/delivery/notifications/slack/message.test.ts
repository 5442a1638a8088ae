import test from 'ava';
import fc from 'fast-check';
import { slackMessage, slackSteps } from '#control-plane/delivery/notifications/slack/message.ts';
import { readSlackAnswer } from '#control-plane/delivery/transports/slack/bot.ts';
import { cutSlack, slackSectionMax, slackTextMax } from '#control-plane/delivery/transports/slack/text.ts';
import type { AlertView } from '#control-plane/monitoring/alerts/alert.ts';
import { anyText } from '#test/support/any-text.ts';

function alert(title: string, summary = 'expected 200, got 500'): AlertView {
  return {
    id: 'alt_1',
    project_id: 'proj_1',
    monitor_id: 'mon_1',
    kind: 'down',
    title,
    severity: 'p1',
    state: 'open',
    regions_failing: ['eu', 'us'],
    regions: ['eu', 'us', 'ap'],
    quorum: 2,
    reason: {
      summary,
      region: 'eu',
      expected: '200',
      actual: '500',
      status_code: 500,
      error_code: null,
      phase: null,
      host: null,
      step: null,
      diagnosis: null,
    },
    labels: {},
    started_at: '2026-11-20T12:00:00.000Z',
    opened_at: '2026-11-20T12:00:00.000Z',
    rules_version: 1,
    held: false,
    held_since: null,
    released_at: null,
    flapping_since: null,
    last_seen_at: '2026-11-20T12:00:00.000Z',
    acknowledged_at: null,
    acknowledged_by: null,
    escalated_at: null,
    resolved_at: null,
    superseded_by: null,
    group_id: null,
    incident_id: null,
    created_at: '2026-11-20T12:00:00.000Z',
  };
}

test('a message says what failed, where and since when, and links to the alert', t => {
  const { text, blocks } = slackMessage({ step: 'opened', alert: alert('Shop is down') }, 'https://up.example');
  const all = blocks.map(block => block.text.text).join('\n');
  for (const part of [
    'Shop is down',
    'expected 200, got 500',
    '2 of 3 regions',
    'eu, us',
    'Since <!date^1795176000^{date_short_pretty} at {time}|2026-11-20 12:00:00 UTC>',
    'P1',
    '<https://up.example/#/alerts/alt_1|',
  ])
    t.true(all.includes(part), part);
  t.true(text.includes('Shop is down'));
});

const texts = (step: (typeof slackSteps)[number], changes: Partial<AlertView> = {}) => {
  const notice = { step, alert: { ...alert('Shop is down'), ...changes } };
  return slackMessage(notice, 'https://up.example').blocks.map(block => block.text.text);
};
const date = (seconds: number, text: string) => `<!date^${seconds}^{date_short_pretty} at {time}|${text}>`;
const start = date(1795176000, '2026-11-20 12:00:00 UTC');
const details = `P1 · 2 of 3 regions failing (quorum 2): eu, us\nSince ${start}`;
const link = '<https://up.example/#/alerts/alt_1|View the alert>';

test('the texts of each step', t => {
  const failure = 'expected 200, got 500';
  t.deepEqual(texts('opened'), ['*🔴 Shop is down*', failure, details, link]);
  t.deepEqual(texts('escalated'), ['*⏫ Not acknowledged yet: Shop is down*', failure, details, link]);
  t.deepEqual(texts('resolved', { resolved_at: '2026-11-20T12:30:00.000Z' }), [
    '*🟢 Resolved: Shop*',
    `P1 · 2 of 3 regions failed (quorum 2): eu, us\nFrom ${start} to ${date(1795177800, '2026-11-20 12:30:00 UTC')}`,
    link,
  ]);
});

test('a monitor with one region has no plural', t => {
  const [, , shown] = texts('opened', { regions: ['eu'], regions_failing: ['eu'], quorum: 1 });
  t.is(shown?.split('\n')[0], 'P1 · 1 of 1 region failing (quorum 1): eu');
});

test('a title can neither mention people nor make a link', t => {
  const { text, blocks } = slackMessage(
    { step: 'escalated', alert: alert('<!channel> <https://evil.example|x> & co') },
    'https://up.example',
  );
  const shownTexts = [text, ...blocks.slice(0, -1).map(block => block.text.text.replace(/<!date[^>]*>/g, ''))];
  for (const shown of shownTexts) t.false(/[<>]/.test(shown), shown);
  t.true(text.includes('&lt;!channel&gt;') && text.includes('&amp; co'));
});

test('each fact is there once, an asterisk stays one, no links; escalations and new outages are broadcast', t => {
  for (const step of slackSteps) {
    const notice = { step, alert: alert('Shop *API* is down') };
    const { text, blocks, broadcast } = slackMessage(notice, 'https://up.example');
    const shown = [text, ...blocks.map(block => block.text.text)].join('\n');
    t.is(shown.split('expected 200, got 500').length, step === 'resolved' ? 1 : 2);
    t.regex(blocks[0]?.text.text ?? '', /^\*[^*]*∗API∗[^*]*\*$/);
    t.true(blocks.every(block => block.text.verbatim));
    t.is(broadcast, ['escalated', 'reopened'].includes(step));
  }
});

test('every message is within Slack’s limits', t => {
  const long = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.constantFrom('&'.repeat(9000), '<'.repeat(50_000), '🔥'.repeat(5000)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...slackSteps), long, long, (step, title, summary) => {
      const { text, blocks } = slackMessage({ step, alert: alert(title, summary) }, 'https://up.example');
      return (
        text.length <= slackTextMax &&
        blocks.length <= 50 &&
        blocks.every(block => block.text.text.length <= slackSectionMax && block.text.text.length > 0)
      );
    }),
  );
  t.pass();
});

test('a text is only escaped while it fits, and cut to the limit when it does not', t => {
  t.is(cutSlack('a<b', 6), 'a&lt;b');
  t.is(cutSlack('a<b', 5), 'a…');
  t.is(cutSlack('abcdef', 4), 'abc…');
  t.is(cutSlack('ab🔥cd', 4), 'ab…', 'no half of a surrogate pair');
});

test('a text is never cut inside an escape', t => {
  fc.assert(
    fc.property(fc.stringMatching(/^[&<>a]{0,40}$/), fc.integer({ min: 5, max: 60 }), (text, max) => {
      const escaped = cutSlack(text, max);
      return escaped.length <= max && /^(?:&(?:amp|lt|gt);|[^&<>])*$/.test(escaped);
    }),
  );
  t.pass();
});

const answers: [body: unknown, status: number, type: string][] = [
  [{ ok: true, channel: 'C1', ts: '1.2' }, 200, 'sent'],
  [{ ok: false, error: 'channel_not_found' }, 200, 'refused'],
  [{ ok: false, error: 'invalid_auth' }, 200, 'refused'],
  [{ ok: false, error: 'not_in_channel' }, 200, 'refused'],
  [{ ok: false, error: 'internal_error' }, 200, 'failed'],
  [{ ok: false, error: 'ratelimited' }, 429, 'failed'],
  ['no json', 200, 'failed'],
  [{ ok: false, error: 'anything' }, 503, 'failed'],
];
for (const [body, status, type] of answers)
  test(`HTTP status ${status} with ${JSON.stringify(body)} from Slack means ${type}`, t => {
    t.is(readSlackAnswer({ status, headers: {}, body: JSON.stringify(body) }, 0).outcome.type, type as 'sent');
  });

test('the error names Slack’s code without anything else that it may contain', t => {
  const errorOf = (body: string, status = 200) => readSlackAnswer({ status, headers: {}, body }, 0).outcome;
  t.like(errorOf('{"ok": false, "error": "Not_In <channel>"}'), { type: 'refused', error: 'Slack: ot_nchannel' });
  t.like(errorOf('no json', 502), { type: 'failed', error: 'Slack responded with HTTP status 502' });
  t.like(errorOf('{"ok": false}'), { type: 'refused', error: 'Slack: unknown' });
});

test('a message that Slack accepted has a thread if Slack named one', t => {
  const postedOf = (body: string) => readSlackAnswer({ status: 200, headers: {}, body }, 0).thread;
  t.deepEqual(postedOf('{"ok": true, "channel": "C1", "ts": "1.2"}'), { channel_id: 'C1', ts: '1.2' });
  t.is(postedOf('{"ok": true}'), null);
});
