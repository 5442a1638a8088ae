import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { sourcesOf } from '../repository/sources.ts';
import { chromiumOptions } from '../support/browser.ts';
import { hasCaddy } from '../support/caddy.ts';
import { namespaceCheck } from '../support/everywhere.ts';
import { natsBinary } from '../support/nats-binary.ts';
import { hasPgBouncer } from '../support/pgbouncer.ts';
import { hasPromtool } from '../support/promtool.ts';

/** Test files that cannot run on this machine, and why. */
export type LeftOut = { files: readonly string[]; reason: string };

const tools = [
  {
    what: 'Chromium',
    installed: 'chromium-headless-shell',
    support: 'test/support/browser.ts',
    isHere: () => existsSync(chromiumOptions.executablePath),
  },
  {
    what: 'network namespaces',
    installed: 'iproute2',
    support: 'test/support/everywhere.ts',
    isHere: () => spawnSync(...namespaceCheck()).status === 0,
  },
  { what: 'PgBouncer', installed: 'pgbouncer', support: 'test/support/pgbouncer.ts', isHere: hasPgBouncer },
  { what: 'Caddy', installed: 'caddy', support: 'test/support/caddy.ts', isHere: hasCaddy },
  { what: 'promtool', installed: 'prometheus', support: 'test/support/promtool.ts', isHere: hasPromtool },
];

/** The test files that need a program this machine does not have, one entry a program. */
export async function missingTools(composeDir: string): Promise<LeftOut[]> {
  const hasNats = await natsBinary(composeDir).then(
    () => true,
    () => false,
  );
  const nats = {
    what: 'nats-server',
    installed: 'nats-server, from the mirror of Debian 13',
    support: 'test/support/nats.ts',
    isHere: () => hasNats,
  };
  return [...tools, nats]
    .filter(tool => !tool.isHere())
    .map(({ what, installed, support }) => {
      const files = testsThatLoad(support);
      return { files, reason: `${files.length} files need ${what} (Debian's package ${installed})` };
    });
}

/** The test files that import a module, themselves or through others. */
export function testsThatLoad(module: string): string[] {
  const sources = sourcesOf('test');
  const loading = new Set([module]);
  for (let size = 0; size < loading.size; ) {
    size = loading.size;
    for (const { path, imports } of sources) if (imports.some(name => loading.has(name))) loading.add(path);
  }
  return [...loading].filter(path => path.endsWith('.test.ts')).sort();
}
