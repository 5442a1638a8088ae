import { gzipSync } from 'node:zlib';
import test from 'ava';
import { bodyBucket, jsonLimitsOf } from '#control-plane/analytics/events/body-limits.ts';
import { LocalLimiter } from '#control-plane/analytics/events/local-limiter.ts';
import { sizeOfJson } from '#control-plane/platform/http/bodies/json-size.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const project = {
  sustained_per_second: 200,
  burst_per_second: 1000,
  burst_seconds: 30,
  event_bytes_per_day: 1_000_000_000_000,
};
const usual = {
  name: 'order placed',
  external_user_id: 'u',
  timestamp: '2026-11-20T10:00:00Z',
  props: { a: 1, b: [2] },
};

/** Bodies that are granted in the given time, sent as fast as possible. */
function grantedIn(seconds: number, source: 'server' | 'browser', body: Buffer, changes = {}): number {
  const limiter = new LocalLimiter();
  const size = sizeOfJson(body, jsonLimitsOf(source));
  const sent = { projectId: 'p', source, address: 'a', bytes: body.length, size };
  const bucket = bodyBucket(sent, { ...project, ...changes });
  let granted = 0;
  for (let ms = 0; ms < seconds * 1000; ms += 1) while (limiter.charge([bucket], ms) === null) granted += 1;
  return granted;
}

test('every load that the limits of events allow is granted', t => {
  const whole = Buffer.alloc(5 * 1024 * 1024, 0x20);
  const batch = Buffer.from(JSON.stringify(Array.from({ length: 1000 }, () => usual)));
  const large = Buffer.from(JSON.stringify({ ...usual, props: { text: 'x'.repeat(9000) } }));
  t.true(grantedIn(10, 'server', whole) >= 2 + 10, 'whole bodies');
  t.true(grantedIn(10, 'server', batch) >= 2 + 10, 'batches of 1000');
  t.true(grantedIn(10, 'server', large) >= 1000 * 10, 'events one by one');
  t.true(grantedIn(10, 'server', whole, { burst_per_second: 1 }) >= 10, 'of a small project');
  const page = Buffer.from(JSON.stringify(Array.from({ length: 300 }, () => usual)));
  t.true(grantedIn(10, 'browser', page) >= (300 + 50 * 10) / 300, 'batches of a page');
  t.true(grantedIn(10, 'browser', Buffer.from(JSON.stringify(usual))) >= 300 + 50 * 10, 'events of a page');
});

test('a body of many values costs more than its bytes', t => {
  const lists = Buffer.from('[],'.repeat(14_000));
  const text = Buffer.alloc(lists.length, 0x20);
  t.true(grantedIn(10, 'browser', lists) * 10 < grantedIn(10, 'browser', text));
});

test.serial('a page that sends nothing valid is refused after a MiB, before its bodies are parsed', async t => {
  const { replica, projectId } = await openEventWorld(t, databaseOf());
  const lists = gzipSync(`[${'[],'.repeat(14_000)}[]]`);
  const answers: string[] = [];
  for (let sent = 0; sent < 8; sent++) {
    const answer = await fetch(`${replica.url}/v0/events?project_id=${projectId}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: lists,
    });
    answers.push(`${answer.status} ${((await answer.json()) as { code: string }).code}`);
  }
  t.is(answers[0], '413 batch_too_large');
  t.true(answers.includes('429 rate_limited'), answers.join(', '));
});

test.serial('a body with too many values is refused before it is parsed, and a full batch is not', async t => {
  const { send, api } = await openEventWorld(t, databaseOf());
  // It is no JSON: a parser would say so.
  const answer = await send(`${'[],'.repeat(60_000)}!`);
  t.deepEqual([answer.status, answer.body.code], [413, 'batch_too_large']);
  t.is(answer.body.detail, 'the body has more than 100000 values; send fewer events in a request');
  const props = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`p${index}`, index]));
  const full = await send(Array.from({ length: 1000 }, () => ({ name: 'full', props })));
  t.is(full.status, 202);
  const monitor = await api('POST', '/v0/monitors', `${'[],'.repeat(12_000)}!`);
  t.deepEqual([monitor.status, monitor.body.code], [413, 'payload_too_large']);
  const names = await api('POST', '/v0/monitors', `{${'"a":0,'.repeat(6000)}!`);
  t.deepEqual([names.status, names.body.detail], [413, 'the body has more than 5000 fields']);
});

test.serial('a server that sends nothing valid is refused as well', async t => {
  const { send, projectId } = await openEventWorld(t, databaseOf());
  await withSql(databaseOf(), sql => sql.run`update projects set burst_per_second = 1 where id = ${projectId}`);
  const body = `[${'1,'.repeat(99_000)}1]`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
  const codes = answers.map(answer => answer.body.code);
  t.true(codes.includes('batch_too_large') && codes.includes('rate_limited'), codes.join(', '));
});
