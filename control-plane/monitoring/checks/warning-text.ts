import { type ResponseWarning, responseWarnings } from '#shared/check-result.ts';

const texts: Record<ResponseWarning, string> = {
  line_ending: 'a line of the headers or of a chunk ends with LF instead of CR LF',
  status_line: 'the status line is malformed',
  http_version: 'the status line claims a version of HTTP other than 1.0 or 1.1',
  control_character: 'a header contains a control character',
  folded_header: 'a header continues on a second line',
  blank_before_colon: 'a header has a space before its colon',
  invalid_header_line: 'a header line without a valid name was ignored',
  repeated_length: 'Content-Length is sent more than once, with the same value',
  length: 'Content-Length or Transfer-Encoding is invalid, or both are sent, on a response without a body',
  transfer_encoding: 'Transfer-Encoding does not end with chunked, so the body was read until the connection closed',
};

/** A sentence about a warning, also for one that only newer agents know. */
export function warningText(code: string): string {
  const known = responseWarnings.find(word => word === code);
  return known === undefined ? 'the response is not valid HTTP, but was read' : texts[known];
}
