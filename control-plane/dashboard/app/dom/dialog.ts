import { type Content, type Description, element } from './element.ts';

/** A modal dialog, open while it is rendered. Escape or a click outside closes it; the focus returns to its opener. */
export function dialog(title: string, close: () => void, ...children: Content[]): Description {
  return element(
    'dialog',
    {
      key: 'dialog',
      modal: true,
      'aria-labelledby': 'dialog-title',
      oncancel: (event: Event) => {
        event.preventDefault();
        close();
      },
      onmousedown: (event: Event) => {
        if (event.target === event.currentTarget) close();
      },
    },
    element('div', { class: 'dialog-body' }, element('h2', { id: 'dialog-title' }, title), children),
  );
}
