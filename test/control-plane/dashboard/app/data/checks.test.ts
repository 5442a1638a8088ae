import test from 'ava';
import type { List } from '#control-plane/dashboard/app/data/api.ts';
import type { CheckResult } from '#control-plane/dashboard/app/data/api-types.ts';
import { createCheckList } from '#control-plane/dashboard/app/data/checks.ts';
import { sampleCheck } from '../samples.ts';

type Answer = List<CheckResult>;

test('a refresh adds new results and keeps the older pages that were loaded', async t => {
  const { list, answer } = openList();
  answer(['c', 'b'], 'next');
  await list.load();
  answer(['a'], null);
  await list.loadOlder();
  t.false(list.hasOlder());
  answer(['d', 'c'], 'next');
  await list.load();
  t.deepEqual(idsOf(list.checks()), ['d', 'c', 'b', 'a']);
});

test('after a gap older results are dropped rather than shown as adjacent', async t => {
  const { list, answer } = openList();
  answer(['b', 'a'], null);
  await list.load();
  answer(['z', 'y'], 'next');
  await list.load();
  t.deepEqual(idsOf(list.checks()), ['z', 'y']);
  t.true(list.hasOlder());
});

test('an answer for an earlier filter is dropped', async t => {
  const { list, answer, release } = openList();
  answer(['a'], null, true);
  const loading = list.load();
  list.setFilter({ region: 'us' });
  release();
  await loading;
  t.deepEqual(list.checks(), []);
  t.deepEqual(list.filter(), { region: 'us', status: '' });
});

function openList() {
  let next: Answer = { data: [], pagination: { has_more: false, next_cursor: null } };
  let waiting: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  const get = async <Result>(): Promise<Result> => {
    const answer = next;
    await waiting;
    return answer as Result;
  };
  const answer = (ids: string[], cursor: string | null, delayed = false) => {
    next = { data: ids.map(id => sampleCheck({ id })), pagination: { has_more: cursor !== null, next_cursor: cursor } };
    if (delayed)
      waiting = new Promise(resolve => {
        release = resolve;
      });
  };
  return { list: createCheckList({ get }, 'mon_1'), answer, release: () => release() };
}

function idsOf(checks: readonly CheckResult[]): string[] {
  return checks.map(({ id }) => id);
}
