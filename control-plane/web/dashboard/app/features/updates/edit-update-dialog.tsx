import { SubmitButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';

/** The longest text of an update. */
export const updateLengthMax = 25_000;

type EditUpdateProps = { update: { id: string; body: string }; save(body: string): Promise<void>; close(): void };

/** Corrects a published update of an incident or of maintenance. */
export function EditUpdateDialog({ update, save, close }: EditUpdateProps) {
  const action = useAction();
  return (
    <Dialog title="Edit the update" close={close} class="wide">
      <Form
        action={action}
        draft={`edit ${update.id}`}
        submit={async values => {
          await save(values.text('body'));
          close();
        }}
      >
        <MarkdownField
          label="Corrected text"
          name="body"
          id="edited-body"
          action={action}
          hint="The page marks the update as edited. No notifications are sent."
          rows={8}
          maxLength={updateLengthMax}
          value={update.body}
        />
        <ProblemNote problem={action.problem} fields={['body']} />
        <div class="buttons">
          <SubmitButton action={action}>Save</SubmitButton>
          <button type="reset" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
