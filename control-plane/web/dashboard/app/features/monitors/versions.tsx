import { ActionButton } from '../../kit/button.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { type List, read } from '../../session/api.ts';
import type { MonitorChange } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { AuditEntries } from '../audit/entries.tsx';

const pageLimit = 10;

/** Who changed the monitor, what differs, and which version that made. `current`: loads again with each version. */
export function Versions({ monitorId, current }: { monitorId: string; current: string }) {
  const app = useApp();
  if (!app.can('audit:read')) return null;
  return <Changes key={current} app={app} monitorId={monitorId} />;
}

function Changes({ app, monitorId }: { app: App; monitorId: string }) {
  const older = useAction();
  const load = useLoad<List<MonitorChange>>(monitorId, async previous => previous ?? readPage(app, monitorId), 600_000);
  const list = load.value;
  const loadOlder = async (): Promise<void> => {
    if (list === null) return;
    const next = await readPage(app, monitorId, list.pagination.next_cursor);
    load.set({ data: [...list.data, ...next.data], pagination: next.pagination });
  };
  return (
    <section class="card">
      <h2>Versions and changes</h2>
      {list === null && load.freshness.error === null && <div class="bone" />}
      <ProblemNote problem={list === null ? load.freshness.error : null} />
      {list?.data.length === 0 && <p class="hint">No recorded changes.</p>}
      {list !== null && <AuditEntries entries={list.data} isNamed={false} />}
      {list?.pagination.has_more && (
        <ActionButton action={older} work={loadOlder} class="older">
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </section>
  );
}

function readPage({ api }: App, id: string, cursor: string | null = null): Promise<List<MonitorChange>> {
  const query = { limit: pageLimit, ...(cursor === null ? {} : { cursor }) };
  return read(api.client.GET('/v0/monitors/{id}/versions', { params: { path: { id }, query } }));
}
