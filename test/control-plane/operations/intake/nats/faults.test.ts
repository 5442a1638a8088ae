import test from 'ava';
import { until, withSql } from '#test/support/control-plane.ts';
import { badResults, goodResult } from '#test/support/fake-agent.ts';
import { openIntakeWorld } from '#test/support/intake-world.ts';
import { startNats, type TestNats } from '#test/support/nats.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';

// What a broker adds: results and events are taken in, and acknowledged, whatever happens behind it.

useWaitsOfProduct(test);

let nats: TestNats;
test.before(async () => {
  nats = await startNats();
});
test.after.always(() => nats?.[Symbol.asyncDispose]());

test.serial(
  'while the database is away, agents and senders that were known are served; all is stored once',
  async t => {
    const world = await openIntakeWorld(t, nats.settings);
    await using agent = await world.connect('in-a');
    await using other = await world.connect('in-b');
    // Whose assignments cannot be read is sent away.
    for (const { messages } of [agent, other])
      await until(() => messages.some(message => message.type === 'assignments'), true);
    await agent.report([goodResult(world.monitorId, Date.now() - 10_000)]);
    t.is((await world.api('POST', '/v0/events', [{ name: 'before' }])).status, 202);
    await until(world.storedEvents, counts => counts.before === 1);
    world.way.cut();
    const began = Date.now();
    await Promise.all([agent, other].map(one => one.report(badResults(world.monitorId, began))));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => world.api('POST', '/v0/events', [{ name: `away${index % 2}` }])),
    );
    t.true(replies.every(reply => reply.status === 202));
    agent.vanish();
    await using again = await world.connect('in-a');
    await again.report([goodResult(world.monitorId, began + 10_000, { status: 'err', failure_source: 'target' })]);
    t.is((await world.api('GET', '/v0/monitors')).status, 503);
    t.is((await world.api('GET', '/readyz')).status, 200, 'a proxy goes on sending');
    world.way.mend();
    await until(world.storedEvents, counts => counts.away0 === 10 && counts.away1 === 10);
    const stored = await until(world.storedResults, rows => rows.length === 6);
    t.is(new Set(stored).size, 6);
    const alerts = async () => (await world.api('GET', '/v0/alerts')).body.data?.length;
    await until(alerts, 1);
  },
);

test.serial('a broker that is killed loses nothing that was acknowledged, and agents wait for it', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  await using agent = await world.connect('in-a');
  const start = Date.now() - 1_000_000;
  const report = (index: number) => agent.report([goodResult(world.monitorId, start + index * 10_000)]);
  for (let index = 0; index < 20; index++) await report(index);
  await nats.kill();
  const waiting = report(20);
  t.is((await world.api('POST', '/v0/events', [{ name: 'refused' }])).status, 503);
  await nats.start();
  await waiting;
  for (let index = 21; index < 30; index++) await report(index);
  const stored = await until(world.storedResults, rows => rows.length === 30);
  t.is(new Set(stored).size, 30);
  t.is(
    (
      await until(
        () => world.api('POST', '/v0/events', [{ name: 'after' }]),
        reply => reply.status === 202,
      )
    ).status,
    202,
  );
  await until(world.storedEvents, counts => counts.after === 1);
});

test.serial('two workers store each stream once, also when one is stopped in the middle', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  const second = await world.another({ roles: ['worker'] });
  await using agent = await world.connect('in-a');
  const start = Date.now() - 3_000_000;
  const batches = Array.from({ length: 60 }, (_, batch) =>
    Array.from({ length: 5 }, (_, index) => goodResult(world.monitorId, start + (batch * 5 + index) * 10_000)),
  );
  const events = Array.from({ length: 60 }, (_, index) => [{ name: `n${index}` }]);
  for (const [index, batch] of batches.entries()) {
    await Promise.all([agent.report(batch), world.api('POST', '/v0/events', events[index])]);
    if (index === 30) await second.stop();
  }
  const stored = await until(world.storedResults, rows => rows.length >= 300);
  t.is(new Set(stored).size, 300);
  const counts = await until(world.storedEvents, found => Object.keys(found).length === 60);
  t.true(Object.values(counts).every(count => count === 1));
});

test.serial('what a promoted standby lacks is stored again from the streams, also if nothing new comes', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  const names = ['one', 'two', 'three'];
  for (const name of names) t.is((await world.api('POST', '/v0/events', [{ name }])).status, 202);
  const all = { one: 1, two: 1, three: 1 };
  await until(world.storedEvents, all);
  // As on a standby that received none of it: rows and positions are of one transaction.
  await withSql(world.databaseUrl, async sql => {
    await sql.run`
      with lost as (
        delete from events
        where project_id = ${world.projectId}
      )
      update intake_positions
      set seq = 0
      where stream like '%-events-%'`;
  });
  await until(world.storedEvents, all);
});

test.serial('what cannot be stored becomes a dead letter, and what comes after it is stored', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  await withSql(world.databaseUrl, async sql => {
    await sql.run`
      create function reject_poison() returns trigger language plpgsql as $$
      begin
        if new.name = 'poison' then raise exception 'poison' using errcode = '22023'; end if;
        return new;
      end $$`;
    await sql.run`
      create trigger reject_poison before insert on events for each row execute function reject_poison()`;
  });
  for (const name of ['one', 'poison', 'two']) t.is((await world.api('POST', '/v0/events', [{ name }])).status, 202);
  const stored = await until(world.storedEvents, counts => counts.two === 1);
  t.deepEqual(stored, { one: 1, two: 1 });
  const deadLetters = await withSql(
    world.databaseUrl,
    sql => sql.rows<{ reason: string; body: string }>`select reason, body from intake_parked`,
  );
  t.is(deadLetters.length, 1);
  t.true(deadLetters[0]?.body.includes('poison'));
});

test.serial('a stream without room refuses events, and takes them again once it has some', async t => {
  const world = await openIntakeWorld(t, { ...nats.settings, streamBytes: 1_000_000 });
  const props = { text: 'x'.repeat(20_000) };
  const send = () => world.api('POST', '/v0/events', [{ name: 'large', props }]);
  t.is((await send()).status, 202);
  await until(world.storedEvents, counts => counts.large === 1);
  world.way.cut();
  let accepted = 1;
  let reply = await send();
  for (; reply.status === 202 && accepted < 100; reply = await send()) accepted++;
  t.is(reply.status, 503);
  t.is(reply.headers['retry-after'], '5');
  t.true(accepted > 20);
  world.way.mend();
  await until(world.storedEvents, counts => counts.large === accepted);
  await until(async () => (await send()).status, 202);
});
