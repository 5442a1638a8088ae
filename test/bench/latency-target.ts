import { type AddressInfo, createServer } from 'node:net';

// Its own process, so that its CPU is not counted in the figures. It answers `/<delay>/<id>` after that many
// milliseconds, with the time since it accepted the connection, by its own clock, in a header and in its log.
const body = JSON.stringify({ status: 'ok', filler: 'x'.repeat(2000) });
const own = new Map<string, number>();

const server = createServer(socket => {
  const acceptedMs = performance.now();
  let head = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', bytes => {
    head += bytes.toString('latin1');
    if (!head.endsWith('\r\n\r\n')) return;
    const [, delay = '0', id = ''] = /^GET \/(\d+)\/(\S+) /.exec(head) ?? [];
    const answer = () => {
      const ownMs = performance.now() - acceptedMs;
      own.set(id, ownMs);
      const head = `Content-Length: ${body.length}\r\nX-Own-Ms: ${ownMs.toFixed(3)}\r\nConnection: close`;
      socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`);
    };
    if (delay === '0') answer();
    else setTimeout(answer, Number(delay));
  });
});
server.listen(0, '127.0.0.1', 4096, () => {
  process.send?.({ type: 'listening', port: (server.address() as AddressInfo).port });
});
process.on('message', () => {
  process.send?.({ type: 'own', own: [...own] });
  own.clear();
});
process.on('disconnect', () => process.exit(0));
