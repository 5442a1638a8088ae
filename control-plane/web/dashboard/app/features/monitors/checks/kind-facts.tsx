import { describeFailure } from '#shared/checks/failure-words.ts';
import { formatMs } from '../../../kit/milliseconds.ts';
import { At } from '../../../kit/time.tsx';
import type { CheckResult } from '../../../session/api-types.ts';
import { describeAnswerer } from './diagnosis.ts';

/** What a check saw beside status and assertions, as pairs of a list of terms. */
export function KindFacts({ check }: { check: CheckResult }) {
  const { http_version, dns, ping, grpc, websocket, signal, output, error, diagnosis, tls, domain, measured } = check;
  const { addresses } = check;
  return (
    <>
      {error?.host != null && [
        <dt key="host name">Failed at</dt>,
        <dd key="host">{`${error.host} (${error.phase})`}</dd>,
      ]}
      {http_version !== null && [<dt key="http name">HTTP version</dt>, <dd key="http">{http_version}</dd>]}
      {tls !== null && [<dt key="tls name">TLS</dt>, <dd key="tls">{describeTls(tls)}</dd>]}
      {diagnosis != null && [
        <dt key="diagnosis name">What answered</dt>,
        <dd key="diagnosis">{describeAnswerer(diagnosis)}</dd>,
      ]}
      {ping !== null && [<dt key="ping name">Replies</dt>, <dd key="ping">{describePing(ping)}</dd>]}
      {grpc !== null && [<dt key="grpc name">gRPC</dt>, <dd key="grpc">{grpc.status ?? `code ${grpc.code}`}</dd>]}
      {websocket?.subprotocol != null && [
        <dt key="subprotocol name">Subprotocol</dt>,
        <dd key="subprotocol">{websocket.subprotocol}</dd>,
      ]}
      {websocket !== null &&
        websocket.messages > 0 && [<dt key="messages name">Messages</dt>, <dd key="messages">{websocket.messages}</dd>]}
      {signal !== null && [<dt key="signal name">Signal</dt>, <dd key="signal">{describeSignal(signal)}</dd>]}
      {output != null && [
        <dt key="output name">Output</dt>,
        <dd key="output">
          <pre>{output}</pre>
        </dd>,
      ]}
      {measured != null && [<dt key="value name">Value</dt>, <dd key="value">{describeMeasured(measured)}</dd>]}
      {addresses != null && <AddressFacts addresses={addresses} />}
      {domain !== null && [
        <dt key="registry name">Registry</dt>,
        <dd key="registry">{domain.server ?? 'none'}</dd>,
        <dt key="end name">Registered until</dt>,
        <dd key="end">{domain.ends_at ?? 'not said'}</dd>,
      ]}
      {dns !== null && [
        <dt key="dns name">{dns.rcode} from</dt>,
        <dd key="dns">{dns.server}</dd>,
        ...dns.answers.map(({ name, type, ttl, data }, index) => [
          <dt key={`${index} name`}>
            {type} {name}
          </dt>,
          <dd key={index}>
            <code>{data}</code> for {ttl} s
          </dd>,
        ]),
        ...dns.servers.map(({ server, rcode, agrees }) => [
          <dt key={`${server} name`}>{server}</dt>,
          <dd key={server}>{agrees ? 'agrees' : `differs: ${rcode ?? 'no answer'}`}</dd>,
        ]),
      ]}
    </>
  );
}

/** Every address of a name, each with what it came to. */
export function AddressFacts({ addresses }: { addresses: NonNullable<CheckResult['addresses']> }) {
  const { at, answering, total, list } = addresses;
  return (
    <>
      <dt>Addresses</dt>
      <dd>
        {answering} of {total} answer, at <At at={at} />
      </dd>
      {list.map(({ address, error_code, ms }) => [
        <dt key={`${address} name`}>
          <code>{address}</code>
        </dt>,
        <dd key={address}>{error_code === null ? `answered in ${formatMs(ms)}` : describeFailure(error_code)}</dd>,
      ])}
    </>
  );
}

function describeTls({ protocol, alpn, verified, subject, valid_to }: NonNullable<CheckResult['tls']>): string {
  const agreed = alpn === null ? protocol : `${protocol}, ${alpn}`;
  return verified ? agreed : `${agreed}; not verified: ${subject ?? 'a certificate'}, valid to ${valid_to}`;
}

function describeSignal({ type, exit_code, run_seconds, rid }: NonNullable<CheckResult['signal']>): string {
  const code = exit_code === null ? '' : `, exit code ${exit_code}`;
  const run = run_seconds === null ? '' : `, after ${run_seconds.toFixed(1)} s`;
  return `${type}${code}${run}${rid === null ? '' : `, run ${rid}`}`;
}

function describeMeasured({ value, sample, base }: NonNullable<CheckResult['measured']>): string {
  const shown = (figure: number) => figure.toLocaleString('en', { maximumSignificantDigits: 4 });
  const ofWeek = base === null ? '' : `, of ${shown(base)} a week before`;
  const ofSample = sample === null ? '' : `, sample ${shown(sample)}`;
  return `${value === null ? 'none' : shown(value)}${ofWeek}${ofSample}`;
}

function describePing({ sent, received, min_ms, avg_ms, max_ms, jitter_ms }: NonNullable<CheckResult['ping']>): string {
  const ms = (value: number) => `${Number(value.toFixed(value < 1 ? 2 : 1))}`;
  const times =
    min_ms === null || avg_ms === null || max_ms === null
      ? ''
      : `; ${ms(min_ms)} / ${ms(avg_ms)} / ${ms(max_ms)} ms (shortest, mean, longest)`;
  const jitter = jitter_ms === null ? '' : `, jitter ${ms(jitter_ms)} ms`;
  return `${received} of ${sent}${times}${jitter}`;
}
