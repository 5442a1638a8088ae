import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type pg from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorCode } from '#shared/error-code.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { messageBytesMax, subprotocol } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { Problem } from '../../platform/http/problem.ts';
import { CircuitBreaker } from '../../platform/resilience/circuit-breaker.ts';
import { staleIfError } from '../../platform/resilience/stale-if-error.ts';
import { admitAgent, refuseUpgrade, secretOf } from './admission.ts';
import type { Incapable } from './agent.ts';
import { type AgentDirectory, openAgentDirectory } from './directory.ts';
import type { ReadBudget, ReadBudgets } from './read-budgets.ts';
import { Reconnects } from './reconnects.ts';
import { Session, type SessionServices } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { AdmittedAgent } from './store.ts';
import type { UpgradeHandler, UpgradeRequest } from './upgrade.ts';

/** Accepts agents' sockets. */
export type Gateway = {
  upgrade: UpgradeHandler;
  /** Admits no new agents and sends the others away, spread over time so that they do not all come back at once. */
  drain(): Promise<void>;
  /** Closes the sockets that are left. */
  close(): void;
};

export type GatewayServices = Omit<SessionServices, 'connect'> & {
  pool: pg.Pool;
  sessions: Sessions;
  readBudgets: ReadBudgets;
  metrics: Metrics;
  baseUrl: string;
  /** Agents that were known before connect also while the database is away. */
  outlivesDatabase: boolean;
};

/** An upgrade whose agent is not found by then is dropped; so is a refused one that keeps its socket. */
const decideWithinMs = 5000;
const undecidedMax = 2000;
const goawaySpreadMs = 20_000;
const goawayPerSessionMs = 20;
const capabilityPattern = /^[a-z][a-z0-9._-]{0,31}$/;

/** To stop: `drain`, commit what was reported, `close`. */
export function openGateway(services: GatewayServices): Gateway {
  const { pool, sessions } = services;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    // Agents do not divide their messages; a proxy may. Each fragment costs memory of its own.
    maxFragments: 1024,
    maxBufferedChunks: 16 * 1024,
    autoPong: false,
    handleProtocols: offered => (offered.has(subprotocol) ? subprotocol : false),
  });
  const directory = openAgentDirectory(pool, services.clock);
  const reconnects = new Reconnects();
  const breaker = new CircuitBreaker();
  const findAgent = services.outlivesDatabase ? staleIfError(breaker, directory.find) : directory.find;
  const admit = async (request: UpgradeRequest) => {
    const agent = await admitAgent(request, findAgent, draining);
    reconnects.charge(agent, secretOf(request.headers.authorization ?? ''), performance.now());
    return { agent, budget: await services.readBudgets.open(agent, performance.now()) };
  };
  let draining = false;
  let undecided = 0;

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      // Node has let go of the socket: none of the server's time limits applies to it any more.
      if (isNetSocket(socket)) socket.setTimeout(decideWithinMs, () => socket.destroy());
      if (undecided >= undecidedMax)
        return refuseUpgrade(socket, new Problem('unavailable', { retryAfter: 1 }), services.baseUrl);
      try {
        reconnects.requireCalm(secretOf(request.headers.authorization ?? ''), performance.now());
      } catch (error) {
        return refuseUpgrade(socket, error, services.baseUrl);
      }
      undecided += 1;
      admit(request)
        .finally(() => {
          undecided -= 1;
        })
        .then(
          ({ agent, budget }) => {
            if (isNetSocket(socket)) socket.setTimeout(0);
            sockets.handleUpgrade(request as IncomingMessage, socket, head, webSocket =>
              openSession(webSocket, agent, budget, { ...services, breaker, directory }),
            );
          },
          error => refuseUpgrade(socket, error, services.baseUrl),
        );
    },
    drain: async () => {
      draining = true;
      await sendAway(sessions);
    },
    close: () => {
      for (const session of sessions) session.close('goingAway');
      // Those that have not said hello are no sessions yet.
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, 'goingAway');
      sockets.close();
    },
  };
}

function openSession(
  webSocket: WebSocket,
  agent: AdmittedAgent,
  budget: ReadBudget,
  services: GatewayServices & { breaker: CircuitBreaker; directory: AgentDirectory },
): void {
  const { sessions, log, metrics, breaker, directory } = services;
  const leave = (cleanClose: boolean) => directory.left({ agentId: agent.id, sessionId: session.id, cleanClose });
  const connect: SessionServices['connect'] = async (agentId, sessionId, hello) => {
    const { version, capabilities = [], incapable = [] } = hello;
    sessions.add(session);
    metrics.sessions.set(sessions.size);
    const known = capabilities.filter(word => capabilityPattern.test(word));
    const said = { version, capabilities: known, incapable: incapable.map(storable) };
    const mark = () => directory.arrived({ agentId, sessionId, ...said });
    const isKnown = await (services.outlivesDatabase ? breaker.attempt(mark, () => true) : mark());
    if (webSocket.readyState !== webSocket.OPEN) await leave(false);
    return isKnown;
  };
  const session: Session = new Session(webSocket, agent, budget, { ...services, connect });
  webSocket.on('close', code => {
    sessions.remove(session);
    metrics.sessions.set(sessions.size);
    session.end();
    void leave(code === 1000 || code === 1001).catch(error =>
      log.warn({ code: errorCode(error), agent: agent.id }, 'could not record that an agent disconnected'),
    );
  });
}

/** PostgreSQL stores no NUL and no lone surrogate. */
function storable({ word, reason }: Incapable): Incapable {
  const clean = (text: string) => text.toWellFormed().replaceAll('\0', '\u{fffd}');
  return { word: clean(word), reason: clean(reason) };
}

function isNetSocket(socket: object): socket is Socket {
  return 'setTimeout' in socket;
}

async function sendAway(sessions: Sessions): Promise<void> {
  const spreadMs = Math.min(goawaySpreadMs, sessions.size * goawayPerSessionMs);
  for (const session of sessions) {
    session.send({
      type: 'goaway',
      reason: 'the control plane is stopping',
      after_ms: Math.floor(Math.random() * spreadMs),
    });
  }
  const deadline = performance.now() + spreadMs + 500;
  while (sessions.size > 0 && performance.now() < deadline) await wait(20);
}
