/**
 * What every agent of this version can do beside the HTTP checks of the first versions; it says so in `hello`.
 * `assert.2`: assertions on latency, TLS, DNS and packets, and `on_fail`; `assert.3`: those that version 0.10.0 lacks.
 * `secrets.1`: blacks out `secrets` in answers. `egress.steps`: `egress` of checks of several steps, which version
 * 0.10.0 would leave out, `auth.steps`: tokens of their steps, which 0.13.0 would.
 */
export const capabilities = [
  'tls.facts',
  'probe.now',
  'tcp',
  'tls',
  'dns',
  'grpc',
  'websocket',
  'multistep',
  'assert.2',
  'assert.3',
  'secrets.1',
  'egress.1',
  'egress.proxy',
  'egress.steps',
  'http.2',
  'auth.oauth2',
  'auth.steps',
  'egress.each',
] as const;
/** What some agents can do as well: `ping` needs a program of the host, `dns.own` servers in the agent's settings. */
export const hostCapabilities = ['ping', 'dns.own'] as const;
/**
 * What gateways can do, not agents: each counts it for every agent whose session it has. `gateway.2`: it puts `auth`
 * into assignments, `gateway.3`: secrets of the project, `gateway.4`: `auth` of steps. Monitors with any of it need the
 * word, so that an older control plane, which would have them checked without, gives them to nobody.
 */
export const gatewayCapabilities = ['gateway.2', 'gateway.3', 'gateway.4'] as const;
export type Capability =
  | (typeof capabilities)[number]
  | (typeof hostCapabilities)[number]
  | (typeof gatewayCapabilities)[number];
