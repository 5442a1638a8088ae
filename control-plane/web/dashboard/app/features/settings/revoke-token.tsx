import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { plural } from '../../kit/plural.ts';
import type { Token } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { descendantsOf, tokenState } from './scopes.ts';

type RevokeProps = { token: Token; tokens: readonly Token[]; close(): void; onChange(): void };

/** Asks before a token stops working, and what of the tokens that it made. */
export function RevokeToken({ token, tokens, close, onChange }: RevokeProps) {
  const app = useApp();
  const [keeps, setKeeps] = useState(true);
  const made = descendantsOf(token.id, tokens).filter(child => tokenState(child, app.now.value) === 'active');
  const revoke = async (): Promise<void> => {
    await revokeToken(app, token, keeps);
    app.announce(`${token.name}: revoked`);
    onChange();
  };
  return (
    <ConfirmDialog title={`Revoke ${token.name}?`} button="Revoke token" work={revoke} close={close}>
      <p>Everything that uses this token will stop working within seconds. This cannot be undone.</p>
      {token.id === app.session.token_id && (
        <p class="note">You are signed in with this token: your session ends at once.</p>
      )}
      {made.length > 0 && (
        <label class="box">
          <input type="checkbox" checked={keeps} onChange={() => setKeeps(!keeps)} />
          <span>
            Keep {plural(made.length, 'token')} that it made: {made.map(({ name }) => name).join(', ')}
          </span>
        </label>
      )}
    </ConfirmDialog>
  );
}

/** Tokens that it made are revoked along, unless they are kept. */
export async function revokeToken({ api }: App, { id }: Token, keeps: boolean): Promise<void> {
  const query = { descendants: keeps ? ('keep' as const) : ('revoke' as const) };
  await api.client.DELETE('/v0/tokens/{id}', { params: { path: { id }, query } });
}
