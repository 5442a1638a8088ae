import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const path = fileURLToPath(new URL('../../shared/exit-process.ts', import.meta.url));

test('a program ends with its code, and garbage is collected before: no thread waits for that at the end', t => {
  const program = `import { exitProcess } from '${path}'; console.log('the last words'); exitProcess(3);`;
  const { status, stdout } = spawnSync(process.execPath, ['--trace-gc', '--input-type=module', '--eval', program]);
  t.is(status, 3);
  t.regex(String(stdout), /the last words.*Mark-Compact/s);
});
