import { globSync } from 'node:fs';

/**
 * Tests whose outcome may differ from one edition of storage to the next: they read or write what grows, which is all that
 * `db/series.ts` treats differently. The others speak common SQL, or none, and run once.
 */
const places = [
  'test/control-plane/{agents,assignments,checks,db,events,facts,flows,monitors,releases,uptime,verdicts}/*.test.ts',
  'test/stories/{outage,replicas}.test.ts',
];

/** Rules without a table. */
const pure = /\/(plan|accept|counting|sketch|uptime|timeline-edges|verdict|binary-array|apt-sources)\.test\.ts$/;

export function storageFiles(top: string): string[] {
  return globSync(places, { cwd: top })
    .filter(path => !pure.test(path))
    .sort();
}
