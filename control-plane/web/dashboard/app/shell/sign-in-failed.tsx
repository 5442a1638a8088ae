import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../kit/dialog/dialog.tsx';
import { sayConfirmed } from '../session/confirmed.ts';
import { sentenceOf, takeSignInError } from '../session/ways-in.ts';

/** What the identity provider did not do for somebody who is signed in: confirm, or link an account. */
export function SignInFailed({ code }: { code: string }) {
  const [error, setError] = useState<string | null>(code);
  useEffect(() => {
    takeSignInError();
    // The window in which somebody was asked to confirm says it, too.
    sayConfirmed(code);
  }, []);
  if (error === null) return null;
  return (
    <Dialog title="The account was not accepted" close={() => setError(null)}>
      <p>{sentenceOf(error)}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setError(null)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
