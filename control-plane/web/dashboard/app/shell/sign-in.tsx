import { useEffect, useState } from 'preact/hooks';
import { useForm } from '../kit/form/form.tsx';
import { Mark } from '../kit/icon.tsx';
import { type SignedIn, signIn } from '../session/session.ts';
import type { SignInWays } from './ways-in.tsx';

type SignInProps = {
  /** Why the page appears. */
  note: string;
  /** Why the session could not be read. */
  fault: Error | null;
  /** The session that was just signed out of. */
  left?: SignedIn | null | undefined;
  onSignIn(session: SignedIn): void;
};

/** The sign-in page: as oneself, or by an API token. The session is in a cookie that no script can read. */
export function SignIn({ note, fault, left, onSignIn }: SignInProps) {
  const Ways = useWays();
  const [methods, setMethods] = useState<readonly string[]>(['token']);
  const form = useForm(null, { token: '' }, async ({ token }) => onSignIn(await signIn(token.trim())));
  useEffect(() => {
    document.title = 'Sign in · Upquorum';
  }, []);
  return (
    <main class="sign-in">
      <h1>
        <Mark />
        Upquorum
      </h1>
      <p class="lead">Uptime monitoring by a quorum of regions.</p>
      {note !== '' && (
        <p class="note" role="status">
          {note}
          {left?.logout_url && (
            <>
              {' '}
              That was here alone: <a href={left.logout_url}>sign out of {left.oidc_name ?? 'your account'}</a> as well.
            </>
          )}
        </p>
      )}
      {Ways !== null && <Ways onSignIn={onSignIn} onMethods={setMethods} />}
      {methods.includes('token') && (
        <form.Form label="Sign in">
          <form.Line
            name="token"
            label="API token"
            focus
            hint={
              <>
                <code>npm start</code> prints one; create more with <code>npm run admin -- token create</code>.
              </>
            }
            input={{
              type: 'password',
              autocomplete: 'current-password',
              spellcheck: false,
              placeholder: 'upq_…',
              required: true,
            }}
          />
          <form.Footer submit="Sign in" problem={fault} />
        </form.Form>
      )}
      <p class="hint">
        <a href="/docs">API reference</a> · the same token works for the API
      </p>
    </main>
  );
}

/** The code of the other ways comes after the page: who is signed in needs none of it. */
function useWays(): typeof SignInWays | null {
  const [found, setFound] = useState<{ Ways: typeof SignInWays } | null>(null);
  useEffect(() => {
    let isOpen = true;
    import('./more-ways-in.ts').then(
      ({ SignInWays: Ways }) => isOpen && setFound({ Ways }),
      // Without it a token still signs in.
      () => undefined,
    );
    return () => {
      isOpen = false;
    };
  }, []);
  return found?.Ways ?? null;
}
