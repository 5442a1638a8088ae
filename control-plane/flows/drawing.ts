import type { ReportView, StepView } from './report-schema.ts';

const width = 720;
const rowHeight = 56;
const barHeight = 28;
const margin = 24;
const top = 64;
const barsMax = 60;

/** A funnel to look at: a bar a step, as wide as its share of the first, for the whole range and then for each group. */
export function drawFunnel(title: string, report: ReportView): string {
  const groups = groupsOf(report).slice(0, Math.max(1, Math.floor(barsMax / report.steps.length)));
  const groupHeight = report.steps.length * rowHeight + 44;
  const height = top + groups.length * groupHeight + margin;
  const drawn = groups.map(({ label, steps }, place) => drawGroup(label, steps, top + place * groupHeight));
  const note = `${report.range.from.slice(0, 16)} to ${report.range.to.slice(0, 16)} UTC${report.estimated ? ', estimated within about 1 %' : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>text{font:14px system-ui,sans-serif;fill:#1c2733}.title{font-size:18px;font-weight:600}.quiet{fill:#5b6b7b;font-size:12px}.track{fill:#e8edf2}.bar{fill:#2f6fde}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9aa8b6}.track{fill:#26313c}.bar{fill:#5b93f5}}</style>
<text class="title" x="${margin}" y="30">${escapeXml(title)}</text><text class="quiet" x="${margin}" y="50">${escapeXml(note)}</text>
${drawn.join('\n')}
</svg>`;
}

function groupsOf(report: ReportView): { label: string; steps: readonly StepView[] }[] {
  const { steps, buckets = [], releases = [] } = report;
  return [
    { label: 'All entries', steps },
    ...buckets.map(bucket => ({ label: bucket.bucket, steps: bucket.steps })),
    ...releases.map(release => ({
      label: release.name ?? release.version ?? 'Before the first release',
      steps: release.steps,
    })),
  ];
}

function drawGroup(label: string, steps: readonly StepView[], y: number): string {
  const room = width - 2 * margin;
  const rows = steps.map((step, place) => {
    const line = y + 34 + place * rowHeight;
    const share = step.from_first ?? 0;
    const figure = `${step.users.toLocaleString('en')} · ${(share * 100).toFixed(1)} %`;
    return `<text x="${margin}" y="${line + 12}">${escapeXml(`${step.step}. ${cut(step.name)}`)}</text><text x="${width - margin}" y="${line + 12}" text-anchor="end">${figure}</text>
<rect class="track" x="${margin}" y="${line + 18}" width="${room}" height="${barHeight - 8}" rx="4"/><rect class="bar" x="${margin}" y="${line + 18}" width="${Math.round(room * share)}" height="${barHeight - 8}" rx="4"/>`;
  });
  return `<text class="quiet" x="${margin}" y="${y + 22}">${escapeXml(cut(label))}</text>\n${rows.join('\n')}`;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text;
}

/** Also what XML does not take at all, however it is written. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
