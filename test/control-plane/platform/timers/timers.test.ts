import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { LeaseHolder } from '#control-plane/platform/db/lease.ts';
import { fragment } from '#control-plane/platform/db/sql.ts';
import { PauseWatch, pauseMs } from '#control-plane/platform/timers/pause-watch.ts';
import { startTimers, type TimerServices } from '#control-plane/platform/timers/start.ts';
import { drain, type Timer } from '#control-plane/platform/timers/timers.ts';
import { createLog } from '#shared/log.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import { until } from '#test/support/control-plane.ts';

const log = createLog({ name: 'test', level: 'silent' });

/** Leases that are granted or not, and what became of them. */
function leasesOf(granted: boolean): LeaseHolder & { released: string[] } {
  const released: string[] = [];
  return {
    released,
    take: async (_, forMs) => (granted ? { fence: 1, expiresInMs: forMs } : null),
    release: async (...names) => void released.push(...names),
  };
}

/** A clock that goes on to the end of the next wait when nothing else is to be done. */
function quickTimers(): Timers {
  let nowMs = 0;
  const waits: { at: number; end(): void }[] = [];
  const goOn = async () => {
    while (waits.length > 0) {
      await setImmediate();
      const [next] = waits.sort((left, right) => left.at - right.at).splice(0, 1);
      nowMs = Math.max(nowMs, next?.at ?? 0);
      next?.end();
    }
  };
  const wait: Timers['wait'] = ms => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waits.push({ at: nowMs + ms, end: resolve });
    if (waits.length === 1) void goOn();
    return promise;
  };
  return { ...processTimers, now: () => nowMs, wait };
}

const servicesOf = (leases: LeaseHolder, findDue: TimerServices['findDue'] = async () => []): TimerServices => {
  return { leases, findDue, log };
};

function counting(timer: Omit<Timer, 'run' | 'name' | 'everyMs'>, work: (run: number) => void = () => {}) {
  const state = { runs: 0 };
  const run = async () => {
    state.runs += 1;
    work(state.runs);
  };
  return { state, timer: { name: 'count', everyMs: 1, run, ...timer } satisfies Timer };
}

test('a timer goes on after a failure and stops when it is disposed', async t => {
  const { state, timer } = counting({}, run => {
    if (run === 1) throw new Error('once');
  });
  {
    await using _running = startTimers([timer], servicesOf(leasesOf(true)));
    await until(
      async () => state.runs,
      runs => runs > 3,
    );
  }
  const { runs } = state;
  await setImmediate();
  t.is(state.runs, runs);
});

test('a timer with a lease runs on its holder alone, and gives the lease back at the end', async t => {
  const other = counting({ leaseMs: 1000 });
  const free = counting({});
  const leases = leasesOf(false);
  {
    await using _running = startTimers([{ ...other.timer, name: 'leased' }, free.timer], servicesOf(leases));
    await until(
      async () => free.state.runs,
      runs => runs > 5,
    );
  }
  t.is(other.state.runs, 0);
  t.deepEqual(leases.released, ['leased']);
});

test('a timer that takes longer than its lease renews it until it has ended', async t => {
  const [begun, done, slow] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const asked: string[] = [];
  const answers = [
    () => Promise.resolve(),
    () => Promise.reject(new Error('the database is away')),
    () => slow?.promise,
  ];
  const take = async (name: string, forMs: number) => {
    await answers[asked.push(`${name} ${forMs}`) - 1]?.();
    return { fence: 1, expiresInMs: forMs };
  };
  let [renew, renewing] = [() => {}, 0];
  const every: typeof processTimers.every = (ms, call) => {
    [renew, renewing] = [call, ms];
    const cancel = () => {
      renewing = 0;
    };
    return { cancel };
  };
  const run = async () => {
    begun?.resolve();
    await done?.promise;
  };
  const timer = { name: 'long', everyMs: 600_000, leaseMs: 30_000, renewsLease: true, run };
  const leases = { take, release: async (name: string) => void asked.push(`released ${name}`) };
  const running = startTimers([timer], { ...servicesOf(leases), time: { ...processTimers, every } });
  await begun?.promise;
  t.is(renewing, 10_000);
  renew();
  await setImmediate();
  renew();
  renew();
  const ending = running[Symbol.asyncDispose]();
  done?.resolve();
  await setImmediate();
  t.is(renewing, 0);
  // An answer that is waited for is not asked for again, and comes before the lease is given back.
  t.deepEqual(asked, ['long 30000', 'long 30000', 'long 30000']);
  slow?.resolve();
  await ending;
  t.deepEqual(asked.slice(3), ['released long']);
});

test('a timer is held after the start, after a failure and after a success that is to rest', async t => {
  const held = counting({ hold: { startMs: 60_000, gapMs: 0 } });
  const failing = counting({ hold: { startMs: 0, gapMs: 60_000 } }, () => {
    throw new Error('always');
  });
  const resting = counting({ restMs: 60_000 });
  const free = counting({});
  await using _running = startTimers(
    [held, failing, resting, free].map(({ timer }) => timer),
    servicesOf(leasesOf(true)),
  );
  await until(
    async () => free.state.runs,
    runs => runs > 20,
  );
  t.deepEqual([held.state.runs, failing.state.runs, resting.state.runs], [0, 1, 1]);
});

test('a failure to take the lease holds the timer like any other failure', async t => {
  const { state, timer } = counting({ leaseMs: 1000, hold: { startMs: 0, gapMs: 60_000 } });
  const free = counting({});
  let asked = 0;
  const take = async () => {
    asked += 1;
    throw new Error('the database is away');
  };
  await using _running = startTimers([timer, free.timer], servicesOf({ take, release: async () => {} }));
  await until(
    async () => free.state.runs,
    runs => runs > 20,
  );
  t.deepEqual([asked, state.runs], [1, 0]);
});

test('a pause while the lease is taken holds the timer, also if the lease is granted', async t => {
  const { state, timer } = counting({ leaseMs: 1000, hold: { startMs: 0, gapMs: 60_000 } });
  const free = counting({});
  let [wallMs, asked] = [0, 0];
  const take = async () => {
    asked += 1;
    wallMs += 2 * pauseMs;
    return { fence: 1, expiresInMs: 1000 };
  };
  const leases = { take, release: async () => {} };
  const pauses = new PauseWatch(() => wallMs);
  await using _running = startTimers([timer, free.timer], { ...servicesOf(leases), pauses });
  await until(
    async () => free.state.runs,
    runs => runs > 20,
  );
  t.deepEqual([asked, state.runs], [1, 0]);
});

test('timers with a condition are asked about together, and run while it holds', async t => {
  const due = () => fragment`true`;
  const [wanted, idle] = [counting({ due }), counting({ due })];
  const asked: number[] = [];
  const findDue = async (timers: readonly Timer[]) => {
    asked.push(timers.length);
    return timers.map(timer => timer === wanted.timer);
  };
  await using _running = startTimers([wanted.timer, idle.timer], {
    ...servicesOf(leasesOf(true), findDue),
    time: quickTimers(),
  });
  await until(
    async () => wanted.state.runs,
    runs => runs > 150,
  );
  t.true(asked.every(count => count === 2));
  t.true(asked.length >= wanted.state.runs);
  // A condition that leaves something out delays it by seconds.
  t.true(idle.state.runs > 0 && idle.state.runs < wanted.state.runs / 10);
});

test('timers whose conditions cannot be asked run, but those that are held after a failure', async t => {
  const due = () => fragment`true`;
  const hold = { startMs: 0, gapMs: 60_000_000 };
  const [free, held] = [counting({ due }), counting({ due, hold })];
  const findDue = () => Promise.reject(new Error('the database is away'));
  await using _running = startTimers([free.timer, held.timer], {
    ...servicesOf(leasesOf(true), findDue),
    time: quickTimers(),
  });
  await until(
    async () => free.state.runs,
    runs => runs > 5,
  );
  t.is(held.state.runs, 0);
});

test('an answer that does not come delays no timer, and is asked for once', async t => {
  const { state, timer } = counting({ due: () => fragment`true` });
  let asked = 0;
  const findDue = () => {
    asked += 1;
    return Promise.withResolvers<boolean[]>().promise;
  };
  await using _running = startTimers([timer], { ...servicesOf(leasesOf(true), findDue), time: quickTimers() });
  await until(
    async () => state.runs,
    runs => runs > 5,
  );
  t.is(asked, 1);
});

test('draining goes on while there is more, and not past a stop', async t => {
  const left = [3, 2, 1, 0, 5];
  await drain(new AbortController().signal, async () => left.shift() ?? 0);
  t.deepEqual(left, [5]);
  await drain(AbortSignal.abort(), async () => left.shift() ?? 0);
  t.deepEqual(left, [5]);
});
