import test from 'ava';
import { createAction } from '#control-plane/dashboard/app/dom/action.ts';
import { element } from '#control-plane/dashboard/app/dom/element.ts';
import { renderHead } from '#control-plane/dashboard/app/views/monitor/head.ts';
import { renderMonitorRow } from '#control-plane/dashboard/app/views/monitor/monitor-row.ts';
import { renderPageButtons, renderStatusChips } from '#control-plane/dashboard/app/views/monitor/monitors-controls.ts';
import { renderRegions } from '#control-plane/dashboard/app/views/monitor/new-monitor-dialog.ts';
import { monitors, renderWithoutMonitors } from '#control-plane/dashboard/app/views/monitors.ts';
import { dispatch, elementsIn, fakeContext, find, textOf, textsOf } from '../descriptions.ts';
import { nowMs, sampleBucket, sampleMonitor } from '../samples.ts';

const action = createAction(() => undefined);

test('the list shows the most urgent monitor first and filters by text and status', async t => {
  const shop = sampleMonitor({ id: 'mon_1', name: 'Shop', status: 'up' });
  const search = sampleMonitor({ id: 'mon_2', name: 'Search', url: 'https://search.example/', status: 'down' });
  const { context, announcements } = fakeContext(
    {
      'GET /v0/monitors': { data: [shop, search] },
      'GET /v0/monitors/mon_1/uptime': { data: [sampleBucket()] },
      'GET /v0/monitors/mon_2/uptime': { data: [] },
    },
    { nowMs },
  );
  const view = monitors.open(context, {});
  await view.load();
  t.is(view.intervalMs(), 4000);
  t.deepEqual(namesIn(view.render()), ['Search', 'Shop']);
  dispatch(find(view.render(), 'input'), 'input', { currentTarget: { value: 'sho' } });
  t.deepEqual(namesIn(view.render()), ['Shop']);
  dispatch(find(view.render(), 'button', '1 down'), 'click');
  t.deepEqual(namesIn(view.render()), []);
  t.true(textOf(view.render()).includes('No monitors match.'));
  dispatch(find(view.render(), 'button', '1 down'), 'click');
  dispatch(find(view.render(), 'input'), 'input', { currentTarget: { value: '' } });
  await view.load();
  t.deepEqual(namesIn(view.render()), ['Search', 'Shop']);
  t.deepEqual(announcements, []);
});

test('a monitor’s row offers pause or resume to a token that may write', async t => {
  const { context, calls, announcements } = fakeContext({ 'POST /v0/monitors/mon_1/pause': {} }, { nowMs });
  const row = renderMonitorRow(sampleMonitor(), null, context, action);
  t.true(textOf(row).includes('90 days: loading…'));
  const button = find(row, 'button', 'Pause');
  t.is(button.attributes['aria-label'], 'Pause Shop');
  dispatch(button, 'click');
  await new Promise(setImmediate);
  t.deepEqual(calls, ['POST /v0/monitors/mon_1/pause']);
  t.deepEqual(announcements, ['Shop: paused']);
  const readOnly = fakeContext({}, { nowMs, scopes: ['monitors:read'] }).context;
  t.deepEqual(textsOf(renderMonitorRow(sampleMonitor(), null, readOnly, action), 'button'), []);
  const paused = sampleMonitor({ enabled: false, status: 'paused' });
  t.deepEqual(textsOf(renderMonitorRow(paused, null, context, action), 'button'), ['Resume']);
});

test('a chip counts each status in use, and a pressed chip stays when its count drops to zero', t => {
  const list = [sampleMonitor({ status: 'up' }), sampleMonitor({ status: 'up' })];
  const chips = (status: 'down' | null) =>
    renderStatusChips(list, { text: '', status }, change => changes.push(change.status ?? null));
  const changes: (string | null)[] = [];
  t.deepEqual(textsOf(chips(null), 'button'), ['2 up']);
  const pressed = chips('down');
  t.deepEqual(textsOf(pressed, 'button'), ['0 down', '2 up']);
  t.is(find(pressed, 'button', '0 down').attributes['aria-pressed'], 'true');
  for (const chip of elementsIn(pressed).filter(({ tag }) => tag === 'button')) dispatch(chip, 'click');
  t.deepEqual(changes, [null, 'up']);
});

test('page buttons appear for more than one page and stop at both ends', t => {
  t.is(
    renderPageButtons(50, 0, () => t.fail()),
    null,
  );
  const turned: number[] = [];
  const buttons = renderPageButtons(120, 0, page => turned.push(page));
  t.is(textOf(find(buttons, 'span')), '1–50 of 120 monitors');
  t.is(find(buttons, 'button', 'Previous').attributes['aria-disabled'], 'true');
  dispatch(find(buttons, 'button', 'Previous'), 'click');
  dispatch(find(buttons, 'button', 'Next'), 'click');
  dispatch(
    find(
      renderPageButtons(120, 2, page => turned.push(page)),
      'button',
      'Next',
    ),
    'click',
  );
  t.deepEqual(turned, [1]);
});

test('without monitors the page shows the API call and, if allowed, the button', t => {
  const button = element('button', {}, 'New monitor');
  t.true(
    textOf(find(renderWithoutMonitors('https://up.example', button), 'pre')).includes('https://up.example/v0/monitors'),
  );
  t.deepEqual(textsOf(renderWithoutMonitors('', button), 'button'), ['New monitor']);
  t.true(textOf(renderWithoutMonitors('', false)).includes('does not have permission to create monitors'));
});

test('the head of a monitor says when it counts as down', t => {
  const monitor = sampleMonitor();
  const head = renderHead(monitor, nowMs, action, async () => undefined);
  t.true(textOf(head).includes('GET https://shop.example/health every 60 s; down when 2 of 3 regions agree'));
  t.deepEqual(textsOf(head, 'button'), ['Pause']);
  t.deepEqual(textsOf(renderHead(monitor, nowMs, action, null), 'button'), []);
});

test('the form for a monitor offers every region with its agents, all checked', t => {
  const regions = [
    { code: 'eu', name: 'Europe', agents_online: 1, agents_total: 2 },
    { code: 'us', name: 'us', agents_online: 0, agents_total: 1 },
  ];
  const content = renderRegions(regions);
  t.deepEqual(textsOf(content, 'span'), ['Europe (eu), 1 agent online', 'us, 0 agents online']);
  t.true(elementsIn(content).every(({ tag, attributes }) => tag !== 'input' || attributes.checked === true));
  t.true(textOf(renderRegions([])).includes('There are no regions yet.'));
  t.false(textOf(renderRegions(null)).includes('There are no regions yet.'));
});

function namesIn(content: ReturnType<ReturnType<typeof monitors.open>['render']>): string[] {
  return elementsIn(content)
    .filter(({ attributes }) => attributes.class === 'name')
    .map(textOf);
}
