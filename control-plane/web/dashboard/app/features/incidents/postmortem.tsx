import { ActionButton } from '../../kit/button.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { describeUsers } from '../releases/words.ts';
import { externalUrl } from './post-update.ts';
import { draftPostmortem } from './postmortem-draft.ts';
import { affectedNames } from './update-templates.ts';

type PostmortemProps = {
  incident: Incident;
  components: readonly Component[];
  onChange(incident: Incident): void;
};

/** The post-mortem: a text on the status page, or a link to an external one, which takes precedence. */
export function Postmortem({ incident, components, onChange }: PostmortemProps) {
  const app = useApp();
  const drafting = useAction();
  const { id, postmortem_url } = incident;
  const start = { postmortem_body: incident.postmortem_body ?? '', postmortem_url: externalUrl(incident) };
  const form = useForm(`post-mortem ${id}`, start, async draft => {
    const [url, text] = [draft.postmortem_url.trim(), draft.postmortem_body.trim()];
    const body = { postmortem_url: url === '' ? null : url, postmortem_body: text === '' ? null : text };
    onChange(await read(app.api.client.PATCH('/v0/incidents/{id}', { params: { path: { id } }, body })));
    app.announce('Saved');
  });
  const draft = async (): Promise<void> => {
    const users = await measuredUsers(app, incident);
    form.change({ postmortem_body: draftPostmortem(incident, affectedNames(incident, components), users) });
  };
  return (
    <details class="card">
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
      <form.Form label="Post-mortem">
        <MarkdownField
          field={form.text('postmortem_body')}
          label="Text"
          hint="Markdown, shown on the incident’s public page."
          rows={16}
        />
        <form.Line
          name="postmortem_url"
          label="Or link to an external post-mortem"
          input={{ type: 'url', placeholder: 'https://' }}
        />
        <form.Footer submit="Save" />
      </form.Form>
    </details>
  );
}

/** How many users the incident affected, in a sentence; null if that is not known. */
async function measuredUsers({ api, can }: App, { id }: Incident): Promise<string | null> {
  if (!can('events:read')) return null;
  const impact = await read(api.client.GET('/v0/incidents/{id}/impact', { params: { path: { id } } })).catch(
    () => null,
  );
  return impact === null || impact.users.status === 'cannot_tell' ? null : describeUsers(impact.users);
}
