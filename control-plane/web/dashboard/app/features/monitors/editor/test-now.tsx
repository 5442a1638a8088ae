import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../../../kit/badge.tsx';
import { ActionButton } from '../../../kit/button.tsx';
import { PickMany } from '../../../kit/form/pick-many.tsx';
import { presentation } from '../../../kit/labels.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { MonitorTestBody, TestedRegion } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { describeAnswerer } from '../checks/diagnosis.ts';
import { AddressFacts } from '../checks/kind-facts.tsx';
import { StepBars } from '../checks/step-bars.tsx';
import { describeTested } from './tested.ts';

const regionsMax = 8;

type TestNowProps = {
  settings: Readonly<Record<string, unknown>>;
  regions: readonly string[];
  monitorId: string | null;
};

/** One attempt with the settings that are being edited, from regions of one's choice. */
export function TestNow({ settings, regions, monitorId }: TestNowProps) {
  const { api } = useApp();
  const action = useAction();
  const [picked, setPicked] = useState<readonly string[] | null>(null);
  const [found, setFound] = useState<readonly TestedRegion[] | null>(null);
  const chosen = (picked ?? regions).filter(region => regions.includes(region)).slice(0, regionsMax);
  const { name: _name, ...rest } = settings;
  const key = JSON.stringify([rest, chosen]);
  useEffect(() => setFound(null), [key]);
  const run = async (): Promise<void> => {
    const lent = monitorId === null ? {} : { monitor_id: monitorId };
    const body = { ...rest, ...lent, regions: chosen } as MonitorTestBody;
    const { data } = await read(api.client.POST('/v0/monitors/test', { body }));
    setFound(data);
  };
  return (
    <section class="card" aria-label="Test">
      <h2>Does it work?</h2>
      <p class="hint">Makes one attempt from each region, with the settings above. Nothing is saved.</p>
      {regions.length > regionsMax && (
        <PickMany
          legend={`Test from (at most ${regionsMax})`}
          choices={regions.map(region => [region, region] as const)}
          picked={chosen}
          onChange={setPicked}
        />
      )}
      <div class="buttons">
        <ActionButton action={action} work={run}>
          Test now
        </ActionButton>
      </div>
      <ProblemNote problem={action.problem} />
      {found !== null && (
        <div role="status">
          <ul class="lines tested">
            {found.map(tested => (
              <Tested key={tested.region} tested={tested} />
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Tested({ tested }: { tested: TestedRegion }) {
  const { region, result, response, steps = [] } = tested;
  const shown = [{ name: '', response }, ...steps].filter(one => (one.response?.body_excerpt ?? '') !== '');
  return (
    <li>
      {result === null ? (
        <Badge state={presentation('votes', 'unknown')} text="No result" />
      ) : (
        <Badge state={presentation('checks', result.status)} />
      )}
      <strong>{region}</strong>
      <span>{describeTested(tested)}</span>
      {result?.diagnosis != null && <span>What answered: {describeAnswerer(result.diagnosis)}</span>}
      {(result?.addresses != null || result?.steps != null) && (
        <dl>
          {result.addresses != null && <AddressFacts addresses={result.addresses} />}
          {result.steps != null && <StepBars steps={result.steps} />}
        </dl>
      )}
      {shown.map(one => (
        <details key={one.name}>
          <summary>Response{one.name !== '' && ` to ${one.name}`}</summary>
          <pre tabIndex={0}>{one.response?.body_excerpt}</pre>
        </details>
      ))}
    </li>
  );
}
