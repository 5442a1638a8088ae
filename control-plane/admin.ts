import { exitProcess } from '#shared/exit-process.ts';
import { createLog } from '#shared/log.ts';
import { readAdminConfig } from './config.ts';
import { isHelp, runAdmin, UsageError, usage } from './operations/admin/command.ts';
import { Report } from './operations/admin/doctor/report.ts';
import { createPools } from './platform/db/pool.ts';
import { requireWorkerSession } from './platform/db/session.ts';
import { sqlOf } from './platform/db/sql.ts';
import { explainStart } from './platform/db/start-error.ts';

try {
  const args = process.argv.slice(2);
  if (isHelp(args)) {
    console.log(usage);
    exitProcess(0);
  }
  const config = readAdminConfig(process.env);
  const log = createLog({ name: 'admin', level: 'warn' });
  const pools = createPools(config.databaseUrl, log, 'upquorum admin');
  try {
    const sql = sqlOf(pools.background);
    if (args[0] !== 'doctor') await requireWorkerSession(sql);
    const result = await runAdmin(args, {
      sql,
      pool: pools.background,
      config,
      nowMs: Date.now(),
      progress: line => process.stderr.write(`${line}\n`),
    });
    if (result instanceof Report) {
      console.log(args.includes('--json') ? JSON.stringify(result, null, 2) : result.text());
      if (!result.healthy) process.exitCode = 1;
    } else console.log(JSON.stringify(result, formatInstant, 2));
  } finally {
    await pools.end();
  }
} catch (error) {
  console.error(explainStart(error, process.env.LOG_LEVEL === 'debug'));
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = 1;
}

/** Prints instants, which are milliseconds inside the program, as RFC 3339. */
function formatInstant(name: string, value: unknown): unknown {
  return name.endsWith('_at') && typeof value === 'number' ? new Date(value).toISOString() : value;
}
