import test from 'ava';
import { acknowledgeUrl, calledTypeOf, channelContext, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const room = 'https://stub.example/matrix/_matrix/client/v3/rooms/!room%3Aexample.com/send/m.room.message';

test('Matrix gets an event with text and HTML that mentions nobody, once for a delivery', t => {
  const { url, method, headers, json } = requestFor('matrix', messageAt('opened'));
  t.deepEqual([method, url], ['PUT', `${room}/${channelContext.deliveryId}`]);
  t.deepEqual(headers, { 'content-type': 'application/json', authorization: 'Bearer secret-matrix' });
  const links = `<a href="${sampleUrl}">View</a> · <a href="${acknowledgeUrl}">Acknowledge</a>`;
  t.deepEqual(json, {
    msgtype: 'm.text',
    body: ['Checkout is down', ...sampleLines, `View: ${sampleUrl}`, `Acknowledge: ${acknowledgeUrl}`].join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: ['<b>Checkout is down</b>', ...sampleLines, links].join('<br>'),
    'm.mentions': {},
  });
});

test('later messages of a group in Matrix reply to its first, if the server named it', t => {
  const { result } = calledTypeOf('matrix');
  const threadOf = (body: string) => result({ status: 200, headers: {}, body }, channelContext, {}).thread;
  const thread = threadOf('{"event_id":"$first:example.com"}');
  t.deepEqual(thread, { event_id: '$first:example.com' });
  t.like(requestFor('matrix', messageAt('resolved'), { thread }).json, {
    'm.relates_to': { 'm.in_reply_to': { event_id: '$first:example.com' } },
  });
  for (const odd of ['{}', 'no JSON', '{"event_id":7}', '{"event_id":"none"}', '{"event_id":"$a b"}'])
    t.is(threadOf(odd), null, odd);
  t.false(
    'm.relates_to' in (requestFor('matrix', messageAt('resolved'), { thread: { event_id: 'x' } }).json as object),
  );
});

test('Matrix says in its JSON when to try again, and what is forbidden is not repeated', t => {
  const { result } = calledTypeOf('matrix');
  const outcomeOf = (status: number, body: string) => result({ status, headers: {}, body }, channelContext, {}).outcome;
  t.like(outcomeOf(429, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}'), {
    type: 'failed',
    retryAfterMs: 2000,
  });
  t.like(outcomeOf(403, '{"errcode":"M_FORBIDDEN"}'), { type: 'refused' });
  t.like(outcomeOf(401, '{"errcode":"M_UNKNOWN_TOKEN"}'), { type: 'refused' });
});
