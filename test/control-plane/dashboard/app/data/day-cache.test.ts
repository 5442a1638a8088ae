import test from 'ava';
import { createDayCache } from '#control-plane/dashboard/app/data/day-cache.ts';
import { nowMs, sampleBucket } from '../samples.ts';

test('days are loaded once, and again when they are old or the status changed', async t => {
  const { cache, requests, settle, advance } = openCache();
  const monitor = { id: 'mon_1', status: 'up' };
  t.is(cache.find('mon_1'), null);
  cache.request([monitor]);
  await settle();
  t.is(cache.find('mon_1')?.drawn, 90);
  t.is(cache.find('mon_1')?.uptime, 1);
  cache.request([monitor]);
  t.is(requests.length, 1);
  cache.request([{ ...monitor, status: 'down' }]);
  await settle();
  t.is(requests.length, 2);
  advance(300_001);
  cache.request([{ ...monitor, status: 'down' }]);
  t.is(requests.length, 3);
});

test('three requests run at a time, and a new list replaces those still waiting', async t => {
  const { cache, requests, settle } = openCache();
  cache.request(['a', 'b', 'c', 'd', 'e'].map(id => ({ id, status: 'up' })));
  t.deepEqual(requests, ['a', 'b', 'c']);
  cache.request([{ id: 'z', status: 'up' }]);
  t.deepEqual(requests, ['a', 'b', 'c']);
  await settle();
  t.deepEqual(requests, ['a', 'b', 'c', 'z']);
});

test('a failed request is repeated by the next refresh', async t => {
  const { cache, requests, settle, fail } = openCache();
  fail(true);
  cache.request([{ id: 'a', status: 'up' }]);
  await settle();
  t.is(cache.find('a'), null);
  fail(false);
  cache.request([{ id: 'a', status: 'up' }]);
  await settle();
  t.deepEqual(requests, ['a', 'a']);
  t.not(cache.find('a'), null);
});

function openCache() {
  let [offsetMs, fails] = [0, false];
  const requests: string[] = [];
  const get = async <Answer>(path: string): Promise<Answer> => {
    requests.push(path.split('/')[3] ?? '');
    await new Promise(setImmediate);
    if (fails) throw new Error('offline');
    return { data: [sampleBucket()] } as Answer;
  };
  const cache = createDayCache(
    { get, nowMs: () => nowMs + offsetMs },
    days => days.length,
    () => undefined,
  );
  return {
    cache,
    requests,
    settle: async () => {
      for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
    },
    advance: (ms: number) => {
      offsetMs += ms;
    },
    fail: (failing: boolean) => {
      fails = failing;
    },
  };
}
