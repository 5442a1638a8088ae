import { render } from 'preact';
import { Dashboard } from './dashboard.tsx';
import { guardElements } from './guard.ts';
import { openPreferences } from './state/preferences.ts';

guardElements();
const host = document.getElementById('dashboard');
if (host !== null) render(<Dashboard preferences={openPreferences()} />, host);
