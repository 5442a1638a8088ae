import type { Check } from '#shared/checks/check.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { laneOf } from '../../lanes/lane.ts';
import type { AddressTurn } from '../addresses/address-turn.ts';
import { inTurn } from '../addresses/in-turn.ts';
import { attemptWithin, type ProbeOutcome, type ProbeTools } from '../attempt.ts';
import { signedIn, type TokenSource } from '../auth/signed-in.ts';
import { egressOf } from '../egress/egress.ts';
import type { TakeBytes } from '../http/body-reader.ts';
import { targetOf } from '../http/connect-http.ts';
import type { KindAttempt, KindProbe } from './kind.ts';

type Load<Check> = () => Promise<KindProbe<Check>>;

/** One line for each kind of check beside HTTP. They are loaded when first used: agents of HTTP checks stay small. */
const probes: { [Kind in Check['kind']]: Load<Extract<Check, { kind: Kind }>> } = {
  tcp: async () => (await import('./tcp/probe-tcp.ts')).probeTcp,
  tls: async () => (await import('./tls/probe-tls.ts')).probeTls,
  dns: async () => (await import('./dns/probe-dns.ts')).probeDns,
  ping: async () => (await import('./ping/probe-ping.ts')).probePing,
  grpc: async () => (await import('./grpc/probe-grpc.ts')).probeGrpc,
  websocket: async () => (await import('./websocket/probe-websocket.ts')).probeWebsocket,
  multistep: async () => (await import('./multistep/probe-multistep.ts')).probeMultistep,
};

type KindSettings = Pick<Assignment, 'timeout_ms' | 'assertions' | 'lane'> &
  Partial<Pick<Assignment, 'headers' | 'egress' | 'http_version' | 'secrets'>>;

/** Makes one attempt of a check that is no HTTP request. Never throws because of anything a target does. */
export async function probeKind(
  check: Check,
  { timeout_ms, assertions, lane, headers = {}, egress, http_version: httpVersion = '1.1', secrets = [] }: KindSettings,
  takeBytes: TakeBytes,
  tools: ProbeTools,
  { tokens, turn = null, ...looking }: Looking & { tokens?: TokenSource | undefined; turn?: AddressTurn | null },
): Promise<ProbeOutcome> {
  const probe = await (probes[check.kind] as Load<Check>)();
  return attemptWithin(timeout_ms, tools, async (deadline, outcome) =>
    signedIn(tokens, { deadline, outcome }, authorization =>
      inTurn(turn, { deadline, outcome }, () =>
        probe(check, {
          assertions,
          egress: egressOf(tools.trust, egress, ownHostOf(check), turn),
          tools,
          deadline,
          outcome,
          takeBytes,
          lane: laneOf({ lane }),
          headers: authorization === null ? headers : { ...headers, authorization },
          httpVersion,
          secrets,
          ...looking,
        }),
      ),
    ),
  );
}

type Looking = Pick<KindAttempt, 'cpu' | 'judge' | 'examine'>;

/** The host that is shown the client certificate: of several steps, that of the first. */
function ownHostOf(check: Check): { host: string; port: number } | null {
  if ('port' in check) return check;
  const url = check.kind === 'multistep' ? check.steps[0]?.url : undefined;
  return url === undefined ? null : targetOf(new URL(url));
}
