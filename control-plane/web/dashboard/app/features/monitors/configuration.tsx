import type { ComponentChildren } from 'preact';
import { describeExpectation } from '#shared/assertions/describe.ts';
import { presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import { At } from '../../kit/time.tsx';
import type { Monitor } from '../../session/api-types.ts';
import { assertionsOf } from './editor/assertion-draft.ts';
import { kindWords, okWithoutAssertions } from './editor/kind-words.ts';
import { everyMinutes } from './words.ts';

/** Everything that is set on a monitor, to be read. */
export function Configuration({ monitor }: { monitor: Monitor }) {
  const { alert_policy, alert_rules, auth, body, component_ids, headers, labels } = monitor;
  const assertions = assertionsOf(monitor);
  const names = Object.entries(headers);
  return (
    <section class="card">
      <h2>Configuration</h2>
      <dl class="facts">
        <Fact name={kindWords[monitor.kind].name}>
          {monitor.kind === 'http' && `${monitor.method} `}
          <span class="url">{monitor.url}</span>
        </Fact>
        <OwnFacts monitor={monitor} />
        <Fact name="Schedule">{describeSchedule(monitor)}</Fact>
        {monitor.regions.length > 0 && (
          <>
            <Fact name="Regions">{monitor.regions.join(', ')}</Fact>
            <Fact name="Quorum">
              {monitor.quorum} of {monitor.regions.length}
            </Fact>
          </>
        )}
        <Fact name="Assertions">
          {assertions.length === 0 ? (
            okWithoutAssertions[monitor.kind].replace(/^Without assertions, /, '')
          ) : (
            <ul>
              {assertions.map((assertion, index) => (
                <li key={index}>
                  <code>{describeExpectation(assertion)}</code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {names.length > 0 && (
          <Fact name="Headers">
            {names.map(([name, value]) => (
              <div key={name}>
                <code>
                  {name}: {value}
                </code>
              </div>
            ))}
          </Fact>
        )}
        {auth !== null && <Fact name="Signs in">{describeAuth(auth)}</Fact>}
        {body !== null && (
          <Fact name="Body">
            <code>{body.slice(0, 400)}</code>
          </Fact>
        )}
        <Fact name="Alerts">
          {presentation('severities', alert_policy.severity).label}
          {alert_policy.slack_channel !== null && `, Slack ${alert_policy.slack_channel}`}
          {alert_policy.escalate_after_minutes !== null &&
            `, escalates after ${alert_policy.escalate_after_minutes} min`}
        </Fact>
        <Fact name="Alert rules">{describeRules(alert_rules)}</Fact>
        {Object.keys(labels).length > 0 && (
          <Fact name="Labels">
            {Object.entries(labels).map(([key, value]) => (
              <span key={key} class="tag">
                {key}={value}
              </span>
            ))}
          </Fact>
        )}
        <Fact name="Published">
          {component_ids.length === 0 ? (
            'on no status page'
          ) : (
            <a href="#/status-pages">drives {plural(component_ids.length, 'component')} on status pages</a>
          )}
        </Fact>
        {monitor.events !== undefined && <EventsFacts events={monitor.events} />}
        {monitor.domain !== undefined && <DomainFacts domain={monitor.domain} />}
        <Fact name="Version">{monitor.config_version}</Fact>
      </dl>
    </section>
  );
}

function describeSchedule({ kind, interval_seconds, timeout_ms, follow_redirects, heartbeat }: Monitor): string {
  if (heartbeat !== undefined) {
    const { cron, timezone, grace_seconds, max_run_seconds } = heartbeat;
    const times = cron === null ? `a success each ${interval_seconds} s` : `a success at ${cron} (${timezone})`;
    const runs = max_run_seconds === null ? '' : `, runs of at most ${max_run_seconds} s`;
    return `${times}, ${grace_seconds} s of grace${runs}`;
  }
  if (kind === 'events') return everyMinutes(interval_seconds);
  const redirects = follow_redirects ? ', follows redirects' : ', does not follow redirects';
  return `every ${interval_seconds} s, timeout ${timeout_ms / 1000} s${kind === 'http' ? redirects : ''}`;
}

function describeAuth(auth: NonNullable<Monitor['auth']>): string {
  if (auth.type === 'oauth2') return `as ${auth.client_id}, with a token of ${auth.token_url}`;
  return auth.type === 'basic' ? `as ${auth.username}, with a password` : 'with a token';
}

function describeRules({ confirm_seconds, recover_seconds, flap, degraded }: Monitor['alert_rules']): string {
  const rules = [
    confirm_seconds > 0 && `opens after ${confirm_seconds} s down`,
    recover_seconds > 0 && `resolves after ${recover_seconds} s up`,
    flap !== null && `quiet while flapping (${flap.changes} changes in ${flap.window_seconds} s)`,
    degraded !== null && `${degraded.severity.toUpperCase()} after ${degraded.after_seconds} s degraded`,
  ].filter(rule => rule !== false);
  return rules.length === 0 ? 'opens and resolves at once' : rules.join(', ');
}

/** What of stored events is counted. */
function EventsFacts({ events }: { events: NonNullable<Monitor['events']> }) {
  const { event, measure, window_seconds, within_seconds, against, min_sample, settle_seconds } = events;
  const what = event === null ? 'how many finish the flow' : `${measure} of ${event.name} (${event.type})`;
  const within = within_seconds === null ? '' : `, within ${within_seconds} s`;
  return (
    <>
      <Fact name="Counted">{`${what}${within}`}</Fact>
      {event !== null && event.where.length > 0 && (
        <Fact name="Where">
          {event.where.map(({ prop, op, value }, index) => (
            <div key={index}>
              <code>{`${prop} ${op}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`}</code>
            </div>
          ))}
        </Fact>
      )}
      <Fact name="Window">{`${window_seconds / 60} min, judged ${settle_seconds} s after its end`}</Fact>
      <Fact name="Compared with">{against === null ? 'nothing' : 'the same window a week before'}</Fact>
      <Fact name="Least sample">{min_sample ?? 0}</Fact>
    </>
  );
}

/** What the registry of a domain said last. */
function DomainFacts({ domain }: { domain: NonNullable<Monitor['domain']> }) {
  const { name, registrar, statuses, ends_at, registered_at, server } = domain;
  if (server === null) return <Fact name="Domain">{name}: nothing is known of it yet</Fact>;
  return (
    <>
      <Fact name="Domain">{name}</Fact>
      <Fact name="Registered until">{ends_at === null ? 'not said by the registry' : <At at={ends_at} />}</Fact>
      {registered_at !== null && (
        <Fact name="Registered since">
          <At at={registered_at} />
        </Fact>
      )}
      <Fact name="Registrar">{registrar ?? 'not said by the registry'}</Fact>
      {statuses.length > 0 && <Fact name="Registry status">{statuses.join(', ')}</Fact>}
      <Fact name="Registry server">{server}</Fact>
    </>
  );
}

/** What the kind has of its own, where it is not as usual. */
function OwnFacts({ monitor: { tcp, tls, dns, ping, grpc, websocket, multistep } }: { monitor: Monitor }) {
  return (
    <>
      {(tcp ?? websocket)?.send != null && (
        <Fact name="Sends">
          <code>{(tcp ?? websocket)?.send}</code>
        </Fact>
      )}
      {tcp?.read === true && <Fact name="Answer">at least one byte must come</Fact>}
      {grpc !== undefined && <Fact name="Service">{grpc.service === '' ? 'the server as a whole' : grpc.service}</Fact>}
      {grpc !== undefined && Object.keys(grpc.metadata).length > 0 && (
        <Fact name="Metadata">
          {Object.entries(grpc.metadata).map(([name, value]) => (
            <div key={name}>
              <code>
                {name}: {value}
              </code>
            </div>
          ))}
        </Fact>
      )}
      {websocket?.read === true && <Fact name="Answer">a message must come</Fact>}
      {websocket !== undefined && websocket.subprotocols.length > 0 && (
        <Fact name="Subprotocols">{websocket.subprotocols.join(', ')}</Fact>
      )}
      {multistep !== undefined && (
        <Fact name="In order">
          <ol>
            {multistep.steps.map(({ name, method, url, auth }) => (
              <li key={name}>
                {name}: {method} <span class="url">{url}</span>
                {auth !== null && `, signs in ${describeAuth(auth)}`}
              </li>
            ))}
          </ol>
        </Fact>
      )}
      {tls?.starttls != null && <Fact name="Protocol">{tls.starttls}, then TLS</Fact>}
      {ping !== undefined && <Fact name="Packets">{ping.count}</Fact>}
      {dns !== undefined && dns.agree_with.length > 0 && <Fact name="Compared with">{dns.agree_with.join(', ')}</Fact>}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
