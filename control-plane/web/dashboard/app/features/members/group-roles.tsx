import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { Ago } from '../../kit/time.tsx';
import type { GroupRole } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type Role, roleChoices } from './roles.ts';

type GroupRolesProps = { roles: readonly GroupRole[]; canWrite: boolean; refresh(): Promise<void> };

/** What groups of the identity provider may do. */
export function GroupRoles({ roles, canWrite, refresh }: GroupRolesProps) {
  const app = useApp();
  const [open, setOpen] = useState<'add' | GroupRole | null>(null);
  const close = () => setOpen(null);
  if (roles.length === 0 && !canWrite) return null;
  const remove = async ({ id, group }: GroupRole): Promise<void> => {
    await app.api.client.DELETE('/v0/group-roles/{id}', { params: { path: { id } } });
    app.announce(`${group}: removed`);
    await refresh();
  };
  return (
    <section>
      <h2>Roles by groups</h2>
      <p class="hint about">Who signs in by your identity provider has the highest of these and of their own role.</p>
      <ul class="cards" aria-label="Roles by groups">
        {roles.map(given => (
          <li class="card row wall-row" data-row key={given.id}>
            <div class="what">
              <strong>{given.group}</strong>
            </div>
            <span class="tag">{given.role}</span>
            <span class="hint">
              since <Ago at={given.created_at} />
            </span>
            <div class="do">
              {canWrite && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove the group ${given.group}`}
                  onClick={() => setOpen(given)}
                >
                  Remove…
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {canWrite && (
        <button type="button" onClick={() => setOpen('add')}>
          Add a group
        </button>
      )}
      {open === 'add' && <AddGroup close={close} refresh={refresh} />}
      {open !== null && open !== 'add' && (
        <ConfirmDialog
          title={`Remove the group ${open.group}?`}
          button="Remove group"
          close={close}
          work={() => remove(open)}
        >
          <p>Who is a member by this group alone loses the project at once.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function AddGroup({ close, refresh }: { close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const start: { group: string; role: Role } = { group: '', role: 'viewer' };
  const form = useForm(null, start, async body => {
    await app.api.client.POST('/v0/group-roles', { body });
    app.announce(`${body.group}: ${body.role}`);
    await refresh();
    close();
  });
  return (
    <Dialog title="Give a group a role" close={close}>
      <form.Form label="Group">
        <form.Line
          name="group"
          label="Group"
          hint="As your identity provider names it. It counts from each member’s next sign-in on."
          input={{ maxLength: 256, required: true }}
        />
        <form.Choice name="role" label="Role" choices={roleChoices} />
        <form.Footer submit="Add group" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
