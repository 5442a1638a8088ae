import { setImmediate, setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import type { Broker, StreamMessage, StreamStanding } from '#control-plane/operations/intake/nats/broker.ts';
import { movePosition, Superseded, takePosition } from '#control-plane/operations/intake/nats/position-store.ts';
import { runSink, type SinkServices, type StoreMessages } from '#control-plane/operations/intake/nats/sink.ts';
import { processTime } from '#control-plane/operations/intake/nats/time.ts';
import { leaseHolder } from '#control-plane/platform/db/lease.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { systemClock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const stream = { name: 'uq-results-0', kind: 'results', subjects: [] } as const;

type Client = Pick<Broker, 'standingOf' | 'read' | 'forget'>;

/** What a sink works with; what it logs as errors goes to `errors`. */
function servicesOf(pools: ReturnType<typeof patientPools>, broker: Client, errors: string[]): SinkServices {
  return {
    pool: pools.ingest,
    broker: broker as Broker,
    leases: leaseHolder(sqlOf(pools.background)),
    clock: systemClock,
    log: { warn: () => {}, error: (_: object, message: string) => void errors.push(message) } as unknown as Logger,
    metrics: createMetrics(),
  };
}

test('a message that is stored while the broker says how far the stream goes does not end the work on it', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const stored = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  const stop = new AbortController();
  const errors: string[] = [];
  let [standings, reads] = [0, 0];
  const standing: StreamStanding = { createdAt: 'first', firstSeq: 1, lastSeq: 0 };
  const broker: Client = {
    standingOf: async () => {
      standings += 1;
      if (standings === 1) return standing;
      if (standings > 2) again.resolve();
      else asked.resolve();
      await stored.promise;
      return standings > 2 ? { ...standing, lastSeq: 1 } : standing;
    },
    read: async () => {
      reads += 1;
      const closed = Promise.withResolvers<void>();
      const messages = (async function* (): AsyncGenerator<StreamMessage> {
        await asked.promise;
        yield { seq: 1, at: Date.now(), data: new Uint8Array() };
        await closed.promise;
      })();
      return Object.assign(messages, { close: async () => closed.resolve() });
    },
    forget: async () => {},
  };
  const store: StoreMessages = async (messages, move) => {
    await transaction(pools.ingest, sql => move(sql, messages.at(-1)?.seq ?? 0));
    void setImmediate().then(stored.resolve);
  };
  const running = runSink(
    {
      ...servicesOf(pools, broker, errors),
      time: { ...processTime, wait: (_, { signal } = {}) => setImmediate(undefined, signal ? { signal } : {}) },
    },
    stream,
    store,
    stop.signal,
  );
  await again.promise;
  stop.abort();
  await running;
  t.deepEqual(errors, []);
  t.is(reads, 1);
});

/** Runs a sink whose stream has a gap between its first message and the last, and returns its errors. */
async function runOverGap(t: ExecutionContext, name: string, beforeGap: (pool: pg.Pool) => Promise<unknown>) {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const errors: string[] = [];
  const stored: number[] = [];
  const stop = new AbortController();
  const atGap = Promise.withResolvers<void>();
  const broker: Client = {
    standingOf: async () => ({ createdAt: 'first', firstSeq: 1, lastSeq: 9 }),
    read: async () => {
      const messages = (async function* (): AsyncGenerator<StreamMessage> {
        yield { seq: 1, at: Date.now(), data: new Uint8Array() };
        await atGap.promise;
        yield { seq: 9, at: Date.now(), data: new Uint8Array() };
      })();
      return Object.assign(messages, { close: async () => {} });
    },
    forget: async () => {},
  };
  const store: StoreMessages = async (messages, move) => {
    await transaction(pools.ingest, sql => move(sql, messages.at(-1)?.seq ?? 0));
    stored.push(...messages.map(({ seq }) => seq));
    if (stored.length === 1) void beforeGap(pools.ingest).then(() => atGap.resolve());
  };
  await runSink(servicesOf(pools, broker, errors), { ...stream, name }, store, stop.signal);
  return { errors, stored };
}

test('messages that are missing from a stream are an error, and what follows is stored', async t => {
  const { errors, stored } = await runOverGap(t, 'uq-results-5', async () => {});
  t.deepEqual(errors, ['messages are missing from a stream']);
  t.deepEqual(stored, [1, 9]);
});

test('messages that another process stored meanwhile are not missing', async t => {
  const { errors, stored } = await runOverGap(t, 'uq-results-6', pool => takePosition(sqlOf(pool), 'uq-results-6'));
  t.deepEqual(errors, []);
  t.deepEqual(stored, [1]);
});

test('a stream is taken before the broker says where it stands: nobody else moves its position after that', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const name = 'uq-results-7';
  const { seq, fence } = await takePosition(sqlOf(pools.ingest), name);
  const unasked = async () => t.fail('nothing is read or forgotten');
  const broker = {
    standingOf: async () => {
      await t.throwsAsync(movePosition(sqlOf(pools.ingest), name, { seq, fence }, 5), { instanceOf: Superseded });
      throw new Error('seen enough');
    },
    read: unasked,
    forget: unasked,
  } as unknown as Client;
  const sink = runSink(
    servicesOf(pools, broker, []),
    { ...stream, name },
    unasked as never,
    new AbortController().signal,
  );
  await t.throwsAsync(sink, { message: 'seen enough' });
});

test('a stream that always has one message more is not behind, whatever the clock of the broker says', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const name = 'uq-results-8';
  const sql = sqlOf(pools.ingest);
  const stop = new AbortController();
  let [last, looks] = [0, 0];
  const broker: Client = {
    standingOf: async () => {
      looks += 1;
      if (looks === 1)
        await sql.run`update intake_positions set caught_up_at = caught_up_at - interval '1 h' where stream = ${name}`;
      return { createdAt: 'first', firstSeq: 1, lastSeq: last + 1 };
    },
    read: async () => {
      const messages = (async function* (): AsyncGenerator<StreamMessage> {
        while (!stop.signal.aborted) {
          await setTimeout(10);
          yield { seq: ++last, at: 0, data: new Uint8Array() };
        }
      })();
      return Object.assign(messages, { close: async () => {} });
    },
    forget: async () => {},
  };
  const store: StoreMessages = (messages, move) =>
    transaction(pools.ingest, sql => move(sql, messages.at(-1)?.seq ?? 0));
  const wait = (_: number, { signal }: { signal?: AbortSignal } = {}) =>
    setTimeout(500, undefined, signal ? { signal } : {});
  const running = runSink(
    { ...servicesOf(pools, broker, []), time: { ...processTime, wait } },
    { ...stream, name },
    store,
    stop.signal,
  );
  const isCaughtUp = async () =>
    (await sql.row`
      select 1
      from intake_positions
      where stream = ${name} and caught_up_at > clock_timestamp() - interval '1 min'`) !== null;
  await until(async () => looks > 1 && (await isCaughtUp()), true);
  stop.abort();
  await t.notThrowsAsync(running);
});

test('a stream in which nothing waits is not behind from when it is taken', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const name = 'uq-results-9';
  const sql = sqlOf(pools.ingest);
  await takePosition(sql, name);
  await sql.run`update intake_positions set caught_up_at = caught_up_at - interval '1 h' where stream = ${name}`;
  const broker = {
    standingOf: async () => ({ createdAt: 'first', firstSeq: 1, lastSeq: 0 }),
    read: () => Promise.reject(new Error('seen enough')),
  } as unknown as Client;
  const unasked = () => Promise.reject(new Error('nothing is stored'));
  const sink = runSink(servicesOf(pools, broker, []), { ...stream, name }, unasked, new AbortController().signal);
  await t.throwsAsync(sink, { message: 'seen enough' });
  const row = await sql.row`
    select 1 from intake_positions where stream = ${name} and caught_up_at > clock_timestamp() - interval '1 min'`;
  t.truthy(row);
});
