/** Who makes a request: a token, or a person who is signed in. */
export type Caller = {
  /** Who calls, with the name of now. */
  actor: { type: 'token' | 'person'; id: string; name: string };
  /** Of a person who acts outside of all projects, their own id: limits and keys are theirs then. */
  projectId: string;
  scopes: readonly string[];
  /** When the token expires, in milliseconds; null: never, and for people. */
  expiresAt: number | null;
  /** The session that made the request, when its person last showed that it is them, and how they can. */
  session?: { id: string | null; confirmedAtMs: number | null; methods?: readonly string[] };
  /** Whether the person runs the installation. */
  operator?: boolean;
};

/** Whose request it is. Pages send events without a token. */
export type Sender = Pick<Caller, 'projectId'> & Partial<Pick<Caller, 'actor'>>;

/** Shows agents that serve all projects. Only the operator can give it. */
export const operatorScope = 'agents:operate';

/** Says who is in a project. No token has it. */
export const peopleScope = 'members:write';

/** Read what users did. Keys that send events stand on many servers, and must not read timelines. */
const readAlone: readonly string[] = ['events:read', 'users:read'];

/**
 * True if the scopes include the one asked for. `:write` includes `:read`, but for events and users; `*` includes all
 * but `agents:operate` and `members:write`.
 */
export function allows(scopes: readonly string[], scope: string): boolean {
  const writeScope = readAlone.includes(scope) ? scope : scope.replace(/:read$/, ':write');
  return (
    (scopes.includes('*') && scope !== operatorScope && scope !== peopleScope) ||
    scopes.includes(scope) ||
    scopes.includes(writeScope)
  );
}
