import { Socket } from 'node:net';
import { Problem } from '../../platform/http/problem.ts';
import { agentSecretOf, refuseUpgrade } from './admission.ts';
import type { UpgradeHandler, UpgradeRequest } from './upgrade.ts';

// A front and a gateway started by one launcher share one public port: the front hands the socket of an upgrade to the
// launcher, and the launcher hands it to the gateway. From then on the front may die without the agent noticing.

type HandOver = { type: 'upgrade'; request: UpgradeRequest; head: string };

type Launcher = Pick<NodeJS.Process, 'send' | 'connected'>;

/**
 * Hands upgrades to the launcher; without one they are refused, and a proxy has to route them to a gateway. What cannot
 * be an agent is refused here: launcher and gateway have better things to do.
 */
export function handUpgradesOver(baseUrl: string, launcher: Launcher = process): UpgradeHandler {
  return ({ method, url, headers }, socket, head) => {
    if (launcher.send === undefined || launcher.connected !== true) {
      const detail = 'this process has no gateway: route this path to one with ROLES=gateway';
      return refuseUpgrade(socket, new Problem('not_found', { detail }), baseUrl);
    }
    // A request with a body that has not arrived yet comes on a stream of its own, which no process can be handed.
    if (!(socket instanceof Socket)) return void socket.destroy();
    try {
      agentSecretOf({ method, url, headers });
    } catch (error) {
      return refuseUpgrade(socket, error, baseUrl);
    }
    const message: HandOver = { type: 'upgrade', request: { method, url, headers }, head: head.toString('base64') };
    launcher.send(message, socket, {}, error => {
      if (error !== null) socket.destroy();
    });
  };
}

/** Receives what fronts hand over. Returns how to stop. */
export function receiveUpgrades(upgrade: UpgradeHandler): () => void {
  const receive = (message: unknown, handle: unknown): void => {
    if (!isHandOver(message) || handle === undefined) return;
    upgrade(message.request, handle as Socket, Buffer.from(message.head, 'base64'));
  };
  process.on('message', receive);
  return () => {
    process.off('message', receive);
  };
}

/** True for a message that carries an upgrade. */
export function isHandOver(message: unknown): message is HandOver {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'upgrade';
}
