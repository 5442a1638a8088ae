// Project, token and flow are in the fragment of the URL, which browsers never send.
const parameters = new URLSearchParams(location.hash.slice(1));
const project = parameters.get('project');
const token = parameters.get('token');
const flow = parameters.get('flow');
let user = newUser();

function newUser() {
  return `demo-${Math.random().toString(36).slice(2, 8)}`;
}

function become(name) {
  user = name;
  flows.init(project, { external_id: user });
  document.getElementById('user').textContent = `You are ${user}.`;
  document.getElementById('timeline').textContent = 'Press a button.';
}

async function read(path, accept) {
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}`, accept } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

async function showTimeline() {
  const { data } = await (await read(`/v0/users/${user}/timeline`, 'application/json')).json();
  const lines = data.map(item => `${item.timestamp}  ${item.name}  ${JSON.stringify(item.props ?? {})}`);
  document.getElementById('timeline').textContent = lines.join('\n') || 'No events yet.';
}

async function showFunnel() {
  const picture = await (await read(`/v0/flows/${flow}/report?group_by=release`, 'image/svg+xml')).blob();
  const image = new Image();
  image.alt = 'Funnel';
  image.src = URL.createObjectURL(picture);
  const funnel = document.getElementById('funnel');
  funnel.classList.remove('quiet');
  funnel.replaceChildren(image);
}

if (project === null) {
  document.getElementById('user').textContent = 'This URL names no project. Open the one that npm start prints.';
} else {
  become(user);
  for (const button of document.querySelectorAll('[data-event]')) {
    button.addEventListener('click', () => {
      flows.track(button.dataset.event, { page: 'demo' });
      // Half a second in the browser, then the request: more than once, since the network may be slow.
      if (token !== null) for (const seconds of [1, 3, 8, 20]) setTimeout(showTimeline, seconds * 1000);
    });
  }
  document.getElementById('other-user').addEventListener('click', () => become(newUser()));
  if (token !== null && flow !== null) {
    showFunnel();
    setInterval(showFunnel, 5000);
  }
}
