/**
 * What an agent can do beside the HTTP checks of the first versions; it says so in `hello`. Later words: `tcp tls dns
 * dns.own ping assert.2 tls.options ip.family`.
 */
export const capabilities = ['tls.facts', 'probe.now'] as const;
export type Capability = (typeof capabilities)[number];
