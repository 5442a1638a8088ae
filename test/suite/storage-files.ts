import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a test file names that depends on the edition of storage: everything of the kind goes through one of these. */
const signs = /support\/database\.ts|TEST_STORAGE|TEST_DATABASE/;

/** Test files whose outcome may differ from one edition of storage to the next; the others need to run only once. */
export function storageFiles(top: string): string[] {
  return globSync('test/**/*.test.ts', { cwd: top })
    .filter(path => signs.test(readFileSync(join(top, path), 'utf8')))
    .sort();
}
