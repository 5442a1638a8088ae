import { serveGallery } from './gallery-server.ts';

const { url } = await serveGallery(Number(process.argv[2] ?? 8090));
console.log(`The gallery: ${url}/?theme=light and ${url}/?theme=dark. Ctrl-C stops it.`);
