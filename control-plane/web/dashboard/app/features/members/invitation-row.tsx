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
  const [url, setUrl] = useState<string | null>(null);
  const action = useAction();
  const { id, email, role, invited_by, created_at } = invitation;
  const name = email ?? invitation.name ?? 'a link';
  const params = { path: { id } };
  const renew = async (): Promise<void> => {
    const renewed = await read(app.api.client.POST('/v0/invitations/{id}/resend', { params }));
    setUrl(renewed.url ?? null);
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
        <span class="hint">by {invited_by.name ?? invited_by.type}</span>
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
      {url !== null && <InvitationLink url={url} close={() => setUrl(null)} />}
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

/** A link that is shown once. */
export function InvitationLink({ url, close }: { url: string; close(): void }) {
  return (
    <Dialog title="The link of the invitation" close={close} isSticky>
      <p class="note">
        The link is shown only now. Whoever has it may join, once, within its days: hand it over safely.
      </p>
      <CopyCode label="Link" code={url} />
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
