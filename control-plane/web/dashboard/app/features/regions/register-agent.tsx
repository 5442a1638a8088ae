import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Choose, Line } from '../../kit/form/controlled.tsx';
import { Form } from '../../kit/form/form.tsx';
import { useDraft } from '../../kit/form/use-draft.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Agent, RegionDetails } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { enrolmentsOf } from './enrolment.ts';

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
