import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';

/** The longest text of an update. */
export const updateLengthMax = 25_000;

type EditUpdateProps = { update: { id: string; body: string }; save(body: string): Promise<void>; close(): void };

/** Corrects a published update of an incident or of maintenance. */
export function EditUpdateDialog({ update, save, close }: EditUpdateProps) {
  const form = useForm(`edit ${update.id}`, { body: update.body }, async ({ body }) => {
    await save(body.trim());
    close();
  });
  return (
    <Dialog title="Edit the update" close={close} class="wide">
      <form.Form>
        <MarkdownField
          field={form.text('body')}
          label="Corrected text"
          hint="The page marks the update as edited. No notifications are sent."
          rows={8}
          maxLength={updateLengthMax}
        />
        <form.Footer submit="Save" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
