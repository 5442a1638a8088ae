import { Dashboard } from './dashboard.ts';

const host = document.getElementById('dashboard');
if (host !== null) await new Dashboard(host).start();
