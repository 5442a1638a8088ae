import { useState } from 'preact/hooks';
import { enrolmentsOf } from '../../data/drafts/enrolment.ts';
import { read } from '../../data/server/api.ts';
import type { Agent, RegionDetails } from '../../data/server/api-types.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { CopyCode } from '../../parts/copy-code.tsx';
import { Choose, Line } from '../../parts/form/controlled.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Form } from '../../parts/form/form.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';
import { useDraft } from '../../state/use-draft.ts';

type RegisterProps = { regions: readonly RegionDetails[]; close(): void; refresh(): Promise<void> };

/** Creates an agent, and shows once how to run it. */
export function RegisterAgent({ regions, close, refresh }: RegisterProps) {
  const app = useApp();
  const action = useAction();
  const { draft, change, discard } = useDraft('new agent', { region: regions[0]?.code ?? '', name: '' });
  const [made, setMade] = useState<Agent | null>(null);
  const register = async (): Promise<void> => {
    const body = { region: draft.region, name: draft.name.trim() };
    const agent = await read(app.api.client.POST('/v0/agents', { body }));
    discard();
    setMade(agent);
    app.announce(`${agent.name}: registered`);
    await refresh();
  };
  const cancel = () => {
    discard();
    close();
  };
  if (made?.secret !== undefined)
    return <Enrolment agent={{ name: made.name, secret: made.secret }} region={made.region} close={close} />;
  return (
    <Dialog title="Register an agent" close={close}>
      <Form label="Register an agent" action={action} submit={register}>
        <Choose
          label="Region"
          name="region"
          action={action}
          value={draft.region}
          onText={region => change({ region })}
          choices={regions.map(({ code, name }) => [code, name === code ? code : `${name} (${code})`] as const)}
        />
        <Line
          label="Name"
          name="name"
          id="agent-name"
          action={action}
          value={draft.name}
          onText={name => change({ name })}
          hint="A name that identifies its machine. With two agents per region, checks go on when one fails."
          input={{ required: true, maxLength: 100, placeholder: `${draft.region}-1` }}
        />
        <ProblemNote problem={action.problem} fields={['region', 'name']} />
        <div class="buttons">
          <SubmitButton action={action}>Register agent</SubmitButton>
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}

type EnrolmentProps = { agent: { name: string; secret: string }; region: string; close(): void };

function Enrolment({ agent, region, close }: EnrolmentProps) {
  return (
    <Dialog title={`Run ${agent.name}`} close={close} class="wide" isSticky>
      <p class="note">
        The secret is shown only now. Run the agent in {region} in one of these ways; it connects within seconds and
        needs no open port.
      </p>
      {enrolmentsOf(agent, location.origin).map(({ label, hint, command }) => (
        <CopyCode key={label} label={label} hint={hint} code={command} />
      ))}
      <details>
        <summary>The secret alone</summary>
        <CopyCode label="AGENT_SECRET" code={agent.secret} />
      </details>
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
