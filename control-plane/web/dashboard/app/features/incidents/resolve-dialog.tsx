import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { DownWarning } from './down-warning.tsx';
import { postUpdate } from './post-update.ts';
import { affectedNames, templatesFor } from './update-templates.ts';

type ResolveProps = {
  incident: Incident;
  components: readonly Component[];
  onChange(incident: Incident): void;
  close(): void;
};

/** Closes the incident with a last update, whose text is ready to be sent. */
export function ResolveDialog({ incident, components, onChange, close }: ResolveProps) {
  const app = useApp();
  const templates = templatesFor(affectedNames(incident, components));
  const text = templates.find(({ state }) => state === 'resolved')?.text ?? '';
  const form = useForm(`resolve ${incident.id}`, { body: text }, async ({ body }) => {
    onChange(await read(postUpdate(app.api.client, incident, 'resolved', body.trim())));
    app.announce('Incident resolved');
    close();
  });
  return (
    <Dialog title="Resolve the incident" close={close} class="wide">
      <form.Form>
        <DownWarning incident={incident} components={components} />
        <MarkdownField
          field={form.text('body')}
          label="Last update"
          hint="Markdown; published immediately and sent to subscribers."
          rows={6}
          maxLength={updateLengthMax}
        />
        <form.Footer submit="Resolve" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
