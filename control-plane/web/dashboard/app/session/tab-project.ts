import type { OwnProject, Person, Session, SignedIn } from './session.ts';

const storedAs = 'upquorum project';

/** The project that an address of the dashboard names: `/p/proj_…`. */
export function projectOfPath(path: string): string | null {
  return /^\/p\/(\w{1,100})\/?$/.exec(path)?.[1] ?? null;
}

export function pathOfProject(id: string): string {
  return `/p/${id}`;
}

export type Chosen =
  | { kind: 'in'; session: Session }
  /** The person is not in the project that the address names, or not any more; null: in none at all. */
  | {
      kind: 'outside';
      person: Person;
      projects: readonly OwnProject[];
      id: string | null;
      /** The session for what is no project's: it has no scopes. */
      session: Session;
    };

/** The project of the tab: the one that the address names, or else the last one, or the first. */
export function chooseProject(signedIn: SignedIn, path: string, last: string | null): Chosen {
  const { csrf_token, expires_at, methods = [], oidc_name = null } = signedIn;
  const common = { csrf_token, expires_at, methods, oidc_name };
  if (!('projects' in signedIn) || signedIn.person === null) {
    const { project_id, token_id, scopes } = signedIn as Extract<SignedIn, { token_id: string }>;
    const token = { ...common, project_id, token_id, scopes };
    return { kind: 'in', session: { ...token, person: null, project: null, projects: [] } };
  }
  const { person, projects } = signedIn;
  const named = projectOfPath(path);
  const find = (id: string | null) => projects.find(project => project.id === id);
  const project = named === null ? (find(last) ?? projects[0]) : find(named);
  const own = { ...common, token_id: signedIn.token_id ?? null, person, projects };
  if (project === undefined) {
    const session = { ...own, project_id: '', scopes: [], project: null };
    return { kind: 'outside', person, projects, id: named, session };
  }
  return { kind: 'in', session: { ...own, project_id: project.id, scopes: project.scopes, project } };
}

/** The project that was open last in this browser; null where there is none or storage is forbidden. */
export function lastProject(storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(storedAs);
  } catch {
    return null;
  }
}

/** Writes the tab's project into its address, and keeps it for addresses that name none. */
export function showProject({ project, project_id }: Session): void {
  const path = project === null ? '/' : pathOfProject(project_id);
  const isOther = project === null ? projectOfPath(location.pathname) !== null : location.pathname !== path;
  if (isOther) history.replaceState(null, '', `${path}${location.search}${location.hash}`);
  if (project === null) return;
  try {
    localStorage.setItem(storedAs, project_id);
  } catch {
    // Without storage the first project opens.
  }
}
