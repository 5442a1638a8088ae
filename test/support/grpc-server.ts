import { type Metadata, Server, ServerCredentials, type ServiceDefinition, type ServiceError } from '@grpc/grpc-js';

/** What the health service is asked, and its answer: the number of a status, or an error. */
export type HealthCallback = (service: string, metadata: Metadata) => number | Partial<ServiceError>;

const check = {
  path: '/grpc.health.v1.Health/Check',
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
};
const definition: ServiceDefinition = { check };

/** A server of grpc-js on this host. Without `answer` it has no health service. */
export async function startGrpcServer(
  answer: HealthCallback | null,
  { tls }: { tls?: { key: string; cert: string; authority?: string } } = {},
) {
  const server = new Server();
  if (answer !== null)
    server.addService(definition, {
      check: (
        { request, metadata }: { request: Buffer; metadata: Metadata },
        done: (error: Partial<ServiceError> | null, value?: Buffer) => void,
      ) => {
        const given = answer(request.subarray(2).toString(), metadata);
        if (typeof given === 'number') done(null, Buffer.from([0x08, given]));
        else done(given);
      },
    });
  const pair = tls === undefined ? null : { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  const credentials = pair === null ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error))),
  );
  return { port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}
