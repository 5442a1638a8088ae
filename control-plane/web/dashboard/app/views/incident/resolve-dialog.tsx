import { templatesFor } from '../../data/drafts/update-templates.ts';
import { postUpdate } from '../../data/incident-update.ts';
import { read } from '../../data/server/api.ts';
import type { Component, Incident } from '../../data/server/api-types.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { updateLengthMax } from '../../parts/form/edit-update-dialog.tsx';
import { Form, type Values } from '../../parts/form/form.tsx';
import { MarkdownField } from '../../parts/form/markdown-field.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';
import { DownWarning } from './down-warning.tsx';

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
