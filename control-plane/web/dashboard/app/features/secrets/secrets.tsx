import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import type { Secret } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { SettingSections } from '../settings/sections.tsx';
import { EditSecret } from './edit-secret.tsx';
import { UsedBy } from './used-by.tsx';

const secretsMax = 1000;

type Open = { act: 'edit' | 'delete' | 'uses'; secret: Secret };

/** Values that monitors name and nobody is shown: list, create, rotate, delete. */
export function Secrets() {
  const app = useApp();
  const [open, setOpen] = useState<'new' | Open | null>(null);
  const load = useLoad(
    '',
    () => readAll(query => app.api.client.GET('/v0/secrets', { params: { query } }), secretsMax),
    15_000,
  );
  const secrets = load.value ?? [];
  const close = () => setOpen(null);
  const canWrite = app.can('secrets:write');
  const create = canWrite && (
    <button type="button" class="primary" onClick={() => setOpen('new')}>
      New secret
    </button>
  );
  return (
    <Page
      title="Secrets"
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={create || undefined}
    >
      <SettingSections />
      <p class="hint about">
        Monitors name a secret as <code>{'{{secret.NAME}}'}</code> in headers, bodies and passwords. Its value is sent
        with their checks and never shown again.
      </p>
      {load.value !== undefined && secrets.length === 0 && (
        <div class="card empty">
          <h2>No secrets yet</h2>
          <p>Create a secret, then name it in a monitor.</p>
        </div>
      )}
      <ul class="cards">
        {secrets.map(secret => (
          <Row key={secret.id} secret={secret} canWrite={canWrite} act={act => setOpen({ act, secret })} />
        ))}
      </ul>
      {open === 'new' && <EditSecret secret={null} close={close} refresh={load.refresh} />}
      {open !== null && open !== 'new' && open.act === 'edit' && (
        <EditSecret secret={open.secret} close={close} refresh={load.refresh} />
      )}
      {open !== null && open !== 'new' && open.act === 'uses' && <UsedBy secret={open.secret} close={close} />}
      {open !== null && open !== 'new' && open.act === 'delete' && (
        <Delete secret={open.secret} close={close} refresh={load.refresh} />
      )}
    </Page>
  );
}

function Row({ secret, canWrite, act }: { secret: Secret; canWrite: boolean; act(act: Open['act']): void }) {
  const { name, description, hosts, rotated_at, used_by_count: count } = secret;
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <span class="hint">
          {[hosts?.join(', ') ?? 'all hosts', description].filter(text => text !== '').join(' · ')}
        </span>
      </div>
      <span class="hint">
        set <Ago at={rotated_at} />
      </span>
      <button type="button" class="quiet" aria-label={`Monitors that use ${name}`} onClick={() => act('uses')}>
        {count === 1 ? '1 monitor' : `${count} monitors`}
      </button>
      <div class="do">
        {canWrite && (
          <>
            <button type="button" class="quiet" aria-label={`Edit ${name}`} onClick={() => act('edit')}>
              Edit…
            </button>
            <button type="button" class="quiet" aria-label={`Delete ${name}`} onClick={() => act('delete')}>
              Delete…
            </button>
          </>
        )}
      </div>
    </li>
  );
}

function Delete({ secret, close, refresh }: { secret: Secret; close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/secrets/{id}', { params: { path: { id: secret.id } } });
    app.announce(`${secret.name}: deleted`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Delete ${secret.name}?`} button="Delete secret" close={close} work={work}>
      <p>The value cannot be restored. A secret that monitors name cannot be deleted.</p>
    </ConfirmDialog>
  );
}
