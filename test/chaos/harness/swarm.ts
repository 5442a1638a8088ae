/** Agents that hold a connection and check nothing. */
export type SwarmCommand = { type: 'connect'; url: string; secrets: readonly string[] };
/** Sent ten times per second. `gaveUp`: connections without a welcome within ten seconds, or without pings. */
export type SwarmReport = { connected: number; gaveUp: number };
