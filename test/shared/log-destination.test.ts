import { spawnSync } from 'node:child_process';
import { closeSync, openSync, type writeSync } from 'node:fs';
import test from 'ava';
import { steadyDestination } from '#shared/log-destination.ts';

/** A descriptor that takes `free` bytes a call, or fails with a code while one is set. */
function scriptedDescriptor() {
  const state = { text: '', free: Number.POSITIVE_INFINITY, fault: null as string | null, busy: 0 };
  const write = ((_fd: number, bytes: Buffer, offset: number) => {
    if (state.busy > 0) {
      state.busy -= 1;
      throw Object.assign(new Error('busy'), { code: 'EAGAIN' });
    }
    if (state.fault !== null) throw Object.assign(new Error('write'), { code: state.fault });
    const part = bytes.subarray(offset, offset + state.free);
    state.text += part.toString();
    return part.length;
  }) as typeof writeSync;
  return { state, destination: steadyDestination(2, write) };
}

for (const code of ['ENOSPC', 'EIO', 'EPIPE'])
  test(`lines are lost while writing fails with ${code}, and counted when it works again`, t => {
    const { state, destination } = scriptedDescriptor();
    destination.write('{"n":1}\n');
    state.fault = code;
    for (let line = 2; line < 5; line += 1) destination.write(`{"n":${line}}\n`);
    state.fault = null;
    destination.write('{"n":5}\n');
    destination.write('{"n":6}\n');
    const lines = state.text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    t.like(lines[1], { level: 40, lines: 3, msg: 'log lines were lost' });
    t.deepEqual(lines.toSpliced(1, 1), [{ n: 1 }, { n: 5 }, { n: 6 }]);
  });

test('a line is written in parts, and waits for a slow reader', t => {
  const { state, destination } = scriptedDescriptor();
  Object.assign(state, { free: 3, busy: 2 });
  destination.write('{"n":1}\n');
  t.is(state.text, '{"n":1}\n');
});

test('the rest of a line that was cut off never runs into the next', t => {
  let text = '';
  let calls = 0;
  const torn = steadyDestination(2, ((_fd: number, bytes: Buffer, offset: number) => {
    calls += 1;
    if (calls === 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    const size = calls === 1 ? 4 : bytes.length;
    text += bytes.subarray(offset, offset + size).toString();
    return Math.min(size, bytes.length - offset);
  }) as typeof writeSync);
  torn.write('{"n":1}\n');
  torn.write('{"n":2}\n');
  const [start, loss = '', next] = text.split('\n');
  t.is(start, '{"n"');
  t.like(JSON.parse(loss), { lines: 1 });
  t.is(next, '{"n":2}');
});

test('a program whose log is on a full disk goes on', t => {
  const script = `
    import { createLog } from ${JSON.stringify(new URL('../../shared/log.ts', import.meta.url).href)};
    const log = createLog({ name: 'program', level: 'info' });
    log.info('one');
    setTimeout(() => { log.error({ err: new Error('two') }, 'two'); process.stdout.write('alive'); }, 1);`;
  const full = openSync('/dev/full', 'w');
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);
  t.deepEqual([stdout, status], ['alive', 0]);
});
