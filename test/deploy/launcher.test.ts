import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { top } from '../repository/sources.ts';

for (const [what, env, arenas] of [
  ['two arenas of malloc', {}, '2'],
  ['as many arenas of malloc as the environment says', { MALLOC_ARENA_MAX: '4' }, '4'],
] as const)
  test(`a program has ${what}`, t => {
    const script = ['-p', 'process.env.MALLOC_ARENA_MAX'];
    const { MALLOC_ARENA_MAX: _, ...inherited } = process.env;
    const text = execFileSync(join(top, 'deploy/node'), script, { encoding: 'utf8', env: { ...inherited, ...env } });
    t.is(text.trim(), arenas);
  });
