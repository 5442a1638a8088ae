import test from 'ava';
import { createLog } from '#shared/log.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

/** What a logger writes, line by line. */
function capture(level: string, work: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  work(createLog({ name: 'program', level, destination: { write: line => lines.push(line) } }));
  return lines.map(line => JSON.parse(line));
}

test('a line names the program, the message and the time in UTC', t => {
  const [line] = capture('info', log => log.info({ count: 3 }, 'hello'));
  t.like(line, { name: 'program', msg: 'hello', count: 3 });
  t.regex(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('lines below the level are not written', t => {
  const lines = capture('warn', log => {
    log.info('no');
    log.warn('yes');
  });
  t.deepEqual(
    lines.map(({ msg }) => msg),
    ['yes'],
  );
});

for (const name of ['authorization', 'cookie', 'password', 'secret', 'token', 'headers', 'database_url'])
  test(`the field "${name}" is redacted at the top and up to two levels down`, t => {
    const hidden = { [name]: 'hidden-value', other: 'visible' };
    const [line] = capture('info', log => log.info({ ...hidden, one: { ...hidden, two: hidden } }, 'x'));
    t.false(JSON.stringify(line).includes('hidden-value'));
    t.is(JSON.stringify(line).match(/visible/g)?.length, 3);
    t.is(JSON.stringify(line).match(/\[redacted\]/g)?.length, 3);
  });

test('an error of the database is logged without the values of its row, also as the cause of another', async t => {
  const error = await withSql(databaseOf(), async sql => {
    await sql.run`create temporary table guests (address text primary key, age integer check (age > 0))`;
    await sql.run`insert into guests values ('guest@hidden-value.example', 1)`;
    return t.throwsAsync<Error & { detail?: string }>(
      () => sql.run`insert into guests values ('guest@hidden-value.example', 2)`,
      { code: '23505' },
    );
  });
  t.regex(error?.detail ?? '', /hidden-value/);
  const lines = capture('info', log => {
    log.error({ err: error }, 'failed');
    log.error(new Error('outer', { cause: error }));
  });
  t.notRegex(JSON.stringify(lines), /hidden-value/);
  const expected = { type: 'DatabaseError', code: '23505', constraint: 'guests_pkey', table: 'guests' };
  t.like(lines[0]?.err, expected);
  t.deepEqual(Object.keys(Object(lines[0]?.err)).sort(), ['code', 'constraint', 'message', 'stack', 'table', 'type']);
  t.like(lines[1], { msg: 'outer', err: { type: 'Error', message: 'outer', cause: expected } });
});

test('the causes of an error are logged to a depth', t => {
  const error = new Error('circle');
  error.cause = error;
  const [line] = capture('info', log => log.error({ err: error }, 'failed'));
  t.is(JSON.stringify(line).match(/"type":"Error"/g)?.length, 6);
  t.is(capture('info', log => log.error({ err: 'as it is' }))[0]?.err, 'as it is');
});
