import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

type DialogProps = {
  title: string;
  close(): void;
  class?: string;
  /** Shows what cannot be shown again: a click outside does not close it. */
  isSticky?: boolean;
  children: ComponentChildren;
};

/** A modal dialog, open while it is rendered. Escape or a click outside closes it; the focus returns to its opener. */
export function Dialog({ title, close, class: name, isSticky = false, children }: DialogProps) {
  const host = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = host.current;
    dialog?.showModal();
    // Closing before the removal returns the focus to the element that had it.
    return () => dialog?.close();
  }, []);
  const onCancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  const onMouseDown = (event: Event) => {
    if (event.target === event.currentTarget && !isSticky) close();
  };
  return (
    <dialog ref={host} class={name} aria-labelledby={id} onCancel={onCancel} onMouseDown={onMouseDown}>
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
