// The rules of status pages, written compactly: every page carries them. Colours and text sizes are tokens of the
// design.

export const frameRules = `
/* Base */
*,::before,::after{box-sizing:border-box}
html{font:100%/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
  -webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere}
h1,h2,h3,h4,h5,h6,p,ul,ol,dl,dd,fieldset{margin:0;padding:0}
ul,ol{list-style:none}
h1,h2,h3{line-height:1.25;text-wrap:pretty}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:4px}
.unseen,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
  white-space:nowrap}
.skip:focus{position:fixed;inset:.75rem auto auto .75rem;z-index:1;padding:.6rem 1rem;background:var(--surface);
  border-radius:8px}
.defs{position:absolute}
/* Frame: header, back link, sections */
.top,main,.bottom{width:min(100% - 2rem,54rem);margin-inline:auto}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.75rem 1.5rem;
  padding-block:1.75rem}
.brand{flex:1 1 9rem;min-width:0;font-size:var(--text-6);font-weight:700;letter-spacing:-.01em;line-height:1.3}
.brand a{display:flex;align-items:center;gap:.75rem;color:inherit;text-decoration:none;padding-block:.25rem}
.brand a:hover{text-decoration:underline}
.brand img{flex:none;width:auto;height:2.25rem;max-width:min(14rem,60vw);object-fit:contain}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem}
.support{padding-block:.25rem}
.actions .support{font-size:var(--text-3);font-weight:600}
.button,button{flex:none;display:inline-block;font:inherit;font-size:var(--text-3);font-weight:600;
  line-height:1.4;padding:.6rem 1.1rem;border:1px solid var(--button-edge);border-radius:10px;
  background:var(--button);color:var(--on-button);text-decoration:none;cursor:pointer}
.button:hover,button:hover{text-decoration:underline}
.top .button{background:none;color:var(--text);border-color:var(--control)}
.lead{max-width:42rem;margin-bottom:1.5rem;color:var(--muted)}
.back{margin-bottom:1rem}
.back a{display:inline-block;padding-block:.25rem}
.back a::before{content:"←" / "";display:inline-block;padding-inline-end:.4em}
[dir=rtl] .back a::before{content:"→" / ""}
section{margin-top:3rem}
h2{font-size:var(--text-6);letter-spacing:-.01em;margin-bottom:1rem}
.section-head{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.25rem 1.5rem;
  margin-bottom:1rem}
.section-head h2{margin:0}
.section-head a{padding-block:.25rem}
/* Cards and the headline */
.card{background:var(--surface);border:1px solid var(--line);border-radius:16px;padding:1.5rem}
.card+.card{margin-top:1rem}
.hero{display:flex;flex-wrap:wrap;align-items:center;gap:1.25rem;margin:0;padding:1.75rem 1.5rem;
  border-radius:16px;background:var(--tint);border:1px solid color-mix(in srgb,var(--fill) 30%,transparent)}
.hero>.icon{width:3rem;height:3rem}
.hero>div{flex:1;min-width:min(100%,12rem)}
.hero h1{font-size:clamp(1.5rem,1.1rem + 2vw,2.125rem);letter-spacing:-.025em}
.hero p{margin-top:.25rem}
h1{font-size:clamp(1.5rem,1.1rem + 2vw,2.125rem);letter-spacing:-.025em}
/* Icons, labels, chips, legend */
.icon{flex:none;width:1.125rem;height:1.125rem;overflow:visible}
.shape{fill:var(--fill);stroke:none}
.shape .ring{fill:none;stroke:var(--fill);stroke-width:2;stroke-dasharray:3.6 2.684}
.sign{fill:none;stroke:var(--sign);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.sign .ink{stroke:var(--fill)}
.label{display:inline-flex;align-items:center;gap:.4rem;color:var(--ink);font-weight:600;font-size:var(--text-3)}
.affected{flex-basis:100%;display:flex;flex-wrap:wrap;gap:.5rem}
.chip{display:inline-flex;align-items:center;gap:.45rem;padding:.35rem .8rem;border-radius:10px;
  border:1px solid var(--control);background:var(--surface);color:var(--text);font-size:var(--text-3);
  font-weight:600;text-decoration:none}
.chip:hover{text-decoration:underline}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;color:var(--muted);font-size:var(--text-2)}
.legend li{display:flex;align-items:center;gap:.4rem}
.sample{width:4px;height:1.375rem;overflow:visible}
`;

export const incidentRules = `
/* Incidents and their updates */
.incident-head{display:flex;gap:.75rem}
.incident-head>.icon{width:1.5rem;height:1.5rem;margin-top:.0625rem}
.incident h3{font-size:var(--text-5)}
.incident h3 a{color:inherit;text-decoration:none}
.incident h3 a:hover{text-decoration:underline}
.impact{font-size:var(--text-3);margin-top:.125rem}
/* Dots between parts: those at the start of a line are cut off. */
.dotted{display:flex;flex-wrap:wrap;margin-inline-start:-1.1em;clip-path:inset(0 0 0 1.1em)}
[dir=rtl] .dotted{clip-path:inset(0 1.1em 0 0)}
.dotted>span{position:relative;padding-inline-start:1.1em}
.dotted>span::before{content:"·" / "";position:absolute;inset-inline-start:.42em;color:var(--muted)}
.facts{margin-top:.5rem;color:var(--muted);font-size:var(--text-3)}
.impact+.facts{margin-top:.125rem}
.said{margin-top:.75rem;max-width:44rem;white-space:pre-line}
.brief .facts,.brief .said,.incident>.facts{padding-inline-start:2.25rem}
.incident.t-slow:not(.past),.incident.t-part:not(.past),.incident.t-down:not(.past),
.incident.t-note:not(.past){border-inline-start:4px solid var(--fill)}
.updates{margin-top:1.5rem}
.updates>li{position:relative;padding-block-end:1.5rem;padding-inline-start:2.25rem}
.updates>li:last-child{padding-block-end:0}
.updates>li::before{content:"";position:absolute;inset-inline-start:.4375rem;top:.375rem;width:.75rem;height:.75rem;
  border-radius:50%;border:2px solid var(--control);background:var(--surface)}
.updates>li:first-child::before{background:var(--control)}
.updates>.s-resolved::before,.updates>.s-resolved:first-child::before{border-color:var(--ok-fill);
  background:var(--ok-fill)}
.updates>li:not(:last-child)::after{content:"";position:absolute;inset-inline-start:.75rem;top:1.375rem;bottom:-.125rem;
  width:2px;background:var(--line)}
.updates>li>:is(h3,h4){font-size:1rem}
.updates>li:target>:is(h3,h4){text-decoration:underline;text-decoration-thickness:3px;
  text-decoration-color:var(--link);text-underline-offset:.3em}
.when{color:var(--muted);font-size:var(--text-2)}
.earlier{margin-top:1.25rem;padding-inline-start:2.25rem}
.earlier>summary,.more>summary{display:inline-flex;align-items:center;gap:.4rem;padding-block:.25rem;
  color:var(--link);font-weight:600;font-size:var(--text-3)}
.earlier>summary:hover,.more>summary:hover{text-decoration:underline}
.earlier>.updates{margin-top:1rem;margin-inline-start:-2.25rem}
.earlier>.updates>li:first-child::before{background:var(--surface)}
/* Markdown */
.prose{max-width:44rem;margin-top:.5rem}
.prose:dir(rtl),.said:dir(rtl){max-width:none}
.prose>*+*{margin-top:.75rem}
.prose :is(h3,h4,h5,h6){font-size:1rem;margin-top:1.25rem}
.prose :is(ul,ol){padding-inline-start:1.4rem;list-style:disc}
.prose ol{list-style:decimal}
.prose code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--page);
  border-radius:4px;padding:.1em .3em}
.prose pre{white-space:pre-wrap;padding:.875rem 1rem;background:var(--page);border:1px solid var(--line);
  border-radius:8px}
.prose pre code{background:none;padding:0}
.prose blockquote{margin-inline:0;padding-inline-start:1rem;border-inline-start:3px solid var(--line);
  color:var(--muted)}
.prose hr{border:0;border-top:1px solid var(--line)}
.prose .wide{overflow-x:auto}
.prose table{border-collapse:collapse}
.prose :is(th,td){padding:.35rem .75rem;border:1px solid var(--line);text-align:start;overflow-wrap:normal}
/* One incident */
.about-incident{display:flex;flex-wrap:wrap;gap:1rem 3rem;margin-top:1rem}
.about-incident dt{color:var(--muted);font-size:var(--text-2)}
.about-incident dd{font-weight:600}
.empty{color:var(--muted)}
/* Subscribing */
.subscribe h2{margin-bottom:.75rem}
.subscribe form>label{display:block;font-weight:600;font-size:var(--text-3);margin-bottom:.35rem}
.field{display:flex;flex-wrap:wrap;gap:.625rem}
input[type=email]{flex:1 1 14rem;min-width:0;font:inherit;padding:.55rem .8rem;border:1px solid var(--control);
  border-radius:10px;background:var(--surface);color:var(--text)}
.note{margin-top:.6rem;color:var(--muted);font-size:var(--text-3)}
.choice{margin-top:.75rem}
.choice>summary{display:inline-flex;align-items:center;gap:.4rem;padding-block:.25rem;font-weight:600;
  font-size:var(--text-3)}
.sets{display:grid;gap:1rem;margin-top:.75rem}
fieldset{border:0;min-width:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));
  gap:0 1rem}
legend{padding:0;font-size:var(--text-2);color:var(--muted);margin-bottom:.25rem}
fieldset label{display:flex;align-items:start;gap:.6rem;padding-block:.3rem;cursor:pointer}
input[type=checkbox]{flex:none;width:1.125rem;height:1.125rem;margin:.2rem 0 0;accent-color:var(--link)}
/* History, notices, footer */
.pages{display:grid;grid-template-columns:1fr auto 1fr;gap:1rem;margin-top:2rem;color:var(--muted)}
.pages a{padding-block:.25rem}
.pages>:last-child{text-align:end}
.notice{padding-top:2rem}
.notice h1{margin-bottom:.5rem}
.notice form{margin-top:1.25rem}
.notice .back{margin-top:1.25rem}
.bottom{margin-top:3rem;padding-block:1.5rem 3rem;border-top:1px solid var(--line);color:var(--muted);
  font-size:var(--text-3)}
.bottom ul{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin-bottom:.75rem}
.bottom a{display:inline-block;padding-block:.25rem}
`;

/** After all others, which it adapts to small and large screens. */
export const screenRules = `
/* Screens */
@media (max-width:36rem){
.card{padding-inline:1rem;border-radius:14px}
.hero{padding:1.25rem 1rem;border-radius:14px;gap:1rem}
.hero>.icon{width:2.25rem;height:2.25rem}
section{margin-top:2.25rem}
.top{padding-block:1.25rem}
.actions .support{display:none}
.brief .facts,.brief .said,.incident>.facts{padding-inline-start:0}
}
@media (max-width:26rem){
.component .label{font-size:var(--text-2)}
.count{display:none}
.group>summary .label{margin-inline-start:auto}
}
@media (min-width:112rem){
html{font-size:112.5%}
.top,main,.bottom{width:min(100% - 6rem,112rem)}
.groups{grid-template-columns:repeat(auto-fit,minmax(min(100%,46rem),1fr));align-items:start}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media (prefers-contrast:more){.card,.hero,.chip{border-color:currentColor}}
@media (forced-colors:active){.icon,.bars,.sample{forced-color-adjust:none}}
`;

export const printRules = `
html{font-size:10pt}
body{background:none}
.chip{background:none}
.subscribe,.skip,.top .button,.bottom nav,.days{display:none}
.card,.hero,.components>li,.updates>li{break-inside:avoid}
.group{break-inside:auto}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
`;
