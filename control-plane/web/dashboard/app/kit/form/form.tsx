import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Action, useAction } from '../../session/action.ts';
import { SubmitButton } from '../button.tsx';
import { ProblemNote } from '../problem.tsx';
import type { FormState } from './controls.tsx';
import { type Fields, fieldsOf, openScope } from './fields.tsx';
import { type Draft, useDraft } from './use-draft.ts';

type FormProps = { label?: string; class?: string; children: ComponentChildren };

type FooterProps = {
  /** What the button that sends it says. */
  submit: ComponentChildren;
  disabled?: boolean;
  /** Gives up what was typed, or leads to where it is kept. */
  cancel?: (() => void) | string;
  class?: string;
  /** Why the form as a whole does not work, if nothing was sent. */
  problem?: Error | null;
  /** Further buttons, before the one that cancels, and after it. */
  children?: ComponentChildren;
  end?: ComponentChildren;
};

/** A form: its fields, the element around them, and what stands below them. */
export type Form<Value> = Fields<Value> & {
  action: Action;
  /** Starts again: what was typed is not wanted any more. */
  reset(): void;
  Form(props: FormProps): JSX.Element;
  /** The errors that no field shows, and the buttons. */
  Footer(props: FooterProps): JSX.Element;
};

/**
 * A form whose draft is kept under a key until it was sent; null keeps none. Members that nobody changed follow
 * `start`. `kept` says what of a draft may be stored.
 */
export function useForm<Value extends object>(
  key: string | null,
  start: Value,
  save: (draft: Value) => Promise<void>,
  kept?: (draft: Value) => Value,
): Form<Value> {
  const action = useAction();
  const draft = useDraft(key, start, kept);
  const id = useId();
  const [made] = useState(() => makeForm(draft, `${id}-`, action));
  Object.assign(made.state, { action, problem: action.problem, save });
  const { Form, Footer, scope } = made;
  return { ...fieldsOf(scope), action, reset: draft.reset, Form, Footer };
}

type Sent<Value> = FormState & { action: Action; save(draft: Value): Promise<void> };

function makeForm<Value extends object>(draft: Draft<Value>, id: string, action: Action) {
  const state: Sent<Value> = { action, problem: null, shown: new Set(), save: async () => undefined };
  const send = async (): Promise<void> => {
    await state.save(draft.get());
    draft.forget();
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void state.action.run(send);
  };
  return {
    state,
    scope: openScope(draft, state, id, ''),
    Form: ({ label, class: name, children }: FormProps) => (
      <form class={name} aria-label={label} noValidate onSubmit={onSubmit}>
        {children}
      </form>
    ),
    Footer: (props: FooterProps) => <FormFooter {...props} state={state} giveUp={draft.reset} />,
  };
}

type FormFooterProps = FooterProps & { state: Sent<never>; giveUp(): void };

function FormFooter({
  submit,
  disabled,
  cancel,
  class: name = '',
  problem,
  children,
  end,
  state,
  giveUp,
}: FormFooterProps) {
  const close = (): void => {
    giveUp();
    if (typeof cancel === 'function') cancel();
  };
  return (
    <>
      <ProblemNote problem={state.problem ?? problem ?? null} fields={[...state.shown]} />
      <div class={`buttons ${name}`.trim()}>
        <SubmitButton action={state.action} disabled={disabled ?? false}>
          {submit}
        </SubmitButton>
        {children}
        {typeof cancel === 'function' && (
          <button type="button" onClick={close}>
            Cancel
          </button>
        )}
        {typeof cancel === 'string' && (
          <a class="button" href={cancel}>
            Cancel
          </a>
        )}
        {end}
      </div>
    </>
  );
}
