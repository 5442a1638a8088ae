import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const alerts = 'https://api.atlassian.com/jsm/ops/integration/v2/alerts';

test('Jira Service Management gets an alert by its alias, and what follows as notes, acknowledgement and close', t => {
  const { url, headers, json } = requestFor('jira_service_management', messageAt('opened'));
  t.is(url, alerts);
  t.deepEqual(headers, {
    'content-type': 'application/json',
    authorization: 'GenieKey secret-jira-service-management',
  });
  t.deepEqual(json, {
    message: 'Checkout is down',
    alias: 'agp_1',
    description: [...sampleLines, '', sampleUrl, `Acknowledge: ${acknowledgeUrl}`].join('\n'),
    priority: 'P1',
    source: 'Upquorum',
    tags: ['opened'],
  });
  const actions = { changed: 'notes', updated: 'notes', acknowledged: 'acknowledge', resolved: 'close' } as const;
  for (const [step, action] of Object.entries(actions)) {
    const message = messageAt(step as NoticeStep, { actor: null });
    const request = requestFor('jira_service_management', message);
    t.is(request.url, `${alerts}/agp_1/${action}?identifierType=alias`);
    t.deepEqual(request.json, { source: 'Upquorum', note: [message.title, ...message.lines].join('\n') });
  }
});

test('Jira Service Management gets the severity as its priority', t => {
  for (const severity of ['p1', 'p2', 'p3'] as const)
    t.like(requestFor('jira_service_management', messageAt('opened', { severity })).json, {
      priority: severity.toUpperCase(),
    });
});
