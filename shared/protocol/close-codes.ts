/** Why the control plane closes a socket, as WebSocket close codes of the private range. */
export const closeCodes = {
  revoked: 4001,
  replaced: 4002,
  malformed: 4003,
  tooSlow: 4004,
  goingAway: 4005,
  noHello: 4006,
} as const;

/** After these an agent must not try again by itself: its secret will not work any more. */
export function isFinal(code: number): boolean {
  return code === closeCodes.revoked;
}
