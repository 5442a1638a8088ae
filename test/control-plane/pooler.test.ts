import test from 'ava';
import type { Report } from '#control-plane/operations/admin/doctor/report.ts';
import { explainStart } from '#control-plane/platform/db/start-error.ts';
import { admin } from '#test/support/admin.ts';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startPgBouncer } from '#test/support/pgbouncer.ts';

const database = useDatabase(test);

for (const poolMode of ['session', 'transaction'] as const)
  for (const ignoresOptions of [false, true])
    test(`PgBouncer in ${poolMode} mode that ${ignoresOptions ? 'drops' : 'refuses'} settings is refused`, async t => {
      await using pooler = await startPgBouncer(database(), { poolMode, ignoresOptions });
      const error = await t.throwsAsync(startReplica(pooler.url));
      t.regex(explainStart(error, false), /poolers? such as PgBouncer.*: connect DATABASE_URL directly to PostgreSQL$/);
      const report = (await admin(pooler.url, ['doctor'])) as Report;
      t.like(report.findings, [{ name: 'connection', status: 'fail' }]);
      t.regex(report.text(), /no pooler in between/);
    });
