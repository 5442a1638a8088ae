/** That there are no events, and how to send a first one. */
export function NoEvents({ text }: { text: string }) {
  return (
    <div class="empty">
      <p>{text} Send one with a token that has the scope events:write:</p>
      <pre tabIndex={0}>
        {`curl ${location.origin}/v0/events -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "signed up", "external_user_id": "u1"}'`}
      </pre>
    </div>
  );
}
