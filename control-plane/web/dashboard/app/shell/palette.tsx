import { useEffect, useRef, useState } from 'preact/hooks';
import { foldForSearch } from '#shared/search-folding.ts';
import { Dialog } from '../kit/dialog/dialog.tsx';
import { read } from '../session/api.ts';
import type { Monitor } from '../session/api-types.ts';
import { type App, useApp } from '../session/app.ts';
import type { Preferences } from '../session/preferences.ts';
import { pathOfProject } from '../session/tab-project.ts';
import { navigationFor } from './router.tsx';

type Command = { label: string; hint: string; run(): void };
const foundMax = 8;
const typingMs = 150;

/** Finds monitors and runs commands, by typing. */
export function Palette({ close, signOut, preferences }: { close(): void; signOut(): void; preferences: Preferences }) {
  const app = useApp();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const monitors = useMonitors(app, text);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const words = foldForSearch(text).split(/\s+/).filter(Boolean);
  const commands = commandsOf(app, preferences, signOut).filter(({ label }) =>
    words.every(word => foldForSearch(label).includes(word)),
  );
  const found = [...commands, ...monitors.map(monitor => monitorCommand(app, monitor))];
  const at = Math.min(chosen, Math.max(0, found.length - 1));
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, at - 1));
    else if (event.key === 'Enter') run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search and commands" close={close} class="palette">
      <input
        ref={input}
        type="text"
        list={undefined}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        aria-label="Search monitors and commands"
        placeholder="Type a monitor’s name or a command"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        {found.map((command, index) => (
          <Option key={command.label + command.hint} {...{ command, index, run }} isChosen={index === at} />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing matches.</p>}
    </Dialog>
  );
}

type OptionProps = { command: Command; index: number; isChosen: boolean; run(command: Command): void };

function Option({ command, index, isChosen, run }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field above handles the keys
    <li id={`palette-${index}`} role="option" aria-selected={isChosen} onClick={() => run(command)}>
      <span>{command.label}</span>
      <span class="hint">{command.hint}</span>
    </li>
  );
}

/** The monitors that match, asked for once typing pauses. */
function useMonitors({ api, can }: App, text: string): readonly Monitor[] {
  const [monitors, setMonitors] = useState<readonly Monitor[]>([]);
  useEffect(() => {
    if (text.trim() === '' || !can('monitors:read')) return setMonitors([]);
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const query = { q: text.trim(), limit: foundMax };
      const found = await read(api.client.GET('/v0/monitors', { params: { query } })).catch(() => ({ data: [] }));
      if (isCurrent) setMonitors(found.data);
    }, typingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return monitors;
}

function monitorCommand(app: App, { id, name, status }: Monitor): Command {
  return { label: name, hint: `monitor · ${status}`, run: () => app.go(`#/monitors/${id}`) };
}

function commandsOf(app: App, { theme, zone }: Preferences, signOut: () => void): Command[] {
  const open = (label: string, address: string) => ({ label, hint: 'view', run: () => app.go(address) });
  const nextTheme = theme.value === 'dark' ? 'light' : 'dark';
  const nextZone = zone.value === 'utc' ? 'local' : 'utc';
  return [
    ...navigationFor(app.can).map(({ label, address }) => open(label, address)),
    ...app.session.projects
      .filter(({ id }) => id !== app.session.project_id)
      .map(({ id, name }) => ({
        label: `Open ${name}`,
        hint: `project · ${id}`,
        run: () => location.assign(pathOfProject(id)),
      })),
    ...(app.can('monitors:write') ? [open('New monitor', '#/monitors/new')] : []),
    ...(app.can('incidents:write') ? [open('New incident', '#/incidents/new')] : []),
    ...(app.can('maintenances:write') ? [open('New maintenance window', '#/maintenance/new')] : []),
    ...(app.can('channels:write') ? [open('New channel', '#/channels/new')] : []),
    {
      label: `Use the ${nextTheme} theme`,
      hint: 'setting',
      run: () => {
        theme.value = nextTheme;
      },
    },
    {
      label: nextZone === 'utc' ? 'Show times in UTC' : 'Show local times',
      hint: 'setting',
      run: () => {
        zone.value = nextZone;
      },
    },
    { label: 'Sign out', hint: 'session', run: signOut },
  ];
}
