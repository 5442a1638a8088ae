import test from 'ava';
import { PingLimit } from '#agent/probe/kinds/ping/ping-limit.ts';

const longMs = 60_000;

test('a place that is given back goes to the next one that waits', async t => {
  const places = new PingLimit(1, () => 1);
  const first = await places.take('a', longMs);
  const second = places.take('a', longMs);
  first?.[Symbol.dispose]();
  t.not(await second, null);
});

test('who waits too long gets none, and takes none from others', async t => {
  const places = new PingLimit(1, () => 1);
  const first = await places.take('a', longMs);
  t.is(await places.take('a', 10), null);
  first?.[Symbol.dispose]();
  t.not(await places.take('a', 0), null);
});

test('a lane that pings a lot leaves places for the others', async t => {
  const places = new PingLimit(4, () => 2);
  const greedy = [];
  for (let index = 0; index < 4; index++) greedy.push(await places.take('greedy', 0));
  t.true(greedy.includes(null));
  t.not(await places.take('other', 0), null);
});
