import test from 'ava';
import { apiOf, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

test('steps and reminders are foreseen from the first message, which quiet hours may hold', async t => {
  const { token } = await createTenant(database());
  const api = apiOf((await sharedReplica(database())).url, token);
  const channel = await api('POST', '/v0/channels', {
    type: 'http',
    name: 'chat',
    config: { url: 'https://example.com/', template: '{"text":"{{title}}"}' },
  });
  t.is(channel.status, 201, JSON.stringify(channel.body));
  const steps = [0, 15].map(after_minutes => ({ after_minutes, channel_ids: [channel.body.id] }));
  const night = { timezone: 'UTC', from: '22:00', to: '07:00', except_severities: ['p1'] };
  const route = await api('POST', '/v0/routes', {
    name: 'all',
    steps,
    remind_every_minutes: 60,
    quiet_hours: night,
  });
  t.is(route.status, 201, JSON.stringify(route.body));
  const foreseen = async (at: string, severity = 'p2') => {
    const { body } = await api('POST', '/v0/routes/match', { labels: {}, severity, at });
    const [first] = body.routes;
    const times = (list: { due_at: string }[]) => list.map(({ due_at }) => due_at.slice(8, 19));
    return [times(first.steps), times(first.reminders), first.held_until?.slice(8, 19) ?? null];
  };
  t.deepEqual(await foreseen('2026-12-01T12:00:00Z'), [
    ['01T12:00:05', '01T12:15:05'],
    ['01T13:15:05', '01T14:15:05', '01T15:15:05'],
    null,
  ]);
  t.deepEqual((await foreseen('2026-12-01T12:00:00Z', 'p1'))[0], ['01T12:00:00', '01T12:15:00']);
  t.deepEqual(await foreseen('2026-12-01T21:59:57Z'), [
    ['02T07:00:00', '02T07:15:00'],
    ['02T08:15:00', '02T09:15:00', '02T10:15:00'],
    '02T07:00:00',
  ]);
});
