import { globSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Tests whose outcome may differ between storage editions, because they read or write series, the only tables that
 * `db/series.ts` treats differently. All others use common SQL, or none, and run once.
 */
const patterns = [
  'test/control-plane/{agents,assignments,checks,db,events,facts,flows}/**/*.test.ts',
  'test/control-plane/{monitor-metrics,monitors,releases,uptime,verdicts}/**/*.test.ts',
  'test/control-plane/operations/admin/backup.test.ts',
  'test/deploy/embedded-postgres/{embedded,makeshift}.test.ts',
  'test/stories/{outage,replicas}.test.ts',
];

/** Tests without a database. */
const pure = new Set([
  'accept',
  'binary-array',
  'counting',
  'edition',
  'errors',
  'exposition',
  'families',
  'figures',
  'landed',
  'migrate',
  'parse-instant',
  'plan',
  'schema-state',
  'shape-book',
  'sketch',
  'span',
  'text-cache',
  'throttled-warning',
  'timeline-edges',
  'uptime',
  'verdict',
]);

/** Tests of rules and tables beside them, below these folders: what they write to series others write there, too. */
const beside: Record<string, readonly string[]> = {
  agents: ['agent', 'heartbeat', 'intake-budget', 'intakes', 'reconnects', 'sessions', 'store', 'upgrade'],
  db: [
    'clock',
    'compose-sql',
    'database-url',
    'fair-queue',
    'group-commit',
    'lease',
    'server-watch',
    'transaction',
    'wait-for-database',
  ],
  events: ['limiter', 'props', 'receipt'],
  monitors: [
    'bind-components',
    'bulk',
    'dry-run',
    'header-rules',
    'labels',
    'limits',
    'secrets',
    'settings',
    'versions',
    'view',
    'warnings',
  ],
};
const left = new Set(
  Object.entries(beside).flatMap(([folder, names]) =>
    names.map(name => `test/control-plane/${folder}/${name}.test.ts`),
  ),
);

/** The test files that run on every edition, by their path from the top. */
export function storageFiles(top: string): string[] {
  return globSync(patterns, { cwd: top })
    .filter(path => !pure.has(basename(path, '.test.ts')) && !left.has(path))
    .sort();
}
