import { useForm } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { At } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Project } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { SettingSections } from './sections.tsx';

/** Name, origins, grouping and notices of the project. */
export function ProjectSettings() {
  const { api } = useApp();
  const load = useLoad<Project>('', () => read(api.client.GET('/v0/project')), 30_000);
  return (
    <Page title="Settings" freshness={load.freshness} refresh={load.refresh}>
      <SettingSections />
      {load.value !== null && <Content project={load.value} onChange={load.set} />}
    </Page>
  );
}

function Content({ project, onChange }: { project: Project; onChange(project: Project): void }) {
  const { can } = useApp();
  return (
    <div class="columns room">
      <div class="column">
        {can('project:write') ? <Editor project={project} onChange={onChange} /> : <ShownValues project={project} />}
      </div>
      <div class="column">
        <section class="card">
          <h2>About this project</h2>
          <dl>
            <dt>ID</dt>
            <dd>
              <code>{project.id}</code>
            </dd>
            <dt>Plan</dt>
            <dd>{project.plan}</dd>
            <dt>Created</dt>
            <dd>
              <At at={project.created_at} />
            </dd>
          </dl>
          <p class="hint">
            Theme and time zone are choices of this browser: they are in the menu at the bottom of the navigation.
          </p>
        </section>
        <section class="card">
          <h2>Notifications</h2>
          <p>Where alerts go is set up under channels and routes.</p>
          {can('channels:read') && <a href="#/channels">Channels and routes</a>}
        </section>
      </div>
    </div>
  );
}

const seconds = { inputMode: 'numeric' } as const;
const textOf = (value: number | null) => (value === null ? '' : String(value));

function startOf({ name, allowed_origins, grouping, notices, link_sessions }: Project) {
  return {
    name,
    link_sessions,
    allowed_origins: allowed_origins.join('\n'),
    grouping: { wait_seconds: textOf(grouping.wait_seconds), join_seconds: textOf(grouping.join_seconds) },
    notices: {
      region_silent_after_seconds: textOf(notices.region_silent_after_seconds),
      agent_silent_after_seconds: textOf(notices.agent_silent_after_seconds),
    },
  };
}

function bodyOf({ name, allowed_origins, grouping, notices, link_sessions }: ReturnType<typeof startOf>) {
  return {
    link_sessions,
    name: name.trim(),
    allowed_origins: allowed_origins.split(/\s+/).filter(Boolean),
    grouping: { wait_seconds: numberOf(grouping.wait_seconds), join_seconds: numberOf(grouping.join_seconds) },
    notices: {
      region_silent_after_seconds: secondsOrNever(notices.region_silent_after_seconds),
      agent_silent_after_seconds: secondsOrNever(notices.agent_silent_after_seconds),
    },
  };
}

function Editor({ project, onChange }: { project: Project; onChange(project: Project): void }) {
  const app = useApp();
  const form = useForm('project', startOf(project), async draft => {
    onChange(await read(app.api.client.PATCH('/v0/project', { body: bodyOf(draft) })));
    app.announce('Saved');
  });
  const grouping = form.part('grouping');
  const notices = form.part('notices');
  return (
    <form.Form class="card" label="Project">
      <h2>Project</h2>
      <form.Line name="name" label="Name" input={{ maxLength: 200 }} />
      <form.Lines
        name="allowed_origins"
        label="Allowed origins"
        rows={4}
        hint="Web pages that may send events, one origin per line, such as https://shop.example.com. https://*.example.com: all its subdomains. Empty: any page may."
      />
      <form.Check
        name="link_sessions"
        label="Count what a session sent without a user for its first user"
        hint="Somebody who signs up is one person then. A change counts again all that is stored."
      />
      <h3>Alerts with the same cause</h3>
      <div class="pair">
        <grouping.Line
          name="wait_seconds"
          label="Wait before the first message, seconds"
          hint="0 to 120. Alerts of severity p1 never wait."
          input={seconds}
        />
        <grouping.Line
          name="join_seconds"
          label="Join a group for, seconds"
          hint="10 to 3600, after the last alert that joined."
          input={seconds}
        />
      </div>
      <h3>Notices about monitoring itself</h3>
      <div class="pair">
        <notices.Line
          name="region_silent_after_seconds"
          label="A region is silent after, seconds"
          hint="60 to 86400. Empty: never."
          input={seconds}
        />
        <notices.Line
          name="agent_silent_after_seconds"
          label="An agent is silent after, seconds"
          hint="60 to 86400. Empty: never."
          input={seconds}
        />
      </div>
      <form.Footer submit="Save" />
    </form.Form>
  );
}

/** The same for a token that may only read. */
function ShownValues({ project }: { project: Project }) {
  const { name, allowed_origins, grouping, notices, link_sessions } = project;
  const seconds = (value: number | null) => (value === null ? 'never' : `after ${value} s`);
  return (
    <section class="card">
      <h2>Project</h2>
      <dl>
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>Allowed origins</dt>
        <dd>{allowed_origins.length === 0 ? 'any' : allowed_origins.join(', ')}</dd>
        <dt>Sessions</dt>
        <dd>{link_sessions ? 'count for their first user' : 'count for themselves without a user'}</dd>
        <dt>Grouping</dt>
        <dd>
          waits {grouping.wait_seconds} s, joins for {grouping.join_seconds} s
        </dd>
        <dt>Silent region</dt>
        <dd>{seconds(notices.region_silent_after_seconds)}</dd>
        <dt>Silent agent</dt>
        <dd>{seconds(notices.agent_silent_after_seconds)}</dd>
      </dl>
    </section>
  );
}

/** What is no number goes to the API as it is, which says what is wrong. */
function numberOf(typed: string): number {
  const text = typed.trim();
  return text === '' || Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}

function secondsOrNever(text: string): number | null {
  return text.trim() === '' ? null : numberOf(text);
}
