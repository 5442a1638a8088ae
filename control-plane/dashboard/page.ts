const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // A second wall behind the DOM that is built from text nodes only: no sink takes a string as markup or code.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Of the page and of its files. */
export const pageHeaders: Record<string, string> = {
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** The one page; what it shows is made by `app/main.ts`. All modules are named, so that they load at once instead of one after another. */
export function dashboardPage(version: string, modules: readonly string[]): string {
  const base = `/dashboard/assets/${version}`;
  const preloads = modules.map(path => `<link rel="modulepreload" href="${base}/${path}">`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Upquorum</title>
<link rel="icon" href="${base}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/uplot.css">
<link rel="stylesheet" href="${base}/dashboard.css">
${preloads}
<script type="module" src="${base}/main.ts"></script>
</head>
<body>
<noscript><p>The dashboard needs JavaScript. The API does not: see /v0/openapi.json.</p></noscript>
<div id="dashboard"></div>
</body>
</html>
`;
}
