import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for PATH with a `ping` that does this, in shell; `argumentsOf` and `pid` tell of its last run. */
export function makeFakePing(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-ping-'));
  const [program, seen] = [join(folder, 'ping'), join(folder, 'seen')];
  writeFileSync(program, `#!/bin/sh\necho "$$ $LC_ALL $*" > ${seen}\n${script}\n`);
  chmodSync(program, 0o755);
  const parts = () => readFileSync(seen, 'utf8').trim().split(' ');
  return {
    path: folder,
    pid: () => Number(parts()[0]),
    locale: () => parts()[1],
    arguments: () => parts().slice(2),
    forget: () => rmSync(seen, { force: true }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** What a shell prints to standard output, or to standard error. */
export function printing(stdout: string, stderr = '', exitCode = 0): string {
  const print = (text: string, to: string) => (text === '' ? '' : `/bin/cat <<'END' >&${to}\n${text}\nEND\n`);
  return `${print(stdout, '1')}${print(stderr, '2')}exit ${exitCode}`;
}
