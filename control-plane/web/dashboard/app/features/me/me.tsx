import { useMemo } from 'preact/hooks';
import { Options } from '../../kit/form/controls.tsx';
import { useForm } from '../../kit/form/form.tsx';
import type { Choices } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { type Theme, zoneOf } from '../../session/preferences.ts';
import { readAll } from '../../session/read-all.ts';
import { zoneNames } from '../../session/zoned-time.ts';
import { Accounts } from './accounts.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { OwnTokens } from './tokens.tsx';

const tokensMax = 1000;
const themeChoices: Choices = [
  ['system', 'that of the system'],
  ['light', 'light'],
  ['dark', 'dark'],
];

/** Who is signed in: their name, their passkeys, their tokens and where they are signed in. A token changes nothing. */
export function Me() {
  const { api, session } = useApp();
  const { person, project, token_id } = session;
  const load = useLoad(
    '',
    async () => {
      if (person === null || token_id !== null) return null;
      const [me, passkeys, sessions, tokens] = await Promise.all([
        read(api.client.GET('/v0/me')),
        read(api.client.GET('/v0/me/passkeys')),
        read(api.client.GET('/v0/me/sessions')),
        readAll(query => api.client.GET('/v0/me/tokens', { params: { query } }), tokensMax),
      ]);
      const accounts = me.person?.identities ?? [];
      return { name: me.person?.name ?? '', accounts, passkeys: passkeys.data, sessions: sessions.data, tokens };
    },
    30_000,
  );
  const { value, refresh } = load;
  return (
    <Page title="Me" freshness={load.freshness} refresh={refresh}>
      {token_id !== null && (
        <p class="empty">
          {person === null
            ? 'You are signed in by a token: nobody in person.'
            : `You are signed in by a token of ${person.name}. To change what is yours, sign in as yourself.`}
        </p>
      )}
      {value !== null && (
        <>
          <section class="card">
            <Name name={value.name} refresh={refresh} />
          </section>
          <section class="card">
            <Looks />
          </section>
          <Passkeys passkeys={value.passkeys} refresh={refresh} />
          <Accounts accounts={value.accounts} refresh={refresh} />
          <OwnTokens tokens={value.tokens} refresh={refresh} />
          <Sessions sessions={value.sessions} refresh={refresh} />
          <p class="hint" hidden={project === null}>
            To leave a project, open <a href="#/settings/members">its members</a>.
          </p>
        </>
      )}
    </Page>
  );
}

function Name({ name, refresh }: { name: string; refresh(): Promise<void> }) {
  const app = useApp();
  const form = useForm('me', { name }, async draft => {
    await app.api.client.PATCH('/v0/me', { body: { name: draft.name.trim() } });
    app.announce('Saved');
    await refresh();
  });
  return (
    <form.Form label="Your name">
      <form.Line
        name="name"
        label="Name"
        hint="What the members of your projects see."
        input={{ autocomplete: 'name', maxLength: 100, required: true }}
      />
      <form.Footer submit="Save" />
    </form.Form>
  );
}

/** What the dashboard looks like to this person, in every browser: choosing keeps it. */
function Looks() {
  const { theme, zone, announce } = useApp();
  const named = useMemo<Choices>(() => zoneNames().map(name => [zoneOf(name), name]), []);
  const zones: Choices = [['local', 'that of the browser'], ...named];
  const own: Choices = zones.some(([name]) => name === zone.value) ? zones : [...zones, [zone.value, zone.value]];
  return (
    <div class="pair">
      <label class="field">
        <span class="label">Theme</span>
        <select
          value={theme.value}
          onChange={event => {
            theme.value = event.currentTarget.value as Theme;
            announce('Saved for every browser');
          }}
        >
          <Options choices={themeChoices} />
        </select>
      </label>
      <label class="field">
        <span class="label">Time zone</span>
        <select
          value={zone.value}
          onChange={event => {
            zone.value = event.currentTarget.value;
            announce('Saved for every browser');
          }}
        >
          <Options choices={own} />
        </select>
      </label>
    </div>
  );
}
