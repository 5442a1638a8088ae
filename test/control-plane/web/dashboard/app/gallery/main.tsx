import { signal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { guardElements } from '#control-plane/web/dashboard/app/guard.ts';
import { Page } from '#control-plane/web/dashboard/app/kit/page.tsx';
import type { Api } from '#control-plane/web/dashboard/app/session/api.ts';
import { type App, AppContext } from '#control-plane/web/dashboard/app/session/app.ts';
import { nowMs } from '../samples.ts';
import { Boxes } from './boxes.tsx';
import { Data } from './data.tsx';
import { Fields } from './fields.tsx';
import { States } from './states.tsx';

const sections = { States, Boxes, Fields, Data };

/** Parts find here what they need of the app; nothing reaches a server. */
const app: App = {
  api: { nowMs: () => nowMs } as unknown as Api,
  session: {
    csrf_token: '',
    expires_at: '',
    project_id: 'prj_1',
    token_id: 'tok_1',
    person: null,
    project: null,
    projects: [],
    scopes: ['*'],
  },
  can: () => true,
  now: signal(nowMs),
  zone: signal('utc'),
  theme: signal('system'),
  density: signal('normal'),
  live: { isLive: signal(true), on: () => () => undefined, stop: () => undefined },
  announce: () => undefined,
  go: () => undefined,
  title: signal(''),
  takesFocus: () => false,
  refreshes: signal(0),
};

/** Every part in every state. */
function Gallery() {
  const [theme, setTheme] = useState(new URLSearchParams(location.search).get('theme') ?? 'light');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  const other = theme === 'light' ? 'dark' : 'light';
  return (
    <AppContext.Provider value={app}>
      <main>
        <Page
          title="Gallery"
          freshness={{ asOf: nowMs, error: null }}
          actions={
            <button type="button" onClick={() => setTheme(other)}>
              Show in {other}
            </button>
          }
        >
          {Object.entries(sections).map(([name, Section]) => (
            <section key={name} class="column" aria-label={name}>
              <h2>{name}</h2>
              <Section />
            </section>
          ))}
        </Page>
      </main>
    </AppContext.Provider>
  );
}

guardElements();
const host = document.getElementById('dashboard');
if (host !== null) render(<Gallery />, host);
