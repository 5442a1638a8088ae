import { useState } from 'preact/hooks';
import { CopyCode } from '../../kit/copy-code.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { SelectorField } from '../../kit/form/selector-field.tsx';
import { Page } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Wall } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';

/** Links for screens on a wall. Each reads names and states of monitors, and can be revoked. */
export function Walls() {
  const app = useApp();
  const load = useLoad<readonly Wall[]>(
    '',
    () => readAll(query => app.api.client.GET('/v0/walls', { params: { query } })),
    10_000,
  );
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Wall | null>(null);
  const walls = load.value ?? [];
  const canWrite = app.can('walls:write') && app.can('monitors:read');
  const create = canWrite && (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      New link
    </button>
  );
  return (
    <Page
      title="Wall"
      crumbs={[{ label: 'Overview', address: '#/overview' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={create || undefined}
    >
      <p class="hint about">
        A link opens a page for a screen on a wall: a tile for each monitor, the worst first. Whoever has the link sees
        names, states and open incidents, without signing in, and can change nothing.
      </p>
      {walls.length === 0 && (
        <div class="card empty">
          <h2>No links yet</h2>
          <p>Create a link, open it on the screen, and leave it there: it reconnects by itself.</p>
        </div>
      )}
      <ul class="cards">
        {walls.map(wall => (
          <WallRow key={wall.id} wall={wall} revoke={canWrite ? () => setRevoked(wall) : null} />
        ))}
      </ul>
      {isCreating && <NewWall close={() => setCreating(false)} refresh={load.refresh} />}
      {revoked !== null && <Revoke wall={revoked} close={() => setRevoked(null)} refresh={load.refresh} />}
    </Page>
  );
}

function WallRow({ wall, revoke }: { wall: Wall; revoke: (() => void) | null }) {
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{wall.name}</strong>
        <span class="hint">{wall.selector === null ? 'all monitors' : <code>{wall.selector}</code>}</span>
      </div>
      <span class="hint">
        {wall.last_seen_at === null ? 'not opened yet' : ['last seen ', <Ago key="at" at={wall.last_seen_at} />]}
      </span>
      <span class="hint">
        created <Ago at={wall.created_at} />
      </span>
      <div class="do">
        {revoke !== null && (
          <button type="button" class="quiet" aria-label={`Revoke ${wall.name}`} onClick={revoke}>
            Revoke…
          </button>
        )}
      </div>
    </li>
  );
}

function NewWall({ close, refresh }: { close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const [made, setMade] = useState<Wall | null>(null);
  const form = useForm('new wall', { name: '', selector: '' }, async draft => {
    const selector = draft.selector.trim();
    const body = { name: draft.name.trim(), selector: selector === '' ? null : selector };
    const wall = await read(app.api.client.POST('/v0/walls', { body }));
    setMade(wall);
    app.announce(`${wall.name}: created`);
    await refresh();
  });
  if (made?.url !== undefined) return <Made wall={made} url={made.url} close={close} />;
  return (
    <Dialog title="New link for a screen" close={close}>
      <form.Form label="New link for a screen">
        <form.Line
          name="name"
          label="Name"
          hint="Where the screen hangs; it is shown there."
          input={{ required: true, maxLength: 100, placeholder: 'Operations room' }}
        />
        <SelectorField field={form.text('selector')} label="Only monitors that match this selector" />
        <form.Footer submit="Create link" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

function Made({ wall, url, close }: { wall: Wall; url: string; close(): void }) {
  return (
    <Dialog title={`The link of ${wall.name}`} close={close} isSticky>
      <p class="note">
        The link is shown only now. Open it on the screen; add ?theme=light before the # for a bright room.
      </p>
      <CopyCode label="Link" code={url} />
      <div class="buttons">
        <a class="button" href={url} target="_blank" rel="noreferrer">
          Open
        </a>
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function Revoke({ wall, close, refresh }: { wall: Wall; close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/walls/{id}', { params: { path: { id: wall.id } } });
    app.announce(`${wall.name}: revoked`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Revoke the link of ${wall.name}?`} button="Revoke link" close={close} work={work}>
      <p>Every screen that uses it goes blank within seconds. The link cannot be restored.</p>
    </ConfirmDialog>
  );
}
