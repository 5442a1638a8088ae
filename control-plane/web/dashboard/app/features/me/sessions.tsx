import { ActionButton } from '../../kit/button.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago, At } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import type { OwnSession } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

type SessionsProps = { sessions: readonly OwnSession[]; refresh(): Promise<void> };

const ways: Readonly<Record<OwnSession['method'], string>> = {
  passkey: 'by a passkey',
  oidc: 'by your account',
  link: 'by a link',
  token: 'by a token',
};

/** Where somebody is signed in; all but this session can be ended here. */
export function Sessions({ sessions, refresh }: SessionsProps) {
  const app = useApp();
  const all = useAction();
  const endOthers = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/me/sessions');
    app.announce('You are signed out everywhere else');
    await refresh();
  };
  return (
    <section>
      <h2>Where you are signed in</h2>
      <ul class="cards" aria-label="Sessions">
        {sessions.map(session => (
          <Row key={session.id} session={session} refresh={refresh} />
        ))}
      </ul>
      <div class="buttons">
        <ActionButton action={all} work={endOthers}>
          Sign out everywhere else
        </ActionButton>
      </div>
      <p class="hint">This also ends your visits to status pages for members, in every browser.</p>
      <ProblemNote problem={all.problem} />
    </section>
  );
}

function Row({ session, refresh }: { session: OwnSession; refresh(): Promise<void> }) {
  const app = useApp();
  const action = useAction();
  const { id, method, user_agent, current, last_seen_at, expires_at } = session;
  const browser = browserOf(user_agent);
  const end = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/me/sessions/{id}', { params: { path: { id } } });
    app.announce(`${browser}: signed out`);
    await refresh();
  };
  return (
    <li class="card row wall-row" data-row>
      <div class="what" title={user_agent}>
        <strong>{browser}</strong>
        <span class="hint">{current ? `this one · ${ways[method]}` : ways[method]}</span>
      </div>
      <span class="hint">
        seen <Ago at={last_seen_at} /> · ends <At at={expires_at} />
      </span>
      <div class="do">
        {!current && (
          <ActionButton class="quiet" action={action} work={end} label={`Sign out ${browser}`}>
            Sign out
          </ActionButton>
        )}
        <ProblemNote problem={action.problem} />
      </div>
    </li>
  );
}

const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const;
const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };

/** `Firefox on Linux`, from what browsers say of themselves; the first word of everything else. */
function browserOf(userAgent: string): string {
  const find = (words: readonly string[]) => words.find(word => userAgent.includes(word));
  const nameOf = (word: string) => names[word] ?? word;
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return userAgent.split(/[ /]/)[0] || 'Unknown program';
  return system === undefined ? nameOf(browser) : `${nameOf(browser)} on ${nameOf(system)}`;
}
