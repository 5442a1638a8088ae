import { useState } from 'preact/hooks';
import { ActionButton } from '../../../kit/button.tsx';
import { Filter } from '../../../kit/form/filter.tsx';
import { checkStatusChoices } from '../../../kit/labels.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import { type List, read } from '../../../session/api.ts';
import type { CheckResult, Monitor } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { given } from '../../../session/given.ts';
import { useLoad } from '../../../session/load.ts';
import { foldChecks } from './check-groups.ts';
import { appendChecks, type CheckPages, mergeChecks, noChecks } from './check-pages.ts';
import { CheckTable } from './check-table.tsx';
import { diagnosesOf } from './diagnosis.ts';

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
      {diagnosesOf(pages?.checks ?? []).map(text => (
        <p key={text} class="note">
          {text}
        </p>
      ))}
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
