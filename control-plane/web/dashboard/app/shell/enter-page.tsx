import { useEffect, useState } from 'preact/hooks';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import { ApiProblem } from '../session/api.ts';
import { ticketFor } from '../session/page-ticket.ts';
import { readSession, type SignedIn } from '../session/session.ts';
import { Outside } from './outside.tsx';
import { SignIn } from './sign-in.tsx';

/** The way into a status page for members: signs in if need be, and goes on to the page. */
export function EnterPage() {
  const [session, setSession] = useState<SignedIn | null | 'unknown'>('unknown');
  const entering = useAction();
  const enter = (found: SignedIn | null) =>
    entering.run(async () => {
      const current = found ?? (await readSession());
      setSession(current);
      const pageId = location.pathname.split('/').at(-1) ?? '';
      // Back from the page leads to where its button was.
      if (current?.person) location.replace(await ticketFor(pageId, current));
    });
  useEffect(() => {
    void enter(null);
  }, []);
  const { problem } = entering;
  if (problem instanceof ApiProblem && problem.code === 'not_a_member') return <NotForYou />;
  if (problem !== null)
    return (
      <Outside title="Status page">
        <ProblemNote problem={problem} retry={() => void enter(null)} />
      </Outside>
    );
  if (session === 'unknown') return null;
  if (session?.person) return null;
  const note =
    session === null
      ? 'The status page is for members of its project. Sign in to see it.'
      : 'The status page is for members of its project, not for tokens. Sign in as yourself to see it.';
  return <SignIn note={note} fault={null} onSignIn={found => void enter(found)} />;
}

function NotForYou() {
  return (
    <Outside title="This page is not for you">
      <p>It does not exist, or you are not a member of its project: ask an admin of the project to invite you.</p>
      <p>
        <a href="/">Open the dashboard</a>
      </p>
    </Outside>
  );
}
