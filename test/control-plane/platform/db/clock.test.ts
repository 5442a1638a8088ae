import test from 'ava';
import { DatabaseClock } from '#control-plane/platform/db/clock.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';

/** A machine and a database whose clocks differ; a question takes `roundTripMs` on the machine's clock. */
function worldOf(aheadMs: number, roundTripMs: number) {
  const world = { machineMs: 1_000_000, steppedMs: 0, aheadMs, roundTripMs };
  const sql = {
    row: async () => {
      const now = world.machineMs + world.roundTripMs / 2 + world.aheadMs;
      world.machineMs += world.roundTripMs;
      return { now };
    },
  } as unknown as Sql;
  const machine = { now: () => world.machineMs + world.steppedMs };
  return { world, sql, clock: new DatabaseClock(machine, { now: () => world.machineMs }) };
}

test('before anything is measured it is the machine’s clock', t => {
  t.is(worldOf(5000, 10).clock.now(), 1_000_000);
});

for (const aheadMs of [90_000, -90_000, 30]) {
  test(`a machine that is ${-aheadMs} ms off runs on the database’s time`, async t => {
    const { world, sql, clock } = worldOf(aheadMs, 10);
    await clock.measure(sql);
    t.is(clock.now(), world.machineMs + aheadMs);
    t.is(clock.offsetMs, aheadMs);
  });
}

test('a difference within the round trip changes nothing, so that time does not jitter', async t => {
  const { world, sql, clock } = worldOf(100, 10);
  await clock.measure(sql);
  world.aheadMs = 105;
  await clock.measure(sql);
  t.is(clock.offsetMs, 100);
  world.aheadMs = 120;
  await clock.measure(sql);
  t.is(clock.offsetMs, 120);
});

test('an answer that took too long is not believed', async t => {
  const { sql, clock } = worldOf(90_000, 1500);
  await clock.measure(sql);
  t.is(clock.offsetMs, 0);
});

test('a step of the machine’s clock changes nothing but how far that is off', async t => {
  const { world, sql, clock } = worldOf(30, 10);
  await clock.measure(sql);
  const before = clock.now();
  world.steppedMs = 60_000;
  t.is(clock.now(), before);
  t.is(clock.offsetMs, 30 - 60_000);
});
