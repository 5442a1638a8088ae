import test from 'ava';
import { createLog } from '#shared/log.ts';

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
