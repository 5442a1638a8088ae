import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bundleWith } from '#control-plane/web/dashboard/bundle.ts';
import { dashboardPage, pageHeaders } from '#control-plane/web/dashboard/page.ts';

const entry = fileURLToPath(new URL('app/gallery/main.tsx', import.meta.url));
const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Serves the gallery on this machine alone. It is no part of the control plane: no customer can reach it. */
export async function serveGallery(port: number): Promise<{ url: string; stop(): Promise<void> }> {
  const bundle = await bundleWith(entry);
  const { files } = bundle;
  const page = dashboardPage(bundle);
  const server = createServer((request, response) => {
    const name = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
    const file = files.get(name);
    const type =
      file === undefined ? 'text/html; charset=utf-8' : (types[name.split('.').at(-1) ?? ''] ?? 'text/plain');
    response.writeHead(200, { ...pageHeaders, 'Content-Type': type }).end(file ?? page);
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => new Promise(resolve => server.close(() => resolve())) };
}
