import { SubmitButton } from '../../kit/button.tsx';
import { Form, TextArea, TextField, type Values } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { At } from '../../kit/time.tsx';
import { type Action, useAction } from '../../session/action.ts';
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

function Editor({ project, onChange }: { project: Project; onChange(project: Project): void }) {
  const app = useApp();
  const action = useAction();
  const save = async (values: Values): Promise<void> => {
    const body = {
      name: values.text('name'),
      allowed_origins: values.text('allowed_origins').split(/\s+/).filter(Boolean),
      grouping: {
        wait_seconds: numberOf(values.text('wait_seconds')),
        join_seconds: numberOf(values.text('join_seconds')),
      },
      notices: {
        region_silent_after_seconds: secondsOrNever(values.text('region_silent')),
        agent_silent_after_seconds: secondsOrNever(values.text('agent_silent')),
      },
    };
    onChange(await read(app.api.client.PATCH('/v0/project', { body })));
    app.announce('Saved');
  };
  return (
    <Form class="card" label="Project" draft="project" action={action} submit={save}>
      <h2>Project</h2>
      <TextField label="Name" name="name" action={action} value={project.name} input={{ maxLength: 200 }} />
      <TextArea
        label="Allowed origins"
        name="allowed_origins"
        action={action}
        rows={4}
        value={project.allowed_origins.join('\n')}
        hint="Web pages that may send events, one origin per line, such as https://shop.example.com. https://*.example.com: all its subdomains. Empty: any page may."
      />
      <h3>Alerts with the same cause</h3>
      <div class="pair">
        <NumberField
          label="Wait before the first message, seconds"
          name="wait_seconds"
          value={project.grouping.wait_seconds}
          hint="0 to 120. Alerts of severity p1 never wait."
          action={action}
        />
        <NumberField
          label="Join a group for, seconds"
          name="join_seconds"
          value={project.grouping.join_seconds}
          hint="10 to 3600, after the last alert that joined."
          action={action}
        />
      </div>
      <h3>Notices about monitoring itself</h3>
      <div class="pair">
        <NumberField
          label="A region is silent after, seconds"
          name="region_silent"
          value={project.notices.region_silent_after_seconds}
          hint="60 to 86400. Empty: never."
          action={action}
        />
        <NumberField
          label="An agent is silent after, seconds"
          name="agent_silent"
          value={project.notices.agent_silent_after_seconds}
          hint="60 to 86400. Empty: never."
          action={action}
        />
      </div>
      <ProblemNote problem={action.problem} fields={['name', 'allowed_origins']} />
      <div class="buttons">
        <SubmitButton action={action}>Save</SubmitButton>
      </div>
    </Form>
  );
}

type NumberFieldProps = { label: string; name: string; value: number | null; hint: string; action: Action };

function NumberField({ value, ...field }: NumberFieldProps) {
  return <TextField {...field} value={value === null ? '' : String(value)} input={{ inputMode: 'numeric' }} />;
}

/** The same for a token that may only read. */
function ShownValues({ project: { name, allowed_origins, grouping, notices } }: { project: Project }) {
  const seconds = (value: number | null) => (value === null ? 'never' : `after ${value} s`);
  return (
    <section class="card">
      <h2>Project</h2>
      <dl>
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>Allowed origins</dt>
        <dd>{allowed_origins.length === 0 ? 'any' : allowed_origins.join(', ')}</dd>
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
function numberOf(text: string): number {
  return text === '' || Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}

function secondsOrNever(text: string): number | null {
  return text === '' ? null : numberOf(text);
}
