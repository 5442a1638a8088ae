import { read } from '../../data/server/api.ts';
import type { AuditEntry, Incident } from '../../data/server/api-types.ts';
import { AuditEntries } from '../../parts/audit-entries.tsx';
import { useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

const entriesMax = 100;

/** Who did what in this incident. */
export function Changes({ incident: { id, updated_at } }: { incident: Incident }) {
  const { api } = useApp();
  const load = useLoad<readonly AuditEntry[]>(
    `${id} ${updated_at}`,
    async () => {
      const params = { path: { id }, query: { limit: entriesMax } };
      return (await read(api.client.GET('/v0/incidents/{id}/audit', { params }))).data;
    },
    60_000,
  );
  const entries = load.value ?? [];
  return (
    <details class="card">
      <summary>
        <h2>Who did what</h2>
      </summary>
      {entries.length === 0 && <p class="hint">No recorded changes.</p>}
      <AuditEntries entries={entries} isNamed={false} />
    </details>
  );
}
