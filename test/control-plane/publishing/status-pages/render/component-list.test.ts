import test from 'ava';
import fc from 'fast-check';
import { type Locale, languageOf } from '#control-plane/publishing/status-pages/locale/language.ts';
import {
  groupsOf,
  renderAffected,
  renderComponents,
} from '#control-plane/publishing/status-pages/render/component-list.ts';
import { componentNames } from '#control-plane/publishing/status-pages/render/incident-parts.ts';
import type { ShownStatus } from '#shared/vocabulary.ts';
import { find, type Html, readHtmlFragment } from '#test/support/html.ts';
import { sampleComponent, sampleView } from '#test/support/page-model.ts';

const english = languageOf('en');

test('adjacent components of a group belong together, and order is kept', t => {
  const names = fc.array(fc.constantFrom(null, 'One', 'Two'), { maxLength: 10 });
  fc.assert(
    fc.property(names, groups => {
      const components = groups.map((group, index) => sampleComponent({ id: `comp_${index}`, group }));
      const found = groupsOf(components);
      t.deepEqual(
        found.flatMap(({ members }) => members),
        components,
      );
      for (const [index, { name, members }] of found.entries()) {
        t.true(members.every(member => member.group === name));
        t.not(name, found[index - 1]?.name);
      }
    }),
  );
});

test('affected components are links, the worst page still fits, and a calm one has none', t => {
  t.is(renderAffected([sampleComponent()], english), null);
  const down = Array.from({ length: 15 }, (_, index) =>
    sampleComponent({ id: `comp_${index}`, name: `C${index}`, status: 'major_outage' }),
  );
  const links = (shownMax: number) =>
    find(readHtmlFragment(String(renderAffected(down, english, shownMax))), 'a').map(({ text, attributes }) => [
      text,
      attributes.href,
    ]);
  t.is(links(12).length, 13);
  t.deepEqual(links(12).at(0), ['C0: Major outage', '#comp_0']);
  t.deepEqual(links(12).at(-1), ['and 3 more', '#components']);
  t.is(links(15).length, 15);
});

test('what is left out is counted in the form of its number, in each language', t => {
  const down = Array.from({ length: 3 }, (_, index) =>
    sampleComponent({ id: `comp_${index}`, status: 'major_outage' }),
  );
  const rest = (locale: Locale, shownMax: number) => [
    find(readHtmlFragment(String(renderAffected(down, languageOf(locale), shownMax))), 'a').at(-1)?.text,
    readHtmlFragment(String(componentNames({ components: down }, languageOf(locale), shownMax)))
      .text.split(' ')
      .slice(-3)
      .join(' '),
  ];
  t.deepEqual([rest('en', 2), rest('en', 1)].flat(), ['and 1 more', 'and 1 more', 'and 2 more', 'and 2 more']);
  t.deepEqual([rest('de', 2), rest('de', 1)].flat(), [
    'und 1 weitere',
    'und 1 weitere',
    'und 2 weitere',
    'und 2 weitere',
  ]);
  t.deepEqual([rest('fr', 2), rest('fr', 1)].flat(), ['et 1 autre', 'et 1 autre', 'et 2 autres', 'et 2 autres']);
});

test('a page without components has no list of them', t => {
  t.is(renderComponents(sampleView({ components: [] })), null);
});

test('a component without measured days has no bars', t => {
  for (const days of [null, []]) {
    const html = readHtmlFragment(String(renderComponents(sampleView({ components: [sampleComponent({ days })] }))));
    t.deepEqual(find(html, '.history'), []);
  }
});

const grouped = (count: number, statusOf: (index: number) => ShownStatus, group: string | null = 'One') =>
  readHtmlFragment(
    String(
      renderComponents(
        sampleView({
          components: Array.from({ length: count }, (_, index) =>
            sampleComponent({ id: `comp_${index}`, group: index < 2 ? 'Two' : group, status: statusOf(index) }),
          ),
        }),
      ),
    ),
  );
const isOpen = (html: Html) => find(html, '.group').map(({ attributes }) => attributes.open !== undefined);

test('groups start open on a small page; on a large one those that are operational start folded', t => {
  t.deepEqual(isOpen(grouped(12, () => 'operational')), [true, true]);
  t.deepEqual(isOpen(grouped(13, () => 'operational')), [false, false]);
  t.deepEqual(isOpen(grouped(13, index => (index === 5 ? 'unknown' : 'operational'))), [false, true]);
});

test('of many components without a group the operational ones are folded after the first eight, and no other', t => {
  const html = grouped(40, index => (index === 30 ? 'partial_outage' : 'operational'), null);
  const folded = html.elements.filter(({ tag, attributes, inside }) => {
    const isComponent = tag === 'li' && attributes.id?.startsWith('comp_');
    return isComponent && inside.filter(each => each === 'details').length > 0;
  });
  // Two are in a group of their own, which is folded too.
  t.is(folded.length, 2 + 38 - 8 - 1);
  t.false(folded.some(({ attributes }) => attributes.id === 'comp_30'));
  t.is(find(html, '.more').length, 1);
  t.regex(find(html, '.more')[0]?.text ?? '', /^29 more operational components/);
  t.deepEqual(
    find(
      grouped(12, () => 'operational', null),
      '.more',
    ),
    [],
  );
});
