/** Whether a host, as settings name it, can only be reached from this machine. */
export function isLocalName(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);
}
