import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tests whose outcome may differ between storage editions, because they read or write series, the only tables that
 * `platform/db/series/series.ts` treats differently. All others use common SQL, or none, and run once.
 */
const patterns = [
  'test/control-plane/platform/{db,facts}/**/*.test.ts',
  'test/control-plane/monitoring/{checks,uptime,verdicts}/**/*.test.ts',
  // These delete and keep what belongs to a monitor.
  'test/control-plane/monitoring/monitors/{change,check-now,revival,state/*}.test.ts',
  'test/control-plane/analytics/{events,flows,releases}/**/*.test.ts',
  'test/control-plane/web/monitor-metrics/**/*.test.ts',
  'test/control-plane/operations/admin/backup.test.ts',
  'test/stories/{outage,replicas}.test.ts',
];

/** Tests of rules and tables beside them, below these folders: what they write to series others write there, too. */
const beside: Record<string, readonly string[]> = {
  'platform/db': [
    'binary-array',
    'compose-sql',
    'lease',
    'server-watch',
    'start-error',
    'transaction',
    'wait-for-database',
  ],
  'analytics/events': ['bodies', 'body-limits', 'hostile-visitor', 'keyed-share', 'limiter'],
};
const left = new Set(
  Object.entries(beside).flatMap(([folder, names]) =>
    names.map(name => `test/control-plane/${folder}/${name}.test.ts`),
  ),
);

/** They start servers of the edition themselves. */
const ofServers = 'test/deploy/embedded-postgres/{embedded,makeshift}.test.ts';

/** The test files that run on every edition, by their path from the top. */
export function storageFiles(top: string): string[] {
  const usesDatabase = (path: string) => readFileSync(join(top, path), 'utf8').includes("/support/database.ts'");
  const ofSeries = globSync(patterns, { cwd: top }).filter(path => !left.has(path) && usesDatabase(path));
  return [...ofSeries, ...globSync(ofServers, { cwd: top })].sort();
}
