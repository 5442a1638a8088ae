import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { clearDrafts } from './kit/form/drafts.ts';
import { createApi } from './session/api.ts';
import { type App, AppContext } from './session/app.ts';
import { startClock } from './session/clock.ts';
import { openLiveChanges } from './session/live.ts';
import type { Preferences } from './session/preferences.ts';
import { can, readSession, type Session, signOut } from './session/session.ts';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';

const retrySessionMs = 3000;
type State = { session: Session | null; note: string; fault: Error | null; isKnown: boolean };

/** The whole page: signs in, and shows the dashboard while the session lasts. */
export function Dashboard({ preferences }: { preferences: Preferences }) {
  const [state, setState] = useState<State>({ session: null, note: '', fault: null, isKnown: false });
  const { session } = state;
  const end = (note: string) => setState({ session: null, note, fault: null, isKnown: true });
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
    end('You are signed out.');
  };
  if (!state.isKnown) return null;
  if (session === null)
    return (
      <SignIn
        note={state.fault === null ? state.note : 'Reconnecting… If you were signed in, you still are.'}
        fault={state.fault}
        onSignIn={found => setState({ session: found, note: '', fault: null, isKnown: true })}
      />
    );
  const expire = () => end('Your session has ended. Sign in again to continue where you left off.');
  return (
    <SignedIn key={session.csrf_token} session={session} preferences={preferences} expire={expire} leave={leave} />
  );
}

/** Retries until the server answers: an unreachable server has not ended the session. */
async function findSession(isOpen: () => boolean, onFault: (fault: Error) => void): Promise<Session | null> {
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

type SignedInProps = { session: Session; preferences: Preferences; expire(): void; leave(): Promise<void> };

function SignedIn({ session, preferences, expire, leave }: SignedInProps) {
  const opened = useMemo(() => openApp(session, preferences, expire), [session]);
  const { app, clock } = opened;
  useEffect(
    () => () => {
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
        signOut={() => void leave()}
      />
    </AppContext.Provider>
  );
}

function openApp(session: Session, preferences: Preferences, expire: () => void) {
  const announcement = signal('');
  const waitingUntil = signal(0);
  const title = signal('');
  const api = createApi({
    csrfToken: () => session.csrf_token,
    signedOut: expire,
    onWait: untilMs => {
      waitingUntil.value = untilMs;
    },
  });
  const clock = startClock(() => api.nowMs());
  let pages = 0;
  const app: App = {
    api,
    session,
    can: scope => can(session, scope),
    now: clock.now,
    zone: preferences.zone,
    density: preferences.density,
    live: openLiveChanges({ csrfToken: () => session.csrf_token, signedOut: expire }),
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
  return { app, clock, announcement, waitingUntil };
}
