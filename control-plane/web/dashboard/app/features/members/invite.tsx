import { useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { read } from '../../session/api.ts';
import type { Invitation } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { InvitationLink } from './invitation-row.tsx';
import { type Role, roleChoices } from './roles.ts';

type InviteProps = { close(): void; refresh(): Promise<void> };
type Draft = { email: string; role: Role; days: string };

/** Invites somebody, by email or by a link that whoever invites hands over. */
export function Invite({ close, refresh }: InviteProps) {
  const app = useApp();
  const [made, setMade] = useState<Invitation | null>(null);
  const start: Draft = { email: '', role: 'viewer', days: '7' };
  const form = useForm<Draft>(null, start, async ({ email, role, days }) => {
    const address = email.trim();
    const body = { email: address === '' ? null : address, role, expires_in_days: Number(days) };
    const invitation = await read(app.api.client.POST('/v0/invitations', { body }));
    setMade(invitation);
    app.announce('Invited');
    await refresh();
  });
  if (made?.url !== undefined) return <InvitationLink {...made} url={made.url} close={close} />;
  return (
    <Dialog title="Invite somebody" close={close}>
      <form.Form label="Invite">
        <form.Choice name="role" label="Role" choices={roleChoices} />
        <form.Line
          name="email"
          label="Address (optional)"
          hint="Gets the invitation by email, if the server sends any. A verified account finds it, too."
          input={{ type: 'email', maxLength: 254, placeholder: 'ada@example.com' }}
        />
        <form.Line name="days" label="Days that the link works" input={{ type: 'number', min: 1, max: 30 }} />
        <form.Footer submit="Make link" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
