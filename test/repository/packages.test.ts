import { readFileSync } from 'node:fs';
import test from 'ava';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version?: string; integrity?: string; link?: boolean }>;
};

test('the lock file has a hash of every package, and no package may run a script when it is installed', t => {
  const others = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
  t.true(others.length > 100);
  t.deepEqual(
    others.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
    [],
  );
  t.regex(readFileSync('.npmrc', 'utf8'), /^ignore-scripts=true$/m);
});
