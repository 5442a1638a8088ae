import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import type { Choices } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { pathOfProject } from '../../session/tab-project.ts';

const plans = ['pro', 'team', 'agency', 'business', 'enterprise'] as const;
const planChoices: Choices = plans.map(plan => [plan, plan]);

/** Makes a project, of which one becomes admin, and opens it. */
export function NewProject({ close }: { close(): void }) {
  const { api } = useApp();
  const start: { name: string; plan: (typeof plans)[number] } = { name: '', plan: 'team' };
  const form = useForm(null, start, async ({ name, plan }) => {
    const { id } = await read(api.client.POST('/v0/projects', { body: { name: name.trim(), plan } }));
    location.assign(pathOfProject(id));
  });
  return (
    <Dialog title="New project" close={close}>
      <form.Form label="New project">
        <form.Line name="name" label="Name" input={{ maxLength: 200, required: true }} />
        <form.Choice name="plan" label="Plan" choices={planChoices} />
        <form.Footer submit="Create project" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
