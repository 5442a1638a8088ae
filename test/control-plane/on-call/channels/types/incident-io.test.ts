import test from 'ava';
import { acknowledgeUrl, calledTypeOf, channelContext, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleUrl } from '#test/support/sample-texts.ts';

test('incident.io gets events of one key, of which the last resolves', t => {
  const { url, headers, json } = requestFor('incident_io', messageAt('opened'));
  t.is(url, 'https://api.incident.io/v2/alert_events/http/01GW2G3V0S59R238FAHPDS1R66');
  t.deepEqual(headers, { 'content-type': 'application/json', authorization: 'Bearer secret-incident-io' });
  const { description, ...event } = json as { description: string };
  t.deepEqual(event, {
    status: 'firing',
    deduplication_key: 'agp_1',
    title: 'Checkout is down',
    source_url: sampleUrl,
    metadata: { severity: 'p1', project: 'Shop', monitor: 'Checkout', labels: { env: 'prod', team: 'checkout' } },
  });
  t.true(description.startsWith('expected 200, got 503\n\nP1 · 2 of 3 regions failing'));
  t.true(description.endsWith(`\n\n[Acknowledge](${acknowledgeUrl})`));
  const steps = { escalated: 'firing', updated: 'firing', resolved: 'resolved', notice_closed: 'resolved' } as const;
  for (const [step, status] of Object.entries(steps))
    t.like(requestFor('incident_io', messageAt(step as keyof typeof steps)).json, {
      status,
      deduplication_key: 'agp_1',
    });
});

test('incident.io is not notified of an acknowledgement, which it has no event for', t => {
  t.is(calledTypeOf('incident_io').request(messageAt('acknowledged'), {}, channelContext), null);
});

test('brief events have no labels', t => {
  t.like(requestFor('incident_io', messageAt('opened', {}, 'brief')).json, { metadata: { labels: {} } });
});

test('incident.io says in words what it refuses, and when to try again', t => {
  const outcomeOf = (status: number, body: object) =>
    calledTypeOf('incident_io').result({ status, headers: {}, body: JSON.stringify(body) }, channelContext, {}).outcome;
  t.like(
    outcomeOf(422, { type: 'validation_error', errors: [{ code: 'is_required', message: 'A title is required' }] }),
    {
      type: 'refused',
      error: 'the service responded with HTTP status 422: A title is required',
    },
  );
  const limit = { name: 'alert_events', limit: 1200, remaining: 0, retry_after: 'Sun, 22 Nov 2026 09:30:18 UTC' };
  t.like(outcomeOf(429, { type: 'too_many_requests', rate_limit: limit }), { type: 'failed', retryAfterMs: 18_000 });
});
