import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** What deciding about an upgrade needs of a request; it may come from another process. */
export type UpgradeRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export type UpgradeHandler = (request: UpgradeRequest, socket: Duplex, head: Buffer) => void;
