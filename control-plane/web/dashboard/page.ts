import { html } from '../../platform/markup/html.ts';
import type { Bundle } from './bundle.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // The preview of a status page: a document without an origin, see preview-frame.ts.
  "frame-src 'self'",
  // A second line of defence: the DOM is built from text nodes only, and no sink accepts a string as markup or code.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Headers of the page and of its files. */
export const pageHeaders: Record<string, string> = {
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** The only page; the scripts render its content. */
export function dashboardPage({ version, first }: Pick<Bundle, 'version' | 'first'>): string {
  const base = `/dashboard/assets/${version}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Upquorum</title>
<link rel="icon" href="${base}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/app.css">
${first.filter(name => name !== 'app.js').map(name => html`<link rel="modulepreload" href="${base}/${name}">`)}
<script type="module" src="${base}/app.js"></script>
</head>
<body>
<noscript><p>The dashboard requires JavaScript. The API is described at /v0/openapi.json.</p></noscript>
<div id="dashboard"></div>
</body>
</html>
`.toString();
}
