import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const columns = 1200;
const updatesPerIncident = 10;
const lines = 3;

/** H5: texts that become hundreds of thousands of table cells, on a page that is published again and again. */
export const publishAgain: Attack = async (grounds, tally, signal, begun) => {
  begun();
  const api = talliedApi(grounds, tally);
  const head = `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`;
  const text = `${head}${'x\n'.repeat(10_000)}`.slice(0, 25_000);
  const write = async (): Promise<void> => {
    const made = await api('POST', '/v0/incidents', {
      title: 'Large',
      severity: 'p3',
      status_page_id: grounds.pageId,
      initial_update: { state: 'investigating', body: text },
    });
    for (let count = 0; count < updatesPerIncident && made.status === 201 && !signal.aborted; count++)
      await api('POST', `/v0/incidents/${made.body.id}/updates`, { state: 'identified', body: text });
  };
  const publish = (count: number) =>
    api('PATCH', `/v0/status-pages/${grounds.pageId}`, { description: `Version ${count}` });
  await repeat(lines, signal, (count, line) => (line === 0 ? publish(count) : write()));
};
