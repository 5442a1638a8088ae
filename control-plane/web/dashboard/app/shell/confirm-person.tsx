import { useEffect } from 'preact/hooks';
import { ActionButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog/dialog.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import { useApp } from '../session/app.ts';
import { type Asked, confirmedQuery } from '../session/confirmation.ts';
import { onConfirmed } from '../session/confirmed.ts';
import { BrowserError } from '../session/error.ts';
import { confirmByPasskey, hasPasskeys, sentenceOf, startAtProvider } from '../session/ways-in.ts';

/** Asks the person to show that it is them, over whatever they are doing, which goes on then. */
export function ConfirmPerson({ asked: { methods, answer } }: { asked: Asked }) {
  const { api, session } = useApp();
  const passkey = useAction();
  const provider = useAction();
  const canUsePasskey = methods.includes('passkey') && hasPasskeys();
  const canAskProvider = methods.includes('oidc');
  useEffect(
    () =>
      onConfirmed(error => {
        if (error === null) return answer(true);
        void provider.run(() => Promise.reject(new BrowserError(sentenceOf(error))));
      }),
    [],
  );
  const goToProvider = async (): Promise<void> => {
    // Before anything is waited for: browsers open windows for a click alone.
    const opened = open('', '_blank');
    if (opened === null) throw new BrowserError('The browser opened no window. Allow it to, then try again.');
    try {
      const asked = { purpose: 'confirm', return_to: `/${confirmedQuery}` };
      opened.location.href = await startAtProvider(api.post, asked);
    } catch (error) {
      opened.close();
      throw error;
    }
  };
  return (
    <Dialog title="Confirm that it is you" close={() => answer(false)} isSticky>
      <p>
        This needs a confirmation that is at most ten minutes old. What you were doing goes on by itself, and what you
        typed stays.
      </p>
      {!canUsePasskey && !canAskProvider && <NoWay />}
      <ProblemNote problem={passkey.problem ?? provider.problem} />
      <div class="buttons">
        {canUsePasskey && (
          <ActionButton
            class="primary"
            action={passkey}
            work={async () => {
              await confirmByPasskey(api.post);
              answer(true);
            }}
          >
            Use a passkey
          </ActionButton>
        )}
        {canAskProvider && (
          <ActionButton class={canUsePasskey ? undefined : 'primary'} action={provider} work={goToProvider}>
            Continue with {session.oidc_name ?? 'your account'}
          </ActionButton>
        )}
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Whoever came by a link, and has nothing else. */
function NoWay() {
  return (
    <p class="note">
      This browser has neither a passkey nor an account of yours. Ask whoever runs the installation for a sign-in link:
      for ten minutes after it you may do this, and add a passkey.
    </p>
  );
}
