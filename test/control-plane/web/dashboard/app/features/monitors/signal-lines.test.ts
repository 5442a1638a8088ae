import { execFileSync } from 'node:child_process';
import test from 'ava';
import { signalLines } from '#control-plane/web/dashboard/app/features/monitors/signal-lines.ts';

const url = 'https://status.example.com/hb/uph_secret';
const lineOf = (name: string, own = {}) =>
  new Map(signalLines(url, { cron: null, post_only: false, ...own })).get(name) ?? '';

test('lines send POST where a heartbeat takes nothing else', t => {
  for (const name of ['curl', 'cron', 'systemd']) {
    t.true(lineOf(name, { post_only: true }).includes(` -X POST ${url}`), name);
    t.false(lineOf(name).includes('POST'), name);
  }
});

test('the line of cron has the expression of the heartbeat', t => {
  t.true(lineOf('cron', { cron: '30 2 * * *' }).startsWith('30 2 * * * my-job; '));
});

for (const [code, status, ending] of [
  ['exited', '0', '0'],
  ['exited', '3', '3'],
  ['killed', 'KILL', 'fail'],
  ['dumped', 'SEGV', 'fail'],
  ['', '', 'fail'],
] as const)
  test(`systemd's ${code === '' ? 'lack of a code' : `${code} ${status}`} is sent as ${ending}`, t => {
    // What systemd replaces before it starts the shell.
    const line = lineOf('systemd')
      .replaceAll('$$', '$')
      .replaceAll(/\$\{EXIT_CODE\}/g, code)
      .replaceAll(/\$\{EXIT_STATUS\}/g, status);
    const script = /^ExecStopPost=\/bin\/sh -c '(.*)'$/.exec(line)?.[1]?.replace('curl', 'echo') ?? '';
    const said = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    t.is(said.trim().split('/').at(-1), ending);
  });
