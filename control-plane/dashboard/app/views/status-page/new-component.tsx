import { useState } from 'preact/hooks';
import type { Named, StatusPage } from '../../data/api-types.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { Form, TextField, type Values } from '../../parts/form.tsx';
import { PickMany } from '../../parts/pick-many.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type NewComponentProps = { page: StatusPage; monitors: readonly Named[]; refresh(): Promise<void> };

/** Its form exists only while it is open: a list of 2,000 monitors on each page would slow every update down. */
export function NewComponent({ page, monitors, refresh }: NewComponentProps) {
  const { api } = useApp();
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const create = async (values: Values, form: HTMLFormElement): Promise<void> => {
    const body = { status_page_id: page.id, name: values.text('name'), monitor_ids: picked };
    await api.send('POST', '/v0/components', body);
    form.reset();
    setPicked([]);
    await refresh();
  };
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>New component</summary>
      {isOpen && (
        <Form label={`New component on ${page.name}`} action={action} submit={create}>
          <TextField
            label="Name"
            name="name"
            id={`name-${page.id}`}
            action={action}
            input={{ required: true, maxLength: 200 }}
          />
          {monitors.length > 0 && (
            <PickMany
              legend="Status follows these monitors"
              choices={monitors.map(({ id, name }) => [id, name] as const)}
              picked={picked}
              onChange={setPicked}
            />
          )}
          <ProblemNote problem={action.problem} fields={['name']} />
          <div class="buttons">
            <SubmitButton action={action}>Create component</SubmitButton>
          </div>
        </Form>
      )}
    </details>
  );
}
