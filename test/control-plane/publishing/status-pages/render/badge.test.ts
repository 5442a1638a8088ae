import test from 'ava';
import { renderBadge } from '#control-plane/publishing/status-pages/render/badge.ts';
import { shownStatuses } from '#shared/vocabulary.ts';
import { sampleComponent, sampleModel, samplePage } from '#test/support/page-model.ts';
import { childrenOf, elementsOf, onlyText, readXml } from '#test/support/xml.ts';

const badge = (name: string, status: (typeof shownStatuses)[number] = 'operational') =>
  readXml(renderBadge(sampleModel({ page: samplePage({ name }), components: [sampleComponent({ status })] })));

for (const status of shownStatuses)
  test(`the badge says ${status} in words, to those who see it and to those who do not`, t => {
    const svg = badge('Acme', status);
    const words = elementsOf(svg)
      .filter(({ name }) => name === 'text')
      .map(({ text }) => text);
    t.is(svg.attributes.role, 'img');
    t.is(svg.attributes['aria-label'], words.join(': '));
    t.true(onlyText(svg, 'title').startsWith('Acme: '));
    t.is(words[1] === 'operational', status === 'operational');
  });

for (const name of ['i', 'Acme', 'MWMWMW@@', '東京の状態', '👩‍👩‍👧 family', 'x'.repeat(255), ' \u0000', 'é́́'])
  test(`words are set to a width that fits: ${name.slice(0, 12)}`, t => {
    const svg = badge(name);
    const width = Number(svg.attributes.width);
    const texts = elementsOf(svg).filter(element => element.name === 'text');
    const [left, right] = texts.map(({ attributes }) => [Number(attributes.x), Number(attributes.textLength)] as const);
    t.true(left !== undefined && right !== undefined && left[0] + left[1] < right[0] && right[0] + right[1] < width);
    t.true(width < 700);
    t.is(childrenOf(svg, 'clipPath').length, 1);
  });
