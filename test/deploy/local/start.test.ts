import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { top } from '../../repository/sources.ts';

test('npm start that is refused its settings says why, and not that it stopped what never ran', t => {
  const env = { PATH: process.env.PATH, HOME: '/nowhere', PORT: '0' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(top, 'deploy/local/main.ts')], {
    encoding: 'utf8',
    env,
  });
  t.is(status, 1);
  t.regex(stderr, /PORT must be a whole number from 1 to 65535/);
  t.is(stdout, '');
});
