/**
 * What every agent of this version can do beside the HTTP checks of the first versions; it says so in `hello`.
 * `assert.2`: assertions on latency, TLS, DNS and packets, and `on_fail`.
 */
export const capabilities = ['tls.facts', 'probe.now', 'tcp', 'tls', 'dns', 'assert.2'] as const;
/** What some agents can do as well: `ping` needs a program of the host, `dns.own` servers in the agent's settings. */
export const hostCapabilities = ['ping', 'dns.own'] as const;
export type Capability = (typeof capabilities)[number] | (typeof hostCapabilities)[number];
