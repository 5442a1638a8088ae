import { useState } from 'preact/hooks';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { read } from '../../session/api.ts';
import type { Agent, RegionDetails } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { enrolmentsOf } from './enrolment.ts';

type RegisterProps = { regions: readonly RegionDetails[]; close(): void; refresh(): Promise<void> };

/** Creates an agent, and shows once how to run it. */
export function RegisterAgent({ regions, close, refresh }: RegisterProps) {
  const app = useApp();
  const [made, setMade] = useState<Agent | null>(null);
  const form = useForm('new agent', { region: regions[0]?.code ?? '', name: '' }, async ({ region, name }) => {
    const agent = await read(app.api.client.POST('/v0/agents', { body: { region, name: name.trim() } }));
    setMade(agent);
    app.announce(`${agent.name}: registered`);
    await refresh();
  });
  if (made?.secret !== undefined)
    return <Enrolment agent={{ name: made.name, secret: made.secret }} region={made.region} close={close} />;
  return (
    <Dialog title="Register an agent" close={close}>
      <form.Form label="Register an agent">
        <form.Choice
          name="region"
          label="Region"
          choices={regions.map(({ code, name }) => [code, name === code ? code : `${name} (${code})`] as const)}
        />
        <form.Line
          name="name"
          label="Name"
          hint="A name that identifies its machine. With two agents per region, checks go on when one fails."
          input={{ required: true, maxLength: 100, placeholder: `${form.draft.region}-1` }}
        />
        <form.Footer submit="Register agent" cancel={close} />
      </form.Form>
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
