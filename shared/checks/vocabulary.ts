/** Kinds of monitors that can be made. */
export const monitorKinds = [
  'http',
  'tcp',
  'tls',
  'dns',
  'ping',
  'grpc',
  'websocket',
  'multistep',
  'heartbeat',
  'domain',
  'events',
] as const;
export type MonitorKind = (typeof monitorKinds)[number];

/** Kinds that are reserved or still to come: refused with "not yet". */
export const laterKinds = ['browser'] as const;

/** Protocols that begin in clear and go over to TLS when they are asked to. */
export const starttlsProtocols = ['smtp', 'imap', 'pop3', 'ftp', 'ldap', 'postgres'] as const;
export type StarttlsProtocol = (typeof starttlsProtocols)[number];

/** Versions of HTTP that a monitor may ask for; `auto`: 2 if the server agrees to it. */
export const httpVersions = ['1.1', '2', 'auto'] as const;
export type HttpVersion = (typeof httpVersions)[number];

/** Versions of HTTP that servers answer in. */
export const spokenVersions = ['1.0', '1.1', '2'] as const;
export type SpokenVersion = (typeof spokenVersions)[number];

export const dnsTransports = ['udp', 'tcp'] as const;

/** Packets of one ping. */
export const pingCount = { min: 1, max: 10 } as const;

/** What the health service of gRPC says of a service, by the numbers of its protocol. */
export const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
export type ServingStatus = (typeof servingStatuses)[number];

/** Largest status code of gRPC. */
export const grpcCodeMax = 16;

/** Subprotocols that a handshake of WebSocket offers, and the length of each. */
export const [subprotocolsMax, subprotocolLengthMax] = [5, 128];

/** Messages that one check of WebSocket reads at most. */
export const messagesMax = 20;

/** Steps of a check of kind `multistep`. */
export const stepsMax = 10;
export const stepStatuses = ['ok', 'err', 'skipped'] as const;
/** Why a step was not run: one before it failed, a value that it needs was not found, or nothing was sent to undo. */
export const skipReasons = ['earlier_failed', 'missing_variable', 'nothing_sent'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** The step of an attempt in which it failed. */
export const errorPhases = [
  'auth',
  'dns',
  'proxy',
  'connect',
  'starttls',
  'tls',
  'handshake',
  'request',
  'answer',
] as const;
export type ErrorPhase = (typeof errorPhases)[number];
