import { useRef } from 'preact/hooks';
import { ActionButton, SubmitButton } from '../../kit/button.tsx';
import { Form, TextField, type Values, writeField } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { describeUsers } from '../releases/words.ts';
import { externalUrl } from './post-update.ts';
import { draftPostmortem } from './postmortem-draft.ts';

type PostmortemProps = {
  incident: Incident;
  components: readonly Component[];
  onChange(incident: Incident): void;
};

/** The post-mortem: a text on the status page, or a link to an external one, which takes precedence. */
export function Postmortem({ incident, components, onChange }: PostmortemProps) {
  const app = useApp();
  const action = useAction();
  const drafting = useAction();
  const host = useRef<HTMLDetailsElement>(null);
  const draft = async (): Promise<void> => {
    const names = components.filter(({ id }) => incident.affected_components.includes(id)).map(({ name }) => name);
    const text = draftPostmortem(incident, names, await measuredUsers(app, incident));
    const form = host.current?.querySelector('form') ?? null;
    if (form !== null) writeField(form, 'postmortem_body', text);
  };
  const { postmortem_url } = incident;
  const save = async (values: Values): Promise<void> => {
    const [url, body] = [values.text('postmortem_url'), values.text('postmortem_body')];
    const changes = { postmortem_url: url === '' ? null : url, postmortem_body: body === '' ? null : body };
    const params = { path: { id: incident.id } };
    onChange(await read(app.api.client.PATCH('/v0/incidents/{id}', { params, body: changes })));
    app.announce('Saved');
  };
  return (
    <details class="card" ref={host}>
      <summary>
        <h2>Post-mortem</h2>
        {postmortem_url !== null && ' attached'}
      </summary>
      {postmortem_url !== null && (
        <p>
          <a href={postmortem_url} target="_blank" rel="noreferrer">
            {postmortem_url}
          </a>
        </p>
      )}
      {incident.postmortem_body === null && (
        <p>
          <ActionButton action={drafting} work={draft}>
            Draft from the timeline
          </ActionButton>{' '}
          <span class="hint">It replaces the text below; nothing is published until you save.</span>
        </p>
      )}
      <Form label="Post-mortem" draft={`post-mortem ${incident.id}`} action={action} submit={save}>
        <MarkdownField
          label="Text"
          name="postmortem_body"
          action={action}
          hint="Markdown, shown on the incident’s public page."
          rows={16}
          value={incident.postmortem_body ?? ''}
        />
        <TextField
          label="Or link to an external post-mortem"
          name="postmortem_url"
          action={action}
          value={externalUrl(incident)}
          input={{ type: 'url', placeholder: 'https://' }}
        />
        <ProblemNote problem={action.problem} fields={['postmortem_body', 'postmortem_url']} />
        <div class="buttons">
          <SubmitButton action={action}>Save</SubmitButton>
        </div>
      </Form>
    </details>
  );
}

/** How many users the incident affected, in a sentence; null if that cannot be told. */
async function measuredUsers({ api, can }: App, { id }: Incident): Promise<string | null> {
  if (!can('events:read')) return null;
  const impact = await read(api.client.GET('/v0/incidents/{id}/impact', { params: { path: { id } } })).catch(
    () => null,
  );
  return impact === null || impact.users.status === 'cannot_tell' ? null : describeUsers(impact.users);
}
