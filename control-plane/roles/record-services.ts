import { minuteMs } from '#shared/duration.ts';
import type { AskedChecks } from '../monitoring/checks/intake/asked-checks.ts';
import { ExpiringSet } from '../monitoring/checks/intake/expiring-set.ts';
import type { RecordServices } from '../monitoring/checks/intake/record.ts';
import { VersionBook } from '../monitoring/checks/intake/version-book.ts';
import { TemplateDictionary } from '../monitoring/checks/storage/template-dictionary.ts';
import { StateCache } from '../monitoring/monitors/state/state-cache.ts';
import type { RoleServices } from './role.ts';

/** What results are stored and judged with, by a gateway or, where they wait first, by a worker. */
export function recordServices(services: RoleServices, asked: AskedChecks): RecordServices {
  const { pools, storage, hooks, intake } = services;
  const versions = new VersionBook();
  const templates = new TemplateDictionary();
  pools.server.onChange(() => {
    versions.clear();
    templates.forget();
  });
  return {
    pool: pools.ingest,
    series: storage.series,
    hooks: hooks.checks,
    versions,
    templates,
    repeating: new ExpiringSet(minuteMs),
    states: new StateCache(),
    asked,
    confirm: intake.confirm,
  };
}
