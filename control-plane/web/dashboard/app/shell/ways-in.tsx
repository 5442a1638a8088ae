import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../kit/button.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import type { SignedIn } from '../session/session.ts';
import { goToProvider, hasPasskeys, readWaysIn, signInByPasskey, type WaysIn } from '../session/ways-in.ts';

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

type ButtonsProps = { ways: WaysIn; onSignIn(session: SignedIn): void };

/** Signing in as oneself, by what the server and this browser have. */
export function SignInButtons({ ways, onSignIn }: ButtonsProps) {
  const passkey = useAction();
  const provider = useAction();
  const { methods, oidc_name } = ways;
  return (
    <div class="ways-in">
      {methods.includes('passkey') && hasPasskeys() && (
        <ActionButton class="primary" action={passkey} work={async () => onSignIn(await signInByPasskey())}>
          Sign in with a passkey
        </ActionButton>
      )}
      {methods.includes('oidc') && (
        <ActionButton action={provider} work={() => goToProvider('sign_in')}>
          Sign in with {oidc_name ?? 'your account'}
        </ActionButton>
      )}
      {passkey.problem !== null && <ProblemNote problem={passkey.problem} />}
      {provider.problem !== null && <ProblemNote problem={provider.problem} />}
    </div>
  );
}
