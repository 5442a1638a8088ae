import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { TestCertificate } from './certificate.ts';
import { startRawTarget } from './target.ts';

/**
 * What a server of a protocol with STARTTLS says first, and how it answers each thing it is told. After the answer
 * `secured` comes a handshake.
 */
export type StarttlsScript = {
  greeting?: string | Buffer;
  answers: [asked: string | Buffer, answer: string | Buffer][];
  secured?: string | Buffer;
};

/** A server with that script; `heard` collects what it was told. */
export async function startStarttlsServer(
  { greeting, answers, secured }: StarttlsScript,
  certificate: TestCertificate & { ecdhCurve?: string },
) {
  const heard: Buffer[] = [];
  const secure = (socket: Socket) => {
    socket.removeAllListeners('data');
    const { key, cert, ecdhCurve } = certificate;
    const context = createSecureContext({ key, cert, ...(ecdhCurve === undefined ? {} : { ecdhCurve }) });
    new TLSSocket(socket, { isServer: true, secureContext: context }).on('error', () => undefined).resume();
  };
  const target = await startRawTarget(socket => {
    if (greeting !== undefined) socket.write(greeting);
    socket.on('data', (bytes: Buffer) => {
      heard.push(bytes);
      const answer = answers.find(([asked]) => bytes.equals(Buffer.from(asked)))?.[1];
      if (answer === undefined) return;
      if (answer === secured) secure(socket);
      else return void socket.write(answer);
      socket.write(answer);
    });
  });
  return { ...target, heard, [Symbol.asyncDispose]: () => target[Symbol.asyncDispose]() };
}
