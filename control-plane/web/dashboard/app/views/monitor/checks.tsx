import { useState } from 'preact/hooks';
import { appendChecks, type CheckPages, mergeChecks, noChecks } from '../../data/checks.ts';
import { given } from '../../data/drafts/given.ts';
import { foldChecks } from '../../data/plots/check-groups.ts';
import { type List, read } from '../../data/server/api.ts';
import type { CheckResult, Monitor } from '../../data/server/api-types.ts';
import { ActionButton } from '../../parts/button.tsx';
import { CheckTable } from '../../parts/check-table.tsx';
import { Filter } from '../../parts/form/form.tsx';
import { checkStatusChoices } from '../../parts/labels.ts';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

const pageLimit = 50;

/** The latest results of a monitor, equal ones folded, with filters and older pages. */
export function Checks({ monitor: { id, regions } }: { monitor: Monitor }) {
  const app = useApp();
  const older = useAction();
  const [filter, setFilter] = useState({ region: '', status: '' });
  const load = useLoad<CheckPages>(
    `${id} ${filter.region} ${filter.status}`,
    async previous => mergeChecks(previous ?? noChecks, await readChecks(app, id, filter, null)),
    4000,
  );
  const pages = load.value;
  const loadOlder = async (): Promise<void> => {
    if (pages !== null) load.set(appendChecks(pages, await readChecks(app, id, filter, pages.cursor)));
  };
  return (
    <section class="card">
      <h2>Latest checks</h2>
      <div class="filters">
        <Filter
          label="Region"
          value={filter.region}
          choices={[['', 'all'], ...regions.map(region => [region, region] as const)]}
          onChange={region => setFilter({ ...filter, region })}
        />
        <Filter
          label="Result"
          value={filter.status}
          choices={[['', 'all'], ...checkStatusChoices]}
          onChange={status => setFilter({ ...filter, status })}
        />
      </div>
      {pages === null && <div class="bone" />}
      {pages?.checks.length === 0 && <p class="empty">No matching checks yet.</p>}
      {pages !== null && pages.checks.length > 0 && <CheckTable groups={foldChecks(pages.checks)} />}
      {pages !== null && pages.cursor !== null && (
        <ActionButton action={older} work={loadOlder} class="older">
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </section>
  );
}

type Query = { region: string; status: string };

function readChecks({ api }: App, id: string, filter: Query, cursor: string | null): Promise<List<CheckResult>> {
  const { region, status } = filter;
  const query = { ...given({ region, status: status as CheckResult['status'] | '', cursor }), limit: pageLimit };
  return read(api.client.GET('/v0/monitors/{id}/checks', { params: { path: { id }, query } }));
}
