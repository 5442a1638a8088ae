import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Invitation } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

type InvitationRowProps = { invitation: Invitation; canWrite: boolean; refresh(): Promise<void> };

/** An invitation that nobody has accepted yet: it can be given a new link, or revoked. */
export function InvitationRow({ invitation, canWrite, refresh }: InvitationRowProps) {
  const app = useApp();
  const [isRevoking, setRevoking] = useState(false);
  const [made, setMade] = useState<Invitation | null>(null);
  const action = useAction();
  const { id, email, role, invited_by, mailed, created_at } = invitation;
  const name = email ?? invitation.name ?? 'a link';
  const params = { path: { id } };
  const renew = async (): Promise<void> => {
    const renewed = await read(app.api.client.POST('/v0/invitations/{id}/resend', { params }));
    setMade(renewed);
    await refresh();
  };
  const revoke = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/invitations/{id}', { params });
    app.announce(`The invitation of ${name} is revoked`);
    await refresh();
  };
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <span class="hint">
          by {invited_by.name ?? invited_by.type}
          {email !== null && (mailed ? ', emailed' : ', not emailed')}
        </span>
      </div>
      <span class="tag">{role}</span>
      <span class="hint">
        <Ago at={created_at} />
      </span>
      <div class="do">
        {canWrite && (
          <>
            <ActionButton class="quiet" action={action} work={renew} label={`New link for ${name}`}>
              New link
            </ActionButton>
            <button type="button" class="quiet" aria-label={`Revoke ${name}`} onClick={() => setRevoking(true)}>
              Revoke…
            </button>
          </>
        )}
        {action.problem !== null && <ProblemNote problem={action.problem} />}
      </div>
      {made?.url !== undefined && <InvitationLink {...made} url={made.url} close={() => setMade(null)} />}
      {isRevoking && (
        <ConfirmDialog
          title={`Revoke the invitation of ${name}?`}
          button="Revoke invitation"
          close={() => setRevoking(false)}
          work={revoke}
        >
          <p>Its link ends at once.</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

type InvitationLinkProps = Pick<Invitation, 'email' | 'mailed'> & { url: string; close(): void };

/** A link that is shown once. */
export function InvitationLink({ url, email, mailed, close }: InvitationLinkProps) {
  return (
    <Dialog title="The link of the invitation" close={close} isSticky>
      <p class="note">
        The link is shown only now. Whoever has it may join, once, within its days: hand it over safely.
      </p>
      {email !== null && (
        <p class="note">
          {mailed ? `An email with a link of its own is on its way to ${email}.` : `Nothing was emailed to ${email}.`}
        </p>
      )}
      <CopyCode label="Link" code={url} />
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
