// The rules of components and their days, written compactly: every page carries them.

export const componentRules = `
/* Components and their days */
.groups{display:grid;gap:1rem}
.groups .card{margin:0;padding-block:0}
summary{cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
.group>summary{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem;padding-block:1.125rem}
.group h3{font-size:var(--text-4)}
.count{margin-inline-end:auto;color:var(--muted);font-size:var(--text-2)}
:is(.group,.choice,.earlier,.more)>summary::before{content:"";flex:none;width:.5rem;height:.5rem;
  border:solid;border-color:var(--muted);border-width:0 2px 2px 0;transform:rotate(-45deg);
  margin-inline:.125rem .25rem}
[dir=rtl] :is(.group,.choice,.earlier,.more)>summary::before{transform:rotate(135deg)}
:is(.group,.choice,.earlier,.more)[open]>summary::before{transform:translateY(-.15rem) rotate(45deg)}
.components>li{padding-block:1.125rem;border-top:1px solid var(--line)}
div.card>.components>li:first-child{border-top:0}
.components>li:target{outline:3px solid var(--link);outline-offset:8px;border-radius:4px}
.component{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 1rem}
.component .label{flex:none;align-self:start;white-space:nowrap}
.component .icon{width:1rem;height:1rem}
.name{flex:1 1 5.5rem;font-weight:600}
.about{color:var(--muted);font-size:var(--text-3)}
.history{margin-top:.625rem}
.bars{display:block;width:100%;height:2.5rem;overflow:visible;stroke-linecap:round;stroke-linejoin:round}
.sample{stroke-linecap:round}
.bars .from{stroke-linecap:butt;stroke-dasharray:3 2}
.bars [class]:hover{opacity:.7}
.scale{display:flex;justify-content:space-between;gap:1rem;margin-top:.25rem;color:var(--muted);
  font-size:var(--text-1);white-space:nowrap}
.uptime{font-variant-numeric:tabular-nums;color:var(--text)}
.uptime::after{content:"";display:inline-block;width:.375rem;height:.375rem;border:solid var(--muted);
  border-width:0 2px 2px 0;margin-block-end:.2rem;margin-inline:.55rem .125rem;transform:rotate(45deg)}
.history[open] .uptime::after{transform:translateY(.2rem) rotate(225deg)}
.history>summary:hover .uptime{text-decoration:underline;text-underline-offset:.2em}
.days{columns:15rem;column-gap:1.75rem;margin-top:1rem;padding-top:1rem;border-top:1px dashed var(--line);
  font-size:var(--text-2);font-variant-numeric:tabular-nums}
.days li{display:flex;justify-content:space-between;gap:.5rem;padding-block:.1875rem;break-inside:avoid}
.days span{flex:none;color:var(--muted)}
.days b{font-weight:400;text-align:end}
.days [class] b{font-weight:600}
/* Many components: lower rows, with the summary beside the bars where there is space */
.more{padding-block:.625rem;border-top:1px solid var(--line)}
.more>.components{margin-top:.5rem}
.large .components>li{padding-block:.75rem}
.large .history{margin-top:.25rem}
.large .bars{height:1.5rem}
.large .scale>:not(.uptime){display:none}
.large .group>summary{padding-block:.875rem}
@media (min-width:36rem){
.large .history>summary{display:flex;align-items:center;gap:1rem}
.large .scale{flex:none;min-width:8.5rem;margin:0;justify-content:end}
}
`;
