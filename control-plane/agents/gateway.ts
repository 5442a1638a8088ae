import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { WebSocketServer } from 'ws';
import { newId } from '#shared/ids.ts';
import { messageBytesMax, subprotocol } from '#shared/protocol/messages.ts';
import { sqlOf } from '../db/sql.ts';
import type { Metrics } from '../http/metrics.ts';
import { type Problem, Problem as ProblemError, problemBody } from '../http/problem.ts';
import { hashBearer, isBearer } from '../secrets/bearer.ts';
import { Session, type SessionServices } from './session.ts';
import { type EnrolledAgent, findAgentBySecret, markConnected, markDisconnected, writeHeartbeats } from './store.ts';

const connectPath = '/v0/agents/connect';
const goawaySpreadMs = 20_000;
const goawayPerSessionMs = 20;

/** The sessions of this replica, by agent. */
export type Gateway = {
  sessions(): Iterable<Session>;
  sessionOf(agentId: string): Session | null;
  /** Tells the database who is alive, and closes sessions that it says are not ours any more. */
  heartbeat(): Promise<void>;
  /** Takes no new agents and sends the others away, spread over a time so that they do not all come back at once. */
  drain(): Promise<void>;
  close(): void;
};

export type GatewayServices = Omit<SessionServices, 'connect'> & { pool: pg.Pool; metrics: Metrics; baseUrl: string };

export function openGateway(server: Server, services: GatewayServices): Gateway {
  const { pool, clock, log, metrics } = services;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handleProtocols: offered => (offered.has(subprotocol) ? subprotocol : false),
  });
  const sessions = new Map<string, Session>();
  let draining = false;

  const admit = (request: IncomingMessage, socket: Duplex, head: Buffer, agent: EnrolledAgent): void => {
    sockets.handleUpgrade(request, socket, head, webSocket => {
      const connect = async (agentId: string, sessionId: string, version: string) => {
        sessions.get(agentId)?.close('replaced');
        sessions.set(agentId, session);
        metrics.sessions.set(sessions.size);
        const known = await markConnected(sqlOf(pool), agentId, sessionId, version, clock.now());
        if (webSocket.readyState !== webSocket.OPEN)
          await markDisconnected(sqlOf(pool), agentId, sessionId, false, clock.now());
        return known;
      };
      const session: Session = new Session(webSocket, agent, { ...services, connect });
      webSocket.on('close', code => {
        if (sessions.get(agent.id) === session) sessions.delete(agent.id);
        metrics.sessions.set(sessions.size);
        session.end();
        const leaving = code === 1000 || code === 1001;
        void markDisconnected(sqlOf(pool), agent.id, session.id, leaving, clock.now()).catch(error =>
          log.warn({ code: (error as { code?: string }).code, agent: agent.id }, 'could not note that an agent left'),
        );
      });
    });
  };

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    identify(request, pool, draining).then(
      agent => admit(request, socket, head, agent),
      error => refuse(socket, toProblem(error), services.baseUrl),
    );
  });

  return {
    sessions: () => sessions.values(),
    sessionOf: agentId => sessions.get(agentId) ?? null,
    heartbeat: async () => {
      const ready = [...sessions.values()].filter(session => session.ready);
      if (ready.length === 0) return;
      const ours = new Set(
        await writeHeartbeats(
          sqlOf(pool),
          ready.map(session => session.takeVitals()),
          clock.now(),
        ),
      );
      for (const session of ready) if (!ours.has(session.agent.id) && session.ready) session.close('replaced');
    },
    drain: async () => {
      draining = true;
      const spreadMs = Math.min(goawaySpreadMs, sessions.size * goawayPerSessionMs);
      for (const session of sessions.values()) {
        session.send({
          type: 'goaway',
          reason: 'the control plane stops',
          after_ms: Math.floor(Math.random() * spreadMs),
        });
      }
      const deadline = performance.now() + spreadMs + 500;
      while (sessions.size > 0 && performance.now() < deadline) await wait(20);
    },
    close: () => {
      for (const session of sessions.values()) session.close('goingAway');
      sockets.close();
    },
  };
}

async function identify(request: IncomingMessage, pool: pg.Pool, draining: boolean): Promise<EnrolledAgent> {
  if ((request.url ?? '').split('?')[0] !== connectPath) throw new ProblemError('not_found');
  if (draining) throw new ProblemError('unavailable', { retryAfter: 1 });
  const header = request.headers.authorization;
  if (header === undefined) throw new ProblemError('missing_token');
  const secret = /^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '';
  if (!isBearer('upa', secret)) throw new ProblemError('invalid_token');
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map(text => text.trim());
  if (!offered.includes(subprotocol))
    throw new ProblemError('invalid_parameter', { detail: `the subprotocol ${subprotocol} is needed` });
  const agent = await findAgentBySecret(sqlOf(pool), hashBearer(secret));
  if (agent === null) throw new ProblemError('invalid_token');
  return agent;
}

function toProblem(error: unknown): Problem {
  return error instanceof ProblemError ? error : new ProblemError('unavailable', { retryAfter: 1 });
}

function refuse(socket: Duplex, problem: Problem, baseUrl: string): void {
  const requestId = newId('req');
  const body = JSON.stringify(problemBody(problem, { baseUrl, path: connectPath, requestId }));
  const authenticate = problem.status === 401 ? 'WWW-Authenticate: Bearer\r\n' : '';
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${authenticate}X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
