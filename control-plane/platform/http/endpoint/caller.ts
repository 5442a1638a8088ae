/** Who makes a request: a token, or a person who is signed in. */
export type Caller = {
  /** Who calls, with the name of now; a person also by a token of theirs. */
  actor: { type: 'token' | 'person'; id: string; name: string; token?: { id: string; name: string } };
  /** Of a person who acts outside of all projects, their own id: limits and keys are theirs then. */
  projectId: string;
  scopes: readonly string[];
  /** When the token expires, in milliseconds; null: never, and for people. */
  expiresAt: number | null;
  /** The session that made the request, when its person last showed that it is them, and how they can. */
  session?: { id: string | null; confirmedAtMs: number | null; methods?: readonly string[] };
  /** Whether the person runs the installation. Never by a token. */
  operator?: boolean;
  /** What a person is in the project that the request names, or that their token is for. */
  member?: { projectId: string; role: 'viewer' | 'responder' | 'editor' | 'admin'; scopes: readonly string[] };
};

/** Whose request it is. Pages send events without a token. */
export type Sender = Pick<Caller, 'projectId'> & Partial<Pick<Caller, 'actor'>>;

/** What limits and stored answers go by: the token, where there is one. */
export function keyOf({ actor }: { actor: { id: string; token?: { id: string } } }): string {
  return actor.token?.id ?? actor.id;
}

/** Whether a person calls by a session: only people may do some things, and not by a program. */
export function isPersonInSession({ actor, session }: Pick<Caller, 'actor' | 'session'>): boolean {
  return actor.type === 'person' && session !== undefined;
}

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
