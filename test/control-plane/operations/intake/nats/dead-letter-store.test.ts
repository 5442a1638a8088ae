import test from 'ava';
import { deleteDeadLettersBefore, insertDeadLetters } from '#control-plane/operations/intake/nats/dead-letter-store.ts';
import { minuteMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

test('dead letters are deleted after a time, and of many all but the newest', async t => {
  const kept = await withSql(database(), async sql => {
    const deadLetters = Array.from({ length: 6 }, (_, seq) => ({ stream: 's', seq, reason: 'rejected', body: '{}' }));
    await insertDeadLetters(sql, deadLetters);
    await sql.run`update intake_parked set at = at - interval '1 h' where seq = 5`;
    await deleteDeadLettersBefore(sql, Date.now() - minuteMs, 3);
    const rows = await sql.rows<{ seq: number }>`select seq from intake_parked order by id`;
    return rows.map(({ seq }) => Number(seq));
  });
  t.deepEqual(kept, [3, 4]);
});
