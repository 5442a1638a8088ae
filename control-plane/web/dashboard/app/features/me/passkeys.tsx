import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { Ago } from '../../kit/time.tsx';
import type { Passkey } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { addPasskey, hasPasskeys } from '../../session/ways-in.ts';

type PasskeysProps = { passkeys: readonly Passkey[]; refresh(): Promise<void> };
type Open = { act: 'add' } | { act: 'rename' | 'delete'; passkey: Passkey };

/** One's passkeys: add, rename, delete. */
export function Passkeys({ passkeys, refresh }: PasskeysProps) {
  const { session } = useApp();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const canAdd = hasPasskeys() && (session.methods ?? []).includes('passkey');
  return (
    <section>
      <h2>Passkeys</h2>
      <p class="hint">A passkey of a device or a password manager signs you in and confirms that it is you.</p>
      {passkeys.length === 0 && <p class="note">You have none yet: without one, you come back by a link alone.</p>}
      <ul class="cards" aria-label="Passkeys">
        {passkeys.map(passkey => (
          <Row key={passkey.id} passkey={passkey} act={act => setOpen({ act, passkey })} />
        ))}
      </ul>
      {canAdd ? (
        <div class="buttons">
          <button type="button" onClick={() => setOpen({ act: 'add' })}>
            Add a passkey
          </button>
        </div>
      ) : (
        <p class="hint">Passkeys need https and a name, or localhost, and a browser that has them.</p>
      )}
      {open?.act === 'add' && <Add close={close} refresh={refresh} />}
      {open?.act === 'rename' && <Rename passkey={open.passkey} close={close} refresh={refresh} />}
      {open?.act === 'delete' && <Delete passkey={open.passkey} close={close} refresh={refresh} />}
    </section>
  );
}

function Row({ passkey, act }: { passkey: Passkey; act(act: 'rename' | 'delete'): void }) {
  const { name, synced, created_at, last_used_at } = passkey;
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <span class="hint">{synced ? 'synced between devices' : 'on one device'}</span>
      </div>
      <span class="hint">
        added <Ago at={created_at} />
        {last_used_at !== null && [' · used ', <Ago key="used" at={last_used_at} />]}
      </span>
      <div class="do">
        <button type="button" class="quiet" aria-label={`Rename ${name}`} onClick={() => act('rename')}>
          Rename…
        </button>
        <button type="button" class="quiet" aria-label={`Delete ${name}`} onClick={() => act('delete')}>
          Delete…
        </button>
      </div>
    </li>
  );
}

type DialogProps = { close(): void; refresh(): Promise<void> };

function Add({ close, refresh }: DialogProps) {
  const app = useApp();
  const form = useForm(null, { name: '' }, async ({ name }) => {
    await addPasskey(app.api.post, name.trim() || 'Passkey');
    app.announce('The passkey is added');
    await refresh();
    close();
  });
  return (
    <Dialog title="Add a passkey" close={close}>
      <form.Form label="Add a passkey">
        <form.Line name="name" label="What you call it" input={{ maxLength: 100, placeholder: 'Laptop' }} />
        <form.Footer submit="Add" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

function Rename({ passkey, close, refresh }: DialogProps & { passkey: Passkey }) {
  const app = useApp();
  const form = useForm(null, { name: passkey.name }, async ({ name }) => {
    const params = { path: { id: passkey.id } };
    await app.api.client.PATCH('/v0/me/passkeys/{id}', { params, body: { name: name.trim() } });
    app.announce('Renamed');
    await refresh();
    close();
  });
  return (
    <Dialog title={`Rename ${passkey.name}`} close={close}>
      <form.Form label="Rename">
        <form.Line name="name" label="What you call it" input={{ maxLength: 100, required: true }} />
        <form.Footer submit="Rename" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

function Delete({ passkey, close, refresh }: DialogProps & { passkey: Passkey }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/me/passkeys/{id}', { params: { path: { id: passkey.id } } });
    app.announce(`${passkey.name}: deleted`);
    await refresh();
  };
  return (
    <ConfirmDialog title={`Delete ${passkey.name}?`} button="Delete passkey" close={close} work={work}>
      <p>It signs you in no more. Delete it on the device, too.</p>
    </ConfirmDialog>
  );
}
