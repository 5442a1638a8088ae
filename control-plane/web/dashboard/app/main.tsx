import { render } from 'preact';
import { Dashboard } from './dashboard.tsx';
import { Screen } from './features/walls/screen.tsx';
import { guardElements } from './guard.ts';
import { confirmedQuery } from './session/confirmation.ts';
import { openPreferences } from './session/preferences.ts';
import { later } from './shell/later.tsx';

const Confirmed = later(async () => (await import('./shell/confirmed.tsx')).Confirmed);
const EnterPage = later(async () => (await import('./shell/enter-page.tsx')).EnterPage);
const Join = later(async () => (await import('./shell/join.tsx')).Join);

guardElements();
// What programs may link to: `/me/tokens?new=NAME&scopes=…`.
if (location.pathname === '/me/tokens') history.replaceState(null, '', `/#/me/tokens${location.search}`);
const host = document.getElementById('dashboard');
if (host !== null && location.pathname === '/wall') {
  // Walls are dark unless the link says otherwise: they shine all day.
  document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'dark';
  render(<Screen />, host);
} else if (host !== null && location.pathname === '/join') {
  openPreferences();
  render(<Join />, host);
} else if (host !== null && location.pathname.startsWith('/auth/page/')) {
  openPreferences();
  render(<EnterPage />, host);
} else if (host !== null && location.search === confirmedQuery) {
  openPreferences();
  render(<Confirmed />, host);
} else if (host !== null) render(<Dashboard preferences={openPreferences()} />, host);
