import { globSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Tests whose outcome may differ between storage editions, because they read or write series, the only tables that
 * `platform/db/series/series.ts` treats differently. All others use common SQL, or none, and run once.
 */
const patterns = [
  'test/control-plane/platform/{db,facts}/**/*.test.ts',
  'test/control-plane/platform/resilience/stale-if-error.test.ts',
  'test/control-plane/monitoring/{agents,assignments,checks,monitors,uptime,verdicts}/**/*.test.ts',
  'test/control-plane/analytics/{events,flows,releases}/**/*.test.ts',
  'test/control-plane/web/monitor-metrics/**/*.test.ts',
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
  'landed',
  'metrics',
  'migrate',
  'parse-instant',
  'plan',
  'schema-state',
  'sketch',
  'span',
  'template-dictionary',
  'text-cache',
  'throttled-warning',
  'timeline-edges',
  'uptime',
  'verdict',
]);

/** Tests of rules and tables beside them, below these folders: what they write to series others write there, too. */
const beside: Record<string, readonly string[]> = {
  'monitoring/agents': [
    'agent',
    'heartbeat',
    'read-budget',
    'read-budgets',
    'reconnects',
    'sessions',
    'store',
    'upgrade',
  ],
  'platform/db': [
    'clock',
    'compose-sql',
    'database-url',
    'lease',
    'server-watch',
    'start-error',
    'transaction',
    'wait-for-database',
  ],
  'analytics/events': ['limiter', 'props', 'receipt'],
  'monitoring/monitors': [
    'bind-components',
    'bulk/bulk',
    'dry-run',
    'secrets/header-rules',
    'labels/labels',
    'limits',
    'secrets/secrets',
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
