import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, bodyAt, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const lines = sampleLines;
const json = { 'content-type': 'application/json' };

const sites = {
  us: 'https://api.opsgenie.com/v2/alerts',
  eu: 'https://api.eu.opsgenie.com/v2/alerts',
  jsm: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
};
test('Opsgenie gets an alert by its alias, and what follows as notes, acknowledgement and close', t => {
  for (const [site, base] of Object.entries(sites))
    t.is(requestFor('opsgenie', messageAt('opened'), { config: { site } }).url, base);
  const { headers, json: body } = requestFor('opsgenie', messageAt('opened'));
  t.deepEqual(headers, { ...json, authorization: 'GenieKey secret-opsgenie' });
  t.deepEqual(body, {
    message: 'Checkout is down',
    alias: 'agp_1',
    description: [...lines, '', url, `Acknowledge: ${acknowledgeUrl}`].join('\n'),
    priority: 'P1',
    source: 'Upquorum',
    tags: ['opened'],
  });
  const noted = { changed: 'notes', updated: 'notes', acknowledged: 'acknowledge', resolved: 'close' } as const;
  for (const [step, action] of Object.entries(noted)) {
    const message = messageAt(step as NoticeStep, { actor: null });
    const request = requestFor('opsgenie', { ...message, threadKey: 'agp/1 ü' });
    t.is(request.url, `${sites.jsm}/agp%2F1%20%C3%BC/${action}?identifierType=alias`);
    t.deepEqual(request.json, { source: 'Upquorum', note: [message.title, ...message.lines].join('\n') });
  }
});

test('Opsgenie gets the severity as its priority', t => {
  for (const severity of ['p1', 'p2', 'p3'] as const)
    t.is(bodyAt('opsgenie', 'opened', { severity }).priority, severity.toUpperCase());
});
