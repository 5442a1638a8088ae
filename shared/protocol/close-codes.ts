/** WebSocket close codes, of the private range, that say why the control plane closes a connection. */
export const closeCodes = {
  revoked: 4001,
  replaced: 4002,
  malformed: 4003,
  tooSlow: 4004,
  goingAway: 4005,
  noHello: 4006,
} as const;

/** True if the agent's secret will never work again, so that reconnecting soon is pointless. */
export function isFinal(code: number): boolean {
  return code === closeCodes.revoked;
}
