import { ActionButton } from '../kit/button.tsx';
import { useForm } from '../kit/form/form.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import type { Looked } from '../session/link.ts';
import { askToJoin, goToProvider, hasPasskeys, joinByEmail, joinByPasskey } from '../session/ways-in.ts';
import { EmailForm } from './email-form.tsx';
import { useWaysIn } from './ways-in.tsx';

type JoinWaysProps = {
  secret: string;
  looked: Pick<Extract<Looked, { type: 'invitation' }>, 'methods' | 'email'>;
  joined(): void;
};

/** Joining by an invitation as somebody whom nobody knows yet. */
export function JoinWays({ secret, looked: { methods, email }, joined }: JoinWaysProps) {
  const ways = useWaysIn();
  const provider = useAction();
  const canUsePasskey = methods.includes('passkey') && hasPasskeys();
  const canUseEmail = methods.includes('email');
  if (!canUsePasskey && !canUseEmail && !methods.includes('oidc'))
    return (
      <p class="note">
        Sign in first, as a person and in this browser, then open this link again. Whoever has no account asks an
        operator for a sign-in link.
      </p>
    );
  const provenEmail = canUseEmail ? email : null;
  return (
    <>
      {methods.includes('oidc') && (
        <ActionButton class="primary" action={provider} work={() => goToProvider(secret)}>
          Join with {ways?.oidc_name ?? 'your account'}
        </ActionButton>
      )}
      {provider.problem !== null && <ProblemNote problem={provider.problem} />}
      {(canUsePasskey || provenEmail !== null) && (
        <Newcomer {...{ secret, email: provenEmail, canUsePasskey, joined }} />
      )}
      {canUseEmail && provenEmail === null && <Proof secret={secret} />}
      <p class="hint">
        Have you been here before? <a href="/">Sign in</a> first, then open this link again.
      </p>
    </>
  );
}

type NewcomerProps = {
  secret: string;
  /** What the link proves; null for no address. */
  email: string | null;
  canUsePasskey: boolean;
  joined(): void;
};

/** Who somebody new is, and how they join: with a passkey, or with the address that the invitation was sent to. */
function Newcomer({ secret, email, canUsePasskey, joined }: NewcomerProps) {
  const joinWith = async (name: string, join: (secret: string, name: string) => Promise<unknown>) => {
    await join(secret, name.trim());
    joined();
  };
  const form = useForm(null, { name: '' }, ({ name }) => joinWith(name, canUsePasskey ? joinByPasskey : joinByEmail));
  const withEmail = `Join with ${email}`;
  const passkey = 'A passkey is made on this device.';
  const links = `Links that sign you in are emailed to ${email}.`;
  const hints = [...(canUsePasskey ? [passkey] : [links]), 'There is no password.'];
  return (
    <form.Form label="Join as somebody new">
      <form.Line
        name="name"
        label="Your name"
        hint={hints.join(' ')}
        input={{ autocomplete: 'name', maxLength: 100, required: true }}
      />
      <form.Footer submit={canUsePasskey ? 'Join with a passkey' : withEmail}>
        {canUsePasskey && email !== null && (
          <ActionButton action={form.action} work={() => joinWith(form.draft.name, joinByEmail)}>
            {withEmail}
          </ActionButton>
        )}
      </form.Footer>
    </form.Form>
  );
}

/** Asks for an email whose link proves an address, and joins with it. */
function Proof({ secret }: { secret: string }) {
  return (
    <EmailForm
      label="Join by email"
      field="Your email address"
      hint="The email has a link with which you join. There is no password."
      ask={email => askToJoin(secret, email)}
      sent={email => (
        <>
          A link is on its way to {email}. Open it to join: it works once, for 15 minutes. An address gets at most three
          a day.
        </>
      )}
    />
  );
}
