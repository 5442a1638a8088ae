import { useEffect } from 'preact/hooks';
import { SubmitButton } from '../kit/button.tsx';
import { Form, TextField } from '../kit/form/form.tsx';
import { Mark } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import { type Session, signIn } from '../session/session.ts';

type SignInProps = {
  /** Why the page appears. */
  note: string;
  /** Why the session could not be read. */
  fault: Error | null;
  onSignIn(session: Session): void;
};

/** The sign-in page: takes an API token, which the server stores in a cookie that no script can read. */
export function SignIn({ note, fault, onSignIn }: SignInProps) {
  const action = useAction();
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
        </p>
      )}
      <Form label="Sign in" action={action} submit={async values => onSignIn(await signIn(values.text('token')))}>
        <TextField
          label="API token"
          name="token"
          action={action}
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
        <ProblemNote problem={action.problem ?? fault} />
        <SubmitButton action={action}>Sign in</SubmitButton>
      </Form>
      <p class="hint">
        <a href="/docs">API reference</a> · the same token works for the API
      </p>
    </main>
  );
}
