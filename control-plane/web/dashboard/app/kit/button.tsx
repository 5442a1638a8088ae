import type { ComponentChildren } from 'preact';
import type { Action } from '../session/action.ts';

type ButtonProps = {
  action: Action;
  work(): Promise<void>;
  class?: string | undefined;
  label?: string | undefined;
  children: ComponentChildren;
};

/** A button that ignores presses while its work runs. It is not `disabled`, which would lose the focus. */
export function ActionButton({ action, work, class: name, label, children }: ButtonProps) {
  return (
    <button type="button" class={name} aria-label={label} {...busyProps(action)} onClick={() => void action.run(work)}>
      {children}
    </button>
  );
}

export function SubmitButton({
  action,
  children,
  disabled = false,
}: {
  action: Action;
  children: ComponentChildren;
  disabled?: boolean;
}) {
  return (
    <button type="submit" class="primary" disabled={disabled} {...busyProps(action)}>
      {children}
    </button>
  );
}

function busyProps({ running }: Action): Record<string, 'true'> {
  return running ? { 'aria-disabled': 'true', 'aria-busy': 'true' } : {};
}
