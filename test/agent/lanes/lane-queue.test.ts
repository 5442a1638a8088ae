import test from 'ava';
import { LaneQueue } from '#agent/lanes/lane-queue.ts';

function queueOf(jobs: readonly (readonly [lane: string, job: string, urgent?: boolean])[]): LaneQueue<string> {
  const queue = new LaneQueue<string>();
  for (const [lane, job, urgent] of jobs) queue.add(lane, job, urgent);
  return queue;
}

function takeAll(queue: LaneQueue<string>, mayRun?: (lane: string) => boolean): string[] {
  const taken: string[] = [];
  for (let job = queue.take(mayRun); job !== undefined; job = queue.take(mayRun)) taken.push(job);
  return taken;
}

test('lanes take turns, each in the order of its jobs', t => {
  const queue = queueOf([
    ...['a1', 'a2', 'a3', 'a4'].map(job => ['a', job] as const),
    ['b', 'b1'],
    ['c', 'c1'],
    ['b', 'b2'],
  ]);
  t.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('urgent jobs overtake the others of their lane only', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
    ['a', 'now', true],
  ]);
  t.deepEqual(takeAll(queue), ['now', 'b1', 'a1', 'a2']);
});

test('a lane that may not run is passed over and keeps its jobs', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['b', 'b1'],
  ]);
  t.deepEqual(
    takeAll(queue, lane => lane !== 'a'),
    ['b1'],
  );
  t.deepEqual(takeAll(queue), ['a1']);
});

test('a removed job is not taken', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['a', 'a2'],
  ]);
  queue.remove('a', 'a1');
  queue.remove('none', 'a2');
  t.deepEqual(takeAll(queue), ['a2']);
});
