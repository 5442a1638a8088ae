import { wait } from '#shared/wait.ts';
import { Player } from './player.ts';
import type { LoadCommand, LoadPlan, LoadReport } from './protocol.ts';

// Its own process, so that its CPU is not counted in the figures and does not delay the control plane.
const players: Player[] = [];
const send = (report: LoadReport) => process.send?.(report);
const total = (pick: (player: Player) => number) => players.reduce((sum, player) => sum + pick(player), 0);

process.on('disconnect', () => process.exit(0));
process.on('message', (command: LoadCommand) => {
  switch (command.type) {
    case 'plan':
      return void connect(command.plan);
    case 'go':
      for (const player of players) player.sending = true;
      for (const player of players) player.pump();
      return;
    case 'drain':
      return void drain();
    case 'ledger':
      return send({ type: 'ledger', sent: players.flatMap(player => player.ledger) });
    default:
      return command satisfies never;
  }
});

async function connect(plan: LoadPlan): Promise<void> {
  let slot = 0;
  // Unique, because a message is identified by its slot.
  const nextSlot = () => {
    slot = Math.max(slot + 1, Date.now());
    return slot;
  };
  plan.agents.forEach((agent, index) => {
    players.push(new Player(plan, agent, index * 3, nextSlot));
  });
  for (const player of players) player.connect();
  while (players.some(player => player.connections === 0)) await wait(20);
  setInterval(() => send({ type: 'progress', acknowledged: total(player => player.acknowledged) }), 100);
  send({ type: 'ready' });
}

async function drain(): Promise<void> {
  for (const player of players) player.sending = false;
  while (players.some(player => !player.isEmpty)) await wait(2);
  send({
    type: 'drained',
    acknowledged: total(player => player.acknowledged),
    refused: total(player => player.refused),
    connections: total(player => player.connections),
  });
}
