import test from 'ava';
import fc from 'fast-check';
import type { AlertView } from '#control-plane/alerts/alert.ts';
import { classifySlackAnswer } from '#control-plane/notifications/send-slack.ts';
import {
  escapeSlack,
  slackMessage,
  slackSectionMax,
  slackSteps,
  slackTextMax,
} from '#control-plane/notifications/slack-message.ts';

function alert(title: string, summary = 'expected 200, got 500'): AlertView {
  return {
    id: 'alt_1',
    project_id: 'proj_1',
    monitor_id: 'mon_1',
    title,
    severity: 'p1',
    state: 'open',
    regions_failing: ['eu', 'us'],
    regions: ['eu', 'us', 'ap'],
    quorum: 2,
    reason: { summary, region: 'eu', expected: '200', actual: '500', status_code: 500, error_code: null },
    started_at: '2026-11-20T12:00:00.000Z',
    last_seen_at: '2026-11-20T12:00:00.000Z',
    acknowledged_at: null,
    escalated_at: null,
    resolved_at: null,
    incident_id: null,
    created_at: '2026-11-20T12:00:00.000Z',
  };
}

test('a message names what failed, where and since when, and links to the alert', t => {
  const { text, blocks } = slackMessage({ step: 'opened', alert: alert('Shop is down') }, 'https://up.example');
  const all = blocks.map(block => block.text.text).join('\n');
  for (const part of [
    'Shop is down',
    'expected 200, got 500',
    '2 of 3 regions',
    'eu, us',
    'p1',
    '<https://up.example/#/alerts/alt_1|',
  ])
    t.true(all.includes(part), part);
  t.true(text.includes('Shop is down'));
});

test('nobody can be mentioned and no link be made by a title', t => {
  const { text, blocks } = slackMessage(
    { step: 'escalated', alert: alert('<!channel> <https://evil.example|x> & co') },
    'https://up.example',
  );
  for (const shown of [text, ...blocks.slice(0, -1).map(block => block.text.text)]) t.false(/[<>]/.test(shown), shown);
  t.true(text.includes('&lt;!channel&gt;') && text.includes('&amp; co'));
});

test('every message is within Slack’s limits', t => {
  const long = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
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

test('a text is never cut within a reference', t => {
  fc.assert(
    fc.property(fc.stringMatching(/^[&<>a]{0,40}$/), fc.integer({ min: 5, max: 60 }), (text, max) => {
      const escaped = escapeSlack(text, max);
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
  test(`Slack’s ${status} ${JSON.stringify(body)} means ${type}`, t => {
    t.is(classifySlackAnswer({ status, headers: {}, body: JSON.stringify(body) }, 0).outcome.type, type as 'sent');
  });
