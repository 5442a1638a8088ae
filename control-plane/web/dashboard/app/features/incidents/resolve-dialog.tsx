import { SubmitButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, type Values } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { DownWarning } from './down-warning.tsx';
import { postUpdate } from './post-update.ts';
import { templatesFor } from './update-templates.ts';

type ResolveProps = {
  incident: Incident;
  components: readonly Component[];
  onChange(incident: Incident): void;
  close(): void;
};

/** Closes the incident with a last update, whose text is ready to be sent. */
export function ResolveDialog({ incident, components, onChange, close }: ResolveProps) {
  const app = useApp();
  const action = useAction();
  const names = components.filter(({ id }) => incident.affected_components.includes(id)).map(({ name }) => name);
  const text = templatesFor(names).find(({ state }) => state === 'resolved')?.text ?? '';
  const resolve = async (values: Values): Promise<void> => {
    onChange(await read(postUpdate(app.api.client, incident, 'resolved', values.text('body'))));
    app.announce('Incident resolved');
    close();
  };
  return (
    <Dialog title="Resolve the incident" close={close} class="wide">
      <Form action={action} draft={`resolve ${incident.id}`} submit={resolve}>
        <DownWarning incident={incident} components={components} />
        <MarkdownField
          label="Last update"
          name="body"
          id="resolve-body"
          action={action}
          hint="Markdown; published immediately and sent to subscribers."
          rows={6}
          maxLength={updateLengthMax}
          value={text}
        />
        <ProblemNote problem={action.problem} fields={['body']} />
        <div class="buttons">
          <SubmitButton action={action}>Resolve</SubmitButton>
          <button type="reset" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
