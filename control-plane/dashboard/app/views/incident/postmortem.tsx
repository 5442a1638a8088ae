import type { Incident } from '../../data/api-types.ts';
import { externalUrl } from '../../data/incident-update.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { Form, TextField, type Values } from '../../parts/form.tsx';
import { MarkdownField } from '../../parts/markdown-field.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type PostmortemProps = { incident: Incident; onChange(incident: Incident): void };

/** The post-mortem: a text on the status page, or a link to an external one, which takes precedence. */
export function Postmortem({ incident, onChange }: PostmortemProps) {
  const app = useApp();
  const action = useAction();
  const { postmortem_url } = incident;
  const save = async (values: Values): Promise<void> => {
    const [url, body] = [values.text('postmortem_url'), values.text('postmortem_body')];
    const changed = await app.api.send<Incident>('PATCH', `/v0/incidents/${incident.id}`, {
      postmortem_url: url === '' ? null : url,
      postmortem_body: body === '' ? null : body,
    });
    onChange(changed);
    app.announce('Saved');
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
      <Form label="Post-mortem" action={action} submit={save}>
        <MarkdownField
          label="Text"
          name="postmortem_body"
          action={action}
          hint="Markdown, shown on the incident’s public page."
          rows={10}
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
