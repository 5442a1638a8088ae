import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { At } from '../kit/time.tsx';
import { read } from '../session/api.ts';
import { useApp } from '../session/app.ts';
import type { Preferences, Theme } from '../session/preferences.ts';
import { isReadOnly, type Session } from '../session/session.ts';
import { ProjectSwitcher } from './project-switcher.tsx';

type ProjectMenuProps = { preferences: Preferences; openHelp(): void; signOut(): void };

/** The project, the person or token that is signed in, and the choices of this browser. */
export function ProjectMenu({ preferences, openHelp, signOut }: ProjectMenuProps) {
  const { api, can, session } = useApp();
  const { person, project, projects } = session;
  const [name, setName] = useState(project?.name ?? '');
  const isPlaceless = person !== null && project === null;
  const canMake = person?.operator === true && session.token_id === null;
  const host = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (can('project:read')) void read(api.client.GET('/v0/project')).then(project => setName(project.name), ignore);
  }, []);
  useClosing(host);
  return (
    <details class="project-menu" ref={host}>
      <summary>
        <Icon name="user" />
        <span class="project">{name || session.project_id || person?.name}</span>
        {!isPlaceless && isReadOnly(session) && <span class="tag">read-only</span>}
        <Icon name="down" />
      </summary>
      <div class="menu">
        <dl class="facts">
          {!isPlaceless && (
            <>
              <dt>Project</dt>
              <dd>
                <code>{session.project_id}</code>
              </dd>
            </>
          )}
          <Who session={session} />
          <dt>Session ends</dt>
          <dd>
            <At at={session.expires_at} />
          </dd>
        </dl>
        {person !== null && (canMake || projects.length > (isPlaceless ? 0 : 1)) && (
          <ProjectSwitcher projects={projects} current={session.project_id} canMake={canMake} />
        )}
        <Settings preferences={preferences} />
        <div class="menu-links">
          {person?.operator === true && <a href="#/installation">Installation</a>}
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          <button type="button" class="link" onClick={openHelp}>
            Keyboard shortcuts
          </button>
        </div>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </div>
    </details>
  );
}

/** Who is signed in, and what they may do. */
function Who({ session: { person, project, token_id, scopes } }: { session: Session }) {
  if (person !== null)
    return (
      <>
        <dt>Signed in as</dt>
        <dd>
          <a href="#/me">{person.name}</a>
        </dd>
        <dt>Role</dt>
        <dd>{[project?.role, person.operator && 'operator'].filter(Boolean).join(', ') || 'in no project'}</dd>
      </>
    );
  return (
    <>
      <dt>Token</dt>
      <dd>
        <code>{token_id}</code>
      </dd>
      <dt>Scopes</dt>
      <dd>{scopes.includes('*') ? 'all' : scopes.join(', ')}</dd>
    </>
  );
}

function Settings({ preferences: { theme, zone } }: { preferences: Preferences }) {
  return (
    <div class="pair">
      <label class="field">
        <span class="label">Theme</span>
        <select
          value={theme.value}
          onChange={event => {
            theme.value = event.currentTarget.value as Theme;
          }}
        >
          <option value="system">Use system theme</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label class="field">
        <span class="label">Times</span>
        <select
          value={zone.value}
          onChange={event => {
            zone.value = event.currentTarget.value;
          }}
        >
          <option value="utc">UTC</option>
          <option value="local">Local time</option>
          {!['utc', 'local'].includes(zone.value) && <option value={zone.value}>{zone.value}</option>}
        </select>
      </label>
    </div>
  );
}

/** Escape and a click elsewhere close the menu. */
function useClosing(host: { current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      if (host.current?.open && !host.current.contains(event.target as Node)) host.current.open = false;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !host.current?.open) return;
      host.current.open = false;
      host.current.querySelector('summary')?.focus();
    };
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
}

function ignore(): void {}
