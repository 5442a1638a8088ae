import test from 'ava';
import { acknowledgeUrl, calledTypeOf, channelContext, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

test('Zulip gets the fields of a form in the name of its bot, below the path of the organization', t => {
  const { url, headers, json } = requestFor('zulip', messageAt('opened'));
  t.is(url, 'https://stub.example/zulip/api/v1/messages');
  t.deepEqual(headers, {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from('bot@example.com:secret-zulip-key').toString('base64')}`,
  });
  const links = `[View](${sampleUrl}) · [Acknowledge](${acknowledgeUrl})`;
  t.deepEqual(json, {
    type: 'stream',
    to: 'operations',
    topic: 'alerts',
    content: ['**Checkout is down**', ...sampleLines, links].join('\n'),
  });
});

test('Zulip mentions nobody whom an alert names', t => {
  const title = '@**all** and @*admins* see [x](https://evil.example), $$y$$';
  const { json } = requestFor('zulip', messageAt('notice', { group: null, members: [], title, lines: [] }));
  const { content } = json as { content: string };
  t.notRegex(content.split('\n')[0] ?? '', /@\*|\]\(|\$\$/);
});

test('Zulip says in its JSON when to try again', t => {
  const { result } = calledTypeOf('zulip');
  const body = '{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit","retry-after":28.706}';
  const outcomeOf = (status: number, text: string) =>
    result({ status, headers: {}, body: text }, channelContext, {}).outcome;
  t.like(outcomeOf(429, body), { type: 'failed', retryAfterMs: 28_706 });
  t.like(outcomeOf(400, '{"result":"error","code":"STREAM_DOES_NOT_EXIST"}'), { type: 'refused' });
  t.like(outcomeOf(401, '{"result":"error","code":"UNAUTHORIZED"}'), { type: 'refused' });
});
