import test from 'ava';
import { type Listening, listen } from '#control-plane/platform/db/listen.ts';
import { createLog } from '#shared/log.ts';
import { withSql } from '../../../support/control-plane.ts';
import { useDatabase } from '../../../support/database.ts';
import { severable } from '../../../support/severable-database.ts';

const database = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });

const notify = (payload: string) => withSql(database(), sql => sql.run`select pg_notify('check_now', ${payload})`);

/** Starts to listen, and resolves `until` once a payload has arrived. */
function listener(connectionString: string) {
  const heard: string[] = [];
  const waiting = new Map<string, () => void>();
  const channels: Listening = {
    check_now: payload => {
      heard.push(payload);
      waiting.get(payload)?.();
    },
  };
  const until = (payload: string): Promise<void> =>
    heard.splice(0).includes(payload) ? Promise.resolve() : new Promise(resolve => waiting.set(payload, resolve));
  return { until, running: listen({ connectionString, log, channels, beatMs: 100 }) };
}

test('a listener replaces a connection that fell silent, and says that it may have missed something', async t => {
  await using way = await severable(database());
  const { until, running } = listener(way.url);
  await using _ = running;
  await until('');
  await notify('before');
  await until('before');
  way.silence();
  await notify('missed');
  await until('');
  await notify('after');
  await until('after');
  t.pass();
});
