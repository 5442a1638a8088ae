import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import type { Token } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { MadeToken } from './made-token.tsx';
import { createToken } from './new-token.tsx';
import { revokeToken } from './revoke-token.tsx';
import { describeScopes } from './scopes.ts';

type RotateProps = { token: Token; tokens: readonly Token[]; close(): void; onChange(): void };

/** A new secret with the same scopes; the old one works until it is revoked here, or later. */
export function RotateToken({ token, close, onChange }: RotateProps) {
  const app = useApp();
  const action = useAction();
  const [made, setMade] = useState<Token | null>(null);
  const { name, scopes, expires_at } = token;
  const create = async (): Promise<void> => {
    setMade(await createToken(app, { name, scopes, ...(expires_at === null ? {} : { expires_at }) }));
    onChange();
  };
  const revoke = async (): Promise<void> => {
    await revokeToken(app, token, true);
    app.announce(`${name}: the old token is revoked`);
    onChange();
    close();
  };
  if (made === null)
    return (
      <Dialog title={`Rotate ${name}`} close={close}>
        <p>
          This creates a second token with the same name, scopes ({describeScopes(scopes)}) and expiry. Both work until
          you revoke the old one.
        </p>
        <ProblemNote problem={action.problem} />
        <div class="buttons">
          <ActionButton action={action} work={create} class="primary">
            Create the new token
          </ActionButton>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Dialog>
    );
  return (
    <MadeToken token={made} close={close}>
      <ProblemNote problem={action.problem} />
      <p>Once the new secret is in place, revoke the old token.</p>
      <div class="buttons">
        <ActionButton action={action} work={revoke} class="danger">
          Revoke the old token
        </ActionButton>
        <button type="button" onClick={close}>
          Later
        </button>
      </div>
    </MadeToken>
  );
}
