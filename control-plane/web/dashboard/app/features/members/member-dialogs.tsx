import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import type { Member } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type Role, roleChoices } from './roles.ts';

type DialogProps = { member: Member; close(): void; refresh(): Promise<void> };

export function ChangeRole({ member, close, refresh }: DialogProps) {
  const app = useApp();
  const start: { role: Role } = { role: member.direct_role ?? member.role };
  const form = useForm(null, start, async ({ role }) => {
    const params = { path: { person_id: member.person_id } };
    await app.api.client.PATCH('/v0/members/{person_id}', { params, body: { role } });
    app.announce(`${member.name}: ${role}`);
    await refresh();
    close();
  });
  return (
    <Dialog title={`The role of ${member.name}`} close={close}>
      <form.Form label="Role">
        <form.Choice name="role" label="Role" choices={roleChoices} />
        <form.Footer submit="Change role" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

/** Removes somebody from the project, or leaves it. */
export function RemoveMember({ member, isSelf, close, refresh }: DialogProps & { isSelf: boolean }) {
  const app = useApp();
  const [revokes, setRevokes] = useState(false);
  const work = async (): Promise<void> => {
    const query = { tokens: revokes ? ('revoke' as const) : ('keep' as const) };
    const params = { path: { person_id: member.person_id }, query };
    await app.api.client.DELETE('/v0/members/{person_id}', { params });
    if (isSelf) return location.assign('/');
    app.announce(`${member.name}: removed`);
    await refresh();
  };
  const title = isSelf ? 'Leave the project?' : `Remove ${member.name}?`;
  return (
    <ConfirmDialog title={title} button={isSelf ? 'Leave' : 'Remove'} close={close} work={work}>
      <p>
        {isSelf ? 'You see nothing of the project any more.' : 'What they do in the project ends at once.'} Coming back
        needs an invitation.
      </p>
      {app.can('tokens:write') && (
        <label class="check">
          <input type="checkbox" checked={revokes} onChange={event => setRevokes(event.currentTarget.checked)} />
          Revoke the API tokens that {isSelf ? 'you' : 'they'} made, too
        </label>
      )}
    </ConfirmDialog>
  );
}
