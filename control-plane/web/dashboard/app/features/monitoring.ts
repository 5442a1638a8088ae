// Views of monitors, regions and walls, which are fetched together.

export { MonitorEditor } from './monitors/editor/monitor-editor.tsx';
export { Monitor } from './monitors/monitor.tsx';
export { Regions } from './regions/regions.tsx';
export { Walls } from './walls/walls.tsx';
