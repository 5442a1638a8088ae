import type { ComponentChildren } from 'preact';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import type { Token } from '../../session/api-types.ts';
import { describeScopes } from './scopes.ts';

/** The secret of a new token, which is shown this once. */
export function MadeToken({ token, close, children }: { token: Token; close(): void; children?: ComponentChildren }) {
  return (
    <Dialog title={`Token ${token.name}`} close={close} class="wide">
      <CopyCode
        label="Secret of the token"
        hint="Copy it now: it is not stored and cannot be shown again."
        code={token.token ?? ''}
      />
      <p class="hint">Scopes: {describeScopes(token.scopes)}</p>
      {children ?? (
        <div class="buttons">
          <button type="button" class="primary" onClick={close}>
            Done
          </button>
        </div>
      )}
    </Dialog>
  );
}
