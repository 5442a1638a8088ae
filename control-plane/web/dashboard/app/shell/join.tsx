import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../kit/button.tsx';
import { ProblemNote } from '../kit/problem.tsx';
import { useAction } from '../session/action.ts';
import { ApiProblem } from '../session/api.ts';
import { acceptInvitation, type Looked, lookAt, secretOf, signInByLink } from '../session/link.ts';
import { readSession, type SignedIn } from '../session/session.ts';
import { pathOfProject } from '../session/tab-project.ts';
import { JoinWays } from './join-ways.tsx';
import { Outside } from './outside.tsx';

type Found = { looked: Looked; session: SignedIn | null };

/** Where links to people lead. Opening one shows what it is for; only a click uses it. */
export function Join() {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setFragment(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const secret = secretOf(fragment);
  return secret === null ? <Expired /> : <Link key={secret} secret={secret} />;
}

/** One sentence for all links that open nothing: a used one, an expired one, one that was not copied whole. */
function Expired() {
  return (
    <Outside title="This link cannot be used">
      <p>It has been used, has expired or is not complete: ask whoever sent it for a new one.</p>
    </Outside>
  );
}

function Link({ secret }: { secret: string }) {
  const [found, setFound] = useState<Found | null>(null);
  const looking = useAction();
  const acting = useAction();
  const look = () =>
    looking.run(async () => {
      const [looked, session] = await Promise.all([lookAt(secret), readSession()]);
      setFound({ looked, session });
    });
  useEffect(() => {
    void look();
  }, []);
  if (isExpired(looking.problem) || isExpired(acting.problem)) return <Expired />;
  if (looking.problem !== null)
    return (
      <Outside title="Your link">
        <ProblemNote problem={looking.problem} retry={() => void look()} />
      </Outside>
    );
  if (found === null) return null;
  const { looked, session } = found;
  return looked.type === 'sign_in' ? (
    <SignInLink
      {...{ name: looked.name, session, acting }}
      use={() => openAfter(signInByLink(secret).then(() => '/'))}
    />
  ) : (
    <Invitation
      {...{ looked, session, acting, secret }}
      joined={() => void openAfter(Promise.resolve('/'))}
      accept={by => openAfter(acceptInvitation(secret, by).then(pathOfProject))}
    />
  );
}

type Acting = ReturnType<typeof useAction>;

type SignInLinkProps = { name: string; session: SignedIn | null; acting: Acting; use(): Promise<void> };

function SignInLink({ name, session, acting, use }: SignInLinkProps) {
  return (
    <Outside title={`Sign in as ${name}`}>
      <p>This link signs you in once. Do not use it if it was made for somebody else.</p>
      {session !== null && <p class="note">The session that this browser has now ends.</p>}
      <ActionButton class="primary" action={acting} work={use}>
        Sign in as {name}
      </ActionButton>
      {acting.problem !== null && <ProblemNote problem={acting.problem} />}
    </Outside>
  );
}

type InvitationProps = {
  looked: Extract<Looked, { type: 'invitation' }>;
  session: SignedIn | null;
  acting: Acting;
  accept(by: SignedIn): Promise<void>;
  secret: string;
  /** Somebody new has joined, and is signed in. */
  joined(): void;
};

function Invitation({ looked, session, acting, accept, secret, joined }: InvitationProps) {
  const person = session?.person ?? null;
  return (
    <Outside title={`Join ${looked.project}`}>
      <p>
        {looked.invited_by} invites you to the project {looked.project} with the role {looked.role}.
      </p>
      {session !== null && person !== null ? (
        <ActionButton class="primary" action={acting} work={() => accept(session)}>
          Join as {person.name}
        </ActionButton>
      ) : (
        <JoinWays {...{ secret, looked, joined }} />
      )}
      {acting.problem !== null && <ProblemNote problem={acting.problem} />}
    </Outside>
  );
}

function isExpired(problem: Error | null): boolean {
  return problem instanceof ApiProblem && problem.code === 'link_expired';
}

/** Once the secret is used, takes it out of the address and the history, and opens the dashboard. */
async function openAfter(used: Promise<string>): Promise<void> {
  const path = await used;
  history.replaceState(null, '', '/join');
  location.replace(path);
}
