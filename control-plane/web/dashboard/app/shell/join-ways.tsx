import { ActionButton } from '../kit/button.tsx';
import { useForm } from '../kit/form/form.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import { goToProvider, hasPasskeys, joinByPasskey } from '../session/ways-in.ts';
import { useWaysIn } from './ways-in.tsx';

type JoinWaysProps = {
  secret: string;
  methods: readonly string[];
  joined(): void;
};

/** Joining by an invitation as somebody whom nobody knows yet. */
export function JoinWays({ secret, methods, joined }: JoinWaysProps) {
  const ways = useWaysIn();
  const provider = useAction();
  const form = useForm(null, { name: '' }, async ({ name }) => {
    await joinByPasskey(secret, name.trim());
    joined();
  });
  const canUsePasskey = methods.includes('passkey') && hasPasskeys();
  if (!canUsePasskey && !methods.includes('oidc'))
    return (
      <p class="note">
        Sign in first, as a person and in this browser, then open this link again. Whoever has no account asks an
        operator for a sign-in link.
      </p>
    );
  return (
    <>
      {methods.includes('oidc') && (
        <ActionButton class="primary" action={provider} work={() => goToProvider(secret)}>
          Join with {ways?.oidc_name ?? 'your account'}
        </ActionButton>
      )}
      {provider.problem !== null && <ProblemNote problem={provider.problem} />}
      {canUsePasskey && (
        <form.Form label="Join with a passkey">
          <form.Line
            name="name"
            label="Your name"
            hint="Your device makes a passkey for it. There is no password."
            input={{ autocomplete: 'name', maxLength: 100, required: true }}
          />
          <form.Footer submit="Join with a passkey" />
        </form.Form>
      )}
    </>
  );
}
