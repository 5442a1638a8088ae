import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useForm } from '../kit/form/form.tsx';

type EmailFormProps = {
  label: string;
  field: string;
  hint?: string;
  /** Asks for the link. */
  ask(email: string): Promise<unknown>;
  /** What is said when it was asked for. */
  sent(email: string): ComponentChildren;
};

/** Asks for a link to an address. */
export function EmailForm({ label, field, hint, ask, sent }: EmailFormProps) {
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const form = useForm(null, { email: '' }, async ({ email }) => {
    await ask(email.trim());
    setAskedFor(email.trim());
  });
  if (askedFor !== null)
    return (
      <p class="note" role="status">
        {sent(askedFor)}
      </p>
    );
  return (
    <form.Form label={label}>
      <form.Line
        name="email"
        label={field}
        {...(hint === undefined ? {} : { hint })}
        input={{ type: 'email', maxLength: 254, autocomplete: 'email', required: true }}
      />
      <form.Footer submit="Email me a link" />
    </form.Form>
  );
}
