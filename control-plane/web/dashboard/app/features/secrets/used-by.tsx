import { Dialog } from '../../kit/dialog/dialog.tsx';
import { read } from '../../session/api.ts';
import type { Secret } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';

/** The monitors that name a secret. */
export function UsedBy({ secret, close }: { secret: Secret; close(): void }) {
  const app = useApp();
  const load = useLoad(
    secret.id,
    () => read(app.api.client.GET('/v0/secrets/{id}', { params: { path: { id: secret.id } } })),
    15_000,
  );
  const uses = load.value?.used_by ?? [];
  return (
    <Dialog title={`Monitors that use ${secret.name}`} close={close}>
      {load.value !== undefined && uses.length === 0 && <p>None.</p>}
      <ul>
        {uses.map(({ monitor_id: id, name }) => (
          <li key={id}>
            <a href={`#/monitors/${id}`} onClick={close}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
