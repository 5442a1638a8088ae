import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../session/action.ts';
import { ActionButton } from '../button.tsx';
import { ProblemNote } from '../problem.tsx';
import { Dialog } from './dialog.tsx';

type ConfirmProps = {
  title: string;
  button: string;
  close(): void;
  work(): Promise<void>;
  /** What has to be typed first, for what cannot be undone. */
  typed?: string;
  /** What the button says that leaves all as it is. */
  cancel?: string;
  isDanger?: boolean;
  children: ComponentChildren;
};

/** Asks before something that cannot be undone; it closes when that is done. */
export function ConfirmDialog({ title, button, close, work, typed, children, ...look }: ConfirmProps) {
  const { cancel = 'Cancel', isDanger = true } = look;
  const action = useAction();
  const [text, setText] = useState('');
  const run = async (): Promise<void> => {
    await work();
    close();
  };
  const mayGo = typed === undefined || text.trim() === typed;
  return (
    <Dialog title={title} close={close}>
      {children}
      {typed !== undefined && (
        <div class="field">
          <label for="confirm-text">
            Type <code>{typed}</code> to confirm
          </label>
          <input
            id="confirm-text"
            autocomplete="off"
            autocapitalize="none"
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </div>
      )}
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        {mayGo ? (
          <ActionButton action={action} work={run} class={isDanger ? 'danger' : 'primary'}>
            {button}
          </ActionButton>
        ) : (
          <button type="button" class="danger" disabled>
            {button}
          </button>
        )}
        <button type="button" onClick={close}>
          {cancel}
        </button>
      </div>
    </Dialog>
  );
}
