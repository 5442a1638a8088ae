// What is needed to read stands behind the # of the address, which no browser sends anywhere.
const given = new URLSearchParams(location.hash.slice(1));
const project = given.get('project');
const token = given.get('token');
const flow = given.get('flow');
let user = newUser();

function newUser() {
  return `demo-${Math.random().toString(36).slice(2, 8)}`;
}

function become(name) {
  user = name;
  flows.init(project, { external_id: user });
  document.getElementById('who').textContent = `You are ${user}.`;
  document.getElementById('timeline').textContent = 'Press a button.';
}

async function read(path, accept) {
  const answer = await fetch(path, { headers: { authorization: `Bearer ${token}`, accept } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

async function showTimeline() {
  const { data } = await (await read(`/v0/users/${user}/timeline`, 'application/json')).json();
  const lines = data.map(item => `${item.timestamp}  ${item.name}  ${JSON.stringify(item.props ?? {})}`);
  document.getElementById('timeline').textContent = lines.join('\n') || 'Nothing yet.';
}

async function showFunnel() {
  const picture = await (await read(`/v0/flows/${flow}/report?group_by=release`, 'image/svg+xml')).blob();
  const image = new Image();
  image.alt = 'Funnel';
  image.src = URL.createObjectURL(picture);
  document.getElementById('funnel').replaceChildren(image);
}

if (project === null) {
  document.getElementById('who').textContent = 'The address names no project: open the one that npm start prints.';
} else {
  become(user);
  for (const button of document.querySelectorAll('[data-event]')) {
    button.addEventListener('click', () => {
      flows.track(button.dataset.event, { page: 'demo' });
      if (token !== null) setTimeout(showTimeline, 1000);
    });
  }
  document.getElementById('again').addEventListener('click', () => become(newUser()));
  if (token !== null && flow !== null) {
    showFunnel();
    setInterval(showFunnel, 5000);
  }
}
