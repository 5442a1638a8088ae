type Named = { element: HTMLElement; name: string };

/** What a person finds on a page by its words, and does there. In an open dialog only that counts. */
export function readScreen(document: Document, settle: () => Promise<void>) {
  const top = (): Element =>
    [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('main') ?? document.body;
  const all = (selector: string): HTMLElement[] => [...top().querySelectorAll<HTMLElement>(selector)];
  const named = (selector: string): Named[] => all(selector).map(element => ({ element, name: nameOf(element) }));
  const names = (selector: string): string[] => named(selector).map(({ name }) => name);
  const find = (selector: string, name: string, at = 0): HTMLElement => {
    const found = named(selector).filter(each => each.name === name)[at];
    if (found === undefined) throw new Error(`no "${name}" among: ${names(selector).join(' | ')}`);
    return found.element;
  };
  const field = (label: string, at = 0) => find('input, textarea, select', label, at) as HTMLInputElement;
  const fire = (element: Element, type: string): void => {
    const { defaultView } = document;
    if (defaultView !== null) element.dispatchEvent(new defaultView.Event(type, { bubbles: true, cancelable: true }));
  };
  return {
    /** The text of the view, or of the open dialog. */
    text: () => wordsOf(top()),
    /** Of these texts, those that the view does not say. */
    lacks: (...texts: readonly string[]) => texts.filter(text => !wordsOf(top()).includes(text)),
    /** The text of the whole page, with navigation and announcements. */
    wholeText: () => wordsOf(document.body),
    heading: () => wordsOf(top().querySelector('h1, h2')),
    headings: () => all('h1, h2, h3').map(wordsOf),
    dialog: () => wordsOf(document.querySelector('dialog[open] h2')),
    problems: () => all('[role="alert"]').map(wordsOf),
    buttons: () => names('button'),
    links: () => all('a').map(link => [nameOf(link), link.getAttribute('href')] as const),
    fields: () => names('input, textarea, select'),
    options: (label: string) => [...field(label).querySelectorAll('option')].map(wordsOf),
    rows: () => all('tbody tr').map(wordsOf),
    items: (label: string) => all(`[aria-label="${label}"] li`).map(wordsOf),
    all,
    field,
    value: (label: string, at = 0) => field(label, at).value,
    isChecked: (label: string) => field(label).checked,
    /** What is said at a field: its error, after a refusal. */
    faultAt: (label: string): string => {
      const ids = field(label).getAttribute('aria-describedby')?.split(' ') ?? [];
      return wordsOf(document.getElementById(ids.find(id => id.endsWith('-fault')) ?? ''));
    },
    press: async (name: string, at = 0) => {
      find('button, summary, [role="option"]', name, at).click();
      await settle();
    },
    /** Two presses at once, as of an impatient person. */
    pressTwice: async (name: string) => {
      const button = find('button', name);
      button.click();
      button.click();
      await settle();
    },
    follow: async (name: string) => {
      find('a', name).click();
      await settle();
    },
    type: async (label: string, text: string, at = 0) => {
      const input = field(label, at);
      input.value = text;
      fire(input, 'input');
      fire(input, 'change');
      await settle();
    },
    /** Chooses by the text of the option. */
    choose: async (label: string, text: string, at = 0) => {
      const select = field(label, at) as unknown as HTMLSelectElement;
      const option = [...select.options].find(each => wordsOf(each) === text);
      if (option === undefined) throw new Error(`no "${text}" among: ${[...select.options].map(wordsOf).join(' | ')}`);
      select.value = option.value;
      fire(select, 'input');
      fire(select, 'change');
      await settle();
    },
    check: async (label: string) => {
      field(label).click();
      await settle();
    },
    key: async (key: string, more: KeyboardEventInit = {}) => {
      const { defaultView } = document;
      const target = document.activeElement ?? document.body;
      if (defaultView !== null)
        target.dispatchEvent(
          new defaultView.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
        );
      await settle();
    },
    focused: () => nameOf(document.activeElement as HTMLElement),
  };
}

/** The text of an element as it is read: pictures by their descriptions, and what can be chosen left out. */
export function wordsOf(element: Element | null): string {
  if (element === null) return '';
  return textOf(element)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,:;)?])/g, '')
    .replace(/\( /g, '(')
    .trim();
}

const unread = new Set(['SELECT', 'DATALIST', 'STYLE']);

/** Texts of one element stand together, elements apart. */
function textOf(element: Element): string {
  const isPicture = element.tagName.toLowerCase() === 'svg' || element.getAttribute('role') === 'img';
  if (isPicture) return element.getAttribute('aria-label') ?? '';
  if (unread.has(element.tagName)) return '';
  return [...element.childNodes]
    .map(node => (node.nodeType === 3 ? node.textContent : node.nodeType === 1 ? ` ${textOf(node as Element)} ` : ''))
    .join('');
}

/** The accessible name, as far as the dashboard's elements need it. */
export function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  const labelled = element.getAttribute('aria-labelledby');
  if (labelled !== null) return wordsOf(element.ownerDocument.getElementById(labelled));
  if (['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName)) return labelOf(element);
  return wordsOf(element);
}

/** The words of a label without its hint. */
function labelOf(element: HTMLElement): string {
  const around = element.closest('label');
  const label = around ?? element.ownerDocument.querySelector(`label[for="${element.id}"]`);
  if (label === null) return '';
  const words = label.querySelector('.label') ?? label.querySelector('span') ?? label;
  const hint = wordsOf(words.querySelector('.hint'));
  return wordsOf(words)
    .slice(0, hint === '' ? undefined : -hint.length)
    .trim();
}
