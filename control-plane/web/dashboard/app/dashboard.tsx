import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { clearDrafts } from './kit/form/drafts.ts';
import { later } from './kit/later.tsx';
import { createApi } from './session/api.ts';
import { type App, AppContext } from './session/app.ts';
import { startClock } from './session/clock.ts';
import { openConfirmation } from './session/confirmation.ts';
import { noLiveChanges, openLiveChanges } from './session/live.ts';
import { followPerson, type Kept, type Preferences } from './session/preferences.ts';
import { can, readSession, type Session, type SignedIn, signOut } from './session/session.ts';
import { chooseProject, lastProject, showProject } from './session/tab-project.ts';
import { isOutside } from './shell/router.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';

const Placeless = later(
  () => import('./shell/more-ways-in.ts'),
  views => views.Placeless,
);
const retrySessionMs = 3000;
type State = {
  session: SignedIn | null;
  note: string;
  fault: Error | null;
  isKnown: boolean;
  /** The session that was signed out of. */
  left?: SignedIn | null;
};

/** The whole page: signs in, and shows the dashboard while the session lasts. */
export function Dashboard({ preferences }: { preferences: Preferences }) {
  const [state, setState] = useState<State>({ session: null, note: '', fault: null, isKnown: false });
  const { session } = state;
  useEffect(() => {
    let isOpen = true;
    void findSession(
      () => isOpen,
      fault => setState(before => ({ ...before, fault, isKnown: true })),
    ).then(found => {
      if (isOpen) setState({ session: found, note: '', fault: null, isKnown: true });
    });
    return () => {
      isOpen = false;
    };
  }, []);
  const leave = async (): Promise<void> => {
    if (session !== null) await signOut(session).catch(() => undefined);
    clearDrafts();
    setState({ session: null, note: 'You are signed out.', fault: null, isKnown: true, left: session });
  };
  if (!state.isKnown) return null;
  if (session === null)
    return (
      <SignIn
        note={state.fault === null ? state.note : 'Reconnecting… If you were signed in, you still are.'}
        fault={state.fault}
        left={state.left}
        onSignIn={found => setState({ session: found, note: '', fault: null, isKnown: true })}
      />
    );
  // Another tab may have signed in: then there is a session, only another one than this page knows.
  const lookAgain = async (isRefused: boolean): Promise<void> => {
    const found = await findSession(
      () => true,
      () => undefined,
    );
    const isOver = found === null || (isRefused && found.csrf_token === session.csrf_token);
    const note = isOver ? 'Your session has ended. Sign in again to continue where you left off.' : '';
    const next = { session: isOver ? null : found, note, fault: null, isKnown: true };
    // Who signed out meanwhile sees that, not this.
    setState(before => (before.session === session ? next : before));
  };
  return <InProject signedIn={session} preferences={preferences} lookAgain={lookAgain} leave={leave} />;
}

/** Retries until the server answers: an unreachable server has not ended the session. */
async function findSession(isOpen: () => boolean, onFault: (fault: Error) => void): Promise<SignedIn | null> {
  while (isOpen()) {
    try {
      return await readSession();
    } catch (error) {
      onFault(error as Error);
      await new Promise(resolve => setTimeout(resolve, retrySessionMs));
    }
  }
  return null;
}

type InProjectProps = {
  signedIn: SignedIn;
  preferences: Preferences;
  /** Reads the session again; one that was refused and is still the same has ended. */
  lookAgain(isRefused: boolean): Promise<void>;
  leave(): Promise<void>;
};

/** The dashboard in the tab's project, or why there is none. */
function InProject({ signedIn, preferences, lookAgain, leave }: InProjectProps) {
  // What the project was called that the person has just left.
  const names = useRef(new Map<string, string>());
  const hash = useHash();
  const chosen = chooseProject(signedIn, location.pathname, lastProject());
  if (chosen.kind === 'in') {
    const { session } = chosen;
    for (const { id, name } of session.projects) names.current.set(id, name);
    showProject(session);
    const key = `${session.csrf_token} ${session.project_id} ${session.project?.role}`;
    return <OpenProject key={key} session={session} preferences={preferences} lookAgain={lookAgain} leave={leave} />;
  }
  const { person, projects, session } = chosen;
  // What is no project's opens without one.
  if (isOutside(hash)) {
    const key = `${session.csrf_token} ${person.operator}`;
    return <OpenProject key={key} session={session} preferences={preferences} lookAgain={lookAgain} leave={leave} />;
  }
  const left = chosen.id === null ? null : (names.current.get(chosen.id) ?? '');
  return <Placeless person={person} projects={projects} left={left} signOut={() => void leave()} />;
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return hash;
}

type OpenProjectProps = Pick<InProjectProps, 'preferences' | 'lookAgain' | 'leave'> & { session: Session };

function OpenProject({ session, preferences, lookAgain, leave }: OpenProjectProps) {
  const opened = useMemo(() => openApp(session, preferences, lookAgain), []);
  const { app, clock } = opened;
  useEffect(
    () => () => {
      opened.forget();
      clock.stop();
      app.live.stop();
    },
    [app],
  );
  return (
    <AppContext.Provider value={app}>
      <Shell
        preferences={preferences}
        announcement={opened.announcement}
        waitingUntil={opened.waitingUntil}
        confirmation={opened.confirmation}
        signOut={() => void leave()}
      />
    </AppContext.Provider>
  );
}

function openApp(session: Session, preferences: Preferences, lookAgain: InProjectProps['lookAgain']) {
  const announcement = signal('');
  const waitingUntil = signal(0);
  const title = signal('');
  const confirmation = openConfirmation();
  // Many requests are refused at once: one look is enough.
  let isLooking = false;
  const look = (isRefused: boolean): void => {
    if (isLooking) return;
    isLooking = true;
    void lookAgain(isRefused).finally(() => {
      isLooking = false;
    });
  };
  const { person, project_id } = session;
  const access = {
    csrfToken: () => session.csrf_token,
    projectId: person === null || project_id === '' ? null : project_id,
    signedOut: () => look(true),
    notMember: () => look(false),
  };
  const api = createApi({
    ...access,
    ...(person === null ? {} : { confirm: confirmation.confirm }),
    onWait: untilMs => {
      waitingUntil.value = untilMs;
    },
  });
  const keep = (chosen: Kept): void => {
    Object.assign(person?.preferences ?? {}, chosen);
    void api.client.PATCH('/v0/me', { body: { preferences: chosen } }).catch(ignore);
  };
  // A session of a token changes nothing of its person's.
  const isOwn = session.token_id === null;
  const forget = person?.preferences && followPerson(preferences, person.preferences, isOwn ? keep : ignore);
  const clock = startClock(() => api.nowMs());
  let pages = 0;
  const app: App = {
    api,
    session,
    can: scope => can(session, scope),
    now: clock.now,
    zone: preferences.zone,
    theme: preferences.theme,
    density: preferences.density,
    live: access.projectId === null && person !== null ? noLiveChanges : openLiveChanges(access),
    announce: text => {
      announcement.value = text;
    },
    go: address => {
      location.hash = address;
    },
    title,
    takesFocus: () => {
      pages += 1;
      return pages > 1;
    },
    refreshes: signal(0),
  };
  return { app, clock, announcement, waitingUntil, confirmation, forget: forget ?? ignore };
}

function ignore(): void {}
