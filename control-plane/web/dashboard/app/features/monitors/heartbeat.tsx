import { ActionButton } from '../../kit/button.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Monitor } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { signalLines } from './signal-lines.ts';

type Own = NonNullable<Monitor['heartbeat']>;
type Advice = NonNullable<Own['advice']>;

const advised: Readonly<Record<Advice['kind'], string>> = {
  interval_too_long: 'Signals come much more often than the interval says: an outage is noticed late.',
  interval_too_short: 'Signals come more rarely than the interval says.',
  grace_too_short: 'A success nearly missed its deadline.',
};

/** What a heartbeat waits for, and the lines by which a job sends its signals. */
export function Heartbeat({ monitor, onChange }: { monitor: Monitor; onChange(monitor: Monitor): void }) {
  const { heartbeat, url } = monitor;
  if (heartbeat === undefined) return null;
  const { last_success_at, expected_at, deadline_at, running_since } = heartbeat;
  return (
    <section class="card">
      <h2>Signals</h2>
      <dl class="facts">
        <dt>Last success</dt>
        <dd>{last_success_at === null ? 'none yet' : <Ago at={last_success_at} />}</dd>
        {expected_at !== null && [
          <dt key="expected name">Next expected</dt>,
          <dd key="expected">
            <Ago at={expected_at} />
            {deadline_at !== null && (
              <>
                , at the latest <Ago at={deadline_at} />
              </>
            )}
          </dd>,
        ]}
        {running_since !== null && [
          <dt key="running name">Running since</dt>,
          <dd key="running">
            <Ago at={running_since} />
          </dd>,
        ]}
        {signalLines(url, heartbeat).map(([name, line]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name}>
            <code>{line}</code>
          </dd>,
        ])}
      </dl>
      {heartbeat.advice !== null && <AdviceNote monitor={monitor} advice={heartbeat.advice} onChange={onChange} />}
    </section>
  );
}

function AdviceNote({
  monitor,
  advice,
  onChange,
}: {
  monitor: Monitor;
  advice: Advice;
  onChange(monitor: Monitor): void;
}) {
  const app = useApp();
  const action = useAction();
  const { kind, suggested_seconds: suggested } = advice;
  const isGrace = kind === 'grace_too_short';
  const follow = async (): Promise<void> => {
    const body = isGrace ? { heartbeat: withGrace(monitor.heartbeat, suggested) } : { interval_seconds: suggested };
    const params = { path: { id: monitor.id } };
    onChange((await read(app.api.client.PATCH('/v0/monitors/{id}', { params, body }))) as Monitor);
    app.announce(`${monitor.name}: saved`);
  };
  return (
    <div class="note">
      <p>{advised[kind]}</p>
      {app.can('monitors:write') && (
        <ActionButton action={action} work={follow}>
          {`Set the ${isGrace ? 'grace' : 'interval'} to ${suggested} s`}
        </ActionButton>
      )}
      <ProblemNote problem={action.problem} />
    </div>
  );
}

/** The settings alone: what is read beside them cannot be sent. */
function withGrace(heartbeat: Monitor['heartbeat'], grace: number) {
  if (heartbeat === undefined) return null;
  const { cron, timezone, max_run_seconds, post_only, keep_output, slug, aliases } = heartbeat;
  return { cron, timezone, max_run_seconds, post_only, keep_output, slug, aliases, grace_seconds: grace };
}
