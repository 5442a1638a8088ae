import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import type { Person } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { startAtProvider } from '../../session/ways-in.ts';

type Account = Person['identities'][number];
type AccountsProps = { accounts: readonly Account[]; refresh(): Promise<void> };

/** One's accounts at the identity provider: link, unlink. */
export function Accounts({ accounts, refresh }: AccountsProps) {
  const { api, session } = useApp();
  const action = useAction();
  const [open, setOpen] = useState<Account | null>(null);
  const canLink = (session.methods ?? []).includes('oidc');
  if (!canLink && accounts.length === 0) return null;
  const link = async (): Promise<void> => {
    const asked = { purpose: 'link', return_to: `${location.pathname}${location.hash}` };
    location.assign(await startAtProvider(api.post, asked));
  };
  return (
    <section>
      <h2>Accounts</h2>
      <ul class="cards" aria-label="Accounts">
        {accounts.map(account => (
          <li key={account.id} class="card row wall-row" data-row>
            <div class="what">
              <strong>{hostOf(account.issuer)}</strong>
              <span class="hint">{account.issuer}</span>
            </div>
            <span class="hint">
              linked <Ago at={account.created_at} /> · used <Ago at={account.last_used_at} />
            </span>
            <div class="do">
              <button
                type="button"
                class="quiet"
                aria-label={`Unlink ${hostOf(account.issuer)}`}
                onClick={() => setOpen(account)}
              >
                Unlink…
              </button>
            </div>
          </li>
        ))}
      </ul>
      {canLink && (
        <div class="buttons">
          <ActionButton action={action} work={link}>
            Link an account of {session.oidc_name ?? 'your provider'}
          </ActionButton>
        </div>
      )}
      <ProblemNote problem={action.problem} />
      {open !== null && <Unlink account={open} close={() => setOpen(null)} refresh={refresh} />}
    </section>
  );
}

type UnlinkProps = { account: Account; close(): void; refresh(): Promise<void> };

function Unlink({ account, close, refresh }: UnlinkProps) {
  const app = useApp();
  const host = hostOf(account.issuer);
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/me/identities/{id}', { params: { path: { id: account.id } } });
    app.announce(`${host}: unlinked`);
    await refresh();
  };
  return (
    <ConfirmDialog title={`Unlink ${host}?`} button="Unlink account" close={close} work={work}>
      <p>It signs you in no more. What its groups gave you stays until you sign in by another account.</p>
    </ConfirmDialog>
  );
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
