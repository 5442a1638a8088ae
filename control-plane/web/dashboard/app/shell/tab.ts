import { useEffect } from 'preact/hooks';

/** The tab's title counts open alerts, and its icon turns red while there are any. */
export function useTab(title: string, alerts: number | null): void {
  const count = alerts ?? 0;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Upquorum`;
  }, [title, count]);
  useEffect(() => {
    showIcon(count > 0);
    // Who signed out sees no state.
    return () => showIcon(false);
  }, [count > 0]);
}

function showIcon(isAlarming: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  const address = icon.href.replace(/icon(-alert)?\.svg$/, isAlarming ? 'icon-alert.svg' : 'icon.svg');
  if (icon.href !== address) icon.href = address;
}
