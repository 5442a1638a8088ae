import { minuteMs } from '#shared/duration.ts';
import type { Pools } from '../platform/db/pool.ts';
import type { AskedChecks } from './checks/intake/asked-checks.ts';
import { ExpiringSet } from './checks/intake/expiring-set.ts';
import type { RecordServices } from './checks/intake/record.ts';
import { VersionBook } from './checks/intake/version-book.ts';
import { TemplateDictionary } from './checks/storage/template-dictionary.ts';
import { StateCache } from './monitors/state/state-cache.ts';

/** What results are stored and judged with, by a gateway or, where they wait first, by a worker. */
export function recordServices(
  { pools, series, hooks, confirm }: { pools: Pools } & Pick<RecordServices, 'series' | 'hooks' | 'confirm'>,
  asked: AskedChecks,
): RecordServices {
  const versions = new VersionBook();
  const templates = new TemplateDictionary();
  pools.server.onChange(() => {
    versions.clear();
    templates.forget();
  });
  return {
    pool: pools.ingest,
    series,
    hooks,
    versions,
    templates,
    repeating: new ExpiringSet(minuteMs),
    states: new StateCache(),
    asked,
    confirm,
  };
}
