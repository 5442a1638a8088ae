import { read } from '../../session/api.ts';
import type { AuditEntry, Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { AuditEntries } from '../audit/entries.tsx';

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
