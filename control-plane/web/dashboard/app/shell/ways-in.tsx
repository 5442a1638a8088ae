import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../kit/button.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import type { SignedIn } from '../session/session.ts';
import {
  askForLink,
  goToProvider,
  hasPasskeys,
  readWaysIn,
  sentenceOf,
  signInByPasskey,
  takeSignInError,
  type WaysIn,
} from '../session/ways-in.ts';
import { EmailForm } from './email-form.tsx';

/** The ways in that the server offers; null until it says. */
export function useWaysIn(): WaysIn | null {
  const [ways, setWays] = useState<WaysIn | null>(null);
  useEffect(() => {
    let isOpen = true;
    readWaysIn().then(
      found => isOpen && setWays(found),
      // The page of signing in says that the server does not answer.
      () => undefined,
    );
    return () => {
      isOpen = false;
    };
  }, []);
  return ways;
}

type WaysProps = {
  onSignIn(session: SignedIn): void;
  /** Called with the ways that the server offers. */
  onMethods(methods: readonly string[]): void;
};

/** Signing in as oneself, by what the server and this browser have, and why the provider let nobody in. */
export function SignInWays({ onSignIn, onMethods }: WaysProps) {
  const ways = useWaysIn();
  const [error] = useState(takeSignInError);
  const passkey = useAction();
  const provider = useAction();
  const methods = ways?.methods ?? [];
  useEffect(() => {
    if (ways !== null) onMethods(ways.methods);
  }, [ways]);
  return (
    <div class="ways-in">
      {error !== null && (
        <p class="note" role="alert">
          {sentenceOf(error)}
        </p>
      )}
      {methods.includes('passkey') && hasPasskeys() && (
        <ActionButton class="primary" action={passkey} work={async () => onSignIn(await signInByPasskey())}>
          Use a passkey
        </ActionButton>
      )}
      {methods.includes('oidc') && (
        <ActionButton action={provider} work={() => goToProvider()}>
          Continue with {ways?.oidc_name ?? 'your account'}
        </ActionButton>
      )}
      {methods.includes('email') && <EmailLink />}
      {passkey.problem !== null && <ProblemNote problem={passkey.problem} />}
      {provider.problem !== null && <ProblemNote problem={provider.problem} />}
    </div>
  );
}

/** Asks for a link by email. */
function EmailLink() {
  return (
    <EmailForm
      label="Sign in by email"
      field="Email address"
      ask={askForLink}
      sent={email => (
        <>
          If somebody here has the verified address {email}, a link is on its way to it. It works once, for 15 minutes.
        </>
      )}
    />
  );
}
