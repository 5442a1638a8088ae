/** How an agent can be run: what to type on its machine. */
export type Enrolment = { label: string; hint: string; command: string };

/** The commands that run an agent with its secret. `name` becomes part of names on that machine. */
export function enrolmentsOf(agent: { name: string; secret: string }, origin: string): readonly Enrolment[] {
  const { secret } = agent;
  const name =
    agent.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'agent';
  return [
    {
      label: 'npm',
      hint: 'In a copy of the source, after npm ci.',
      command: [
        `CONTROL_PLANE_URL=${origin} \\`,
        `AGENT_SECRET=${secret} \\`,
        `DATA_DIR=/var/lib/upquorum-${name} npm run agent`,
      ].join('\n'),
    },
    {
      label: 'Docker',
      hint: 'With the image of deploy/images/agent.Dockerfile.',
      command: [
        `docker run --detach --restart always --name upquorum-${name} \\`,
        `  --env CONTROL_PLANE_URL=${origin} \\`,
        `  --env AGENT_SECRET=${secret} \\`,
        `  --volume upquorum-${name}:/var/lib/upquorum-agent \\`,
        '  upquorum-agent',
      ].join('\n'),
    },
    {
      label: 'systemd',
      hint: 'As root, after the Debian package upquorum-agent was installed.',
      command: [
        'install -d -m 0700 /etc/upquorum',
        '(umask 077; cat > /etc/upquorum/agent.env) <<END',
        `CONTROL_PLANE_URL=${origin}`,
        `AGENT_SECRET=${secret}`,
        'END',
        'systemctl enable --now upquorum-agent',
      ].join('\n'),
    },
  ];
}
