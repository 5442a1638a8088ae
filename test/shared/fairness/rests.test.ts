import test from 'ava';
import { Rests } from '#shared/fairness/rests.ts';

test('rests as many times as long as its work took, but no longer than the limit', async t => {
  let nowMs = 0;
  const rests = new Rests<string>({ times: 10, maxMs: 1000 }, () => nowMs);
  const work = (ms: number, hasMore: boolean) => async () => {
    nowMs += ms;
    return hasMore;
  };
  t.false(await rests.after('short', work(50, false)));
  t.false(await rests.after('long', work(500, false)));
  t.true(await rests.after('unfinished', work(500, true)));
  t.deepEqual(rests.awake(['short', 'long', 'unfinished', 'new']), ['short', 'unfinished', 'new']);
  nowMs = 1549;
  t.deepEqual(rests.awake(['long']), []);
  nowMs = 1550;
  t.deepEqual(rests.awake(['long']), ['long']);
});
