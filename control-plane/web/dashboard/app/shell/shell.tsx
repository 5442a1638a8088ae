import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { later } from '../kit/later.tsx';
import { Page } from '../kit/page.tsx';
import { useApp } from '../session/app.ts';
import type { Confirmation } from '../session/confirmation.ts';
import type { Preferences } from '../session/preferences.ts';
import { useCounts } from './counts.ts';
import { FirstPerson, useFirstPerson } from './first-person.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { useLastInput } from './last-input.ts';
import { Palette } from './palette.tsx';
import { findView, navigationFor } from './router.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { useTab } from './tab.ts';

const waysIn = () => import('./more-ways-in.ts');
const ConfirmPerson = later(waysIn, views => views.ConfirmPerson);
const SignInFailed = later(waysIn, views => views.SignInFailed);

type ShellProps = {
  preferences: Preferences;
  announcement: ReadonlySignal<string>;
  waitingUntil: ReadonlySignal<number>;
  confirmation: Confirmation;
  signOut(): void;
};

/** The frame around every view: navigation, project, shortcuts and announcements. */
export function Shell({ preferences, announcement, waitingUntil, confirmation, signOut }: ShellProps) {
  const app = useApp();
  const address = useAddress();
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  // Read at once: the address changes as soon as the view of the project opens.
  const [signInError] = useState(() => new URLSearchParams(location.search).get('sign_in_error'));
  const counts = useCounts();
  const first = useFirstPerson();
  useTab(app.title.value, counts.alerts);
  useLastInput();
  useShortcuts({ palette: () => setOpen('palette'), help: () => setOpen('help') });
  const close = () => setOpen(null);
  // The query belongs to the view, which reads it itself.
  const place = address.split('?')[0] ?? '';
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <div class="shell">
        <Sidebar
          address={address}
          counts={counts}
          preferences={preferences}
          openPalette={() => setOpen('palette')}
          openHelp={() => setOpen('help')}
          signOut={signOut}
        />
        <main id="main" tabIndex={-1} key={place}>
          {first.isOffered && <FirstPerson place={place} decline={first.decline} />}
          <View address={address} />
        </main>
      </div>
      <Waiting until={waitingUntil} />
      <Confirming confirmation={confirmation} />
      {signInError !== null && <SignInFailed code={signInError} />}
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
      {open === 'palette' && <Palette close={close} signOut={signOut} preferences={preferences} />}
      {open === 'help' && <HelpDialog close={close} />}
    </>
  );
}

function View({ address }: { address: string }) {
  const { can } = useApp();
  const view = findView(address, can);
  const freshness = { asOf: 0, error: null };
  if (typeof view === 'string')
    return (
      <Page title="Not open to you" freshness={freshness}>
        <p class="empty">
          This page needs the scope <code>{view}</code>, which your role in this project, or your token, does not have.
          An admin can change that.
        </p>
      </Page>
    );
  return (
    view ?? (
      <Page title="Not found" freshness={freshness}>
        <p class="empty">Page not found.</p>
      </Page>
    )
  );
}

/** The fragment of the address; the first view that the token may see if there is none. */
function useAddress(): string {
  const { can } = useApp();
  const [address, setAddress] = useState(() => {
    const first = navigationFor(can)[0]?.address ?? '#/monitors';
    if (location.hash.length < 2) history.replaceState(null, '', first);
    return location.hash;
  });
  useEffect(() => {
    const onChange = () => {
      setAddress(location.hash);
      scrollTo(0, 0);
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return address;
}

function Confirming({ confirmation: { asked } }: { confirmation: Confirmation }) {
  return asked.value === null ? null : <ConfirmPerson asked={asked.value} />;
}

function Waiting({ until }: { until: ReadonlySignal<number> }) {
  const { now, api } = useApp();
  // Nobody waits most of the time: then the clock is not read, which would render this each second.
  if (until.value === 0 || api === undefined || now.value === 0) return null;
  const seconds = Math.ceil((until.value - Date.now()) / 1000);
  if (seconds <= 0) return null;
  return (
    <p class="toast" role="status">
      Too many requests: continuing in {seconds} s.
    </p>
  );
}

/** The fragment names the view, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
