import { minuteMs } from '#shared/duration.ts';
import { packConfirmations } from '../assignments/check-now.ts';
import { sendConfirmations } from '../assignments/confirm.ts';
import type { AskedChecks } from '../checks/asked-checks.ts';
import { ExpiringSet } from '../checks/expiring-set.ts';
import type { RecordServices } from '../checks/record.ts';
import { ShapeBook } from '../checks/shape-book.ts';
import { VersionBook } from '../checks/version-book.ts';
import { sqlOf } from '../db/sql.ts';
import { StateCache } from '../monitors/state-cache.ts';
import type { RoleServices } from './role.ts';

/** What results are stored and judged with, by a gateway or, with a broker, by a worker. */
export function recordServices(services: RoleServices, asked: AskedChecks): RecordServices {
  const { pools, storage, hooks, broker, log } = services;
  const versions = new VersionBook();
  const shapes = new ShapeBook();
  pools.server.onChange(() => {
    versions.clear();
    shapes.forget();
  });
  return {
    pool: pools.ingest,
    series: storage.series,
    hooks: hooks.checks,
    versions,
    shapes,
    repeating: new ExpiringSet(minuteMs),
    states: new StateCache(),
    asked,
    confirm: async confirmations => {
      if (broker === null) return sendConfirmations(sqlOf(pools.background), confirmations, log);
      for (const payload of packConfirmations(confirmations)) broker.tell('check_now', payload);
    },
  };
}
